"""The nightly schedule: scan the estate, and run the partitions that changed."""

from collections.abc import Iterator

import dagster as dg

from assets.partitions import register
from pipeline.config import ScheduleConfig, load_config
from pipeline.estate.guard import MassDeleteError
from pipeline.estate.source import SourceError
from pipeline.line.freshness import stale_partitions
from pipeline.line.scans import guard_deletes, guard_removed_collections
from pipeline.line.workspace import Workspace


def nightly(settings: ScheduleConfig, job_name: str) -> dg.ScheduleDefinition:
    """A schedule that requests one run for each partition in which something must run.

    Each tick reads the configuration and scans the sources anew. A source that cannot be listed, or a scan that would
    delete too much, skips the tick with the reason; nothing is deleted.
    """

    @dg.schedule(
        name="nightly",
        job_name=job_name,
        cron_schedule=settings.cron,
        execution_timezone=settings.timezone,
        default_status=dg.DefaultScheduleStatus.STOPPED,
        description="Scan the estate and run the partitions that changed; the whole-estate stages follow by themselves.",
    )
    def tick(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest | dg.SkipReason]:
        workspace = Workspace(load_config())
        try:
            for collection in workspace.config.collections:
                guard_deletes(workspace, collection.name)
            guard_removed_collections(workspace)
        except (SourceError, MassDeleteError) as error:
            yield dg.SkipReason(str(error))
            return
        register(context.instance, workspace.partitions)
        changed = stale_partitions(workspace, workspace.partitions)
        if not changed:
            yield dg.SkipReason("nothing changed")
        for partition in changed:
            yield dg.RunRequest(
                run_key=f"{context.scheduled_execution_time:%Y-%m-%dT%H:%M}-{partition}",
                partition_key=partition,
            )

    return tick
