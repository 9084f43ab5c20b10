"""The legs of a search: nearest vectors and matching terms, each filtered before it is ranked."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.index.approximate import compared
from pipeline.retrieval.answer import Edition, Place
from pipeline.retrieval.bm25 import bm25, count_terms
from pipeline.tables import columns as c

if TYPE_CHECKING:
    from lancedb.table import Table

Vectors = NDArray[np.float32]

VECTORS_AT_ONCE: Final = 32  # bounds the memory of a batch: candidates x vectors rows come back
_DIGITS: Final = 6  # of a cosine: what float32 can tell

# What the policy needs to know of a row; the texts are fetched for the results only. Whether there is a parent is
# computed inside the table, so that the sections of all candidates are not copied.
_PROJECTION: Final = {
    name: name
    for name in (
        c.CHUNK_ID, c.DOC_ID, c.SECTION_ID, c.CLUSTER_ID, c.CANONICAL_CHUNK_ID, c.LANGUAGE, c.AUTHORITY,
        c.EFFECTIVE_DATE, c.PARENT_TOKENS, c.SEARCH_TEXT,
    )
} | {"has_parent": f"{c.PARENT_TEXT} IS NOT NULL"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row that may become a result, as far as the policy needs it.

    Attributes:
        row_id: LanceDB's, to fetch the rest of the row by.
        parent_tokens: length of the section's text; None when the row does not carry it.
        terms: how often each of its analysed tokens stands in the row.
        cosines: of question and row, by vector column, -1 to 1.
    """

    row_id: int
    chunk_id: str
    doc_id: str
    section_id: str
    cluster_id: str | None
    canonical_chunk_id: str | None
    language: str
    authority: int
    effective_date: date | None
    parent_tokens: int | None
    terms: Mapping[str, int]
    cosines: Mapping[str, float] = field(default_factory=dict[str, float])


def nearest(
    table: "Table",
    column: str,
    vectors: Mapping[str, Vectors],
    *,
    where: str,
    limit: int,
    approximate: bool,
) -> list[list[Candidate]]:
    """The rows nearest to each question, nearest first; ties in the order of chunk ids.

    Many questions in one call read the column once (measured: 15 times quicker than one by one).

    Args:
        table: the index rows.
        column: the vector column that is searched.
        vectors: of the questions, for every vector column: shape (n, dims), float32, unit length.
        where: a filter; rows that it does not hold for do not exist for this search.
        limit: how many rows for each vector; fewer come only when there are no more.
        approximate: whether the column has an index. Under a narrow filter such an index can find less than there
            is, and then the search is repeated exactly.
    """
    found: list[list[Candidate]] = []
    for start in range(0, len(vectors[column]), VECTORS_AT_ONCE):
        batch = {name: asked[start : start + VECTORS_AT_ONCE] for name, asked in vectors.items()}
        ranked = _nearest(table, column, batch, where=where, limit=limit, exact=not approximate)
        if approximate:
            for at, rows in enumerate(ranked):
                if len(rows) < limit:
                    alone = {name: asked[at : at + 1] for name, asked in batch.items()}
                    [ranked[at]] = _nearest(table, column, alone, where=where, limit=limit, exact=True)
        found += ranked
    return found


def matching(
    table: "Table",
    terms: Iterable[str],
    vectors: Mapping[str, Vectors],
    *,
    where: str,
    limit: int,
    examined: int,
    count: Callable[[str], int],
) -> list[Candidate]:
    """The rows that contain the terms and match best, in the order of chunk ids.

    The terms are plain terms: a match query has no operators, and the index splits at white space only. LanceDB's BM25
    weighs a term by how common it is in the whole index, hidden rows included. So it only finds the rows that match, and
    they are ranked by BM25 over what the filter lets through. Its own order decides where more than `examined` match.

    Args:
        table: the index rows.
        terms: of the question.
        vectors: of the question, for every vector column: shape (1, dims).
        where: as for `nearest`.
        limit: as for `nearest`.
        examined: how many matching rows are ranked at most.
        count: how many rows a filter holds for.
    """
    from lancedb.query import MatchQuery

    asked = sorted(set(terms))
    if not asked:
        return []
    match: Any = MatchQuery
    query = _search(table, match(" ".join(asked), c.SEARCH_TEXT)).where(where).limit(max(limit, examined + 1))
    found: list[int] = query.select(["_score"]).with_row_id(True).to_arrow()["_rowid"].to_pylist()
    if limit < len(found) <= examined:
        found = _best(table, found, asked, corpus=count(where))
    rows = _read(_taken(table, found[:limit], _PROJECTION | {name: name for name in vectors}), vectors)
    return sorted((_candidate(row) for row in rows), key=lambda candidate: candidate.chunk_id)


