"""What a tick asks for: a run of each partition in which something must run, and no second one that waits."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

import dagster as dg
from dagster._core.storage.tags import (
    MAX_RETRIES_TAG,
    PARTITION_NAME_TAG,
    RETRY_ON_ASSET_OR_OP_FAILURE_TAG,
    RETRY_STRATEGY_TAG,
)

from assets.partitions import register
from pipeline.estate.guard import MassDeleteError
from pipeline.estate.source import SourceError
from pipeline.line.alerts import alert
from pipeline.line.freshness import stale_partitions
from pipeline.line.lock import PATIENCE_SECONDS
from pipeline.line.scans import guard_deletes, guard_removed_collections
from pipeline.line.stage import is_fresh
from pipeline.line.stages import DOCUMENTS, keep_place
from pipeline.line.workspace import Workspace

# A store that was away for a moment is there again a minute later; what fails twice waits for the next night.
RETRIED: Final = {
    MAX_RETRIES_TAG: "1",
    RETRY_STRATEGY_TAG: "FROM_FAILURE",
    RETRY_ON_ASSET_OR_OP_FAILURE_TAG: "true",
}
_NOT_BEGUN: Final = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
]


def changed_partitions(
    workspace: Workspace, instance: dg.DagsterInstance, key: str, *, begun: bool = True
) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """Scan the sources, make the instance's partitions those of the configuration, and ask for what must run.

    A source that cannot be listed, or a scan that would delete too much, asks for nothing, with the reason, and is told to
    the configured address; nothing is deleted.

    Args:
        workspace: opened for this tick, so that it reads the configuration and the sources anew.
        instance: knows the partitions, and which runs wait.
        key: of the tick; with it each partition is asked for once.
        begun: whether a run that has begun, and has seen the sources as they are now, will do; not where settings changed.
    """
    try:
        for collection in workspace.config.collections:
            guard_deletes(workspace, collection.name)
        guard_removed_collections(workspace)
    except (SourceError, MassDeleteError) as error:
        alert(workspace.config, "scan_refused", str(error))
        yield dg.SkipReason(str(error))
        return
    for collection in workspace.config.collections:
        keep_place(workspace, collection.name)
    register(instance, workspace.partitions)
    under_way = _under_way(workspace, instance, begun=begun)
    changed = stale_partitions(workspace, workspace.partitions)
    wanted = [name for name in changed if name not in under_way]
    if not wanted:
        yield dg.SkipReason("what changed is under way already" if changed else "nothing changed")
    for partition in wanted:
        yield dg.RunRequest(run_key=f"{key}-{partition}", partition_key=partition, tags=RETRIED)


def _under_way(workspace: Workspace, instance: dg.DagsterInstance, *, begun: bool) -> set[str]:
    """Partitions for which a run waits or, if `begun`, works on the documents that are there now.

    A run that has not begun will look at the sources when it does; one that has may have looked too early.
    """
    recent = workspace.now() - timedelta(seconds=PATIENCE_SECONDS)  # an older one has died unseen
    statuses = [*_NOT_BEGUN, dg.DagsterRunStatus.STARTED] if begun else _NOT_BEGUN
    runs = instance.get_runs(dg.RunsFilter(statuses=statuses, created_after=recent))
    found = ((run.tags.get(PARTITION_NAME_TAG), run.status) for run in runs)
    return {
        name
        for name, status in found
        if name in workspace.partitions and (status in _NOT_BEGUN or is_fresh(workspace, DOCUMENTS, name))
    }
