"""The part of the exception register that is about chunks: those whose strings have no vector."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

import polars as pl

from pipeline.embedding.encoders import NO_VECTOR, TOO_LONG, Refusal
from pipeline.tables import columns as c
from pipeline.tables.schemas import CHUNK_EXCEPTIONS

_ACTIONS: Final = {TOO_LONG: "cut_smaller", NO_VECTOR: "none"}


def chunk_exceptions(
    chunks: pl.DataFrame,
    documents: pl.DataFrame,
    refused: Mapping[str, Mapping[str, Refusal]],
    previous: pl.DataFrame,
    now: datetime,
) -> pl.DataFrame:
    """Entries of the chunks that an encoder refused.

    Args:
        chunks: CHUNKS rows, all of the partition.
        documents: DOCUMENTS rows of them.
        refused: why, by the encoder's name and embed_hash.
        previous: the published CHUNK_EXCEPTIONS rows: an entry that was there keeps its `first_seen`.
        now: the time of this run, with time zone.

    Returns:
        CHUNK_EXCEPTIONS rows, sorted by key.
    """
    found = [
        {c.EMBED_HASH: embed_hash, c.REASON: why.reason, "why": f"{encoder}: {why.detail}"}
        for encoder, strings in refused.items()
        for embed_hash, why in strings.items()
    ]
    schema = {c.EMBED_HASH: pl.String, c.REASON: pl.String, "why": pl.String}
    strings = (
        pl.DataFrame(found, schema=schema).group_by(c.EMBED_HASH, c.REASON).agg(pl.col("why").str.join("; "))
    )
    stamp = pl.lit(now).dt.convert_time_zone("UTC").cast(CHUNK_EXCEPTIONS.schema[c.LAST_SEEN])
    key = list(CHUNK_EXCEPTIONS.key)
    return (
        chunks.join(strings, on=c.EMBED_HASH)
        .join(documents.select(*c.VERSION_KEY, c.COLLECTION, c.URI), on=c.VERSION_KEY)
        .join(previous.select(*key, c.FIRST_SEEN), on=key, how="left")
        .with_columns(
            pl.col(c.PAGES).list.first().fill_null(1).cast(pl.Int32).alias(c.PAGE_NO),
            pl.lit("embed").alias(c.STAGE),
            pl.format("Chunk {} is not in the index: {}", c.CHUNK_ID, "why").alias(c.DETAIL),
            pl.col(c.REASON).replace_strict(_ACTIONS, return_dtype=pl.String).alias(c.ACTION),
            pl.lit("open").alias(c.STATUS),
            pl.col(c.FIRST_SEEN).fill_null(stamp),
            stamp.alias(c.LAST_SEEN),
        )
        .select(CHUNK_EXCEPTIONS.schema.names())
        .sort(key)
    )
