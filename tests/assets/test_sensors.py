"""What runs by itself: the whole estate after its partitions, not after a failed check."""

import dagster as dg
import polars as pl
import pytest
from dagster._core.definitions.job_base import InMemoryJob
from dagster._core.execution.api import execute_run

from assets.definitions import build_definitions
from assets.failures import causes
from pipeline.tables import schemas as s
from pipeline.tables.lake import Lake, LakeError
from tests.line.receiver import receiver

WHOLE_ESTATE = {"clusters", "index", "evaluation", "live_index"}
CHECKS = {"readable_share", "no_content", "chunk_sizes", "duplicate_share"}


def requested(result) -> set[str]:
    keys = {found.key for found in result.results if found.true_subset.size}
    return {key.name if isinstance(key, dg.AssetCheckKey) else key.to_user_string() for key in keys}


def test_the_whole_estate_follows_once_all_partitions_landed(line):
    first = line.tick()
    assert requested(first) == set()
    line.run("partition", "docs.0")
    one = line.tick(first.cursor)
    assert requested(one) == set(), "half an estate must not go live"
    line.run("partition", "docs.1")
    both = line.tick(one.cursor)
    assert requested(both) == WHOLE_ESTATE | CHECKS
    line.run("whole_estate")
    after = line.tick(both.cursor)
    assert requested(after) == set()
    line.run("partition", "docs.1")
    assert requested(line.tick(after.cursor)) == WHOLE_ESTATE | CHECKS


def break_contract(line, table, partition):
    """Change the published rows so that they break the table's contract, as no stage of ours would; it still looks fresh."""
    path = line.project.folder / f"data/lake/{table.name}/{partition}.parquet"
    frame, footer = pl.read_parquet(path), pl.read_parquet_metadata(path)
    ours = {key: value for key, value in footer.items() if key.startswith("kesit.")}
    pl.concat([frame, frame]).write_parquet(path, metadata=ours)
    return path


@pytest.mark.parametrize("table", [s.CHUNKS, s.SIGNATURES])
def test_nothing_follows_a_failed_blocking_check(line, table):
    line.all()
    before = line.tick()
    path = break_contract(line, table, "docs.0")
    result = line.run("partition", "docs.0")
    assert not result.success
    (check,) = (found for found in result.get_asset_check_evaluations() if not found.passed)
    assert (check.asset_key, check.blocking) == (dg.AssetKey(table.name), True)
    assert causes(result.all_events) == [f"{table.name}: {check.description}"]
    failed = line.tick(before.cursor)
    assert not requested(failed) & WHOLE_ESTATE
    assert line.run("partition", "docs.1").success, "another partition passes the same check"
    hidden = line.tick(failed.cursor)
    assert not requested(hidden) & WHOLE_ESTATE
    path.unlink()
    assert line.run("partition", "docs.0").success
    assert requested(line.tick(hidden.cursor)) >= WHOLE_ESTATE


def test_the_whole_estate_follows_runs_that_overlapped(line):
    """Dagster keeps one state of a check for all partitions: here that of the run that was planned last and passed first."""
    line.all()
    before = line.tick()
    job = line.definitions.resolve_job_def("partition")
    planned = [
        line.instance.create_run_for_job(job, tags={"dagster/partition": name})
        for name in line.workspace.partitions
    ]
    for run in reversed(planned):
        assert execute_run(InMemoryJob(job), run, line.instance).success
    assert requested(line.tick(before.cursor)) >= WHOLE_ESTATE


def test_the_sensor_is_on_from_the_start(line):
    sensor = line.definitions.get_repository_def().get_sensor_def("follow_up")
    assert sensor.default_status == dg.DefaultSensorStatus.RUNNING


# what was missed ------------------------------------------------------------------------------------------------------------


def tick_of(line, name, cursor=None):
    """One tick of a sensor as the daemon evaluates it; its requests and what it says, and the cursor."""
    repository = build_definitions(line.project.workspace()).get_repository_def()
    with dg.build_sensor_context(
        instance=line.instance,
        instance_ref=None if line.instance.is_ephemeral else line.instance.get_ref(),
        repository_def=repository,
        cursor=cursor,
        sensor_name=name,
    ) as context:
        return repository.get_sensor_def(name).evaluate_tick(context)


