"""`make check` fails when one of its steps does, and shows why; with tools that only say what they were told."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def check(folder: Path, failing: str) -> "subprocess.CompletedProcess[str]":
    """Run `make check` of the repository in a folder whose virtual environment holds stand-ins."""
    tools = folder / ".venv" / "bin"
    tools.mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, folder)
    for name in ("ruff", "basedpyright", "dagster"):
        ends = 1 if name == failing else 0
        (tools / name).write_text(
            f"#!/bin/sh\necho 'first line of {name}'\necho 'last line of {name}' >&2\nexit {ends}\n"
        )
        (tools / name).chmod(0o755)
    (folder / ".venv" / ".installed").touch()
    return subprocess.run(
        ["make", "--no-print-directory", "check"], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize("tool", ["ruff", "basedpyright", "dagster"])
def test_a_step_that_fails_fails_the_check_and_is_shown(tmp_path, tool):
    done = check(tmp_path, tool)
    assert done.returncode != 0
    assert f"first line of {tool}" in done.stdout


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_a_check_in_which_all_is_well_says_little(tmp_path):
    done = check(tmp_path, "")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "last line of dagster"
