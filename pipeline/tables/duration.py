"""How long something takes: what is left of it, and seconds as a person says them."""

import time
from collections.abc import Callable
from typing import Final

_MINUTE: Final = 60
_HOUR: Final = 3600
_EARLY: Final = 0.05  # of the work: before that an estimate says nothing, unless a minute has passed


class Pace:
    """How much time is left, at the pace since the first step was told: what came before it was loading.

    Args:
        now: seconds of a clock.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._first: tuple[float, float] | None = None

    def left(self, share: float) -> float | None:
        """Seconds until all is done; None: too early to say. Args: share: of the work that is done, 0 to 1."""
        now = self._now()
        began, before = self._first = self._first or (now, share)
        if share >= 1:
            return 0.0
        took, done = now - began, share - before
        worth = done >= _EARLY or (done > 0 and took >= _MINUTE)
        return took * (1 - share) / done if worth else None


def duration(seconds: float) -> str:
    """A time in words: "40 s", "12 min", "3 h 20 min"."""
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    hours, minutes = divmod(round(seconds / _MINUTE), 60)
    return f"{hours} h {minutes} min"
