"""The rows of the index: one per chunk, with everything that a search filters by, ranks by or shows."""

import hashlib
from collections.abc import Collection, Mapping
from typing import Final

import polars as pl

from pipeline.estate.validity import with_dates_read
from pipeline.index.errors import BuildRefusedError
from pipeline.language.analysis import ANALYSER_VERSION, search_text
from pipeline.language.version import language_version
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import fingerprint
from pipeline.tables.schemas import CHUNKS, CLUSTERS, DOCUMENTS

# Raise it when the columns change or their meaning does: a new table is then built beside the live one.
SCHEMA_VERSION: Final = "3"
# Rows that are hashed at once: the JSON of all of them would be their texts a second time.
_HASHED: Final = 10_000
_FROM_CHUNKS: Final = tuple(name for name in CHUNKS.schema if name not in (c.INPUT_HASH, c.DATE_READ))
_FROM_DOCUMENTS: Final = (
    c.TITLE, c.URI, c.COLLECTION, c.EXTERNAL_ID, c.DOC_TYPE, c.DOCUMENT_CLASS, c.AUTHORITY, c.EFFECTIVE_DATE,
    c.EXPIRY_DATE, c.VALID_FROM, c.VALID_TO, c.VERSION_LABEL, c.SUPERSEDED_BY, c.ACL_GROUPS,
)  # fmt: skip
# What describes a document; the others say who may see it and when it answers (`policy`).
DESCRIBED: Final = tuple(
    name for name in _FROM_DOCUMENTS if name not in (c.ACL_GROUPS, c.VALID_FROM, c.VALID_TO, c.SUPERSEDED_BY)
)


def vector_column(slug: str) -> str:
    """Name of the column that holds an encoder's vectors."""
    return f"{c.VECTOR}_{slug}"


def index_schema(dims: Mapping[str, int]) -> pl.Schema:
    """Columns and types of the index rows, in order.

    Args:
        dims: length of the vectors of each encoder, by slug.
    """
    return pl.Schema(
        {
            **{name: CHUNKS.schema[name] for name in _FROM_CHUNKS},
            **{name: DOCUMENTS.schema[name] for name in _FROM_DOCUMENTS},
            c.DATE_SOURCE: pl.String,  # who says valid_from: "metadata" or "document"; null: nobody does
            c.CLUSTER_ID: CLUSTERS.schema[c.CLUSTER_ID],  # null: the chunk is alone
            c.CANONICAL_CHUNK_ID: CLUSTERS.schema[c.CANONICAL_CHUNK_ID],  # null: the chunk is alone
            c.PARENT_TEXT: pl.String,  # the section's text; null: longer than the cap
            c.PARENT_TOKENS: pl.Int32,
            c.SEARCH_TEXT: pl.String,  # analysed tokens of title, section path (of a figure: its context) and text
            **{vector_column(slug): pl.Array(pl.Float32, length) for slug, length in dims.items()},
            c.ROW_HASH: pl.String,  # of everything that the search text and the vectors are not
        }
    )


def index_rows(
    documents: pl.DataFrame,
    sections: pl.DataFrame,
    chunks: pl.DataFrame,
    clusters: pl.DataFrame,
    *,
    parent_tokens: int,
    dating: Collection[str] = (),
) -> pl.DataFrame:
    """Rows of the index for the chunks whose version of a document is in the estate, without what costs much to make.

    Search text and vectors follow from the other columns (title, path and text; the embed hash), so the hash of a row
    needs neither: only rows whose hash moved are completed (`completed`).

    Args:
        documents: table `documents`. Chunks of other versions than these give no row: what is not, or no longer, in the
            estate is not searched.
        sections: table `sections`.
        chunks: table `chunks`.
        clusters: table `clusters`.
        parent_tokens: a longer section is not carried along as parent text.
        dating: as in `dated`.

    Returns:
        One row per chunk, sorted by chunk_id; columns as `index_schema` says, but search text and vectors.

    Raises:
        BuildRefusedError: a chunk has no section; it is named.
    """
    parents = sections.select(
        c.SECTION_ID,
        pl.when(pl.col(c.TOKEN_COUNT) <= parent_tokens).then(c.TEXT).alias(c.PARENT_TEXT),
        pl.col(c.TOKEN_COUNT).alias(c.PARENT_TOKENS),
    )
    rows = (
        chunks.select(_FROM_CHUNKS)
        .join(
            dated(documents, chunks, dating).select(*c.VERSION_KEY, *_FROM_DOCUMENTS, c.DATE_SOURCE),
            on=c.VERSION_KEY,
            how="inner",
        )
        .join(clusters.select(c.CHUNK_ID, c.CLUSTER_ID, c.CANONICAL_CHUNK_ID), on=c.CHUNK_ID, how="left")
        .join(parents, on=c.SECTION_ID, how="left")
        .sort(c.CHUNK_ID)
    )
    _refuse(rows.filter(pl.col(c.PARENT_TOKENS).is_null()), "have no section; run the chunks stage again")
    return rows.with_columns(row_hashes(rows))


