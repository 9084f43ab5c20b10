"""Duplicates for a person: which documents stand in which, and in what near copies differ."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

import polars as pl

from pipeline.dedup.differences import differences
from pipeline.dedup.shingles import joined_sum
from pipeline.estate.finding import UnknownDocumentError, find_document
from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from pipeline.tables.lake import Lake

# Of a pair of documents so many near chunks are compared word by word for the list; `show` compares all.
_COMPARED: Final = 20
_CANONICAL: Final = "canonical_"
_SHOWN: Final = (c.COLLECTION, c.URI, c.DOC_ID)

GROUPS: Final = pl.Schema(
    {
        "canonical_collection": pl.String, "canonical_uri": pl.String, "canonical_doc_id": pl.String,
        c.COLLECTION: pl.String, c.URI: pl.String, c.DOC_ID: pl.String,
        "kind": pl.String, "share": pl.Float64, "exact_chunks": pl.UInt32, "near_chunks": pl.UInt32,
        "reason": pl.String, "differs": pl.String,
    }
)  # fmt: skip
VALUES: Final = pl.Schema(
    {
        "canonical_collection": pl.String, "canonical_uri": pl.String, "canonical_chunk_id": pl.String,
        c.COLLECTION: pl.String, c.URI: pl.String, c.CHUNK_ID: pl.String, "section": pl.String, "similarity": pl.Float64,
        "reason": pl.String, "kind": pl.String, "canonical_value": pl.String, "value": pl.String,
    }
)  # fmt: skip


def document_groups(lake: Lake, *, collection: str | None = None, min_share: float = 0.0) -> pl.DataFrame:
    """Which document's text stands in which other one that is the better source.

    Args:
        lake: the tables.
        collection: only documents of this collection, whichever collection their canonical is in.
        min_share: least share (0 to 1) of a document's words that stand in the canonical document.

    Returns:
        One row per document and document that holds canonical copies of its chunks; by canonical, then share, largest
        first. `kind`: "exact" when all words are the same in the same order, else "near"; `share`: of the document's words in
        chunks whose canonical is there; `reason`: by what most of these canonicals won; `differs`: how many values of
        each kind differ in near chunks ("+": more chunks than were looked at).
    """
    rows = _copies(lake)
    words = lake.read(s.SIGNATURES, columns=[c.CHUNK_ID, c.DOC_ID, c.N_WORDS])
    total = words.group_by(c.DOC_ID).agg(pl.col(c.N_WORDS).sum().alias("total"))
    groups = (
        rows.join(words.select(c.CHUNK_ID, c.N_WORDS), on=c.CHUNK_ID)
        .group_by(_CANONICAL + c.DOC_ID, c.DOC_ID)
        .agg(
            pl.col(c.N_WORDS).sum(),
            (pl.col(c.KIND) == "exact").sum().alias("exact_chunks"),
            (pl.col(c.KIND) == "near").sum().alias("near_chunks"),
            pl.col(c.REASON).sort().mode().sort().first(),
        )
        .join(total, on=c.DOC_ID)
        .with_columns((pl.col(c.N_WORDS) / pl.max_horizontal("total", 1)).alias("share"))
        .filter(pl.col("share") >= min_share)
    )
    documents = lake.read(s.DOCUMENTS, columns=list(_SHOWN)).unique(c.DOC_ID)
    groups = groups.join(documents, on=c.DOC_ID).join(
        documents.rename({name: _CANONICAL + name for name in _SHOWN}), on=_CANONICAL + c.DOC_ID
    )
    if collection is not None:
        groups = groups.filter(collection=collection)
    sums = _document_sums(lake, [*groups[c.DOC_ID], *groups[_CANONICAL + c.DOC_ID]])
    same = [
        sums.get(one) == sums.get(other)
        for one, other in groups.select(c.DOC_ID, _CANONICAL + c.DOC_ID).iter_rows()
    ]
    kind = pl.when(pl.Series(same, dtype=pl.Boolean)).then(pl.lit("exact")).otherwise(pl.lit("near"))
    groups = groups.with_columns(kind.alias("kind")).join(
        _differing(lake, rows, groups), on=[_CANONICAL + c.DOC_ID, c.DOC_ID], how="left"
    )
    return (
        groups.with_columns(pl.col("differs").fill_null(""))
        .select(pl.col(name).cast(dtype) for name, dtype in GROUPS.items())
        .sort(
            "canonical_collection", "canonical_uri", pl.col("share").neg(), c.COLLECTION, c.URI, c.DOC_ID,
            "canonical_doc_id",
        )
    )  # fmt: skip


def differing_values(lake: Lake, name: str) -> pl.DataFrame:
    """The values in which near copies differ, of a document's chunks or one chunk, as copy and as canonical.

    Args:
        lake: the tables.
        name: doc_id, chunk_id, path below the source, or collection/path.

    Returns:
        One row per value that differs: both documents and chunks, similarity, by what the canonical won, the kind of the
        value (date, sum, number, name, text), and what each of the two says. A near copy in which only the order or the
        punctuation differs has one row of kind "none".

    Raises:
        UnknownDocumentError: nothing is called so, or several documents are.
    """
    documents = lake.read(s.DOCUMENTS, columns=list(_SHOWN)).unique(c.DOC_ID)
    rows = _copies(lake, within=True)
    document = find_document(documents, name)
    if document is not None:
        doc_id = document[c.DOC_ID]
        chosen = (pl.col(c.DOC_ID) == doc_id) | (pl.col(_CANONICAL + c.DOC_ID) == doc_id)
    elif lake.read(s.CHUNKS, columns=[c.CHUNK_ID]).filter(chunk_id=name).height:
        chosen = (pl.col(c.CHUNK_ID) == name) | (pl.col(c.CANONICAL_CHUNK_ID) == name)
    else:
        raise UnknownDocumentError(
            f"{name!r} is no document and no chunk; `kesit duplicates` lists documents"
        )
    near = rows.filter(chosen, kind="near")
    texts = _texts(lake, near)
    places = {row[2]: row[:2] for row in documents.select(_SHOWN).iter_rows()}
    found: list[tuple[object, ...]] = []
    for row in near.sort(c.CANONICAL_CHUNK_ID, c.CHUNK_ID).iter_rows(named=True):
        ours, theirs = texts[row[c.CANONICAL_CHUNK_ID]], texts[row[c.CHUNK_ID]]
        start = (
            *places[row[_CANONICAL + c.DOC_ID]], row[c.CANONICAL_CHUNK_ID], *places[row[c.DOC_ID]], row[c.CHUNK_ID],
            " > ".join(theirs[2]), round(row[c.SIMILARITY], 4), row[c.REASON],
        )  # fmt: skip
        values = differences(ours[0], theirs[0], theirs[1])
        found += [(*start, each.kind, each.canonical, each.copy) for each in values] or [
            (*start, "none", "", "")
        ]
    return pl.DataFrame(found, schema=VALUES, orient="row").sort(
        "canonical_collection", "canonical_uri", c.COLLECTION, c.URI, "canonical_chunk_id", c.CHUNK_ID,
        maintain_order=True,
    )  # fmt: skip


def group_lines(groups: pl.DataFrame) -> Iterable[str]:
    """One line a canonical document, and below it one for each document of which text stands in it."""
    last = None
    for row in groups.iter_rows(named=True):
        head = (row["canonical_collection"], row["canonical_uri"], row["canonical_doc_id"])
        if head != last:
            yield f"{head[0]}/{head[1]}"
            last = head
        differs = f"; differs in {row['differs']}" if row["differs"] else ""
        yield (
            f"  {row['share']:4.0%} {row['kind']:5} {row[c.COLLECTION]}/{row[c.URI]}"
            f" ({row['exact_chunks']} chunks exact, {row['near_chunks']} near; canonical by {row['reason']}{differs})"
        )
    documents = groups[c.DOC_ID].n_unique()
    yield f"{documents} documents in {groups['canonical_doc_id'].n_unique()} groups"


def value_lines(values: pl.DataFrame) -> Iterable[str]:
    """A line for each pair of chunks, and below it one for each value that differs."""
    last = None
    for row in values.iter_rows(named=True):
        pair = (row["canonical_chunk_id"], row[c.CHUNK_ID])
        if pair != last:
            section = f" [{row['section']}]" if row["section"] else ""
            yield (
                f"{row[c.COLLECTION]}/{row[c.URI]}{section} is a near copy ({row['similarity']:.0%}) of"
                f" {row['canonical_collection']}/{row['canonical_uri']}, canonical by {row['reason']}"
            )
            last = pair
        if row["kind"] == "none":
            yield "  no word differs"
        else:
            yield f"  {row['kind']:6} {row['canonical_value'] or '(nothing)'} → {row['value'] or '(nothing)'}"
    yield f"{values.filter(pl.col('kind') != 'none').height} values differ"


def _copies(lake: Lake, *, within: bool = False) -> pl.DataFrame:
    """Rows of `clusters` that are copies, with the canonical's document; of the same document only if `within`."""
    clusters = lake.read(s.CLUSTERS)
    heads = clusters.filter(kind="canonical").select(
        c.CLUSTER_ID, pl.col(c.DOC_ID).alias(_CANONICAL + c.DOC_ID)
    )
    rows = clusters.filter(pl.col(c.KIND) != "canonical").join(heads, on=c.CLUSTER_ID)
    return rows if within else rows.filter(pl.col(c.DOC_ID) != pl.col(_CANONICAL + c.DOC_ID))


