"""One run at a time on one lake: two writers would each publish half of the other's state."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from pipeline.line.workspace import Workspace


class LockedError(RuntimeError):
    """Another run holds the lake. The message says which process."""


@contextmanager
def exclusive(workspace: Workspace) -> Generator[None]:
    """Hold the lake of a workspace for the time of a run.

    The lock belongs to the process: it is gone when the process ends, however it ends.

    Raises:
        LockedError: another process holds it.
    """
    from filelock import FileLock, Timeout

    root = workspace.lake.root
    # A lake on an object store has no file to lock; runs of one project are kept apart by its own folder.
    folder = workspace.config.base / "data" if "://" in root else Path(root)
    folder.mkdir(parents=True, exist_ok=True)
    holder = folder / ".lock.holder"
    lock = FileLock(folder / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        who = holder.read_text(encoding="utf-8").strip() if holder.exists() else "unknown"
        raise LockedError(f"another run (process {who}) is writing to {root}; wait for it to end") from None
    try:
        import os

        holder.write_text(str(os.getpid()), encoding="utf-8")
        yield
    finally:
        holder.unlink(missing_ok=True)
        lock.release()