def chosen(table: "Table", *, where: str) -> list[Candidate]:
    """All rows that a filter holds for, in the order of chunk ids."""
    rows = _search(table).where(where).select(_PROJECTION).with_row_id(True).limit(None).to_arrow()
    return sorted((_candidate(row) for row in rows.to_pylist()), key=lambda candidate: candidate.chunk_id)


def fetch(table: "Table", row_ids: Sequence[int], columns: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Columns of rows by LanceDB's row id, as chunk id → row. What a build of an earlier schema lacks is not in the row."""
    if not row_ids:
        return {}
    known = set(table.schema.names)
    names = [name for name in dict.fromkeys((c.CHUNK_ID, *columns)) if name in known]
    rows = _taken(table, row_ids, names).to_arrow().to_pylist()
    return {row[c.CHUNK_ID]: row for row in rows}


def places(table: "Table", *, where: str) -> dict[str | None, list[Place]]:
    """The documents of all rows that a filter holds for, by cluster id; most authoritative first, then by external id.

    Not by address: a document that is renamed keeps its place among the others.
    """
    columns = [c.CLUSTER_ID, c.AUTHORITY, c.DOC_ID, c.URI, c.TITLE, c.COLLECTION, c.EXTERNAL_ID]
    rows = _search(table).where(where).select(columns).limit(None).to_arrow().to_pylist()
    found: dict[str | None, dict[str, Place]] = defaultdict(dict)
    for row in sorted(rows, key=lambda row: (-row[c.AUTHORITY], row[c.EXTERNAL_ID], row[c.DOC_ID])):
        place = Place(row[c.DOC_ID], row[c.URI], row[c.TITLE], row[c.COLLECTION], row[c.EXTERNAL_ID])
        found[row[c.CLUSTER_ID]].setdefault(place.doc_id, place)
    return {cluster: list(by_document.values()) for cluster, by_document in found.items()}


def editions(table: "Table", *, where: str) -> dict[str, Edition]:
    """The documents of all rows that a filter holds for, as editions, by document id."""
    columns = [c.DOC_ID, c.URI, c.TITLE, c.VERSION_LABEL, c.EFFECTIVE_DATE]
    rows = _search(table).where(where).select(columns).limit(None).to_arrow().to_pylist()
    return {
        row[c.DOC_ID]: Edition(row[c.URI], row[c.TITLE], row[c.VERSION_LABEL], row[c.EFFECTIVE_DATE])
        for row in rows
    }


def beside(table: "Table", *, where: str) -> dict[tuple[str, int], tuple[str, int]]:
    """Text and tokens of the rows that a filter holds for, by section and ordinal."""
    columns = [c.SECTION_ID, c.ORDINAL, c.TEXT, c.TOKEN_COUNT]
    rows = _search(table).where(where).select(columns).limit(None).to_arrow().to_pylist()
    return {(row[c.SECTION_ID], row[c.ORDINAL]): (row[c.TEXT], row[c.TOKEN_COUNT]) for row in rows}


def _search(table: "Table", asked: object = None, **options: str) -> Any:
    """LanceDB's query builder, whose type is not fully known."""
    untyped: Any = table
    return untyped.search(asked, **options)


def _taken(table: "Table", row_ids: Sequence[int], columns: Mapping[str, str] | Sequence[str]) -> Any:
    """A query for rows by LanceDB's row id, in no order."""
    untyped: Any = table
    return untyped.take_row_ids(list(row_ids)).select(columns).with_row_id()


def _best(table: "Table", row_ids: Sequence[int], terms: Sequence[str], *, corpus: int) -> list[int]:
    """Row ids by BM25, best first, equal ones in the order of chunk ids."""
    rows = pl.DataFrame(_taken(table, row_ids, [c.CHUNK_ID, c.SEARCH_TEXT]).to_arrow())
    counts, lengths = count_terms(rows[c.SEARCH_TEXT], terms)
    scores = pl.Series("score", bm25(counts, lengths, corpus=corpus).sum(axis=1).round(_DIGITS))
    best = rows.with_columns(scores).sort(["score", c.CHUNK_ID], descending=[True, False])
    return best["_rowid"].to_list()


def _nearest(
    table: "Table", column: str, vectors: Mapping[str, Vectors], *, where: str, limit: int, exact: bool
) -> list[list[Candidate]]:
    # One vector alone would come back without query_index, several as one table in which it tells them apart.
    asked = list(vectors[column]) if len(vectors[column]) > 1 else vectors[column][0]
    # One row more than is wanted tells whether the last one is as near as others that are left out.
    query = (
        compared(_search(table, asked, vector_column_name=column), exact=exact).where(where).limit(limit + 1)
    )
    query = query.select(_PROJECTION | {"_distance": "_distance"} | {name: name for name in vectors})
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in _read(query.with_row_id(True), vectors):
        found[row.get("query_index", 0)].append(row)
    ranked: list[list[Candidate]] = []
    for at in range(len(vectors[column])):
        rows = sorted(found[at], key=lambda row: row["_distance"])
        if exact and len(rows) > limit and rows[limit]["_distance"] == rows[limit - 1]["_distance"]:
            alone = {name: questions[at : at + 1] for name, questions in vectors.items()}
            farthest = rows[limit]["_distance"]
            rows = [row for row in rows if row["_distance"] < farthest]
            even = _as_far(table, column, alone[column][0], farthest, where=where)[: limit - len(rows)]
            rows += _read(_taken(table, even, _PROJECTION | {name: name for name in vectors}), alone)
        candidates = map(_candidate, rows[:limit])
        ranked.append(
            sorted(candidates, key=lambda candidate: (-candidate.cosines[column], candidate.chunk_id))
        )
    return ranked


def _as_far(table: "Table", column: str, vector: Vectors, distance: float, *, where: str) -> list[int]:
    """Row ids of all rows at a distance in the order of chunk ids; LanceDB takes first those that it meets first."""
    query = compared(_search(table, vector, vector_column_name=column), exact=True).where(where)
    beyond = float(np.nextafter(np.float32(distance), np.float32(np.inf)))
    query = query.distance_range(distance, beyond).limit(table.count_rows(where))
    rows = query.select([c.CHUNK_ID, "_distance"]).with_row_id(True).to_arrow().to_pylist()
    return [row["_rowid"] for row in sorted(rows, key=lambda row: row[c.CHUNK_ID])]


def _read(query: Any, vectors: Mapping[str, Vectors]) -> list[dict[str, Any]]:
    """The rows of a query with their cosines to the question in place of their vectors.

    The cosines are exact, whatever the index approximates, and of every encoder, whichever leg found the row.
    """
    table = query.to_arrow()
    rows: list[dict[str, Any]] = table.drop_columns(list(vectors)).to_pylist()
    if not rows:
        return rows
    for row in rows:
        row["cosines"] = {}
    asked = np.asarray([row.get("query_index", 0) for row in rows])
    for name, questions in vectors.items():
        flat: Vectors = table[name].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        found = flat.reshape(len(rows), -1).astype(np.float64)
        norms = np.linalg.norm(found, axis=1)
        # Row by row, so that a cosine does not depend on the rows that it is computed with.
        cosines = (found * questions[asked]).sum(axis=1) / np.where(norms > 0, norms, 1)
        for row, cosine in zip(rows, cosines.round(_DIGITS).tolist(), strict=True):
            row["cosines"][name] = cosine
    return rows


def _candidate(row: dict[str, Any]) -> Candidate:
    return Candidate(
        row_id=row["_rowid"],
        chunk_id=row[c.CHUNK_ID],
        doc_id=row[c.DOC_ID],
        section_id=row[c.SECTION_ID],
        cluster_id=row[c.CLUSTER_ID],
        canonical_chunk_id=row[c.CANONICAL_CHUNK_ID],
        language=row[c.LANGUAGE],
        authority=row[c.AUTHORITY],
        effective_date=row[c.EFFECTIVE_DATE],
        parent_tokens=row[c.PARENT_TOKENS] if row["has_parent"] else None,
        terms=Counter(row[c.SEARCH_TEXT].split()),
        cosines=row.get("cosines", {}),
    )
