"""Index rows: what is in them, and when their hash moves."""

import polars as pl
import pytest

from pipeline.index.errors import BuildRefusedError
from pipeline.index.rows import completed, index_fingerprint, index_rows, index_schema, row_hashes, table_name
from pipeline.language.analysis import search_text
from pipeline.tables.schemas import CLUSTERS

TEXTS = {"a": ["Die Kündigungsfrist beträgt vier Wochen.", "Urlaub"], "b": ["İzin süresi 14 gündür."]}


@pytest.fixture
def tables(estate):
    return estate(TEXTS, {"b": ["hr", "legal"]})


def _rows(tables, vectors, **changes) -> pl.DataFrame:
    content = {**tables, **changes}
    return completed(index_rows(**content, parent_tokens=15), {"demo": vectors(content["chunks"])})


def test_one_row_per_chunk_with_everything(tables, vectors) -> None:
    rows = _rows(tables, vectors)
    assert rows.schema == index_schema({"demo": 8})
    assert rows["chunk_id"].to_list() == ["a-0", "a-1", "b-0"]
    last = rows.row(2, named=True)
    assert last["title"] == "Titel b"
    assert last["acl_groups"] == ["hr", "legal"]
    assert last["cluster_id"] is None
    assert (
        last["search_text"] == search_text(["Titel b\nKapitel\nFristen\nİzin süresi 14 gündür."], ["de"])[0]
    )


def test_a_parent_over_the_cap_is_left_out_and_its_size_is_told(tables, vectors) -> None:
    rows = _rows(tables, vectors)
    assert rows["parent_text"].to_list() == [None, None, "İzin süresi 14 gündür."]
    assert rows["parent_tokens"].to_list() == [20, 20, 10]


def test_clusters_name_the_canonical(tables, vectors) -> None:
    clusters = CLUSTERS.frame(
        [
            {"chunk_id": chunk, "doc_id": chunk[0], "cluster_id": "k", "canonical_chunk_id": "b-0", "similarity": 1.0, "kind": kind}
            for chunk, kind in (("a-1", "near"), ("b-0", "canonical"))
        ]
    )  # fmt: skip
    rows = _rows(tables, vectors, clusters=clusters)
    assert rows["canonical_chunk_id"].to_list() == [None, "b-0", "b-0"]


def test_chunks_of_versions_that_left_the_estate_give_no_row(tables, vectors) -> None:
    documents = tables["documents"].filter(pl.col("doc_id") == "a").with_columns(version_id=pl.lit("v2"))
    assert _rows(tables, vectors, documents=documents).height == 0


def test_the_hash_moves_with_content_and_only_with_it(tables, vectors) -> None:
    before = _rows(tables, vectors)
    reordered = {name: frame.reverse() for name, frame in tables.items()}
    assert _rows(reordered, vectors).equals(before)
    other_stage = tables["chunks"].with_columns(input_hash=pl.lit("moved"))
    assert _rows(tables, vectors, chunks=other_stage)["row_hash"].equals(before["row_hash"])
    groups = pl.when(pl.col("doc_id") == "b").then(pl.lit(["hr"])).otherwise("acl_groups")
    after = _rows(tables, vectors, documents=tables["documents"].with_columns(acl_groups=groups))
    assert (after["row_hash"] == before["row_hash"]).to_list() == [True, True, False]


def test_the_hash_covers_every_column_that_others_do_not_follow_from(tables) -> None:
    rows = index_rows(**tables, parent_tokens=15)
    for name in rows.columns:
        if name != "row_hash":
            swapped = rows.with_columns(pl.col(name).reverse())
            moved = (row_hashes(swapped) != rows["row_hash"]).any()
            assert moved == (not rows[name].reverse().equals(rows[name]))


def test_the_hash_of_a_row_does_not_depend_on_how_many_are_hashed(tables) -> None:
    row = index_rows(**tables, parent_tokens=15).head(1)
    assert row_hashes(pl.concat([row] * 10_001)).unique().equals(row["row_hash"])
    assert row_hashes(row.clear()).len() == 0


def test_a_chunk_without_vector_or_section_is_named(tables, vectors) -> None:
    with pytest.raises(BuildRefusedError, match=r"1 chunks have no vector of demo; .*b-0"):
        completed(index_rows(**tables, parent_tokens=15), {"demo": vectors(tables["chunks"].head(2))})
    with pytest.raises(BuildRefusedError, match=r"2 chunks have no section; .*a-0, a-1"):
        _rows(tables, vectors, sections=tables["sections"].filter(pl.col("doc_id") == "b"))


def test_an_empty_estate_gives_all_columns(tables, vectors) -> None:
    rows = _rows({name: frame.clear() for name, frame in tables.items()}, vectors)
    assert rows.height == 0
    assert rows.schema == index_schema({"demo": 8})


def test_the_fingerprint_follows_encoders_and_chunks_in_any_order() -> None:
    one = index_fingerprint({"a": "1", "b": "2"}, "chunks")
    assert one == index_fingerprint({"b": "2", "a": "1"}, "chunks")
    assert one != index_fingerprint({"a": "2", "b": "1"}, "chunks")
    assert one != index_fingerprint({"a": "1", "b": "2"}, "other")
    assert table_name(one).startswith("build_")
