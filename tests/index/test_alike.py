"""Two builds must answer alike when their rows are the same but for addresses."""

import datetime as dt
from pathlib import Path

import polars as pl
import pytest

from pipeline.config import IndexConfig
from pipeline.index.alike import Renamed, renamed_only
from pipeline.index.pointer import Build
from pipeline.index.rows import row_hashes
from tests.index.builds import apply_build

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)


@pytest.fixture
def build(tmp_path: Path, make_rows):
    """Builds in one table, from the rows of two documents with some columns changed."""

    def make(*changes: pl.Expr, fingerprint: str = "f") -> Build:
        rows = make_rows({"a": ["Fichte", "Tanne"], "b": ["Eibe"]}).with_columns(changes)
        rows = rows.with_columns(row_hashes(rows.drop("search_text", "^vector_.*$")))
        result = apply_build(str(tmp_path), "t", rows, IndexConfig())  # pyright: ignore[reportCallIssue]
        return Build(
            table="t", version=result.version, fingerprint=fingerprint, rows=result.rows, promoted_at=NOW
        )

    return make


def of_b(column: str, value: object) -> pl.Expr:
    return pl.when(pl.col("doc_id") == "b").then(pl.lit(value)).otherwise(column).alias(column)


def test_nothing_differs(tmp_path: Path, build) -> None:
    assert renamed_only(str(tmp_path), build(), build()) == frozenset()


def test_documents_with_another_address(tmp_path: Path, build) -> None:
    before, after = build(), build(of_b("uri", "alt/b.md"))
    assert before.version != after.version
    assert renamed_only(str(tmp_path), before, after) == {Renamed("demo", "b", "b.md", "alt/b.md")}


@pytest.mark.parametrize(
    "change",
    [
        of_b("title", "Anders"),
        of_b("valid_to", dt.date(2026, 1, 1)),
        of_b("search_text", "anders"),
        pl.lit(["hr"]).alias("acl_groups"),
        of_b("chunk_id", "b-9"),
    ],
)
def test_whatever_else_differs(tmp_path: Path, build, change: pl.Expr) -> None:
    before, after = build(), build(of_b("uri", "alt/b.md"), change)
    assert renamed_only(str(tmp_path), before, after) is None


def test_builds_of_another_kind_or_that_are_gone(tmp_path: Path, build) -> None:
    before = build()
    assert renamed_only(str(tmp_path), before, build(fingerprint="g")) is None
    assert renamed_only(str(tmp_path), before, before.model_copy(update={"version": 99})) is None
