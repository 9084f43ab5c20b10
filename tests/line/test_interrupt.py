"""Ctrl-C ends the whole run, not one partition of it; the next run goes on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipeline.index.pointer import find_pointer
from pipeline.line.project import write_dagster_files
from pipeline.tables import schemas as s
from tests.line.projects import Project, assert_same, content

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120


@pytest.mark.slow
def test_an_interrupt_ends_the_run_and_the_next_one_goes_on(tmp_path):
    project = Project(tmp_path / "p", {"name": "docs", "source": "docs", "buckets": 4})
    write_dagster_files(project.folder)
    for n in range(16):
        project.write(f"{n}.txt", f"Ventil {n} schließt nach {n + 3} Sekunden.")
    with subprocess.Popen(
        [sys.executable, "-c", "from pipeline.cli import main; main()", "run"],
        cwd=project.folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "KESIT_CONFIG": str(project.config_file)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        lake, began = project.workspace().lake, time.monotonic()
        while not lake.partitions(s.DOCUMENTS) and time.monotonic() - began < PATIENCE:
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "kesit: stopped by you; `kesit run` goes on where it was"
    assert "Traceback" not in err
    assert len(lake.partitions(s.DOCUMENTS)) == 1, "the next partition began"
    assert find_pointer(project.workspace().index_root) is None
    assert project.run().index["promoted"]
    assert_same(content(project), content(project.rebuilt(tmp_path / "again")))
