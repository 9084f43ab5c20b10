"""What is left of some work."""

import pytest

from pipeline.tables.duration import Pace


def test_time_left_is_at_the_pace_since_the_first_step_which_waited_for_a_model():
    clock = iter([30.0, 31.0, 40.0, 80.0, 130.0])
    pace = Pace(lambda: next(clock))
    left = [pace.left(share) for share in (0.02, 0.04, 0.12, 0.52, 1.0)]
    assert left == [None, None, pytest.approx(88), pytest.approx(48), 0]


def test_of_long_work_a_little_is_enough():
    clock = iter([0.0, 59.0, 60.0])
    pace = Pace(lambda: next(clock))
    assert [pace.left(share) for share in (0.0, 0.01, 0.01)] == [None, None, pytest.approx(5940)]


def test_work_of_one_step_has_nothing_left():
    assert Pace().left(1.0) == 0
