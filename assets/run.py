"""`kesit run`: the same assets, driven in this process, recorded in the same instance that the UI shows."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import Final

import dagster as dg
from sqlalchemy.exc import SQLAlchemyError

from assets.definitions import PARTITION_JOB, WHOLE_ESTATE_JOB, build_definitions
from assets.failures import STARTED_BY, causes, interrupted
from assets.instance import open_instance
from assets.partitions import register
from pipeline.line.workspace import Workspace

# The run's own report says what happened; Dagster's log of each event stays in the instance.
_QUIET: Final = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


class InProcessDriver:
    """Runs the jobs of the definitions in this process.

    Args:
        workspace: shared by all of its runs, so that encoders are loaded once.
        instance: where the runs are recorded.
    """

    def __init__(self, workspace: Workspace, instance: dg.DagsterInstance) -> None:
        self._workspace = workspace
        self._instance = instance
        self._definitions = build_definitions(workspace)

    def run_partition(self, partition: str) -> list[str]:
        """Run the partitioned stages for one partition."""
        self._workspace.say(f"{partition}: running")
        return [f"{partition}: {line}" for line in self._run(PARTITION_JOB, partition)]

    def run_whole_estate(self) -> list[str]:
        """Run clusters, index, evaluation and live index."""
        self._workspace.say("whole estate: running")
        return self._run(WHOLE_ESTATE_JOB, None)

    def _run(self, job: str, partition: str | None) -> list[str]:
        try:
            result = self._definitions.resolve_job_def(job).execute_in_process(
                instance=self._instance,
                partition_key=partition,
                run_config=_QUIET,
                raise_on_error=False,
                tags=STARTED_BY,
            )
        except SQLAlchemyError as error:
            return [f"{job}: {_unrecorded(error)}"]
        if interrupted(result.all_events):  # of one job, to Dagster; to the person who pressed Ctrl-C, of all
            raise KeyboardInterrupt
        stopped = causes(result.all_events)
        return stopped if stopped or result.success else [f"{job}: did not run to its end"]


@contextmanager
def open_driver(workspace: Workspace) -> Generator[InProcessDriver]:
    """A driver on the instance beside the configuration file, with the configured partitions registered.

    To be opened by one process at a time.

    Raises:
        OSError: Dagster's storage cannot be written.
    """
    with ExitStack() as opened:
        try:
            instance = opened.enter_context(open_instance(workspace.config.base))
            _end_dead_runs(instance)
            register(instance, workspace.partitions)
            driver = InProcessDriver(workspace, instance)
        except SQLAlchemyError as error:
            raise OSError(_unrecorded(error)) from error
        yield driver


def _unrecorded(error: SQLAlchemyError) -> str:
    """Dagster's storage failed, not a stage: a full disk, mostly."""
    return f"Dagster cannot record the run: {getattr(error, 'orig', None) or error}"


def _end_dead_runs(instance: dg.DagsterInstance) -> None:
    """End the runs of processes that were killed: they would show as running for ever, and keep their place in a pool."""
    unfinished = dg.RunsFilter(
        tags=STARTED_BY, statuses=[dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED]
    )
    for run in instance.get_runs(unfinished):
        instance.report_run_failed(run, "the process of this run was ended before the run was")
        instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
