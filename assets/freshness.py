"""How old the live index may become before Dagster shows it as stale."""

from datetime import timedelta

import dagster as dg

from pipeline.config import ScheduleConfig
from pipeline.line.freshness import stale_partitions
from pipeline.line.whole_estate import GLOBAL, LIVE_INDEX
from pipeline.line.workspace import Workspace


def policy(settings: ScheduleConfig) -> dg.FreshnessPolicy | None:
    """The policy of the asset `live_index`: somebody must have looked, and found or made it true, since so long."""
    hours = settings.max_age_hours
    return dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=hours)) if hours else None


def confirm(workspace: Workspace, instance: dg.DagsterInstance) -> None:
    """Record that what is live equals what a run would make, in a night in which nothing had to run.

    Without it an index over a quiet estate would grow stale in Dagster's eyes although each night found it true.
    """
    if not workspace.config.schedule.max_age_hours:
        return
    key = dg.AssetKey(LIVE_INDEX.name)
    last = instance.get_latest_materialization_event(key)
    quiet = not stale_partitions(workspace, workspace.partitions)
    if last is None or not quiet or not all(stage.is_fresh(workspace) for stage in GLOBAL):
        return
    made = last.asset_materialization
    tags = dict((made and made.tags) or {})
    instance.report_runless_asset_event(
        dg.AssetMaterialization(key, description="looked at; nothing had to run", tags=tags)
    )
