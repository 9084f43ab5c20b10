"""How long the chunks are: a histogram by class, strategy and kind, with the shares outside the band."""

from typing import Final

import polars as pl

from pipeline.config import ChunkingConfig
from pipeline.tables import columns as c

BIN_TOKENS: Final = 20
_UNDECLARED: Final = "other"


def outside_the_band(chunks: pl.DataFrame, config: ChunkingConfig) -> pl.DataFrame:
    """Shares of chunks under the floor and over the ceiling of their class.

    Args:
        chunks: document_class (as declared), strategy, kind, token_count.
        config: the band of each class; of documents whose class nobody declared the widest band of any class, since their first
            page decides.

    Returns:
        document_class, strategy, kind, chunks (at least 1), under_floor and over_ceiling (shares, 0 to 1). Sorted; empty for no
        chunks.
    """
    names = chunks[c.DOCUMENT_CLASS].unique().to_list()
    bands = [(name, *(config.band if name == _UNDECLARED else config.of(name).band)) for name in names]
    schema = {c.DOCUMENT_CLASS: pl.String, "floor": pl.Int32, "ceiling": pl.Int32}
    group, size = [c.DOCUMENT_CLASS, c.STRATEGY, c.KIND], pl.col(c.TOKEN_COUNT)
    return (
        chunks.lazy()
        .join(pl.LazyFrame(bands, schema=schema, orient="row"), on=c.DOCUMENT_CLASS)
        .group_by(group)
        .agg(
            pl.len().alias("chunks"),
            (size < pl.col("floor")).mean().alias("under_floor"),
            (size > pl.col("ceiling")).mean().alias("over_ceiling"),
        )
        .sort(group)
        .collect()
    )


def distribution(chunks: pl.DataFrame, config: ChunkingConfig | None = None) -> pl.DataFrame:
    """Histogram of the token counts of chunks.

    Args:
        chunks: document_class (as declared), strategy, kind, token_count.
        config: the bands; the default one when not given.

    Returns:
        document_class, strategy, kind, from_tokens and to_tokens (the bin: from inclusive, to exclusive), chunks (its number of
        chunks, at least 1), share (of the chunks of that class, strategy and kind, 0 to 1), and for these as a whole
        under_floor and over_ceiling (shares, 0 to 1). Sorted; empty for no chunks.
    """
    group = [c.DOCUMENT_CLASS, c.STRATEGY, c.KIND]
    start = pl.col(c.TOKEN_COUNT) // BIN_TOKENS * BIN_TOKENS
    bins = chunks.group_by(*group, start.alias("from_tokens")).agg(pl.len().alias("chunks"))
    shares = outside_the_band(chunks, config or ChunkingConfig()).drop("chunks")
    return (
        bins.with_columns(
            (pl.col("from_tokens") + BIN_TOKENS).alias("to_tokens"),
            (pl.col("chunks") / pl.col("chunks").sum().over(group)).alias("share"),
        )
        .join(shares, on=group)
        .select(*group, "from_tokens", "to_tokens", "chunks", "share", "under_floor", "over_ceiling")
        .sort(*group, "from_tokens")
    )
