"""Faults that users reported of indices: each by its own input, and the whole kind behind it elsewhere in these tests."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from pipeline.config import IndexConfig
from pipeline.index.errors import BuildRefusedError
from pipeline.index.tables import connect, one_of, read_columns, table_names, to_arrow
from tests.index.builds import apply_build

CONFIG = IndexConfig()  # pyright: ignore[reportCallIssue]


@pytest.fixture
def root(tmp_path) -> str:
    return str(tmp_path / "index")


@pytest.fixture
def as_rows(make_rows) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """Rows of chunk_id, text and vector as rows of an index, everything else alike."""
    one = make_rows({"a": ["eins"]})

    def convert(given: pl.DataFrame) -> pl.DataFrame:
        if not given.height:
            return one.clear()
        vectors = given["vector"].to_numpy()
        return pl.concat([one] * given.height).with_columns(
            given["chunk_id"],
            given["text"],
            given["text"].alias("row_hash"),
            pl.Series("vector_demo", vectors, dtype=pl.Array(pl.Float32, vectors.shape[1])),
        )

    return convert


def _ids(root: str) -> list[str]:
    return sorted(read_columns(connect(root).open_table("t"), ["chunk_id"])["chunk_id"])


def test_b54_vectors_without_a_direction_are_refused_by_name(cases: Path, root: str, as_rows) -> None:
    given = pl.read_parquet(cases / "B54" / "vectors.parquet")
    check = json.loads((cases / "B54" / "expect.json").read_text())["check"]
    result = apply_build(root, "t", as_rows(given), CONFIG)
    assert list(result.refused) == check["rejected"]
    assert _ids(root) == check["written"]
    asked = np.full(8, 0.1, np.float32)
    found = (
        connect(root).open_table("t").search(asked, vector_column_name="vector_demo").distance_type("cosine")
    )
    assert all(np.isfinite(row["_distance"]) for row in found.to_list())


@pytest.mark.parametrize("there", [True, False])
def test_b56_a_key_that_comes_twice_is_refused_before_the_write(
    cases: Path, root: str, as_rows, there: bool
) -> None:
    target = as_rows(pl.read_parquet(cases / "B56" / "target.parquet"))
    source = as_rows(pl.read_parquet(cases / "B56" / "source_with_dup.parquet"))
    if there:
        apply_build(root, "t", target, CONFIG)
    with pytest.raises(BuildRefusedError, match="'k2'"):
        apply_build(root, "t", source, CONFIG)
    assert table_names(connect(root)) == (["t"] if there else [])
    if there:
        assert _ids(root) == ["k1", "k2"]


@pytest.mark.parametrize("count", [0, 1, 100, 255])
def test_b58_every_size_is_built_and_searched_exactly(cases: Path, root: str, as_rows, count: int) -> None:
    rows = as_rows(pl.read_parquet(cases / "B58" / f"rows_{count}.parquet"))
    result = apply_build(root, "t", rows, CONFIG)
    assert (result.rows, dict(result.vector_indices)) == (count, {})
    table = connect(root).open_table("t")
    found = table.search(np.ones(8, np.float32), vector_column_name="vector_demo").limit(10).to_arrow()
    assert found.num_rows == min(10, count)
    assert set(rows.columns) <= set(found.column_names)


def test_b60_an_id_never_becomes_part_of_a_filter(cases: Path, root: str, make_rows) -> None:
    ids: list[str] = json.loads((cases / "B60" / "doc_ids.json").read_text(encoding="utf-8"))
    rows = make_rows({name: ["eins"] for name in ids})
    for victim in ids:
        table = connect(root).create_table("t", to_arrow(rows), mode="overwrite")
        assert [row["doc_id"] for row in table.search().where(one_of("doc_id", [victim])).to_list()] == [
            victim
        ]
        result = apply_build(root, "t", rows.filter(pl.col("doc_id") != victim), CONFIG)
        assert (result.deleted, result.rows) == (1, len(ids) - 1)
        held = read_columns(connect(root).open_table("t"), ["doc_id"])["doc_id"]
        assert sorted(held) == sorted(set(ids) - {victim})
