"""Workers: what they are asked for and how long they may take."""

import os

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
