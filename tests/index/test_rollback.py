"""Rollback never brings back what was deleted or forbidden since."""

import datetime as dt
from pathlib import Path

import polars as pl
import pytest

from pipeline.config import IndexConfig
from pipeline.index.errors import IndexMissingError, NoIndexYetError, SearchIndexError
from pipeline.index.pointer import Build, promote, read_pointer
from pipeline.index.reader import open_live
from pipeline.index.rollback import rollback
from pipeline.index.tables import connect
from tests.index.builds import apply_build

CONFIG = IndexConfig()  # pyright: ignore[reportCallIssue]
NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)


def _publish(root: str, table: str, rows: pl.DataFrame) -> Build:
    result = apply_build(root, table, rows, CONFIG)
    build = Build(table=table, version=result.version, fingerprint=table, rows=result.rows, promoted_at=NOW)
    return promote(root, build).current


def _texts(root: str) -> dict[str, str]:
    return {row["doc_id"]: row["text"] for row in open_live(root).opened.table.search().to_list()}


@pytest.mark.parametrize("tables", [("t", "t"), ("blue", "green")])
def test_back_to_the_build_before_without_what_left_since(tmp_path: Path, make_rows, estate, tables) -> None:
    root = str(tmp_path)
    first = _publish(root, tables[0], make_rows({"a": ["alt"], "b": ["Fichte"], "c": ["offen"], "e": ["E"]}))
    now = {"a": ["neu"], "c": ["offen"], "d": ["dazu"], "e": ["E"]}
    groups = {"c": ["hr"]}
    second = _publish(root, tables[1], make_rows(now, groups))
    documents = estate(now, groups)["documents"].with_columns(
        valid_to=pl.when(pl.col("doc_id") == "e").then(dt.date(2025, 1, 1)),
        superseded_by=pl.when(pl.col("doc_id") == "e").then(pl.lit("d")),
    )
    done = rollback(root, documents, NOW)
    assert (done.deleted, done.updated) == (1, 2)
    assert done.replaced == second
    pointer = read_pointer(root)
    assert pointer.current == done.build
    assert pointer.previous == (second,)
    assert first.name not in [build.name for build in pointer.builds]
    assert _texts(root) == {"a": "alt", "c": "offen", "e": "E"}
    table = open_live(root).opened.table
    rows = {row["doc_id"]: row for row in table.search().to_list()}
    assert rows["c"]["acl_groups"] == ["hr"]
    assert (rows["e"]["valid_to"], rows["e"]["superseded_by"]) == (dt.date(2025, 1, 1), "d")
    assert rows["e"]["valid_from"] == dt.date(2020, 1, 1)
    assert table.search("fichte", query_type="fts", fts_columns="search_text").to_list() == []
    assert len(table.search("offen", query_type="fts", fts_columns="search_text").to_list()) == 1


def test_the_next_build_goes_forward_from_there(tmp_path: Path, make_rows, estate) -> None:
    root = str(tmp_path)
    _publish(root, "t", make_rows({"a": ["alt"], "c": ["offen"]}))
    now = {"a": ["neu"], "c": ["offen"]}
    _publish(root, "t", make_rows(now, {"c": ["hr"]}))
    rollback(root, estate(now, {"c": ["hr"]})["documents"], NOW)
    # The groups became the old ones again: the row's content differs from what its old hash promised.
    _publish(root, "t", make_rows(now))
    rows = {row["doc_id"]: row for row in open_live(root).opened.table.search().to_list()}
    assert rows["a"]["text"] == "neu"
    assert rows["c"]["acl_groups"] == ["public"]


def test_a_named_build_and_back_again(tmp_path: Path, make_rows, estate) -> None:
    root = str(tmp_path)
    builds = [_publish(root, name, make_rows({"a": [name]})) for name in ("one", "two", "three")]
    documents = estate({"a": ["three"]})["documents"]
    rollback(root, documents, NOW, to=builds[0].name)
    assert _texts(root) == {"a": "one"}
    assert [build.table for build in read_pointer(root).builds] == ["one", "three", "two"]
    rollback(root, documents, NOW)
    assert _texts(root) == {"a": "three"}


def test_refusals_leave_the_pointer(tmp_path: Path, make_rows, estate) -> None:
    root = str(tmp_path)
    documents = estate({"a": ["x"]})["documents"]
    with pytest.raises(NoIndexYetError):
        rollback(root, documents, NOW)
    _publish(root, "one", make_rows({"a": ["x"]}))
    with pytest.raises(SearchIndexError, match="there is no build before one@"):
        rollback(root, documents, NOW)
    old = read_pointer(root).current
    _publish(root, "two", make_rows({"a": ["y"]}))
    with pytest.raises(SearchIndexError, match=f"nine@9 is not one of the earlier builds: {old.name}"):
        rollback(root, documents, NOW, to="nine@9")
    before = read_pointer(root)
    connect(root).drop_table("one")
    with pytest.raises(IndexMissingError, match="table one is not there"):
        rollback(root, documents, NOW)
    assert read_pointer(root) == before
