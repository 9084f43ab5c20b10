"""How far an embedding is, and how long it will take."""

from dataclasses import dataclass

from pipeline.tables.duration import duration


@dataclass(frozen=True)
class Progress:
    """How far an embedding is.

    Attributes:
        done: strings that have their vector.
        total: strings that want one.
        seconds_left: how long the others will take at the pace of those before them, by tokens; None: too early to say.
    """

    done: int
    total: int
    seconds_left: float | None

    @property
    def message(self) -> str:
        """One line for a person."""
        left = f", {duration(self.seconds_left)} left" if self.seconds_left else ""
        return f"embedded {self.done:,} of {self.total:,} strings{left}"
