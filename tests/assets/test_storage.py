"""Databases that stay open are Dagster's own: others read and write them meanwhile, and nothing stays open afterwards."""

from pathlib import Path

import dagster as dg
import pytest

from assets.instance import open_instance
from pipeline.line.project import write_dagster_files


@dg.asset
def pumps() -> dg.MaterializeResult:
    return dg.MaterializeResult(data_version=dg.DataVersion("7"))


@dg.asset
def broken() -> None:
    raise ValueError("no")


def run(instance: dg.DagsterInstance, asset: dg.AssetsDefinition = pumps) -> str:
    return dg.materialize([asset], instance=instance, raise_on_error=False).run_id


def open_files(below: Path) -> list[Path]:
    links = (Path(link) for link in Path("/proc/self/fd").iterdir())
    return [link.readlink() for link in links if link.is_symlink() and link.readlink().is_relative_to(below)]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    write_dagster_files(tmp_path)
    # What `dagster dev` opens, when it is started there.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    return tmp_path


def test_an_open_instance_and_the_web_server_see_one_another(folder):
    with open_instance(folder) as ours, dg.DagsterInstance.get() as theirs:
        first, second, failed = run(ours), run(theirs), run(ours, broken)
        for instance in (ours, theirs):
            statuses = {run.run_id: run.status.value for run in instance.get_runs()}
            assert statuses == {first: "SUCCESS", second: "SUCCESS", failed: "FAILURE"}
            event = instance.get_latest_materialization_event(dg.AssetKey("pumps"))
            assert event.run_id == second
            assert event.asset_materialization.tags["dagster/data_version"] == "7"
        kinds = [
            [entry.dagster_event_type for entry in instance.all_logs(first)] for instance in (ours, theirs)
        ]
        assert kinds[0] == kinds[1] != []


def test_a_run_leaves_no_file_open(folder):
    with open_instance(folder) as instance:
        run(instance)
        assert any(name.suffix == ".db" for name in open_files(folder))
    assert not [name for name in open_files(folder) if name.suffix == ".db"]


def test_another_process_opens_it_by_its_reference(folder):
    with open_instance(folder) as instance:
        run_id = run(instance)
        reference = instance.get_ref()
        assert reference.storage_data.class_name == "OpenStorage"
        with dg.DagsterInstance.from_ref(reference) as again:
            assert again.get_run_by_id(run_id).is_success
