"""Worker processes that read documents: one file that hangs, crashes or eats memory costs one result, and nothing leaves the machine.

Each worker has a pipe of its own to the parent and shares nothing with the others, so that its death, at whatever moment, is
one event on one pipe. (In a pool with a common queue a worker that dies idle, or with the queue's lock, takes the pool along.)
"""

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, Self, TypeVar, cast

from pipeline.parsing.errors import CRASH, OUT_OF_MEMORY, TIMEOUT, ParseError
from pipeline.parsing.worker import At, Limits, Part, Say, Work, serve

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkServerProcess, SpawnProcess

_READY: Final = ["pipeline.parsing.formats"]  # what each worker would import first
_KILLED: Final = -9  # what the kernel does to a process when the machine runs out of memory
_START_SECONDS: Final = 120
_STARTS: Final = 3  # so many workers in a row that die before they are ready are no accident
_END_SECONDS: Final = 5
_LONGEST_FOLDER: Final = (
    70  # bytes; the path of a socket has 103 at most, and 31 of them come below the folder
)
_LONGEST_WAIT: Final = 3600  # seconds; the kernel counts milliseconds in 32 bits


class Keyed(Protocol):
    """A piece of work for a worker; whoever asked knows it by its key."""

    @property
    def key(self) -> int:
        """Unique among the tasks of one call."""
        ...


class Timed(Keyed, Protocol):
    """A piece of work that may take longer than others."""

    @property
    def patience(self) -> int:
        """How many times the time limit it may take."""
        ...


T = TypeVar("T", bound=Timed)
K = TypeVar("K", bound=Keyed)


@dataclass(frozen=True)
class Event(Generic[T]):
    """What happened to a task.

    Attributes:
        task: the task.
        message: a page that begins, rows of several, or the answer, which is the last event of the task.
        page: the page that was being read when the worker failed; 0: unknown.
        to_blame: whether that page is why: it was the first that the worker read for this task, or took most of its time.
    """

    task: T
    message: Any
    page: int = 0
    to_blame: bool = False


@dataclass
class _Worker(Generic[T]):
    """A worker process, as its parent sees it.

    Attributes:
        process: the process.
        pipe: tasks go in; a greeting and then results come out; it breaks when the process ends.
        deadline: on the monotonic clock, for what it does now.
        ready: whether it has greeted.
        task: what it does, or None.
        page: that it reads, as far as it said.
        began: when it began with that page, on the monotonic clock.
        pages: that it has begun with for this task.
        served: tasks that it has done.
    """

    process: "ForkServerProcess | SpawnProcess"
    pipe: "Connection"
    deadline: float
    ready: bool = False
    task: T | None = None
    page: int = 0
    began: float = 0.0
    pages: int = 0
    served: int = 0

    def give(self, task: T, limits: Limits) -> None:
        """Let it do a task."""
        self.task, self.page, self.pages = task, 0, 0
        self.deadline = time.monotonic() + limits.timeout_seconds * task.patience
        try:
            self.pipe.send(task)
        except OSError:
            self.task, self.deadline = None, 0.0  # it died idle; the caller gives the task to another
            raise

    def note(self, message: At | Part) -> None:
        """Keep in mind which page it reads."""
        self.page = message.page if isinstance(message, At) else 0
        self.pages += 1
        self.began = time.monotonic()

    def blames(self, limits: Limits) -> bool:
        """Whether the page that it reads is why it ended."""
        patience = limits.timeout_seconds * (self.task.patience if self.task else 1)
        return self.pages <= 1 or time.monotonic() - self.began > patience / 2

    def end(self, *, patience: float = 0.0) -> int | None:
        """End it, whatever it does, and return its exit code. One that is ending by itself has `patience` seconds for that."""
        self.pipe.close()
        self.process.join(patience)
        self.process.kill()
        self.process.join()
        return self.process.exitcode