def _document_sums(lake: Lake, doc_ids: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Number of words and the hash of all words in order, of each document."""
    wanted = pl.DataFrame({c.DOC_ID: list(doc_ids)}, schema={c.DOC_ID: pl.String}).unique()
    chunks = lake.read(s.CHUNKS, columns=[c.CHUNK_ID, c.DOC_ID, c.ORDINAL]).join(
        wanted, on=c.DOC_ID, how="semi"
    )
    marks = lake.read(s.SIGNATURES, columns=[c.CHUNK_ID, c.N_WORDS, c.WORDS_SUM])
    parts = chunks.join(marks, on=c.CHUNK_ID).sort(c.DOC_ID, c.ORDINAL)
    return {
        doc_id: (sum(counts), joined_sum(zip(counts, sums, strict=True)))
        for doc_id, counts, sums in parts.group_by(c.DOC_ID).agg(c.N_WORDS, c.WORDS_SUM).iter_rows()
    }


def _differing(lake: Lake, rows: pl.DataFrame, groups: pl.DataFrame) -> pl.DataFrame:
    """How many values of each kind differ between the near chunks of each pair of documents."""
    key = [_CANONICAL + c.DOC_ID, c.DOC_ID]
    near = rows.filter(kind="near").join(groups.select(key), on=key, how="semi").sort(c.CHUNK_ID)
    counts = {
        pair: count for *pair_, count in near.group_by(key).len().iter_rows() for pair in [tuple(pair_)]
    }
    near = near.group_by(key, maintain_order=True).head(_COMPARED)
    texts = _texts(lake, near)
    kinds: dict[tuple[str, ...], Counter[str]] = {}
    for canonical, doc_id, canonical_chunk, chunk in near.select(
        *key, c.CANONICAL_CHUNK_ID, c.CHUNK_ID
    ).iter_rows():
        copy = texts[chunk]
        values = differences(texts[canonical_chunk][0], copy[0], copy[1])
        kinds.setdefault((canonical, doc_id), Counter()).update(each.kind for each in values)
    told = [
        (*pair, ", ".join(f"{count} {kind}" for kind, count in sorted(found.items())) + ("+" if counts[pair] > _COMPARED else ""))
        for pair, found in kinds.items()
    ]  # fmt: skip
    return pl.DataFrame(told, schema=dict.fromkeys((*key, "differs"), pl.String), orient="row")


def _texts(lake: Lake, near: pl.DataFrame) -> dict[str, tuple[str, str, list[str]]]:
    """Text, language and section path of the chunks and their canonicals, by chunk id."""
    wanted = pl.concat([near[c.CHUNK_ID], near[c.CANONICAL_CHUNK_ID]]).unique()
    columns = [c.CHUNK_ID, c.TEXT, c.LANGUAGE, c.SECTION_PATH]
    parts = [
        lake.read(s.CHUNKS, partition, columns).filter(pl.col(c.CHUNK_ID).is_in(wanted.implode()))
        for partition in lake.partitions(s.CHUNKS)
    ]
    return {row[0]: row[1:] for part in parts for row in part.iter_rows()}
