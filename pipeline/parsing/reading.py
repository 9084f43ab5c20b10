"""Documents read by workers: short ones in one go, long ones in ranges of pages whose sheets lie on disk until all are there.

A page that ends its worker (a crash, a hang, too little memory) costs that page: it is written down as unreadable where its
sheet would be, and the range goes on behind it. The files of ranges outlive a killed run, and the next one goes on with them.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from pipeline.parsing.errors import CRASH, OUT_OF_MEMORY, TIMEOUT, ParseError
from pipeline.parsing.isolation import Event, Workers
from pipeline.parsing.worker import JOIN, RANGE, WHOLE, At, Ended, Long, Part, Rows, Task
from pipeline.tables.records import Records

SHEETS: Final = ".sheets"
"""Ending of the files of ranges."""

_FATAL: Final = (CRASH, OUT_OF_MEMORY, TIMEOUT)
_MOST_DEATHS: Final = 8  # of workers, by one document; its other pages are then given up

Range = tuple[int, int]  # first and last page


@dataclass(frozen=True)
class Found:
    """What was found out about a document.

    Attributes:
        key: of its task.
        rows: rows of `parsed_pages`, without the columns that name the document: some of several, or all that is left.
        error: why there are none.
        page: a page that is being read.
        of: number of pages, if `page` says which.
        last: whether nothing follows about this document.
    """

    key: int
    rows: Rows = field(default_factory=Rows)
    error: ParseError | None = None
    page: int = 0
    of: int = 0
    last: bool = True


@dataclass
class _LongDocument:
    """A document that is read in ranges.

    Attributes:
        task: the task of reading it whole.
        files: of its ranges.
        looks: the file of second looks at its pages.
        undone: ranges that are not read yet.
        deaths: how many workers it has ended.
    """

    task: Task
    files: dict[Range, Path]
    looks: Path
    undone: set[Range]
    deaths: int = 0

    def tasks(self) -> list[Task]:
        """What is to do now: the ranges that are left, or putting them together."""
        if self.undone:
            return [self.reading(pages) for pages in sorted(self.undone)]
        files = (*(str(path) for path in self.files.values()), str(self.looks))
        return [replace(self.task, step=JOIN, files=files, patience=len(self.files))]

    def reading(self, pages: Range) -> Task:
        """The task of reading one range."""
        return replace(self.task, step=RANGE, pages=pages, files=(str(self.files[pages]),))

    def give_up(self, pages: Range, fault: ParseError) -> None:
        """Write down the pages of a range that are not read yet as unreadable."""
        with Records.open(self.files[pages]) as records:
            for number in range(pages[0] + len(records), pages[1] + 1):
                records.append(
                    (number, fault.reason, f"(given up: {self.deaths} readers ended on this file)")
                )


def read_documents(tasks: Sequence[Task], workers: Workers[Task], folder: Path) -> Iterator[Found]:
    """Read documents and yield what is found out, as it is.

    Args:
        tasks: one for each document, of the step `WHOLE`.
        workers: who reads, by `worker.read`.
        folder: where the files of ranges lie, those of an earlier run as well; they are named by the task's name.

    Raises:
        OSError: the folder cannot be written, or workers cannot start.
    """
    reading = _Reading(deque(tasks), workers, folder)
    for event in workers.events(reading.waiting):
        found = reading.follow(event)
        if found is not None:
            yield found


class _Reading:
    """What is still to do, and where the long documents stand."""

    def __init__(self, waiting: deque[Task], workers: Workers[Task], folder: Path) -> None:
        self.waiting = waiting
        self._limits = workers.limits
        self._folder = folder
        self._counts: dict[int, int] = {}
        self._long: dict[int, _LongDocument] = {}

    def follow(self, event: Event[Task]) -> Found | None:
        """Do what follows from an event, and say what the caller should know."""
        task, message = event.task, event.message
        if task.step != WHOLE and task.key not in self._long:
            return None  # a range of a document that failed meanwhile
        if isinstance(message, At):
            self._counts[task.key] = min(message.of, self._limits.engines.max_pages)
            return Found(task.key, page=message.page, of=message.of, last=False)
        if isinstance(message, Part):
            return Found(task.key, rows=message.rows, last=False)
        if isinstance(message, Long):
            self._divide(task, message.pages)
        elif isinstance(message, Ended):
            self._end_range(task)
        elif not (isinstance(message, ParseError) and self._goes_on(event, message)):
            self._long.pop(task.key, None)
            self._drop(task.key)
            if isinstance(message, ParseError):
                return Found(task.key, error=message)
            return Found(task.key, rows=message)
        return None

    def _divide(self, task: Task, pages: int, deaths: int = 0) -> None:
        """Go on with a document in ranges; those that an earlier run has finished are there already."""
        size = self._limits.pages_per_range
        ranges = [(first, min(first + size - 1, pages)) for first in range(1, pages + 1, size)]
        # A file of other ranges is another file.
        files = {each: self._folder / f"{task.name}.{each[0]}-{each[1]}{SHEETS}" for each in ranges}
        document = _LongDocument(
            task, files, self._folder / f"{task.name}.looks{SHEETS}", set(ranges), deaths
        )
        for (first, last), path in files.items():
            with Records.open(path) as records:
                if len(records) == last - first + 1:
                    document.undone.discard((first, last))
        self._long[task.key] = document
        self.waiting.extendleft(reversed(document.tasks()))

    def _end_range(self, task: Task) -> None:
        document = self._long[task.key]
        document.undone.discard(task.pages)
        if not document.undone:
            self.waiting.extendleft(document.tasks())

    def _goes_on(self, event: Event[Task], fault: ParseError) -> bool:
        """Whether a document goes on after it ended a worker: without the page that is to blame, or page by page from now on."""
        task, count = event.task, self._counts.get(event.task.key, 0)
        if fault.reason not in _FATAL or event.page == 0 or count < 2:
            return False
        if task.step == WHOLE:
            self._divide(task, count, deaths=1)
            return True
        document = self._long[task.key]
        document.deaths += 1
        if task.step == JOIN:
            if document.deaths > _MOST_DEATHS:
                return False
            if event.to_blame:
                with Records.open(document.looks) as looks:
                    looks.append((event.page, None))
            self.waiting.extendleft(document.tasks())
            return True
        if event.to_blame:
            with Records.open(document.files[task.pages]) as records:
                records.append((event.page, fault.reason, fault.detail))
        if document.deaths > _MOST_DEATHS:
            # Ranges that other workers are reading now end by themselves.
            untried = [each.pages for each in self.waiting if each.key == task.key]
            self._drop(task.key)
            for pages in (task.pages, *untried):
                document.give_up(pages, fault)
                document.undone.discard(pages)
            if not document.undone:
                self.waiting.extendleft(document.tasks())
        else:
            self.waiting.appendleft(document.reading(task.pages))
        return True

    def _drop(self, key: int) -> None:
        """Take back what is still to do for a document."""
        rest = [task for task in self.waiting if task.key != key]
        if len(rest) < len(self.waiting):
            self.waiting.clear()
            self.waiting.extend(rest)
