"""Workers: what they are asked for and how long they may take."""

import os

from pipeline.parsing.isolation import isolated
from pipeline.parsing.worker import Limits


class _Numbered:
    def __init__(self, key):
        self.key = key


def _process(task, limits):
    return os.getpid()


def test_a_time_limit_of_months_is_no_reason_to_stop():
    limits = Limits(1, 100 * 24 * 3600, 4096, 50, 100, "rapidocr")
    [(key, process)] = isolated(_process, [_Numbered(7)], limits)
    assert key == 7
    assert process != os.getpid()
