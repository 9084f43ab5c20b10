"""Who may write: one `kesit run` at a time, and one writer at a time of each partition and of the index.

Runs that Dagster starts take the same locks, stage by stage, so a run from the UI and one from the command line never
write over one another.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from pipeline.config import UserError

if TYPE_CHECKING:
    from pipeline.line.workspace import Workspace

RUN: Final = "run"
# Reading a partition of large documents takes its time; whoever waits this long waits for something that hangs.
PATIENCE_SECONDS: Final = 6 * 3600


class LockedError(UserError):
    """Another process is writing. The message says which one."""

    exit_code = 3


@contextmanager
def holding(workspace: "Workspace", what: str, *, patience: float = PATIENCE_SECONDS) -> Generator[None]:
    """Hold one lock for the time of the block. It is gone when the process ends, however it ends.

    Args:
        workspace: whose lake it is. Within one workspace a lock that is held can be taken again.
        what: `RUN`, a partition, or the whole estate.
        patience: how many seconds to wait for another holder.

    Raises:
        LockedError: another process still holds it.
    """
    from filelock import Timeout

    # A lake on an object store has no file to lock; runs of one project are kept apart by its own folder.
    folder = workspace.private_folder / ".locks"
    folder.mkdir(parents=True, exist_ok=True)
    holder = folder / f"{what}.holder"
    lock = workspace.lock(folder / f"{what}.lock")
    try:
        lock.acquire(timeout=patience)
    except Timeout:
        who = holder.read_text(encoding="utf-8").strip() if holder.exists() else "unknown"
        raise LockedError(
            f"another run (process {who}) is writing to {workspace.lake.root}; wait for it to end"
        ) from None
    try:
        holder.write_text(str(os.getpid()), encoding="utf-8")
        yield
    finally:
        holder.unlink(missing_ok=True)
        lock.release()


def is_held(workspace: "Workspace", what: str) -> bool:
    """Whether a process that is alive says that it holds a lock. Only looks, so it can be in no one's way."""
    try:
        holder = workspace.private_folder / ".locks" / f"{what}.holder"
        os.kill(int(holder.read_text(encoding="utf-8")), 0)
    except PermissionError:  # of a process that is another user's
        return True
    except (OSError, ValueError):
        return False
    return True
