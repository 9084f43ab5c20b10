"""How far an embedding is, and how long it will take."""

from dataclasses import dataclass
from typing import Final

_MINUTE: Final = 60
_HOUR: Final = 3600


@dataclass(frozen=True)
class Progress:
    """How far an embedding is.

    Attributes:
        done: strings that have their vector.
        total: strings that want one.
        seconds_left: how long the others will take at the pace of those before them, by tokens.
    """

    done: int
    total: int
    seconds_left: float

    @property
    def message(self) -> str:
        """One line for a person."""
        left = f", {duration(self.seconds_left)} left" if self.done < self.total else ""
        return f"embedded {self.done:,} of {self.total:,} strings{left}"


def duration(seconds: float) -> str:
    """A time as a person says it: "40 s", "12 min", "3 h 20 min"."""
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    hours, minutes = divmod(round(seconds / _MINUTE), 60)
    return f"{hours} h {minutes} min"
