"""How long the chunks are: how many lie outside the band of their class, and a histogram."""

from typing import Final

import polars as pl

from pipeline.config import UNDECLARED, ChunkingConfig
from pipeline.tables import columns as c

BIN_TOKENS: Final = 20
_GROUP: Final = (c.DOCUMENT_CLASS, c.STRATEGY, c.KIND)


def outside_the_band(chunks: pl.DataFrame, config: ChunkingConfig) -> pl.DataFrame:
    """Numbers of chunks under the floor and over the ceiling of their class.

    Args:
        chunks: document_class (as declared), section_id, strategy, kind, token_count.
        config: the band of each class; of documents whose class nobody declared the widest band of any class, since their first
            page decides.

    Returns:
        document_class, strategy, kind, chunks (at least 1), over_ceiling, under_floor, and of the chunks that are not a whole
        section by themselves: their number (parts) and how many of them are under the floor (short_parts). Sorted; empty for no
        chunks.
    """
    names = chunks[c.DOCUMENT_CLASS].unique().to_list()
    bands = [(name, *(config.band if name == UNDECLARED else config.of(name).band)) for name in names]
    schema = {c.DOCUMENT_CLASS: pl.String, "floor": pl.Int32, "ceiling": pl.Int32}
    short, part = pl.col(c.TOKEN_COUNT) < pl.col("floor"), pl.len().over(c.SECTION_ID) > 1
    return (
        chunks.lazy()
        .join(pl.LazyFrame(bands, schema=schema, orient="row"), on=c.DOCUMENT_CLASS)
        .with_columns(part.alias("part"))
        .group_by(_GROUP)
        .agg(
            pl.len().alias("chunks"),
            (pl.col(c.TOKEN_COUNT) > pl.col("ceiling")).sum().alias("over_ceiling"),
            short.sum().alias("under_floor"),
            pl.col("part").sum().alias("parts"),
            (short & pl.col("part")).sum().alias("short_parts"),
        )
        .sort(_GROUP)
        .collect()
    )


def short_share(outside: pl.DataFrame) -> float:
    """Share (0 to 1) of the chunks under the floor, of those that could have been cut otherwise: a short section is a short chunk whatever is done.

    Args:
        outside: what `outside_the_band` gave.
    """
    parts = int(outside["parts"].sum())
    return int(outside["short_parts"].sum()) / parts if parts else 0.0


def distribution(chunks: pl.DataFrame) -> pl.DataFrame:
    """Histogram of the token counts of chunks.

    Args:
        chunks: document_class (as declared), strategy, kind, token_count.

    Returns:
        document_class, strategy, kind, from_tokens and to_tokens (the bin: from inclusive, to exclusive), chunks (its number of
        chunks, at least 1), share (of the chunks of that class, strategy and kind, 0 to 1). Sorted; empty for no chunks.
    """
    start = pl.col(c.TOKEN_COUNT) // BIN_TOKENS * BIN_TOKENS
    return (
        chunks.group_by(*_GROUP, start.alias("from_tokens"))
        .agg(pl.len().alias("chunks"))
        .select(
            *_GROUP,
            "from_tokens",
            (pl.col("from_tokens") + BIN_TOKENS).alias("to_tokens"),
            "chunks",
            (pl.col("chunks") / pl.col("chunks").sum().over(_GROUP)).alias("share"),
        )
        .sort(*_GROUP, "from_tokens")
    )
