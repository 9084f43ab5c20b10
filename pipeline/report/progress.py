"""Progress for a person: a live line on a terminal, now and then a plain line elsewhere. Always on stderr."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from rich.status import Status

_SECONDS_BETWEEN_LINES: Final = 5.0


class Progress:
    """Call it with a message. Use it as a context manager, so that the live line is gone at the end.

    Args:
        silent: show nothing at all.
    """

    def __init__(self, *, silent: bool = False) -> None:
        self._silent = silent
        self._status: Status | None = None
        self._last = float("-inf")

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

            self._status.update(escape(message))
        elif time.monotonic() - self._last >= _SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            print(message, file=sys.stderr, flush=True)  # noqa: T201
