"""A sidecar that misses its document opens nothing."""

import polars as pl
import pytest

from pipeline.config import CollectionConfig
from pipeline.estate.identity import UNREAD_VERSION
from pipeline.estate.scan import scan_collection
from pipeline.tables.schemas import DOCUMENTS
from tests.estate.listings import list_folder

COLLECTION = CollectionConfig(name="c", source="docs")  # pyright: ignore[reportCallIssue]


@pytest.fixture
def scan(tmp_path):
    def run(previous: pl.DataFrame | None = None) -> pl.DataFrame:
        before = DOCUMENTS.empty() if previous is None else previous
        return scan_collection(list_folder(str(tmp_path)), before, COLLECTION).documents

    return run


def test_a_sidecar_named_without_the_ending_keeps_a_new_document_out(tmp_path, scan):
    (tmp_path / "lohn.md").write_text("9.000 Euro")
    (tmp_path / "lohn.meta.toml").write_text('acl_groups = ["board"]')
    row = scan().row(0, named=True)
    assert row["version_id"] == UNREAD_VERSION
    assert (
        row["error"]
        == "sidecar lohn.meta.toml: belongs to no document; name it lohn.md.meta.toml, or delete it"
    )


def test_and_leaves_a_known_one_as_it_was(tmp_path, scan):
    (tmp_path / "lohn.md").write_text("9.000 Euro")
    first = scan()
    (tmp_path / "lohn.meta.toml").write_text('acl_groups = ["board"]')
    row = scan(first).row(0, named=True)
    assert (row["version_id"], row["error"] is None) == (first["version_id"][0], False)
    (tmp_path / "lohn.meta.toml").rename(tmp_path / "lohn.md.meta.toml")
    row = scan(scan(first)).row(0, named=True)
    assert (row["acl_groups"], row["error"]) == (["board"], None)


def test_a_sidecar_that_a_rename_left_behind_still_holds(tmp_path, scan):
    (tmp_path / "alt.md").write_text("9.000 Euro")
    (tmp_path / "alt.md.meta.toml").write_text('acl_groups = ["board"]')
    documents = scan()
    (tmp_path / "alt.md").rename(tmp_path / "neu.md")
    for _ in range(3):  # not only in the scan that saw the rename
        documents = scan(documents)
        row = documents.row(0, named=True)
        assert row["acl_groups"] == ["board"]
        assert row["error"].startswith(
            "sidecar alt.md.meta.toml: belongs to no document; name it neu.md.meta.toml"
        )
    (tmp_path / "alt.md.meta.toml").unlink()
    row = scan(documents).row(0, named=True)
    assert (row["acl_groups"], row["error"]) == (["public"], None)


def test_a_sidecar_whose_document_was_deleted_troubles_nobody(tmp_path, scan):
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "weg.md.meta.toml").write_text('acl_groups = ["board"]')
    assert scan()["error"].to_list() == [None]
