"""What a worker process does: whatever it is started for; for the parser: read a document, or some pages of a long one, or put a long one together."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pipeline.parsing.confinement import confine, follow_parent, hide_unused, ration
from pipeline.parsing.engines import Engines
from pipeline.parsing.errors import ParseError, classify

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from pipeline.parsing.paged import PagedFile, Tell
    from pipeline.parsing.readers.pdf import Sheet

WHOLE: Final = "whole"
RANGE: Final = "range"
JOIN: Final = "join"
_SLICE: Final = 50  # rows that are sent at once

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Task:
    """Something to do with a document.

    Attributes:
        key: which document, for the caller.
        location: path of the file.
        media_type: as the source states it; may be empty.
        sha256: of the bytes that are meant.
        name: of the document's files between two runs: another one when its rows would be others.
        step: `WHOLE`: all of it; `RANGE`: sheets of some pages to a file of records; `JOIN`: rows from such files.
        pages: of a range: first and last page.
        files: of a range: where its sheets go; to join: the ranges in order, and last the file of second looks.
        patience: how many times the time limit it may take.
    """

    key: int
    location: str
    media_type: str
    sha256: str
    name: str = ""
    step: str = WHOLE
    pages: tuple[int, int] = (0, 0)
    files: tuple[str, ...] = ()
    patience: int = 1


@dataclass(frozen=True)
class Limits:
    """What one document may take, and how it is read. Field meanings: see `ParsingConfig`."""

    workers: int
    timeout_seconds: int
    memory_mb: int
    documents_per_worker: int
    pages_per_range: int
    engines: Engines


@dataclass(frozen=True)
class At:
    """Message of a worker: it begins with a page of so many."""

    page: int
    of: int


@dataclass(frozen=True)
class Part:
    """Message of a worker: rows of the document, and more to come."""

    rows: Rows


@dataclass(frozen=True)
class Long:
    """Answer of a worker: the document has too many pages to be read at once."""

    pages: int


@dataclass(frozen=True)
class Ended:
    """Answer of a worker: the range is in its file."""


Answer = Rows | Long | Ended | ParseError
Say = Callable[[At | Part], None]
# What a worker does with a task, and its answer, never None: a function of a module, so that it can be named to another process.
Work = Callable[[Any, Limits, Say], Any]


def serve(pipe: "Connection", work: Work, limits: Limits) -> None:
    """Do tasks as they are asked for, until the parent closes the pipe or ends. Main function of a worker."""
    confine(limits.memory_mb)
    if not limits.engines.artifacts_path:  # docling's models run on them
        hide_unused()
    follow_parent()
    import_module("pipeline.parsing.formats")  # no document pays for that with its time
    pipe.send(())
    try:
        while True:
            task = pipe.recv()
            ration(limits.timeout_seconds * task.patience)
            pipe.send(work(task, limits, pipe.send))
    except (EOFError, OSError):
        return


def read(task: Task, limits: Limits, say: Say) -> Answer:
    """The work of the parser: see `done`. Rows are said some at a time; the last ones are the answer."""
    answer = done(task, limits, lambda page, of: say(At(page, of)))
    if isinstance(answer, list):
        while len(answer) > _SLICE:
            say(Part(answer[:_SLICE]))
            del answer[:_SLICE]
    return answer


def done(task: Task, limits: Limits, tell: "Tell") -> Answer:
    """Do a task; whatever goes wrong is an answer."""
    try:
        if task.step == RANGE:
            return _range(task, limits, tell)
        return _joined(task, limits, tell) if task.step == JOIN else _whole(task, limits, tell)
    except Exception as error:  # noqa: BLE001 - readers raise anything; it is classified
        return classify(error)


def _whole(task: Task, limits: Limits, tell: "Tell") -> Rows | Long:
    from pipeline.parsing.formats import kind_of, read_bytes, read_file
    from pipeline.parsing.paged import in_parts, open_paged, read_paged
    from pipeline.parsing.tree import finish

    engines = limits.engines
    data = read_file(task.location, task.sha256)
    kind = kind_of(task.location, task.media_type, data[:1024]) if data else ""
    if in_parts(kind, engines):
        with ExitStack() as opened:
            file = open_paged(kind, data, engines)
            opened.callback(file.close)
            count = min(len(file), engines.max_pages)
            if count > limits.pages_per_range:
                return Long(count)
            return finish(read_paged(file, engines, tell))
    return finish(read_bytes(task.location, task.media_type, data, engines))


def _range(task: Task, limits: Limits, tell: "Tell") -> Ended:
    """Append the sheets of a range to its file; those that an earlier attempt left there are not read again."""
    from pipeline.parsing.paged import sheets_of
    from pipeline.tables.records import Records

    first, last = task.pages
    with ExitStack() as opened:
        file = _opened(task, limits, opened)
        records = opened.enter_context(Records.open(task.files[0]))
        for sheet in sheets_of(file, range(first + len(records), last + 1), tell):
            records.append(sheet)
    return Ended()


def _joined(task: Task, limits: Limits, tell: "Tell") -> Rows:
    from pipeline.parsing.paged import put_together, unread
    from pipeline.parsing.tree import finish
    from pipeline.tables.records import Lazy, Records, on_disk

    with ExitStack() as opened:
        file = _opened(task, limits, opened)
        *parts, notes = [opened.enter_context(Records.open(path)) for path in task.files]
        places = [(part, number) for part in parts for number in range(len(part))]

        def sheet(place: int) -> "Sheet":
            part, number = places[place]
            found = part.get(number)
            # The parent knows nothing of sheets: of a page that ended its reader it writes down number, reason and detail.
            return unread(*found) if isinstance(found, tuple) else found

        pages = put_together(
            file,
            Lazy(len(places), sheet),
            limits.engines,
            looks=dict(notes.all()),
            looked=lambda number, look: notes.append((number, look)),
            keep=partial(on_disk, folder=Path(task.files[-1]).parent),
            tell=tell,
        )
    return finish(pages)


def _opened(task: Task, limits: Limits, opened: ExitStack) -> "PagedFile":
    from pipeline.parsing.formats import kind_of, read_file
    from pipeline.parsing.paged import open_paged

    data = read_file(task.location, task.sha256)
    file = open_paged(kind_of(task.location, task.media_type, data[:1024]), data, limits.engines)
    opened.callback(file.close)
    return file
