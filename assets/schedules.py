"""The nightly schedule: scan the estate, and run the partitions that changed."""

from collections.abc import Iterator

import dagster as dg

from assets.delta import changed_partitions
from assets.freshness import confirm
from pipeline.config import ScheduleConfig, load_config
from pipeline.line.workspace import Workspace


def nightly(settings: ScheduleConfig, job_name: str) -> dg.ScheduleDefinition:
    """A schedule that requests one run for each partition in which something must run.

    It needs no cursor: the tables say what they were made from, so what failed, or was not reached, in one night is asked for
    in the next. Each tick reads the configuration and scans the sources anew.
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
        yield from changed_partitions(
            workspace, context.instance, f"{context.scheduled_execution_time:%Y-%m-%dT%H:%M}"
        )
        confirm(workspace, context.instance)

    return tick
