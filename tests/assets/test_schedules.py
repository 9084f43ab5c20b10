"""The nightly tick: exactly what changed is requested, and doubt skips the night."""

import shutil
import time
from datetime import datetime, timedelta

import dagster as dg
import pytest

from assets.definitions import build_definitions
from pipeline.line.stage import is_fresh, update
from pipeline.line.stages import DOCUMENTS
from pipeline.tables import schemas as s
from pipeline.tables.lake import Lake, LakeError
from tests.line.receiver import receiver

NIGHT = datetime(2026, 11, 30, 2, 0)


@pytest.fixture
def line(lasting_line):
    return lasting_line


@pytest.fixture
def tick(line):
    repository = line.definitions.get_repository_def()
    schedule = repository.get_schedule_def("nightly")

    def evaluate():
        with dg.build_schedule_context(
            instance=line.instance, scheduled_execution_time=NIGHT, repository_def=repository
        ) as context:
            return schedule.evaluate_tick(context)

    return evaluate


def test_a_new_estate_requests_every_partition(line, tick):
    line.instance.delete_dynamic_partition("estate", "docs.1")
    requests = tick().run_requests
    assert [request.partition_key for request in requests] == ["docs.0", "docs.1"]
    assert len({request.run_key for request in requests}) == 2
    assert sorted(line.instance.get_dynamic_partitions("estate")) == ["docs.0", "docs.1"]


def test_only_what_changed_is_requested_and_nothing_when_nothing_changed(line, tick):
    line.project.grow_old()
    line.project.run()
    while (skipped := tick()).run_requests:
        line.project.run()
    assert skipped.skip_message == "nothing changed"
    line.project.write("0.txt", "Ein ganz anderer Satz über Ventile.")
    scan = line.project.workspace().scan("docs")
    (partition,) = scan.changes.filter(kind="updated")["partition"]
    assert [request.partition_key for request in tick().run_requests] == [partition]


def test_a_quiet_night_follows_the_feed(line, tick):
    """It tells of what is as it was, and would be read again every night."""
    line.project.collections = ({**line.project.collections[0], "feed": "events.jsonl"},)
    line.project.configure()
    events = line.project.folder / "events.jsonl"
    events.touch()
    line.project.grow_old()
    line.project.run()
    events.write_text('{"kind": "update", "uri": "0.txt"}\n')
    tick()
    assert line.workspace.lake.read(s.FEEDS)["position"].item() == events.stat().st_size


def test_mass_deletion_skips_the_night_and_deletes_nothing(line, tick):
    for n in range(4, 16):
        line.project.write(f"{n}.txt", f"Ventil {n} schließt nach {n + 3} Sekunden.")
    line.project.run()
    for n in range(1, 16):
        (line.project.docs / f"{n}.txt").unlink()
    data = tick()
    assert data.run_requests == []
    assert "15 of 16 documents would be deleted" in data.skip_message
    assert len(line.project.search("Ventil", k=20)) > 1


def test_a_missing_source_skips_the_night(line, tick):
    line.project.run()
    shutil.rmtree(line.project.docs)
    data = tick()
    assert data.run_requests == []
    assert str(line.project.docs) in data.skip_message


def test_partitions_that_the_configuration_no_longer_has_are_unregistered(line, tick):
    line.instance.add_dynamic_partitions("estate", ["old.0"])
    tick()
    assert sorted(line.instance.get_dynamic_partitions("estate")) == ["docs.0", "docs.1"]


def test_a_partition_whose_run_has_not_begun_is_not_asked_for_again(line, tick):
    """It scans when it begins; the other one is asked for, and each once."""
    job = line.definitions.resolve_job_def("partition")
    line.instance.create_run_for_job(
        job, tags={"dagster/partition": "docs.0"}, status=dg.DagsterRunStatus.NOT_STARTED
    )
    assert [request.partition_key for request in tick().run_requests] == ["docs.1"]


def test_a_run_that_has_begun_counts_once_it_has_seen_what_changed(line, tick):
    job = line.definitions.resolve_job_def("partition")
    line.instance.create_run_for_job(
        job, tags={"dagster/partition": "docs.0"}, status=dg.DagsterRunStatus.STARTED
    )
    assert [request.partition_key for request in tick().run_requests] == ["docs.0", "docs.1"]
    update(line.project.workspace(), DOCUMENTS, "docs.0")
    line.project.grow_old()
    update(line.project.workspace(), DOCUMENTS, "docs.0")
    assert [request.partition_key for request in tick().run_requests] == ["docs.1"]


