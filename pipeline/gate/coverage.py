"""How much of the estate can be read: shares of pages passed, flagged, rejected and failed."""

from collections.abc import Sequence
from typing import Final

import polars as pl

from pipeline.config import UNKNOWN
from pipeline.estate.identity import UNREAD_VERSION
from pipeline.parsing.errors import NO_FAILURE
from pipeline.tables import columns as c

YEAR: Final = "year"
UNDATED: Final = "undated"
DIMENSIONS: Final = (c.COLLECTION, c.DOCUMENT_CLASS, c.LANGUAGE, YEAR)
SHARES: Final = ("passed", "flagged", "rejected", "failed")

# What is read of each table: nothing that grows with the text of a page.
OF_DOCUMENTS: Final = (
    *c.VERSION_KEY, c.COLLECTION, c.DOCUMENT_CLASS, c.LANGUAGE_HINT, c.EFFECTIVE_DATE,
)  # fmt: skip
OF_PARSED: Final = (*c.VERSION_KEY, c.PAGE_NO, c.STATUS, c.REASON)
OF_GATED: Final = (*c.VERSION_KEY, c.PAGE_NO, c.LANGUAGE, c.ROUTE)

_PAGE: Final = [*c.VERSION_KEY, c.PAGE_NO]
_FAILED: Final = "failed"


def coverage(
    documents: pl.DataFrame,
    parsed: pl.DataFrame,
    gated: pl.DataFrame,
    by: Sequence[str] = DIMENSIONS,
) -> pl.DataFrame:
    """Pages and the shares of what became of them, by any of DIMENSIONS.

    A document of which nothing could be read has an unknown number of pages: it counts as one failed page, in the language
    that its metadata names. So do the pages beyond the limit of a document that has too many.

    Args:
        documents: DOCUMENTS rows, the columns OF_DOCUMENTS.
        parsed: PARSED_PAGES rows, the columns OF_PARSED.
        gated: GATED_PAGES rows, the columns OF_GATED. Rows of no document above are left out, here and in `parsed`.
        by: the dimensions to group by; none: one row for everything.

    Returns:
        One row per group, sorted: the columns `by` (`year`, Int32, of the effective date, null without one),
        `pages` (Int64) and SHARES (Float64, shares of `pages`, 0 to 1; their sum is 1).
    """
    about = documents.select(
        *c.VERSION_KEY, c.COLLECTION, c.DOCUMENT_CLASS, pl.col(c.EFFECTIVE_DATE).dt.year().alias(YEAR),
        pl.col(c.LANGUAGE_HINT).fill_null(UNKNOWN).alias("_hint"),
    )  # fmt: skip
    failed = parsed.filter(pl.col(c.STATUS) == _FAILED, ~pl.col(c.REASON).is_in(NO_FAILURE)).select(*_PAGE)
    # What could not even be hashed at the scan was never parsed.
    unread = about.filter(pl.col(c.VERSION_ID) == UNREAD_VERSION).select(
        *c.VERSION_KEY, pl.lit(0, parsed.schema[c.PAGE_NO]).alias(c.PAGE_NO)
    )
    lost = pl.concat([failed, unread]).unique(_PAGE)
    nothing = pl.lit(None, pl.String)
    pages = pl.concat(
        [
            gated.select(*_PAGE, c.LANGUAGE, c.ROUTE),
            lost.with_columns(nothing.alias(c.LANGUAGE), pl.lit(_FAILED).alias(c.ROUTE)),
        ]
    )
    routes = dict(zip(SHARES, ("pass", "flag", "reject", _FAILED), strict=True))
    counted = pages.join(about, on=c.VERSION_KEY, how="inner").with_columns(
        pl.coalesce(c.LANGUAGE, "_hint").alias(c.LANGUAGE)
    )
    measures = (
        pl.len().cast(pl.Int64).alias("pages"),
        *((pl.col(c.ROUTE) == route).mean().alias(name) for name, route in routes.items()),
    )
    if not by:
        return counted.select(measures).filter(pl.col("pages") > 0)
    return counted.group_by(by).agg(measures).sort(by)


def coverage_by_dimension(documents: pl.DataFrame, parsed: pl.DataFrame, gated: pl.DataFrame) -> pl.DataFrame:
    """The coverage of each dimension by itself, under one heading: what a table or a plot shows.

    Args:
        documents: see `coverage`; so are all others.
        parsed: see there.
        gated: see there.

    Returns:
        `dimension` ("all", then DIMENSIONS), `value` (String; a year may be UNDATED), `pages`, SHARES; no rows without pages.
    """
    parts = [
        coverage(documents, parsed, gated, by).select(
            pl.lit(by[0] if by else "all").alias("dimension"),
            (pl.col(by[0]).cast(pl.String).fill_null(UNDATED) if by else pl.lit("all")).alias("value"),
            "pages",
            *SHARES,
        )
        for by in ((), *((name,) for name in DIMENSIONS))
    ]
    return pl.concat(parts)
