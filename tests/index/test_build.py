"""Building against real LanceDB: the table ends as wanted, from any state, and searches see it."""

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.config import IndexConfig
from pipeline.index.errors import BuildRefusedError
from pipeline.index.tables import connect, one_of, read_columns, to_arrow
from tests.index.builds import apply_build

CONFIG = IndexConfig()  # pyright: ignore[reportCallIssue]


@pytest.fixture
def root(tmp_path) -> str:
    return str(tmp_path / "index")


def _ids(root: str, name: str = "t") -> list[str]:
    return sorted(read_columns(connect(root).open_table(name), ["chunk_id"])["chunk_id"])


def _words(table, word: str) -> list[str]:
    return sorted(
        row["chunk_id"] for row in table.search(word, query_type="fts", fts_columns="search_text").to_list()
    )


def test_first_build_then_nothing_to_do(root, make_rows) -> None:
    rows = make_rows({"a": ["eins", "zwei"], "b": ["drei"]})
    first = apply_build(root, "t", rows, CONFIG)
    assert (first.inserted, first.updated, first.deleted, first.rows) == (3, 0, 0, 3)
    again = apply_build(root, "t", rows.sample(fraction=1, shuffle=True, seed=1), CONFIG)
    assert again.version == first.version
    assert (again.inserted, again.updated, again.deleted, again.rows) == (0, 0, 0, 3)


def test_a_delta_touches_what_differs_and_leaves_nothing_unindexed(root, make_rows) -> None:
    apply_build(root, "t", make_rows({"a": ["eins", "zwei"], "b": ["drei"]}), CONFIG)
    result = apply_build(root, "t", make_rows({"a": ["eins", "vier"], "c": ["fünf"]}, {"c": ["hr"]}), CONFIG)
    # Both chunks of the edited section are updated: they carry its text as their parent.
    assert (result.inserted, result.updated, result.deleted, result.rows) == (1, 2, 1, 3)
    assert _ids(root) == ["a-0", "a-1", "c-0"]
    table = connect(root).open_table("t")
    assert _words(table, "vier") == ["a-1"]
    assert _words(table, "zwei") == _words(table, "drei") == []
    for index in table.list_indices():
        stats = table.index_stats(index.name)
        assert stats is not None
        assert stats.num_unindexed_rows == 0
    again = apply_build(root, "t", make_rows({"a": ["eins", "vier"], "c": ["fünf"]}, {"c": ["hr"]}), CONFIG)
    assert again.version == result.version


def test_only_rows_that_are_written_are_completed(root, make_rows) -> None:
    asked: list[list[str]] = []

    def complete(rows: pl.DataFrame):
        asked.append(rows["chunk_id"].to_list())
        yield rows

    apply_build(root, "t", make_rows({"a": ["eins"], "b": ["zwei"]}), CONFIG, complete)
    apply_build(root, "t", make_rows({"a": ["eins"], "b": ["drei"], "c": ["vier"]}), CONFIG, complete)
    apply_build(root, "t", make_rows({"a": ["eins"], "b": ["drei"]}), CONFIG, complete)
    assert [ids for ids in asked if ids] == [["a-0", "b-0"], ["b-0", "c-0"]]


def test_a_row_whose_new_vector_is_refused_leaves_the_table(root, make_rows) -> None:
    rows = make_rows({"a": ["eins", "zwei"]})
    apply_build(root, "t", rows, CONFIG)
    spoiled = rows.with_columns(
        pl.Series("vector_demo", np.zeros((2, 8), np.float32), dtype=rows.schema["vector_demo"]),
        row_hash=pl.Series(["other", rows["row_hash"][1]]),
    )
    result = apply_build(root, "t", spoiled, CONFIG)
    assert (result.refused, result.updated, result.deleted, result.rows) == (("a-0",), 0, 1, 1)
    assert _ids(root) == ["a-1"]


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    states=st.lists(
        st.dictionaries(
            st.sampled_from("abc"), st.lists(st.sampled_from(["x", "y", "z"]), max_size=3), max_size=3
        ),
        min_size=2,
        max_size=3,
    )
)
def test_any_sequence_of_builds_ends_as_the_last_one_alone(tmp_path_factory, make_rows, states) -> None:
    root = str(tmp_path_factory.mktemp("index"))
    for state in states:
        apply_build(root, "grown", make_rows(state), CONFIG)
    wanted = make_rows(states[-1])
    held = pl.from_arrow(connect(root).open_table("grown").search().to_arrow())
    assert isinstance(held, pl.DataFrame)
    assert held.sort("chunk_id").equals(wanted.cast(held.schema))  # type: ignore[arg-type]


def test_duplicate_keys_are_refused_by_name_before_anything_is_written(root, make_rows) -> None:
    rows = make_rows({"a": ["eins", "zwei"]})
    with pytest.raises(BuildRefusedError, match=r"1 chunk ids occur more than once \(for example 'a-1'\)"):
        apply_build(root, "t", pl.concat([rows, rows.tail(1)]), CONFIG)
    assert connect(root).list_tables().tables == []


