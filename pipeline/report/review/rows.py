"""The pages that can be reviewed, as a frame; and all that is shown of those that were drawn."""

from typing import Final

import polars as pl

from pipeline.config import UNKNOWN
from pipeline.report.review.sampling import BAND, BANDS, FAILED, with_strata
from pipeline.tables import columns as c

PAGE: Final = [*c.VERSION_KEY, c.PAGE_NO]
READING: Final = "reading"
LAST_PAGE: Final = "last_page"

# What is read of each table for the whole estate: nothing that grows with the text of a page.
OF_DOCUMENTS: Final = (*c.VERSION_KEY, c.COLLECTION, c.URI, c.TITLE, c.DOCUMENT_CLASS, c.MEDIA_TYPE)
OF_PARSED: Final = (*PAGE, c.ENGINE, c.STATUS, c.INPUT_HASH)
OF_GATED: Final = (*PAGE, c.LANGUAGE, c.QUALITY, c.ROUTE, c.BLANK, c.INPUT_HASH)


def reviewable(documents: pl.DataFrame, parsed: pl.DataFrame, gated: pl.DataFrame) -> pl.DataFrame:
    """The pages that a person can judge: those that the gate decided about, and those that could not be read.

    Args:
        documents: DOCUMENTS rows, the columns OF_DOCUMENTS.
        parsed: PARSED_PAGES rows, the columns OF_PARSED.
        gated: GATED_PAGES rows, the columns OF_GATED.

    Returns:
        One row per page, sorted by key: OF_DOCUMENTS, page_no (0: the whole document failed), engine, language, quality
        (null when failed), route ("failed" too), blank, `reading` (hash of what this reading was made from), `last_page`
        (Int32, of the version) and the columns of `with_strata`. A page that waits for the gate is left out.
    """
    failed = pl.col(c.STATUS) == "failed"
    pages = (
        parsed.join(gated.rename({c.INPUT_HASH: READING}), on=PAGE, how="left")
        .filter(failed | pl.col(c.ROUTE).is_not_null())
        .with_columns(
            pl.when(failed).then(pl.lit(FAILED)).otherwise(c.ROUTE).alias(c.ROUTE),
            pl.when(failed).then(None).otherwise(c.QUALITY).alias(c.QUALITY),
            pl.col(c.BLANK).fill_null(value=False),
            pl.col(c.LANGUAGE).fill_null(UNKNOWN),
            pl.coalesce(READING, c.INPUT_HASH).alias(READING),
            pl.col(c.PAGE_NO).max().over(c.VERSION_KEY).alias(LAST_PAGE),
        )
        .drop(c.STATUS, c.INPUT_HASH)
    )
    return with_strata(documents.join(pages, on=c.VERSION_KEY, how="inner")).sort(PAGE)


def in_reading_order(drawn: pl.DataFrame) -> pl.DataFrame:
    """Drawn pages in the order in which they are read: the worst band first, in it document by document."""
    worst_first = pl.col(BAND).replace_strict(
        {name: place for place, name in enumerate(BANDS)}, return_dtype=pl.Int8
    )
    return drawn.sort(worst_first, c.COLLECTION, c.URI, *PAGE)


def with_content(
    drawn: pl.DataFrame, parsed: pl.DataFrame, gated: pl.DataFrame, register: pl.DataFrame
) -> pl.DataFrame:
    """The drawn pages with all that is shown of them, in their order.

    Args:
        drawn: rows of `reviewable`.
        parsed: PARSED_PAGES rows of them, all columns.
        gated: GATED_PAGES rows of them, all columns.
        register: PAGE_EXCEPTIONS rows of them.

    Returns:
        The rows with width, height, rotation, source, furniture, error and `parse_scores` of the parser; blocks, scores,
        attempts and chosen_attempt of the gate (nulls when failed); `reason`, `detail` and `action` of the register (null: no entry is open).
    """
    geometry = [c.WIDTH, c.HEIGHT, c.ROTATION, c.SOURCE, c.FURNITURE, c.ERROR]
    entries = (
        register.filter(pl.col(c.STATUS) == "open")
        .sort(*PAGE, c.REASON)
        .group_by(PAGE, maintain_order=True)
        .agg(pl.col(c.REASON, c.DETAIL, c.ACTION).first())
    )
    return (
        drawn.join(
            parsed.select(*PAGE, *geometry, pl.col(c.SCORES).alias("parse_scores")),
            on=PAGE,
            how="left",
            maintain_order="left",
        )
        .join(
            gated.select(*PAGE, c.SCORES, c.ATTEMPTS, c.CHOSEN_ATTEMPT, c.BLOCKS),
            on=PAGE,
            how="left",
            maintain_order="left",
        )
        .join(entries, on=PAGE, how="left", maintain_order="left")
    )
