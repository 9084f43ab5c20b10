"""What a process that reads documents may not do: open a socket, take more memory than its share, outlive its parent."""

import os
import time
from typing import Final

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


def hide_unused() -> None:
    """Let this process do without packages that no reader uses."""
    import sys
    from importlib.abc import MetaPathFinder

    class Hidden(MetaPathFinder):
        def find_spec(self, fullname: str, *_: object) -> None:
            if fullname in _UNUSED:
                raise ModuleNotFoundError(f"{fullname} is not used while documents are read", name=fullname)

    sys.meta_path.insert(0, Hidden())


def follow_parent() -> None:
    """End this process when its parent ends, however that ends."""
    import multiprocessing
    import threading

    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def ration(seconds: int) -> None:
    """Let the kernel end this process when it computes far beyond its time: a parent that is gone cannot.

    The thread that watches the parent is not heard while a reader loops in C with the interpreter's lock.
    """
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    limit = int(time.process_time()) + 2 * seconds + 60
    resource.setrlimit(resource.RLIMIT_CPU, (limit if hard < 0 else min(limit, hard), hard))


def confine(memory_mb: int) -> None:
    """Take memory, network and terminal from this process."""
    import logging
    import resource
    import signal
    import socket
    import sys
    import warnings

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all; the parent decides
    os.environ.update(_OFFLINE | _ONE_THREAD)
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
