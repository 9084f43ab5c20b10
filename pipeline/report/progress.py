"""Progress for a person: a live line on a terminal, now and then a plain line elsewhere. Always on stderr."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from pipeline.report.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.status import Status

_SECONDS_BETWEEN_LINES: Final = 5.0
_SECONDS_BETWEEN_ENTRIES: Final = 15.0


class Paced:
    """Passes messages on, but not more often than a log can bear: the first at once, then one every 15 seconds.

    Args:
        write: takes a message.
        seconds: between two of them.
    """

    def __init__(self, write: "Callable[[str], None]", seconds: float = _SECONDS_BETWEEN_ENTRIES) -> None:
        self._write = write
        self._seconds = seconds
        self._last = float("-inf")

    def __call__(self, message: str) -> None:
        """Pass a message on, or let it go."""
        if time.monotonic() - self._last >= self._seconds:
            self._last = time.monotonic()
            self._write(printable(message))


class Progress:
    """Call it with a message. Use it as a context manager, so that the live line is gone at the end.

    Args:
        silent: show nothing at all.
    """

    def __init__(self, *, silent: bool = False) -> None:
        self._silent = silent
        self._status: Status | None = None
        self._plain = Paced(_to_stderr, _SECONDS_BETWEEN_LINES)

    def __enter__(self) -> Self:
        if not self._silent and sys.stderr.isatty():
            from rich.console import Console

            self._status = Console(stderr=True).status("starting")
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None

    def __call__(self, message: str) -> None:
        """Show a message: at once on a terminal, at most every five seconds elsewhere."""
        if self._silent:
            return
        if self._status is not None:
            from rich.markup import escape

            self._status.update(escape(printable(message)))
        else:
            self._plain(message)


def _to_stderr(message: str) -> None:
    print(message, file=sys.stderr, flush=True)  # noqa: T201