def test_the_whole_estate_catches_up_with_what_landed_unseen(line):
    for partition in line.workspace.partitions:
        line.run("partition", partition)
    data = tick_of(line, "catch_up")
    (request,) = data.run_requests
    assert request.partition_key is None
    assert tick_of(line, "catch_up").run_requests[0].run_key == request.run_key, "once for one state"
    line.run("whole_estate")
    assert tick_of(line, "catch_up").skip_message == "everything is up to date"
    line.project.configure(dedup={"threshold": 0.9})
    data = tick_of(line, "catch_up")
    assert [bool(data.run_requests), "signatures" in (data.skip_message or "")] in (
        [True, False],
        [False, True],
    )


def test_nothing_catches_up_while_a_partition_has_something_to_do_or_a_run_is_under_way(line):
    line.run("partition", "docs.0")
    assert "docs.1" in tick_of(line, "catch_up").skip_message
    line.run("partition", "docs.1")
    job = line.definitions.resolve_job_def("partition")
    line.instance.create_run_for_job(job, status=dg.DagsterRunStatus.STARTED)
    assert tick_of(line, "catch_up").skip_message == "a run is under way"


def test_nothing_catches_up_past_a_failed_blocking_check(line):
    line.all()
    path = break_contract(line, s.embeddings("use_multilingual", 512), "docs.0")
    assert not line.run("partition", "docs.0").success
    assert line.run("partition", "docs.1").success
    line.project.configure(retrieval={"parent_tokens": 60})
    data = tick_of(line, "catch_up")
    assert data.run_requests == []
    assert data.skip_message == "stages failed: embeddings docs.0"
    path.unlink()
    assert line.run("partition", "docs.0").success
    assert tick_of(line, "catch_up").run_requests


# other settings -------------------------------------------------------------------------------------------------------------


def test_another_setting_requests_what_it_makes_stale_once(lasting_line):
    line = lasting_line
    line.all()
    first = tick_of(line, "settings_changed")
    assert first.skip_message == "watching from now on"
    same = tick_of(line, "settings_changed", first.cursor)
    assert (same.run_requests, same.cursor) == ([], first.cursor)
    line.project.configure(chunking={"prefix": False})
    changed = tick_of(line, "settings_changed", same.cursor)
    assert {request.partition_key for request in changed.run_requests} == {"docs.0", "docs.1"}
    assert tick_of(line, "settings_changed", changed.cursor).run_requests == []


# failures -------------------------------------------------------------------------------------------------------------------


def test_a_failed_run_is_told_once_with_its_cause(line, monkeypatch):
    def refusing(*_args):
        raise LakeError("chunks/docs.0: cannot be written: the store said no")

    with monkeypatch.context() as patched:
        patched.setattr(Lake, "publish", refusing)
        result = line.run("partition", "docs.0")
    assert not result.success
    sensor = line.definitions.get_repository_def().get_sensor_def("alerts")
    assert sensor.default_status == dg.DefaultSensorStatus.STOPPED, "nobody is to be told"
    failure = next(event for event in result.all_events if event.is_run_failure)
    with receiver() as received:
        line.project.configure(alerts={"webhook": received.url})
        sensor = build_definitions(line.project.workspace()).get_repository_def().get_sensor_def("alerts")
        assert sensor.default_status == dg.DefaultSensorStatus.RUNNING
        context = dg.build_run_status_sensor_context(
            "alerts", failure, line.instance, result.dagster_run
        ).for_run_failure()
        sensor(context)
    (body,) = received.bodies
    assert (body["event"], body["job"], body["partition"]) == ("run_failed", "partition", "docs.0")
    assert body["errors"] == ["documents: chunks/docs.0: cannot be written: the store said no"]
    assert body["run_id"] == result.dagster_run.run_id
