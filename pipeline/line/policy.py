"""What may no longer be shown leaves the live build at once, also in the middle of a run of many hours."""

import time

import polars as pl

from pipeline.estate.guard import MassDeleteError
from pipeline.estate.identity import partitions_of
from pipeline.estate.source import SourceError
from pipeline.index.errors import SearchIndexError
from pipeline.line.lock import PATIENCE_SECONDS, LockedError, holding
from pipeline.line.scans import guard_deletes
from pipeline.line.workspace import WHOLE, RunOptions, Workspace
from pipeline.tables import schemas as s
from pipeline.tables.lake import LakeError


def keep_policy(workspace: Workspace, *, patience: float = PATIENCE_SECONDS) -> None:
    """Take from the live build what was deleted or closed, for a run that ends, or goes on, without a new one.

    Raises:
        LockedError: another process writes the index for longer than `patience`, in seconds.
    """
    from pipeline.index.policy import keep_live

    with holding(workspace, WHOLE, patience=patience):
        if keep_live(workspace.index_root, documents_of_today(workspace)):
            workspace.say("what was deleted or closed has left the live index")


def look_again(workspace: Workspace) -> None:
    """For the pauses of long work: keep the live build true to the sources, every `index.policy_minutes`.

    What the run's own stages work with stays as it was when the run began. A look that fails is told and stops nothing.
    """
    if _due(workspace):
        try:
            keep_policy(workspace, patience=0)
        except (LockedError, SearchIndexError, LakeError) as error:
            workspace.say(f"warning: what is live was not brought up to date: {error}")
            workspace.looked_at = time.monotonic()


def tell_progress(workspace: Workspace, partition: str, message: str) -> None:
    """Say how far the long work on a partition is, and take the pause for a look at the sources."""
    workspace.say(f"{partition}: {message}")
    look_again(workspace)


def documents_of_today(workspace: Workspace) -> pl.DataFrame:
    """Table `documents` of the whole estate: as published or, when that is too old, as the sources are now.

    A source that cannot be listed, or would lose too many documents, counts as published.
    """
    if _due(workspace):
        workspace.looked_at = time.monotonic()
        workspace.documents_seen = _seen(workspace)
    seen = workspace.documents_seen
    return workspace.read(s.DOCUMENTS) if seen is None else seen


def _due(workspace: Workspace) -> bool:
    minutes = workspace.config.index.policy_minutes
    at = workspace.looked_at
    return minutes > 0 and (at is None or time.monotonic() - at >= 60 * minutes)


def _seen(workspace: Workspace) -> pl.DataFrame:
    fresh = Workspace(workspace.config)  # scans anew
    fresh.options = RunOptions(allow_deletes=workspace.options.allow_deletes)
    parts: list[pl.DataFrame] = []
    for collection in workspace.config.collections:
        names = partitions_of(collection)
        try:
            scan = guard_deletes(fresh, collection.name)
            parts += [scan.partition(name) for name in names]
        except (SourceError, MassDeleteError) as error:
            workspace.say(f"warning: {error}")
            parts += [workspace.lake.read(s.DOCUMENTS, name) for name in names]
    return pl.concat(parts)
