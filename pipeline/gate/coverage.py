"""How much of the estate can be read: shares of pages passed, flagged and rejected."""

from typing import Final

import polars as pl

from pipeline.tables import columns as c

GROUPS: Final = (c.COLLECTION, c.DOCUMENT_CLASS, c.LANGUAGE, "year")


def coverage(documents: pl.DataFrame, gated: pl.DataFrame) -> pl.DataFrame:
    """Pages and the shares of their routes by collection, document class, language and year.

    Args:
        documents: DOCUMENTS rows.
        gated: GATED_PAGES rows; those of no document above are left out.

    Returns:
        One row per group, sorted: the columns of `GROUPS` (`year`, Int32, of the effective date, else of the last
        modification), `pages` (Int64) and `passed`, `flagged`, `rejected` (Float64, shares of `pages`, 0 to 1).
    """
    year = pl.coalesce(pl.col(c.EFFECTIVE_DATE).dt.year(), pl.col(c.MODIFIED_AT).dt.year()).alias("year")
    about = documents.select(c.DOC_ID, c.VERSION_ID, c.COLLECTION, c.DOCUMENT_CLASS, year)
    routes = {"passed": "pass", "flagged": "flag", "rejected": "reject"}
    return (
        gated.join(about, on=[c.DOC_ID, c.VERSION_ID], how="inner")
        .group_by(GROUPS)
        .agg(
            pl.len().cast(pl.Int64).alias("pages"),
            *((pl.col(c.ROUTE) == route).mean().alias(name) for name, route in routes.items()),
        )
        .sort(GROUPS)
    )