def dated(documents: pl.DataFrame, chunks: pl.DataFrame, dating: Collection[str]) -> pl.DataFrame:
    """The documents with the days from which they answer in the index; see `with_dates_read`.

    Args:
        documents: table `documents`.
        chunks: doc_id, version_id and date_read of table `chunks`.
        dating: collections in which a date that was read in a document counts where its metadata give none.
    """
    counting = documents.filter(pl.col(c.COLLECTION).is_in(list(dating)))
    read = chunks.select(*c.VERSION_KEY, c.DATE_READ).drop_nulls().unique()
    return with_dates_read(documents, read.join(counting, on=c.VERSION_KEY, how="semi"))


def completed(rows: pl.DataFrame, vectors: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """The rows with their search text and vectors, columns as `index_schema` says.

    Args:
        rows: some of the rows that `index_rows` gave; their order is kept.
        vectors: rows of the tables `embeddings` of each encoder (embed_hash, unique, and vector), by slug.

    Raises:
        BuildRefusedError: a chunk has no vector; it is named.
    """
    full = rows.with_columns(_search_text(rows))
    for slug, frame in vectors.items():
        column = vector_column(slug)
        vector = frame.select(c.EMBED_HASH, pl.col(c.VECTOR).alias(column))
        full = full.join(vector, on=c.EMBED_HASH, how="left", maintain_order="left")
        missing = full.filter(pl.col(column).is_null())
        _refuse(missing, f"have no vector of {slug}; run the embeddings stage again")
    return full.select(index_schema(_dims(vectors)).names())


def row_hashes(rows: pl.DataFrame) -> pl.Series:
    """Hash of the content of each row: 128-bit BLAKE2b of its values as JSON."""
    names = sorted(name for name in rows.columns if name != c.ROW_HASH)
    encoded = pl.struct(names).struct.json_encode().cast(pl.Binary)
    hashes = [
        hashlib.blake2b(value, digest_size=16).hexdigest()
        for batch in rows.iter_slices(_HASHED)
        for value in batch.select(encoded).to_series()
    ]
    return pl.Series(c.ROW_HASH, hashes, dtype=pl.String)


def index_fingerprint(encoders: Mapping[str, str], chunks: str) -> str:
    """What forces a new table: another encoder, chunking, analyser or row schema. Metadata and ACLs do not.

    Args:
        encoders: fingerprint of each encoder, by slug.
        chunks: fingerprint of the stage that makes the chunks.
    """
    pairs = [part for slug, value in sorted(encoders.items()) for part in (slug, value)]
    return fingerprint("index", SCHEMA_VERSION, ANALYSER_VERSION, language_version(), chunks, pairs)


def table_name(fingerprint: str) -> str:
    """Name of the LanceDB table of a build fingerprint."""
    return f"build_{fingerprint[:16]}"


def _search_text(rows: pl.DataFrame) -> pl.Series:
    """Title and section path belong to a chunk's words: "§ 5 Kündigung" often stands in its heading only.

    So does what the document says of a figure elsewhere: it is in the chunk's context.
    """
    path = pl.col(c.SECTION_PATH).list.join("\n")
    above = pl.when((pl.col(c.KIND) == "figure") & (pl.col(c.CONTEXT) != "")).then(c.CONTEXT).otherwise(path)
    texts = rows.select(pl.concat_str(c.TITLE, above, c.TEXT, separator="\n")).to_series()
    return pl.Series(c.SEARCH_TEXT, search_text(texts.to_list(), rows[c.LANGUAGE].to_list()), dtype=pl.String)


def _dims(vectors: Mapping[str, pl.DataFrame]) -> dict[str, int]:
    lengths: dict[str, int] = {}
    for slug, frame in vectors.items():
        dtype = frame.schema[c.VECTOR]
        assert isinstance(dtype, pl.Array)
        lengths[slug] = dtype.size
    return lengths


def _refuse(rows: pl.DataFrame, why: str) -> None:
    if rows.height:
        names = ", ".join(rows[c.CHUNK_ID].head(3))
        raise BuildRefusedError(f"{rows.height} chunks {why} (for example {names})")
