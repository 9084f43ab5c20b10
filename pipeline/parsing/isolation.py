"""Worker processes that read documents: one file that hangs, crashes or eats memory costs one result, and nothing leaves the machine.

Each worker has a pipe of its own to the parent and shares nothing with the others, so that its death, at whatever moment, is
one event on one pipe. (In a pool with a common queue a worker that dies idle, or with the queue's lock, takes the pool along.)
"""

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from pipeline.parsing.again import Reading, read_page_again
from pipeline.parsing.cutouts import Wanted
from pipeline.parsing.errors import CRASH, OUT_OF_MEMORY, TIMEOUT, ParseError, classify

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

_OFFLINE: Final = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}
# Documents are read side by side: a worker that also computes on every core only gets into the others' way.
_ONE_THREAD: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
# docling imports these where they are installed: 4 s and 200 MB in each worker, and no reader of ours uses them.
_UNUSED: Final = frozenset({"torch", "transformers"})
_KILLED: Final = -9  # what the kernel does to a process when the machine runs out of memory
_START_SECONDS: Final = 120
_STARTS: Final = 3  # so many workers in a row that die before they are ready are no accident
_END_SECONDS: Final = 5


@dataclass(frozen=True)
class Task:
    """One document to read, or one page of it again. Field meanings: see `formats.read_document`."""

    key: int
    location: str
    media_type: str
    sha256: str
    pictures: tuple[Wanted, ...] = ()  # the images of these figures are asked for, not the pages
    again: Reading | None = None  # this page is asked for, read so


@dataclass(frozen=True)
class Limits:
    """What one document may take."""

    workers: int
    timeout_seconds: int
    memory_mb: int
    documents_per_worker: int
    max_pages: int
    ocr: str
    layout: str = "auto"
    passwords: tuple[str, ...] = ()
    hidden_sheets: str = "skip"
    artifacts: str = ""


class Keyed(Protocol):
    """A piece of work for a worker; whoever asked knows it by its key."""

    @property
    def key(self) -> int:
        """Unique among the tasks of one call."""
        ...


Rows = list[dict[str, Any]]
Result = tuple[int, Rows | ParseError]
# What a worker does with a task: a function of a module, so that it can be named to another process.
Work = Callable[[Any, Limits], Any]


@dataclass
class _Worker:
    """A worker process, as its parent sees it.

    Attributes:
        process: the process.
        pipe: tasks go in; a greeting and then results come out; it breaks when the process ends.
        deadline: on the monotonic clock, for what it does now.
        ready: whether it has greeted.
        task: what it does, or None.
        served: tasks that it has done.
    """

    process: "SpawnProcess"
    pipe: "Connection"
    deadline: float
    ready: bool = False
    task: Keyed | None = None
    served: int = 0

    def give(self, task: Keyed, limits: Limits) -> None:
        """Let it do a task."""
        self.task = task
        self.deadline = time.monotonic() + limits.timeout_seconds
        try:
            self.pipe.send(task)
        except OSError:
            self.task, self.deadline = None, 0.0  # it died idle; the caller gives the task to another
            raise

    def end(self, *, patience: float = 0.0) -> int | None:
        """End it, whatever it does, and return its exit code. One that is ending by itself has `patience` seconds for that."""
        self.pipe.close()
        self.process.join(patience)
        self.process.kill()
        self.process.join()
        return self.process.exitcode


def read_isolated(tasks: Sequence[Task], limits: Limits) -> Iterator[Result]:
    """Read documents in worker processes and yield (key, rows or the reason why not) as they finish. See `isolated`."""
    return isolated(read_task, tasks, limits)


def isolated(work: Work, tasks: Sequence[Keyed], limits: Limits) -> Iterator[tuple[int, Any]]:
    """Do tasks on documents in worker processes and yield (key, result or the reason why there is none) as they finish.

    Each worker is a fresh interpreter (spawn), is replaced after `documents_per_worker` tasks, has an address space of at
    most `memory_mb`, cannot open a socket, and ends when its parent does. A task that takes longer than `timeout_seconds`
    ends its worker and nothing else; so does a crash. Results are taken as they come, so that memory stays flat.

    Args:
        work: what is done with each task; returns a ParseError rather than raising one. Never returns None.
        tasks: the tasks, each with a key of its own.
        limits: what a task may take.

    Raises:
        OSError: workers end before they are ready; no document is to blame.
    """
    waiting, workers = deque[Keyed](tasks), list[_Worker]()
    most = limits.workers or os.cpu_count() or 1
    false_starts = 0
    try:
        while waiting or any(worker.task for worker in workers):
            wanted = min(most, len(waiting) + sum(worker.task is not None for worker in workers))
            workers += [_start(work, limits) for _ in range(wanted - len(workers))]
            _give_out(waiting, workers, limits)
            for worker in _stirring(workers):
                task, message = worker.task, _received(worker)
                if message is not None:
                    false_starts = 0
                    worker.ready, worker.task = True, None
                    if task is not None:
                        worker.served += 1
                        yield task.key, message
                if message is None or worker.served >= limits.documents_per_worker or _is_spoilt(message):
                    workers.remove(worker)
                    late = time.monotonic() >= worker.deadline
                    code = worker.end(patience=0.0 if late else _END_SECONDS)
                    if message is None and task is not None:
                        yield task.key, _fate(code, limits, late=late)
                    elif message is None and not worker.ready:
                        false_starts += 1
                if false_starts >= _STARTS:
                    raise OSError("the processes that read documents end before they are ready")
    finally:
        for worker in workers:
            worker.end()


