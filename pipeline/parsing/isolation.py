"""Worker processes that read documents: one file that hangs, crashes or eats memory costs one result, and nothing leaves the machine."""

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass
from typing import Any, Final

from pipeline.parsing.errors import CRASH, OUT_OF_MEMORY, TIMEOUT, ParseError, classify

_OFFLINE: Final = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
_KILLED: Final = -9  # what the kernel does to a process when the machine runs out of memory


@dataclass(frozen=True)
class Task:
    """One document to read. Field meanings: see `formats.read_document`."""

    key: int
    location: str
    media_type: str


@dataclass(frozen=True)
class Limits:
    """What one document may take."""

    workers: int
    timeout_seconds: int
    memory_mb: int
    documents_per_worker: int
    max_pages: int
    ocr: str


Rows = list[dict[str, Any]]


def read_isolated(tasks: Sequence[Task], limits: Limits) -> Iterator[tuple[int, Rows | ParseError]]:
    """Read documents in worker processes and yield (key, rows or the reason why not) as they finish.

    Each worker is a fresh interpreter (spawn), is replaced after `documents_per_worker` documents, has an address space of at
    most `memory_mb`, and cannot open a socket. A document that takes longer than `timeout_seconds` ends its worker and nothing
    else; so does a crash.
    """
    if not tasks:
        return
    from multiprocessing import get_context

    from pebble import ProcessPool

    workers = min(limits.workers or os.cpu_count() or 1, len(tasks))
    with ProcessPool(
        max_workers=workers,
        max_tasks=limits.documents_per_worker,
        initializer=confine,
        initargs=(limits.memory_mb,),
        context=get_context("spawn"),
    ) as pool:
        waiting = list(reversed(tasks))
        running: dict[Any, int] = {}
        try:
            while waiting or running:
                while (
                    waiting and len(running) < 2 * workers
                ):  # results are taken as they come: memory stays flat
                    task = waiting.pop()
                    arguments = (task.location, task.media_type, limits.max_pages, limits.ocr)
                    future = pool.schedule(read_rows, args=arguments, timeout=limits.timeout_seconds)
                    running[future] = task.key
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    yield running.pop(future), _result(future, limits)
        finally:
            if running:
                pool.stop()


def _result(future: Any, limits: Limits) -> Rows | ParseError:
    from pebble import ProcessExpired

    try:
        return future.result()
    except TimeoutError:
        return ParseError(TIMEOUT, f"({limits.timeout_seconds} s)")
    except ProcessExpired as error:
        if error.exitcode == _KILLED:
            return ParseError(OUT_OF_MEMORY, f"({limits.memory_mb} MB, or the machine's memory)")
        return ParseError(CRASH, f"(exit code {error.exitcode})")
    except Exception as error:  # noqa: BLE001 - whatever a reader raises is a result
        return classify(error)


def read_rows(location: str, media_type: str, max_pages: int, ocr: str) -> Rows:
    """Rows of `parsed_pages` of one file, without the columns that name it. Runs in a worker.

    Raises:
        ParseError: for every fault, so that the parent process needs none of the readers' libraries to understand it.
    """
    from pipeline.parsing.formats import read_document
    from pipeline.parsing.tree import finish

    try:
        return finish(read_document(location, media_type, max_pages=max_pages, ocr=ocr))
    except Exception as error:  # noqa: BLE001 - readers raise anything; it is classified
        raise classify(error) from None


def confine(memory_mb: int, environment: Mapping[str, str] = _OFFLINE) -> None:
    """Take memory and network from this process. Initializer of the workers."""
    import logging
    import resource
    import socket
    import sys
    import warnings

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
