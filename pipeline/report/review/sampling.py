"""Which pages a person reads: every stratum of class, engine and score band, the worst more often than their share."""

import hashlib
import math
from typing import Final

import polars as pl

from pipeline.tables import columns as c
from pipeline.tables.schemas import GATED_PAGES

FAILED: Final = "failed"
BLANK: Final = "blank"
BAND: Final = "band"
STRATUM: Final = (c.DOCUMENT_CLASS, c.ENGINE, BAND)

# Upper ends of the bands of quality, and the name of each; what failed and what is blank has no quality to speak of.
_ENDS: Final = (0.5, 0.7, 0.85, 0.95)
BANDS: Final = (FAILED, "under 0.50", "0.50–0.70", "0.70–0.85", "0.85–0.95", "0.95–1.00", BLANK)
"""Score bands, the worst first."""

# What share of the sample each band is to have, as parts of the sum; a band that has too few pages leaves its share to the others.
_PARTS: Final = dict(zip(BANDS, (2.0, 4.0, 4.0, 3.0, 2.0, 4.0, 0.5), strict=True))
_PAGE: Final = list(GATED_PAGES.key)


def with_strata(pages: pl.DataFrame) -> pl.DataFrame:
    """Name the stratum of each page.

    Args:
        pages: columns `engine`, `quality` (null for what failed), `route` ("pass", "flag", "reject" or "failed") and `blank`.

    Returns:
        The pages with `band` (one of BANDS), and "none" for the engine of a page that none has read.
    """
    band = pl.lit(BANDS[len(_ENDS) + 1])
    for end, name in reversed(list(zip(_ENDS, BANDS[1:], strict=False))):
        band = pl.when(pl.col(c.QUALITY) < end).then(pl.lit(name)).otherwise(band)
    return pages.with_columns(
        pl.col(c.ENGINE).replace("", "none"),
        pl.when(pl.col(c.ROUTE) == FAILED)
        .then(pl.lit(FAILED))
        .when(c.BLANK)
        .then(pl.lit(BLANK))
        .otherwise(band)
        .alias(BAND),
    )


def sample(pages: pl.DataFrame, count: int, seed: int) -> pl.DataFrame:
    """Draw pages for reading by hand.

    Each page draws a number by its identity and the seed alone, so that the order of the rows decides nothing. The numbers are
    exponential with a rate that gives each band its part of the sample (weighted sampling without replacement: Efraimidis &
    Spirakis 2006); a document's n-th page has to wait n times as long, so that no long document fills the sample. In front come the first page of each band, class and
    engine, then the first of each stratum: with `count` at least the number of strata, every stratum is there.

    Args:
        pages: one row per page: `doc_id`, `version_id`, `page_no`, and the columns of STRATUM.
        count: how many pages at most.
        seed: another seed draws other pages.

    Returns:
        The drawn rows of `pages`, sorted by identity. A larger `count` only adds pages.
    """
    # The order of the rows decides nothing, not even between equal numbers.
    ordered = pages.sort(_PAGE)
    keys = [_exponential(seed, *row) for row in ordered.select(_PAGE).iter_rows()]
    parts = pl.col(BAND).replace_strict(_PARTS, return_dtype=pl.Float64)
    first = pl.col("_key").rank("ordinal") == 1
    return (
        ordered.with_columns(pl.Series("_unit", keys, pl.Float64))
        .with_columns((pl.col("_unit") * pl.len().over(BAND) / parts).alias("_key"))
        .with_columns(pl.col("_key") * pl.col("_key").rank("ordinal").over(c.VERSION_KEY))
        .with_columns(
            pl.when(pl.any_horizontal(first.over(name) for name in STRATUM))
            .then(0)
            .when(first.over(STRATUM))
            .then(1)
            .otherwise(2)
            .alias("_turn")
        )
        .sort("_turn", "_key", *_PAGE)
        .head(count)
        .sort(_PAGE)
        .select(pages.columns)
    )


def _exponential(seed: int, *identity: object) -> float:
    """A number from the exponential distribution of mean 1, by identity alone."""
    text = "\x1f".join(map(str, (seed, *identity)))
    number = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
    return -math.log((number + 1) / (2**64 + 1))
