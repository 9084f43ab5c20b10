"""What runs by itself between the nights: what follows a partition, what was missed, what another setting asks for; and alerts."""

from collections.abc import Iterator
from typing import Final

import dagster as dg

from assets.delta import changed_partitions
from assets.failures import STARTED_BY, causes
from assets.partitions import PARTITIONS
from pipeline.config import load_config
from pipeline.line.alerts import alert
from pipeline.line.stage import is_fresh
from pipeline.line.stages import PARTITIONED
from pipeline.line.whole_estate import GLOBAL
from pipeline.line.workspace import Workspace
from pipeline.tables.fingerprint import fingerprint

_UNFINISHED: Final = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]

Requests = Iterator[dg.RunRequest | dg.SkipReason]


def follow_up(target: dg.AssetSelection) -> dg.AutomationConditionSensorDefinition:
    """Bring the whole-estate assets up to date after their inputs; not after a failed blocking check."""
    return dg.AutomationConditionSensorDefinition(
        "follow_up",
        target=target,
        default_status=dg.DefaultSensorStatus.RUNNING,
        minimum_interval_seconds=30,
    )


def catch_up(job_name: str) -> dg.SensorDefinition:
    """A sensor that runs the whole-estate stages where `follow_up` could not: it counts events, and this looks at the tables.

    A partition that lands twice between two ticks, a whole-estate run that failed, a setting that only these stages read: all
    leave tables that were not made from what stands before them. Nothing is asked for while a run is under way, while a
    partition has something to do or failed, a blocking check included; and once a day for the same state.
    """

    @dg.sensor(
        name="catch_up",
        job_name=job_name,
        default_status=dg.DefaultSensorStatus.RUNNING,
        minimum_interval_seconds=300,
        description="Run the whole-estate stages if they are behind the partitions and nothing else will bring them up.",
    )
    def tick(context: dg.SensorEvaluationContext) -> Requests:
        instance = context.instance
        if instance.get_runs(dg.RunsFilter(statuses=_UNFINISHED), limit=1):
            yield dg.SkipReason("a run is under way")
            return
        workspace = Workspace(load_config())
        # What the sources have become since the last scan is the business of the night.
        behind = [
            name
            for name in workspace.partitions
            if not all(is_fresh(workspace, each, name) for each in PARTITIONED[1:])
        ]
        if behind:
            yield dg.SkipReason(f"partitions have something to do: {', '.join(behind[:10])}")
            return
        failed = _failed(instance, workspace.partitions)
        if failed:
            yield dg.SkipReason(f"stages failed: {', '.join(failed[:10])}")
            return
        stale = [stage.name for stage in GLOBAL if not stage.is_fresh(workspace)]
        if not stale:
            yield dg.SkipReason("everything is up to date")
            return
        digests = (
            workspace.lake.state(table, name)
            for name in workspace.partitions
            for table in PARTITIONED[-1].writes(workspace)
        )
        state = fingerprint(
            *(found.digest for found in digests if found), *(stage.fingerprint(workspace) for stage in GLOBAL)
        )
        yield dg.RunRequest(run_key=f"{workspace.now():%Y-%m-%d}-{state[:16]}")

    return tick


def settings_changed(job_name: str) -> dg.SensorDefinition:
    """A sensor that starts a rebuild when the configuration, or the code of a stage, is another than at its last tick.

    Only what the change concerns is stale, and only that is computed: another model embeds anew and parses nothing.
    """

    @dg.sensor(
        name="settings_changed",
        job_name=job_name,
        default_status=dg.DefaultSensorStatus.STOPPED,
        minimum_interval_seconds=30,
        description="Run what another model, chunk size, collection or version of Kesit makes stale, without waiting for the night.",
    )
    def tick(context: dg.SensorEvaluationContext) -> Requests:
        workspace = Workspace(load_config())
        settings = _settings(workspace)
        before = context.cursor
        context.update_cursor(settings)
        if before is None:
            yield dg.SkipReason("watching from now on")
        elif before == settings:
            yield dg.SkipReason("the settings are the same")
        else:
            yield from changed_partitions(workspace, context.instance, settings[:16], begun=False)

    return tick


def alerts(*, on: bool) -> dg.SensorDefinition:
    """A sensor that tells of each failed run: to the address in `[alerts]`."""

    @dg.run_failure_sensor(
        name="alerts",
        default_status=dg.DefaultSensorStatus.RUNNING if on else dg.DefaultSensorStatus.STOPPED,
        minimum_interval_seconds=30,
        description="Post failed runs to the address that the configuration names under [alerts].",
    )
    def tick(context: dg.RunFailureSensorContext) -> dg.SkipReason | None:
        run = context.dagster_run
        if STARTED_BY.items() <= run.tags.items():
            return dg.SkipReason("the command line told of it")
        partition = run.tags.get("dagster/partition", "")
        stopped = causes(context.get_step_failure_events()) or [
            context.failure_event.message or "the run failed"
        ]
        where = f"{run.job_name} {partition}".strip()
        untold = alert(
            load_config(),
            "run_failed",
            f"{where}: {'; '.join(stopped)}",
            job=run.job_name,
            partition=partition,
            run_id=run.run_id,
            errors=stopped,
        )
        return dg.SkipReason(untold) if untold else None

    return tick


def _settings(workspace: Workspace) -> str:
    stages = (stage.fingerprint(workspace) for stage in (*PARTITIONED, *GLOBAL))
    collections = (collection.model_dump_json() for collection in workspace.config.collections)
    return fingerprint(*stages, *collections)


def _failed(instance: dg.DagsterInstance, partitions: list[str]) -> list[str]:
    """Partitioned stages that failed in their last run of a partition, a blocking check included."""
    return [
        f"{stage.name} {partition}"
        for stage in PARTITIONED
        for partition, status in (
            instance.get_status_by_partition(dg.AssetKey(stage.name), partitions, PARTITIONS) or {}
        ).items()
        if status == dg.AssetPartitionStatus.FAILED
    ]
