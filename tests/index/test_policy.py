"""Deletions and closed access reach the live build although no new one goes live."""

import datetime as dt
from pathlib import Path

import polars as pl

from pipeline.config import IndexConfig
from pipeline.index.pointer import Build, promote, read_pointer
from pipeline.index.policy import keep_live
from pipeline.index.reader import open_live
from pipeline.index.rollback import rollback
from pipeline.index.rows import completed, index_rows
from tests.index.builds import apply_build

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)


def _publish(root: str, rows: pl.DataFrame, inputs: str) -> Build:
    result = apply_build(root, "t", rows, IndexConfig())  # pyright: ignore[reportCallIssue]
    build = Build(
        table="t", version=result.version, fingerprint="f", rows=result.rows, promoted_at=NOW, inputs=inputs
    )
    return promote(root, build).current


def test_nothing_to_keep_before_the_first_build(tmp_path: Path, estate) -> None:
    assert keep_live(str(tmp_path), estate({"a": ["x"]})["documents"]) is False


def test_what_was_deleted_and_closed_leaves_the_live_build(tmp_path: Path, make_rows, estate) -> None:
    root = str(tmp_path)
    live = _publish(root, make_rows({"a": ["Fichte"], "b": ["Lohn"], "c": ["offen"]}), "1")
    # A candidate lies on top of it in the same table, and was kept back.
    apply_build(root, "t", make_rows({"d": ["kommt nicht"]}), IndexConfig())  # pyright: ignore[reportCallIssue]
    documents = estate({"b": ["Lohn"], "c": ["offen"], "d": ["x"]}, {"b": ["hr"]})["documents"]
    assert keep_live(root, documents) is True
    rows = {row["doc_id"]: row for row in open_live(root).opened.table.search().to_list()}
    assert sorted(rows) == ["b", "c"]
    assert rows["b"]["acl_groups"] == ["hr"]
    now = read_pointer(root).current
    assert (now.version > live.version, now.rows, now.inputs) == (True, 2, "1")
    # Nothing moved since: no version more.
    assert keep_live(root, documents) is False
    assert read_pointer(root).current == now


def test_what_a_person_went_back_from_is_held(tmp_path: Path, make_rows, estate) -> None:
    root = str(tmp_path)
    _publish(root, make_rows({"a": ["alt"]}), "1")
    second = _publish(root, make_rows({"a": ["neu"]}), "2")
    rollback(root, estate({"a": ["neu"]})["documents"], NOW)
    pointer = read_pointer(root)
    assert pointer.holds(second)
    assert not pointer.holds(second.model_copy(update={"inputs": "3"}))


def test_a_date_that_was_read_stays_until_metadata_say_another(tmp_path: Path, estate, vectors) -> None:
    root, day, other = str(tmp_path), dt.date(2022, 3, 1), dt.date(2023, 1, 1)
    tables = estate({"a": ["Fichte"]})
    undated = tables["documents"].with_columns(valid_from=pl.lit(None, pl.Date))
    read = tables["chunks"].with_columns(date_read=pl.lit(day))
    rows = index_rows(
        **(tables | {"documents": undated, "chunks": read}), parent_tokens=800, dating=("demo",)
    )
    _publish(root, completed(rows, {"demo": vectors(read)}), "1")

    def held() -> tuple[dt.date | None, str | None]:
        [row] = open_live(root).opened.table.search().to_list()
        return row["valid_from"], row["date_source"]

    assert (keep_live(root, undated), held()) == (False, (day, "document"))
    # The file was written anew, but not yet read.
    assert keep_live(root, undated.with_columns(version_id=pl.lit("v2"))) is False
    by_metadata = undated.with_columns(valid_from=pl.lit(other))
    assert (keep_live(root, by_metadata), held()) == (True, (other, "metadata"))
    assert (keep_live(root, undated), held()) == (True, (None, None))


def test_a_build_that_does_not_know_who_dates_its_rows_is_kept_true(
    tmp_path: Path, make_rows, estate
) -> None:
    root = str(tmp_path)
    _publish(root, make_rows({"a": ["Fichte"], "b": ["Lohn"]}).drop("date_source"), "1")
    assert keep_live(root, estate({"a": ["Fichte"], "b": ["Lohn"]})["documents"]) is False
    assert keep_live(root, estate({"a": ["Fichte"]}, {"a": ["hr"]})["documents"]) is True
    [row] = open_live(root).opened.table.search().to_list()
    assert (row["doc_id"], row["acl_groups"]) == ("a", ["hr"])