class Workers(Generic[T]):
    """Processes that read documents. They start when there is something to do, and wait for more until they are closed.

    Each worker is a copy of a process that has imported the readers and has opened nothing (forkserver), is replaced after `documents_per_worker` tasks, has an address space of at
    most `memory_mb`, cannot open a socket, and ends when its parent does. A task that takes longer than `timeout_seconds`
    ends its worker and nothing else; so does a crash.

    Args:
        work: what is done with each task; gives a ParseError rather than raising one. `worker.read` is what the parser does.
        limits: what a task may take.
    """

    def __init__(self, work: Callable[[T, Limits, Say], Any], limits: Limits) -> None:
        self.limits = limits
        self._work = work
        self._workers: list[_Worker[T]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all workers, whatever they do."""
        while self._workers:
            self._workers.pop().end()

    def events(self, waiting: deque[T]) -> Iterator[Event[T]]:
        """Do tasks and say what happens, as it happens, so that memory stays flat; the caller may add further tasks meanwhile.

        Raises:
            OSError: workers end before they are ready; no document is to blame.
        """
        limits, workers = self.limits, self._workers
        most = limits.workers or os.cpu_count() or 1
        false_starts = 0
        try:
            while waiting or any(worker.task for worker in workers):
                wanted = min(most, len(waiting) + sum(worker.task is not None for worker in workers))
                workers += [_start(self._work, limits) for _ in range(wanted - len(workers))]
                _give_out(waiting, workers, limits)
                for worker in _stirring(workers):
                    task, ready = worker.task, worker.ready
                    event = self._heard(worker, task)
                    false_starts = false_starts + 1 if event is None and not ready and not worker.ready else 0
                    if event is not None:
                        yield event
                    if false_starts >= _STARTS:
                        raise OSError("the processes that read documents end before they are ready")
        finally:
            for worker in [worker for worker in workers if worker.task]:  # nobody waits for them any more
                workers.remove(worker)
                worker.end()

    def _heard(self, worker: _Worker[T], task: T | None) -> Event[T] | None:
        """What a worker that stirs means for its task; one that has ended or done its share is let go."""
        message = _received(worker)
        if isinstance(message, At | Part):
            worker.note(message)
            return Event(task, message) if task is not None else None
        to_blame = worker.blames(self.limits)
        if message is not None:
            worker.ready, worker.task = True, None
            worker.served += task is not None
        if message is None or worker.served >= self.limits.documents_per_worker or _is_spoilt(message):
            self._workers.remove(worker)
            late = time.monotonic() >= worker.deadline
            code = worker.end(patience=0.0 if late else _END_SECONDS)
            if message is None and task is not None:
                return Event(task, _fate(code, self.limits, task, late=late), worker.page, to_blame)
        return (
            Event(task, message, worker.page, to_blame) if task is not None and message is not None else None
        )


@dataclass(frozen=True)
class _Job(Generic[K]):
    """A task of any kind, for `isolated`."""

    task: K
    patience: int = 1

    @property
    def key(self) -> int:
        return self.task.key


def isolated(
    work: Callable[[K, Limits], Any], tasks: Sequence[K], limits: Limits
) -> Iterator[tuple[int, Any]]:
    """Do tasks in workers of their own, and yield (key, result or the ParseError why there is none) as they finish.

    Args:
        work: what is done with each task: a function of a module. Returns a ParseError rather than raising one, never None.
        tasks: the tasks.
        limits: what a task may take.

    Raises:
        OSError: workers end before they are ready; no document is to blame.
    """
    with Workers(partial(_alone, work), limits) as workers:
        for event in workers.events(deque(map(_Job, tasks))):
            yield event.task.key, event.message


def _alone(work: Callable[[K, Limits], Any], job: _Job[K], limits: Limits, _say: Say) -> Any:
    return work(job.task, limits)


def _start(work: Work, limits: Limits) -> _Worker[Any]:
    from multiprocessing import get_context
    from tempfile import gettempdir

    context = get_context("forkserver")
    context.set_forkserver_preload(_READY)  # heeded when the server starts, with the first worker
    # The server listens on a socket in the folder for temporary files. Without one a worker only takes longer to start.
    start = context.Process
    if len(os.fsencode(gettempdir())) > _LONGEST_FOLDER:
        start = get_context("spawn").Process
    ours, theirs = context.Pipe()
    process = start(target=serve, args=(theirs, work, limits), daemon=True)
    process.start()
    theirs.close()  # theirs alone from now on: it closes when they end
    return _Worker(process, cast("Connection", ours), time.monotonic() + _START_SECONDS)


def _give_out(waiting: deque[T], workers: Sequence[_Worker[T]], limits: Limits) -> None:
    for worker in workers:
        if waiting and worker.ready and worker.task is None:
            try:
                worker.give(waiting[0], limits)
            except OSError:
                continue
            waiting.popleft()


def _stirring(workers: Sequence[_Worker[T]]) -> list[_Worker[T]]:
    """Wait for the workers that have something to say, have ended, or are beyond their deadline."""
    from multiprocessing.connection import wait

    due = [worker for worker in workers if worker.task or not worker.ready]
    patience = min((worker.deadline for worker in due), default=0.0) - time.monotonic()
    spoken = wait([worker.pipe for worker in workers], min(max(patience, 0.0), _LONGEST_WAIT))
    now = time.monotonic()
    return [
        worker for worker in workers if worker.pipe in spoken or (worker in due and now >= worker.deadline)
    ]


def _received(worker: _Worker[Any]) -> Any:
    """What a worker says; None when it says nothing any more, or not in time."""
    try:
        return worker.pipe.recv() if worker.pipe.poll() else None
    except (EOFError, OSError):
        return None


def _is_spoilt(message: Any) -> bool:
    """Whether a worker that says this cannot be trusted any more: what it failed to load it never loads again."""
    return isinstance(message, ParseError) and message.reason in (OUT_OF_MEMORY, CRASH)


def _fate(code: int | None, limits: Limits, task: Timed, *, late: bool) -> ParseError:
    if late:
        return ParseError(TIMEOUT, f"({limits.timeout_seconds * task.patience} s)")
    if code == _KILLED:
        return ParseError(OUT_OF_MEMORY, f"({limits.memory_mb} MB, or the machine's memory)")
    return ParseError(CRASH, f"(exit code {code})")
