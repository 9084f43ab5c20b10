"""How long the chunks are: a histogram by strategy and kind, with the shares outside the band."""

from typing import Final

import polars as pl

from pipeline.config import ChunkingConfig
from pipeline.tables import columns as c

BIN_TOKENS: Final = 20


def distribution(chunks: pl.DataFrame, config: ChunkingConfig | None = None) -> pl.DataFrame:
    """Histogram of the token counts of chunks.

    Args:
        chunks: rows of `chunks` (strategy, kind, token_count).
        config: the widest band of any class counts; the default one when not given.

    Returns:
        strategy, kind, from_tokens and to_tokens (the bin: from inclusive, to exclusive), chunks (its number of chunks,
        at least 1), share (of the chunks of that strategy and kind, 0 to 1), and for the strategy and kind as a whole
        under_floor and over_ceiling (shares, 0 to 1). Sorted; empty for no chunks.
    """
    floor, ceiling = (config or ChunkingConfig()).band
    group = [c.STRATEGY, c.KIND]
    start = pl.col(c.TOKEN_COUNT) // BIN_TOKENS * BIN_TOKENS
    return (
        chunks.lazy()
        .select(
            *group,
            start.alias("from_tokens"),
            (start + BIN_TOKENS).alias("to_tokens"),
            (pl.col(c.TOKEN_COUNT) < floor).mean().over(group).alias("under_floor"),
            (pl.col(c.TOKEN_COUNT) > ceiling).mean().over(group).alias("over_ceiling"),
        )
        .group_by(*group, "from_tokens", "to_tokens", "under_floor", "over_ceiling")
        .agg(pl.len().alias("chunks"))
        .with_columns((pl.col("chunks") / pl.col("chunks").sum().over(group)).alias("share"))
        .select(*group, "from_tokens", "to_tokens", "chunks", "share", "under_floor", "over_ceiling")
        .sort(*group, "from_tokens")
        .collect()
    )
