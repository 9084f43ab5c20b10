"""`kesit run` drives the assets: recorded in the project's instance, one failure costs one partition."""

import dagster as dg
import pytest

from assets.instance import open_instance
from assets.run import open_driver
from pipeline.config import ConfigError, parse_config
from pipeline.line.project import write_dagster_files
from pipeline.tables import schemas as s
from pipeline.tables.lake import Lake, LakeError
from tests.line.projects import assert_same, content


def materialised(instance: dg.DagsterInstance, asset: str) -> set[str]:
    return instance.get_materialized_partitions(dg.AssetKey(asset))


def test_a_run_is_recorded_where_the_ui_looks_and_equals_a_plain_one(project, tmp_path, monkeypatch):
    write_dagster_files(project.folder)
    report = project.run(open_driver)
    assert (report.failed, report.errors) == ((), ())
    assert report.index["promoted"]
    with open_instance(project.folder) as instance:
        assert materialised(instance, "embeddings") == {"docs.0", "docs.1"}
        assert instance.get_latest_materialization_event(dg.AssetKey("live_index")) is not None
        runs = instance.get_runs()
    assert {run.status for run in runs} == {dg.DagsterRunStatus.SUCCESS}
    assert sorted(run.job_name for run in runs) == ["partition", "partition", "whole_estate"]
    # The same instance that `dagster dev`, started in the project's folder, opens.
    monkeypatch.chdir(project.folder)
    monkeypatch.setenv("DAGSTER_HOME", str(project.folder))
    with dg.DagsterInstance.get() as instance:
        assert len(instance.get_runs()) == 3
    assert_same(content(project), content(project.rebuilt(tmp_path / "again")))


def test_a_failing_partition_leaves_the_others_materialised(project, monkeypatch):
    """B84: `failed or missing` is exactly the partition that failed, and what is live stays."""
    project.run(open_driver)
    for n in range(4):
        project.write(f"{n}.txt", f"Ventil {n} schließt nach {n + 3} Sekunden.")

    publish = Lake.publish

    def refusing(lake, table, partition, *rest):
        if (table.name, partition) == ("chunks", "docs.0"):
            raise LakeError("chunks/docs.0: cannot be written: the store said no") from OSError("no")
        return publish(lake, table, partition, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(Lake, "publish", refusing)
        report = project.run(open_driver)
    assert report.errors == ("docs.0: chunks: chunks/docs.0: cannot be written: the store said no",)
    assert report.failed or report.errors
    assert report.index["promoted"] is False
    assert "what was live stays" in report.index["reason"]
    assert all("Pumpe" in result.text for result in project.search("Pumpe Ventil", k=10)), (
        "half an estate went live"
    )
    with open_instance(project.folder) as instance:
        status = {run.tags["dagster/partition"]: run.status for run in instance.get_runs(limit=2)}
    assert status == {"docs.0": dg.DagsterRunStatus.FAILURE, "docs.1": dg.DagsterRunStatus.SUCCESS}
    report = project.run(open_driver)
    assert report.index["promoted"]
    assert report.chunks["added"] == project.workspace().lake.read(s.CHUNKS, "docs.0").height < 4, (
        "only the partition that had failed had something to do"
    )
    assert all("Ventil" in result.text for result in project.search("Pumpe Ventil", k=10))


@pytest.mark.parametrize("name", ["Rapor, 1", "a/b", "a|b", "a...b", "", "ÖNEMLİ", "a.b"])
def test_partition_names_that_dagster_stumbles_over_cannot_be_configured(name, tmp_path):
    """B78: file names are no part of them, and collection names are plain."""
    with pytest.raises(ConfigError, match=r"collections\.0\.name"):
        parse_config({"collections": [{"name": name, "source": "docs"}]}, base=tmp_path)


def test_a_file_name_with_a_comma_needs_no_partition_of_its_own(project):
    """B78."""
    project.write("Rapor, 1.txt", "Kazan basıncı her vardiyada kontrol edilir.")
    report = project.run(open_driver)
    assert (report.failed, report.errors) == ((), ())
    assert project.search("Kazan basıncı")[0].uri == "Rapor, 1.txt"
