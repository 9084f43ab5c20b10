"""The nightly tick: exactly what changed is requested, and doubt skips the night."""

import shutil
from datetime import datetime

import dagster as dg
import pytest

from assets.instance import open_instance
from tests.assets.conftest import Line

NIGHT = datetime(2026, 11, 30, 2, 0)


@pytest.fixture
def line(project):
    """On an instance that a tick can open again."""
    with open_instance(project.folder) as instance:
        yield Line(project, instance)


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
    line.project.run()
    line.project.run()  # files that were too young in the first run for their times to be trusted
    while (skipped := tick()).run_requests:
        line.project.run()
    assert skipped.skip_message == "nothing changed"
    line.project.write("0.txt", "Ein ganz anderer Satz über Ventile.")
    scan = line.project.workspace().scan("docs")
    (partition,) = scan.changes.filter(kind="updated")["partition"]
    assert [request.partition_key for request in tick().run_requests] == [partition]


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
