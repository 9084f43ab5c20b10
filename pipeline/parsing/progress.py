"""How far reading is: documents, the page of a long one, and how much time is left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pipeline.parsing.reading import Found
from pipeline.parsing.worker import Task
from pipeline.tables.duration import Pace, duration


@dataclass(frozen=True)
class ParseProgress:
    """How far a batch is.

    Attributes:
        done: documents that are finished, those of an earlier run and those that failed included.
        total: documents.
        pages: pages that were read in this run.
        failed: documents that failed.
        uri: the document that this is about.
        page: of it that is being read now; 0: it is finished.
        of: number of its pages, where `page` is not 0.
        seconds_left: estimate by the bytes that are read and that are left; None: too early to say.
    """

    done: int
    total: int
    pages: int
    failed: int
    uri: str
    page: int = 0
    of: int = 0
    seconds_left: float | None = None

    @property
    def message(self) -> str:
        """All of it on one line."""
        parts = [f"parsed {self.done}/{self.total} documents"]
        parts += [f"{self.failed} failed"] if self.failed else []
        parts.append(f"page {self.page}/{self.of} of {self.uri}" if self.page else self.uri)
        if self.seconds_left:
            parts.append(f"about {duration(self.seconds_left)} left")
        return ", ".join(parts)


class Clock:
    """Turns what is found out about documents into progress.

    Args:
        uris: of all documents, by key.
        sizes: of those that are to be read now, by key, in bytes.
    """

    def __init__(self, uris: Sequence[str], sizes: Mapping[int, int]) -> None:
        self._uris = uris
        self._pace = Pace()
        self._sizes = sizes
        self._all = sum(sizes.values())
        self._finished = len(uris) - len(sizes)
        self._pages = self._failed = 0
        self._read = 0.0
        self._parts: dict[int, tuple[int, int]] = {}

    @classmethod
    def of(cls, uris: Sequence[str], tasks: Sequence[Task]) -> Self:
        """The clock for documents, by key, and for tasks of reading some of them now; looks how large their files are."""
        return cls(uris, {task.key: _size(task.location) for task in tasks})

    def told(self, found: Found) -> ParseProgress:
        """The progress after something was found out."""
        if found.page:
            begun, _ = self._parts.get(found.key, (0, found.of))
            self._parts[found.key] = (
                begun + 1,
                found.of,
            )  # ranges come in any order: what counts is how many
        self._pages += len(found.rows)
        if found.last:
            self._finished += 1
            self._failed += found.error is not None
            self._read += self._sizes[found.key]
            self._parts.pop(found.key, None)
        return ParseProgress(
            self._finished,
            len(self._uris),
            self._pages,
            self._failed,
            self._uris[found.key],
            found.page,
            found.of,
            self._left(),
        )

    def _left(self) -> float | None:
        partly = (self._sizes[key] * min(begun / of, 1.0) for key, (begun, of) in self._parts.items())
        share = (self._read + sum(partly)) / self._all if self._all else 1.0
        return self._pace.left(share)


def _size(location: str) -> int:
    """Bytes of a file, and something for opening it."""
    try:
        return Path(location).stat().st_size + 10_000
    except OSError:
        return 10_000
