"""Real runs of the jobs on a real (ephemeral) instance."""

import dagster as dg
import polars as pl

from pipeline.tables import schemas as s


def metadata(result: dg.ExecuteInProcessResult, asset: str) -> dict:
    (event,) = result.asset_materializations_for_node(asset)
    return {key: value.value for key, value in event.metadata.items()}


def data_version(result: dg.ExecuteInProcessResult, asset: str) -> str:
    (event,) = result.asset_materializations_for_node(asset)
    return event.tags["dagster/data_version"]


def test_one_partition(line):
    result = line.run("partition", "docs.0")
    assert result.success
    rows = line.workspace.lake.read(s.DOCUMENTS, "docs.0").height
    chunks = line.workspace.lake.read(s.CHUNKS, "docs.0").height
    assert 0 < rows < 4
    documents = metadata(result, "documents")
    assert documents["dagster/partition_row_count"] == documents["created"] == rows
    assert documents["fresh"] is False
    found = metadata(result, "chunks")
    assert found["dagster/partition_row_count"] == found["added"] == chunks
    assert found["over_ceiling"] == 0
    assert found["chunk_sizes"].startswith("![chunk sizes in tokens](data:image/png;base64,")
    assert metadata(result, "embeddings")["computed"] == chunks
    assert metadata(result, "gated_pages")["share_pass"] == 1.0
    assert metadata(result, "parsed_pages")["failed_documents"] == 0
    for name in ("documents", "parsed_pages", "gated_pages", "chunks", "signatures", "embeddings"):
        assert line.materialised(name) == {"docs.0"}
    checks = result.get_asset_check_evaluations()
    assert {(check.asset_key.to_user_string(), check.check_name) for check in checks} == {
        (name, "schema")
        for name in (
            "documents", "parsed_pages", "gated_pages", "figure_descriptions", "contexts", "chunks", "signatures", "embeddings",
        )
    }  # fmt: skip
    assert all(check.passed and check.blocking for check in checks)


def test_the_data_version_follows_the_content_and_nothing_else(line):
    first = line.run("partition", "docs.0")
    again = line.run("partition", "docs.0")
    assert metadata(again, "embeddings")["fresh"] is True
    # What is described and drawn is what is new.
    assert "chunk_sizes" in metadata(first, "chunks")
    assert "chunk_sizes" not in metadata(again, "chunks")
    for name in ("documents", "chunks", "embeddings"):
        assert data_version(again, name) == data_version(first, name)
    uri = line.workspace.lake.read(s.DOCUMENTS, "docs.0")["uri"][0]
    line.project.write(uri, "Ein ganz anderer Satz über Ventile.")
    changed = line.run("partition", "docs.0")
    for name in ("documents", "chunks", "embeddings"):
        assert data_version(changed, name) != data_version(first, name)
    assert metadata(changed, "documents")["updated"] == 1
    assert metadata(changed, "embeddings")["computed"] == 1


def test_whole_estate(line):
    line.project.write("leer.txt", "")
    for partition in line.workspace.partitions:
        assert line.run("partition", partition).success
    result = line.run("whole_estate")
    assert result.success
    index = metadata(result, "index")
    assert index["dagster/row_count"] == index["inserted"] == 4
    assert "dagster/row_count" not in metadata(result, "evaluation")  # it stores no rows
    assert metadata(result, "live_index")["promoted"] is True
    checks = {check.check_name: check for check in result.get_asset_check_evaluations()}
    assert set(checks) == {"readable_share", "no_content", "chunk_sizes", "duplicate_share"}
    assert all(not check.blocking for check in checks.values())
    assert checks["chunk_sizes"].passed
    assert checks["readable_share"].passed
    # B76: an empty document is no failure, but somebody should look.
    assert not checks["no_content"].passed
    assert checks["no_content"].severity == dg.AssetCheckSeverity.WARN
    assert checks["no_content"].metadata["examples"].value == "docs/leer.txt"
    # Drawn is what moved.
    again = {check.check_name: check for check in line.run("whole_estate").get_asset_check_evaluations()}
    for name, plot in (("chunk_sizes", "sizes_plot"), ("readable_share", "coverage_plot")):
        assert plot in checks[name].metadata
        assert plot not in again[name].metadata
        assert again[name].metadata["shown"] == checks[name].metadata["shown"]


def test_a_person_can_run_one_partition_and_all_after_it(line):
    assert line.run("partition", "docs.1").success
    assert line.run("line", "docs.0").success
    assert len(line.project.search("Pumpe", k=10)) == 4


def test_a_torn_table_fails_its_check_and_stops_what_follows(line):
    from assets.validation import schema_check

    assert line.run("partition", "docs.0").success
    frame = line.workspace.lake.read(s.CHUNKS, "docs.0")
    path = line.project.folder / "data/lake/chunks/docs.0.parquet"
    pl.concat([frame, frame]).write_parquet(path)
    check = schema_check(line.workspace, (s.CHUNKS,), "docs.0")
    assert not check.passed
    assert "chunks/docs.0" in check.description
