"""Workers: what they are asked for and how long they may take."""

import os
import subprocess
import sys
from pathlib import Path

from pipeline.parsing.isolation import isolated
from tests.parsing.readings import limits

ROOT = Path(__file__).parents[2]


class _Numbered:
    def __init__(self, key):
        self.key = key


def _process(task, limits):
    return os.getpid()


def test_a_time_limit_of_months_is_no_reason_to_stop():
    months = limits(timeout_seconds=100 * 24 * 3600)
    [(key, process)] = isolated(_process, [_Numbered(7)], months)
    assert key == 7
    assert process != os.getpid()


def test_a_long_path_to_the_folder_for_temporary_files_is_no_reason_to_stop(tmp_path):
    # The path of a socket has about a hundred bytes.
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    script = (
        "from tests.parsing.test_isolation import _Numbered, _process, isolated, limits\n"
        "print(len(list(isolated(_process, [_Numbered(7)], limits()))))"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"TMPDIR": str(deep)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "1\n"


def test_what_workers_are_copied_from_runs_no_threads_of_polars():
    # A copy of a process has none of its threads, and perhaps a lock that one of them held.
    script = "import sys, pipeline.parsing.formats; sys.exit('polars' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
