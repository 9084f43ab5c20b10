"""Seconds as a person says them."""

from typing import Final

_MINUTE: Final = 60
_HOUR: Final = 3600


def duration(seconds: float) -> str:
    """A time in words: "40 s", "12 min", "3 h 20 min"."""
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    hours, minutes = divmod(round(seconds / _MINUTE), 60)
    return f"{hours} h {minutes} min"
