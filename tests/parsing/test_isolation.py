"""Workers: what they are asked for and how long they may take."""

import os
import subprocess
import sys

from pipeline.parsing.isolation import isolated
from tests.parsing.readings import limits


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


def test_what_workers_are_copied_from_runs_no_threads_of_polars():
    # A copy of a process has none of its threads, and perhaps a lock that one of them held.
    script = "import sys, pipeline.parsing.formats; sys.exit('polars' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
