"""Approximate vector indices against exact search: made by size, measured, dropped when they find too little."""

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from pipeline.config import IndexConfig
from pipeline.index.approximate import NEAREST, measured_recall
from pipeline.index.build import BuildResult
from pipeline.index.tables import connect
from tests.index.builds import apply_build

DIMS = 8
SMALL = {"flat_below": 500, "recall_sample": 40}


@pytest.fixture
def root(tmp_path) -> str:
    return str(tmp_path / "index")


@pytest.fixture
def many(make_rows) -> Callable[..., pl.DataFrame]:
    """Rows with random vectors; a row of a number is the same whatever the others are."""
    one = make_rows({"a": ["eins"]})

    def make(numbers: range) -> pl.DataFrame:
        vectors = np.stack([np.random.default_rng(n).normal(size=DIMS) for n in numbers]).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return pl.concat([one] * len(numbers)).with_columns(
            pl.Series("chunk_id", [f"{n:05}" for n in numbers]),
            pl.Series("row_hash", [f"hash {n}" for n in numbers]),
            pl.Series("vector_demo", vectors, dtype=one.schema["vector_demo"]),
        )

    return make


def _config(**values) -> IndexConfig:
    return IndexConfig(**(SMALL | values))


def _build(
    root: str, rows: pl.DataFrame, config: IndexConfig, before: BuildResult | None = None
) -> BuildResult:
    return apply_build(root, "t", rows, config, before=before.vector_indices if before else {})


def _exact(root: str, rows: pl.DataFrame, limit: int = 20) -> bool:
    """Whether searches give just what numpy finds."""
    vectors = rows["vector_demo"].to_numpy()
    table = connect(root).open_table("t")
    for asked in vectors[:5]:
        found = (
            table.search(asked, vector_column_name="vector_demo")
            .distance_type("cosine")
            .limit(limit)
            .to_list()
        )
        nearest = np.argsort(1 - vectors @ asked, kind="stable")[:limit]
        if {row["chunk_id"] for row in found} != set(rows["chunk_id"].gather(nearest)):
            return False
    return True


def test_below_the_threshold_there_is_no_index_and_nothing_is_missed(root, many) -> None:
    rows = many(range(499))
    assert _build(root, rows, _config()).vector_indices == {}
    assert _exact(root, rows)


def test_the_recall_is_that_of_a_comparison_with_exact_search(root, many) -> None:
    result = _build(root, many(range(600)), _config())
    known = result.vector_indices["vector_demo"]
    assert (known.exact, known.rows, known.changed) == (False, 600, 0)
    assert 0.95 <= known.recall <= 1
    table = connect(root).open_table("t")
    assert measured_recall(table, "vector_demo", 40) == known.recall
    # Of many small graphs a search reads some only; the measure must say so.
    from lancedb.index import HnswSq

    table.create_index(
        "vector_demo", config=HnswSq(distance_type="cosine", m=4, ef_construction=4, num_partitions=100)
    )
    assert measured_recall(table, "vector_demo", 40) < known.recall


def test_an_index_that_finds_too_little_is_dropped_and_searches_are_exact(root, many) -> None:
    rows = many(range(600))
    strict = _config(min_vector_recall=1.0, hnsw_partition_rows=10)
    result = _build(root, rows, strict)
    known = result.vector_indices["vector_demo"]
    assert known.exact
    assert known.recall < 1
    assert all("vector_demo" not in index.columns for index in connect(root).open_table("t").list_indices())
    assert _exact(root, rows)
    # It is not tried again before much has changed or the settings have.
    same = _build(root, many(range(10, 610)), strict, result)
    assert same.vector_indices["vector_demo"].recall == known.recall
    assert same.vector_indices["vector_demo"].changed == 20
    lenient = _build(root, rows, _config(min_vector_recall=0.5), same)
    assert not lenient.vector_indices["vector_demo"].exact


def test_it_is_measured_again_when_a_tenth_has_changed(root, many) -> None:
    config = _config()
    first = _build(root, many(range(600)), config)
    little = _build(root, many(range(20, 620)), config, first)
    assert (little.vector_indices["vector_demo"].rows, little.vector_indices["vector_demo"].changed) == (
        600,
        40,
    )
    more = _build(root, many(range(100, 720)), config, little)
    known = more.vector_indices["vector_demo"]
    assert (known.rows, known.changed, known.exact) == (620, 0, False)


def test_other_settings_make_another_index(root, many) -> None:
    rows = many(range(600))
    first = _build(root, rows, _config())
    version = connect(root).open_table("t").version
    again = _build(root, rows, _config(), first)
    assert (again.version, again.vector_indices) == (version, first.vector_indices)
    other = _build(root, rows, _config(hnsw_m=40), first)
    assert other.version > version


def test_after_a_delta_no_row_is_searched_by_brute_force(root, many) -> None:
    config = _config()
    first = _build(root, many(range(700)), config)
    second = _build(root, many(range(60, 900)), config, first)
    assert (second.inserted, second.deleted) == (200, 60)
    table = connect(root).open_table("t")
    for index in table.list_indices():
        stats = table.index_stats(index.name)
        assert stats is not None
        assert (index.name, stats.num_unindexed_rows) == (index.name, 0)
    assert measured_recall(table, "vector_demo", 40) >= 0.95


def test_a_table_smaller_than_what_is_asked_for_is_measured_too(root, many) -> None:
    config = _config(flat_below=256)
    first = _build(root, many(range(300)), config)
    small = _build(root, many(range(NEAREST // 2)), config, first)
    assert small.vector_indices["vector_demo"].recall == 1


def test_a_table_that_becomes_empty_has_no_index_and_may_grow_again(root, many) -> None:
    rows = many(range(600))
    full = _build(root, rows, _config())
    empty = _build(root, rows.clear(), _config(), full)
    assert empty.vector_indices == {}
    assert connect(root).open_table("t").count_rows() == 0
    again = _build(root, rows, _config(), empty)
    assert again.vector_indices["vector_demo"].recall >= 0.95
    assert connect(root).open_table("t").count_rows() == 600