def test_duplicates_that_another_writer_left_are_healed(root, make_rows) -> None:
    rows = make_rows({"a": ["eins", "zwei"]})
    apply_build(root, "t", rows, CONFIG)
    connect(root).open_table("t").add(to_arrow(rows.tail(1)))
    assert apply_build(root, "t", rows, CONFIG).rows == 2
    assert _ids(root) == ["a-0", "a-1"]


def test_vectors_that_are_not_finite_or_zero_are_refused_by_id(root, make_rows) -> None:
    rows = make_rows({"a": ["eins", "zwei", "drei", "vier", "fünf"]})
    vectors = rows["vector_demo"].to_numpy().copy()
    vectors[1, 3], vectors[2], vectors[3, 0], vectors[4] = np.nan, 0, np.inf, 1e-40
    result = apply_build(root, "t", rows.with_columns(pl.Series("vector_demo", vectors, dtype=rows.schema["vector_demo"])), CONFIG)  # fmt: skip
    assert result.refused == ("a-1", "a-2", "a-3", "a-4")
    assert _ids(root) == ["a-0"]
    distances = connect(root).open_table("t").search(vectors[0], vector_column_name="vector_demo").to_list()
    assert [np.isfinite(row["_distance"]) for row in distances] == [True]


def test_a_row_that_nobody_may_read_is_refused(root, make_rows) -> None:
    rows = make_rows({"a": ["eins"]}, {"a": []})
    with pytest.raises(BuildRefusedError, match=r"1 rows have no access groups \(for example 'a-0'\)"):
        apply_build(root, "t", rows, CONFIG)


def test_a_table_of_other_columns_is_refused(root, make_rows) -> None:
    rows = make_rows({"a": ["eins"]})
    apply_build(root, "t", rows, CONFIG)
    with pytest.raises(BuildRefusedError, match="has other columns than this version writes"):
        apply_build(root, "t", rows.drop("article"), CONFIG)


def _many(rows: pl.DataFrame, count: int) -> pl.DataFrame:
    if not count:
        return rows.clear()
    vectors = np.random.default_rng(1).normal(size=(count, 8)).astype(np.float32)
    return pl.concat([rows] * count).with_columns(
        pl.Series("chunk_id", [f"{n:05}" for n in range(count)]),
        pl.Series("vector_demo", vectors, dtype=rows.schema["vector_demo"]),
    )


@pytest.mark.parametrize("count", [0, 1, 100, 255, 300])
def test_every_size_builds_and_is_searched(root, make_rows, count: int) -> None:
    rows = _many(make_rows({"a": ["eins"]}), count)
    result = apply_build(root, "t", rows, IndexConfig(flat_below=300))  # pyright: ignore[reportCallIssue]
    assert set(result.vector_indices) == ({"vector_demo"} if count >= 300 else set())
    table = connect(root).open_table("t")
    found = table.search(np.ones(8, np.float32), vector_column_name="vector_demo").limit(10).to_arrow()
    assert found.num_rows == min(10, count)
    assert set(rows.columns) <= set(found.column_names)
    assert len(_words(table, "eins")) == min(10, count)


AWKWARD = ["plain", "it's", "y' OR 'a'='a", 'quo"te', "%", "_", "a\\b", "ğüşiİ", "semi;--", "new\nline"]


@pytest.mark.parametrize("victim", AWKWARD)
def test_no_id_can_become_part_of_a_filter(root, make_rows, victim: str) -> None:
    rows = _many(make_rows({"a": ["eins"]}), len(AWKWARD)).with_columns(
        chunk_id=pl.Series(AWKWARD), doc_id=pl.Series(AWKWARD)
    )
    apply_build(root, "t", rows, CONFIG)
    table = connect(root).open_table("t")
    assert [row["doc_id"] for row in table.search().where(one_of("doc_id", [victim])).to_list()] == [victim]
    result = apply_build(root, "t", rows.filter(pl.col("chunk_id") != victim), CONFIG)
    assert result.deleted == 1
    assert _ids(root) == sorted(set(AWKWARD) - {victim})


def test_a_build_that_was_cut_short_is_completed(root, make_rows) -> None:
    """Rows without indices, some stale: what a killed run leaves."""
    old, new = make_rows({"a": ["eins"], "b": ["zwei"]}), make_rows({"a": ["drei"], "c": ["vier"]})
    connect(root).create_table("t", to_arrow(old))
    apply_build(root, "t", new, CONFIG)
    assert _ids(root) == ["a-0", "c-0"]
    assert len(connect(root).open_table("t").list_indices()) == 10


def test_search_text_keeps_long_words_and_case(root, make_rows) -> None:
    rows = make_rows({"a": ["eins"]}).with_columns(search_text=pl.lit("the " + "ş" * 90 + " İ running"))
    apply_build(root, "t", rows, CONFIG)
    table = connect(root).open_table("t")
    for word in ("the", "ş" * 90, "İ", "running"):
        assert _words(table, word) == ["a-0"]
    assert _words(table, "run") == _words(table, "i") == []