def _start(work: Work, limits: Limits) -> _Worker:
    from multiprocessing import get_context

    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, work, limits), daemon=True)
    process.start()
    theirs.close()  # theirs alone from now on: it closes when they end
    return _Worker(process, cast("Connection", ours), time.monotonic() + _START_SECONDS)


def _give_out(waiting: deque[Keyed], workers: Sequence[_Worker], limits: Limits) -> None:
    for worker in workers:
        if waiting and worker.ready and worker.task is None:
            try:
                worker.give(waiting[0], limits)
            except OSError:
                continue
            waiting.popleft()


def _stirring(workers: Sequence[_Worker]) -> list[_Worker]:
    """Wait for the workers that have something to say, have ended, or are beyond their deadline."""
    from multiprocessing.connection import wait

    due = [worker for worker in workers if worker.task or not worker.ready]
    patience = min((worker.deadline for worker in due), default=0.0) - time.monotonic()
    spoken = wait([worker.pipe for worker in workers], max(patience, 0.0))
    now = time.monotonic()
    return [
        worker for worker in workers if worker.pipe in spoken or (worker in due and now >= worker.deadline)
    ]


def _received(worker: _Worker) -> Any:
    """What a worker says; None when it says nothing any more, or not in time."""
    try:
        return worker.pipe.recv() if worker.pipe.poll() else None
    except (EOFError, OSError):
        return None


def _is_spoilt(message: Any) -> bool:
    """Whether a worker that says this cannot be trusted any more: what it failed to load it never loads again."""
    return isinstance(message, ParseError) and message.reason in (OUT_OF_MEMORY, CRASH)


def _fate(code: int | None, limits: Limits, *, late: bool) -> ParseError:
    if late:
        return ParseError(TIMEOUT, f"({limits.timeout_seconds} s)")
    if code == _KILLED:
        return ParseError(OUT_OF_MEMORY, f"({limits.memory_mb} MB, or the machine's memory)")
    return ParseError(CRASH, f"(exit code {code})")


def serve(pipe: "Connection", work: Work, limits: Limits) -> None:
    """Do tasks as they are asked for, until the parent closes the pipe or ends. Main function of a worker."""
    confine(limits.memory_mb)
    if not limits.artifacts:  # docling's models run on them
        _hide_unused()
    _follow_parent()
    pipe.send(())
    try:
        while True:
            task = pipe.recv()
            _ration(limits.timeout_seconds)
            pipe.send(work(task, limits))
    except (EOFError, OSError):
        return


def read_task(task: Task, limits: Limits) -> Rows | ParseError:
    """What the parser's workers do: `read_rows`, with the engines that the limits name."""
    return read_rows(
        task,
        max_pages=limits.max_pages,
        ocr=limits.ocr,
        layout=limits.layout,
        passwords=limits.passwords,
        hidden_sheets=limits.hidden_sheets,
        artifacts=limits.artifacts,
    )


def read_rows(
    task: Task,
    *,
    max_pages: int,
    ocr: str,
    layout: str = "auto",
    passwords: Sequence[str] = (),
    hidden_sheets: str = "skip",
    artifacts: str = "",
) -> Rows | ParseError:
    """Rows of `parsed_pages` of one file, without the columns that name it, or why there are none. Runs in a worker."""
    try:
        from pipeline.parsing.formats import cut_out_of, read_document, read_file
        from pipeline.parsing.tree import finish

        if task.again is not None:
            data = read_file(task.location, task.sha256)
            return read_page_again(
                task.location, task.media_type, data, task.again, layout=layout, passwords=passwords
            )
        if task.pictures:
            return cut_out_of(
                task.location, task.media_type, task.pictures, passwords=passwords, sha256=task.sha256
            )
        pages = read_document(
            task.location,
            task.media_type,
            max_pages=max_pages,
            ocr=ocr,
            layout=layout,
            artifacts=artifacts,
            passwords=passwords,
            sha256=task.sha256,
            hidden_sheets=hidden_sheets,
        )
        return finish(pages)
    except Exception as error:  # noqa: BLE001 - readers raise anything; it is classified
        return classify(error)


def _hide_unused() -> None:
    """Let this process do without packages that no reader uses."""
    import sys
    from importlib.abc import MetaPathFinder

    class Hidden(MetaPathFinder):
        def find_spec(self, fullname: str, *_: object) -> None:
            if fullname in _UNUSED:
                raise ModuleNotFoundError(f"{fullname} is not used while documents are read", name=fullname)

    sys.meta_path.insert(0, Hidden())


def _follow_parent() -> None:
    """End this process when its parent ends, however that ends."""
    import multiprocessing
    import threading

    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def _ration(seconds: int) -> None:
    """Let the kernel end this process when it computes far beyond its time: a parent that is gone cannot.

    The thread that watches the parent is not heard while a reader loops in C with the interpreter's lock.
    """
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    limit = int(time.process_time()) + 2 * seconds + 60
    resource.setrlimit(resource.RLIMIT_CPU, (limit if hard < 0 else min(limit, hard), hard))


def confine(memory_mb: int, environment: Mapping[str, str] = _OFFLINE | _ONE_THREAD) -> None:
    """Take memory, network and terminal from this process."""
    import logging
    import resource
    import signal
    import socket
    import sys
    import warnings

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all; the parent decides
    os.environ.update(environment)
    limit = memory_mb << 20
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def refuse(*_: object, **__: object) -> None:
        raise OSError("no network while documents are read")

    for name in ("connect", "connect_ex", "sendto", "bind"):
        setattr(socket.socket, name, refuse)
    socket.getaddrinfo = refuse  # pyright: ignore[reportAttributeAccessIssue]
    socket.create_connection = refuse  # pyright: ignore[reportAttributeAccessIssue]
    # Readers report on documents; their chatter would tear the parent's progress display.
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    sys.stdout.flush()
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