def test_what_failed_is_tried_again_by_itself_and_in_the_next_night(line, tick, monkeypatch):
    line.project.grow_old()
    line.project.run()
    while tick().run_requests:
        line.project.run()
    line.project.write("0.txt", "Ein ganz anderer Satz über Ventile.")
    (first,) = tick().run_requests
    assert first.tags["dagster/retry_on_asset_or_op_failure"] == "true"
    assert first.tags["dagster/max_retries"] == "1"

    def refusing(*_args):
        raise LakeError("chunks: cannot be written")

    with monkeypatch.context() as patched:
        patched.setattr(Lake, "publish", refusing)
        assert not line.run("partition", first.partition_key).success
    (again,) = tick().run_requests
    assert again.partition_key == first.partition_key


def test_many_changes_and_one_file_seen_twice_are_one_run_a_partition(line, tick):
    """B80: what is requested are partitions, not events."""
    (line.project.docs / "again.txt").symlink_to(line.project.docs / "0.txt")
    for n in range(4, 30):
        line.project.write(f"{n}.txt", f"Ventil {n} schließt nach {n + 3} Sekunden.")
    requests = tick().run_requests
    assert [request.partition_key for request in requests] == ["docs.0", "docs.1"]
    again = tick().run_requests
    assert [request.run_key for request in again] == [request.run_key for request in requests], (
        "the same tick"
    )


@pytest.mark.slow
def test_a_tick_over_thousands_of_files_asks_for_each_partition_once_and_reads_no_file_twice(
    line, tick, monkeypatch
):
    """B82: neither runs nor questions to the instance grow with the files, so that no tick need be cut into several."""
    for n in range(5000):
        path = line.project.docs / f"d{n // 100:02}" / f"n{n:04}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# N{n}\n\nGörev {n}.\n", encoding="utf-8")
    asked = []
    real = dg.DagsterInstance.get_runs
    monkeypatch.setattr(
        dg.DagsterInstance,
        "get_runs",
        lambda self, *args, **options: asked.append(args) or real(self, *args, **options),
    )
    assert [request.partition_key for request in tick().run_requests] == ["docs.0", "docs.1"]
    assert len(asked) <= 2
    for _ in range(2):  # the times of young files are trusted from the second scan on
        time.sleep(2.5)
        workspace = line.project.workspace()
        for partition in workspace.partitions:
            update(workspace, DOCUMENTS, partition)
    monkeypatch.setattr(
        "pipeline.estate.source._sha256", lambda entry, read: pytest.fail(f"{entry.uri} was read")
    )
    workspace = line.project.workspace()
    assert workspace.scan("docs").count("unchanged") == 5004
    assert all(is_fresh(workspace, DOCUMENTS, partition) for partition in workspace.partitions)


def test_a_refused_scan_is_told(line, tick):
    line.project.run()
    shutil.rmtree(line.project.docs)
    with receiver() as received:
        line.project.configure(alerts={"webhook": received.url})
        assert tick().run_requests == []
    (body,) = received.bodies
    assert body["event"] == "scan_refused"
    assert str(line.project.docs) in body["text"]


def test_a_new_collection_adds_its_partitions(line, tick):
    line.project.run()
    while tick().run_requests:
        line.project.run()
    more = {"name": "memos", "source": "memos", "buckets": 1}
    line.project.collections = (*line.project.collections, more)
    line.project.configure()
    (line.project.folder / "memos").mkdir()
    assert [request.partition_key for request in tick().run_requests] == ["memos.0"]
    assert sorted(line.instance.get_dynamic_partitions("estate")) == ["docs.0", "docs.1", "memos.0"]


def test_a_quiet_night_confirms_that_the_live_index_is_true(line, tick):
    line.project.configure(schedule={"max_age_hours": 26})
    line.all()
    key = dg.AssetKey("live_index")

    def landed():
        return line.instance.get_latest_materialization_event(key)

    before = landed()
    line.project.write("0.txt", "Ein ganz anderer Satz über Ventile.")
    assert tick().run_requests
    assert landed().timestamp == before.timestamp, "there is something to do: nothing is confirmed"
    while tick().run_requests:
        line.project.run()
    tick()
    after = landed()
    assert after.timestamp > before.timestamp
    tag = "dagster/data_version"
    assert after.asset_materialization.tags[tag] == before.asset_materialization.tags[tag]
    live = build_definitions(line.project.workspace()).resolve_asset_graph().get(key)
    assert live.freshness_policy == dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=26))
