"""The exception register: what is not in the index, why, since when, and what is to be done."""

from datetime import datetime
from typing import Final

import polars as pl

from pipeline.tables import columns as c
from pipeline.tables.schemas import PAGE_EXCEPTIONS

WHOLE_DOCUMENT: Final = 0

# What is to be done about a document that could not be parsed, by reason code.
_ACTIONS: Final = {
    "timeout": "timeout",
    "encrypted": "password_needed",
    "unsupported": "unsupported",
    "changed": "none",
}
_OTHERWISE: Final = "unreadable"

_PAGE_OF: Final = pl.when(pl.col(c.PAGE_NO) == WHOLE_DOCUMENT).then(pl.lit("The document")).otherwise(
    pl.format("Page {}", c.PAGE_NO)
)  # fmt: skip


def exceptions(
    documents: pl.DataFrame, parsed: pl.DataFrame, gated: pl.DataFrame, previous: pl.DataFrame, now: datetime
) -> pl.DataFrame:
    """Bring the register up to date.

    An entry that holds is open; its `first_seen` is that of the same entry in `previous`. An entry of `previous` that no
    longer holds is resolved and keeps its dates, as long as its document is in the estate; else it goes.

    Args:
        documents: DOCUMENTS rows, all of the partition.
        parsed: PARSED_PAGES rows of them.
        gated: GATED_PAGES rows of them.
        previous: the published PAGE_EXCEPTIONS rows.
        now: the time of this run, with time zone.

    Returns:
        PAGE_EXCEPTIONS rows, sorted by key.
    """
    key = list(PAGE_EXCEPTIONS.key)
    found = [_unscanned(documents), _unparsed(documents, parsed), _rejected(documents, gated)]
    stamp = pl.lit(now).dt.convert_time_zone("UTC").cast(PAGE_EXCEPTIONS.schema[c.LAST_SEEN])
    holding = (
        pl.concat(found)
        .unique(key, keep="first", maintain_order=True)
        .join(previous.select(*key, c.FIRST_SEEN), on=key, how="left")
        .with_columns(
            pl.lit("open").alias(c.STATUS), pl.col(c.FIRST_SEEN).fill_null(stamp), stamp.alias(c.LAST_SEEN)
        )
    )
    gone = (
        previous.join(holding, on=key, how="anti")
        .join(documents.select(c.DOC_ID).unique(), on=c.DOC_ID, how="semi")
        .with_columns(pl.lit("resolved").alias(c.STATUS))
    )
    names = PAGE_EXCEPTIONS.schema.names()
    return pl.concat([holding.select(names), gone.select(names)]).sort(key)


def _unscanned(documents: pl.DataFrame) -> pl.DataFrame:
    """Documents whose bytes or sidecar could not be read at the scan."""
    metadata = pl.col(c.ERROR).str.to_lowercase().str.starts_with("sidecar")
    return documents.filter(pl.col(c.ERROR).is_not_null()).select(
        *_identity(pl.lit(WHOLE_DOCUMENT, dtype=pl.Int32)),
        pl.lit("scan").alias(c.STAGE),
        pl.when(metadata).then(pl.lit("bad_metadata")).otherwise(pl.lit("unreadable")).alias(c.REASON),
        pl.when(metadata)
        .then(pl.format("Its metadata cannot be used, the last good state is kept: {}", c.ERROR))
        .otherwise(pl.format("The file could not be read: {}", c.ERROR))
        .alias(c.DETAIL),
        pl.when(metadata).then(pl.lit("fix_metadata")).otherwise(pl.lit("unreadable")).alias(c.ACTION),
    )


def _unparsed(documents: pl.DataFrame, parsed: pl.DataFrame) -> pl.DataFrame:
    """Pages and documents that the parser gave up."""
    failed = parsed.filter(pl.col(c.STATUS) == "failed").select(
        c.DOC_ID, c.VERSION_ID, c.PAGE_NO, c.REASON, c.ERROR
    )
    reason = pl.when(pl.col(c.REASON) == "").then(pl.lit("unreadable")).otherwise(c.REASON)
    return _with_documents(documents, failed).select(
        *_identity(pl.col(c.PAGE_NO)),
        pl.lit("parse").alias(c.STAGE),
        reason.alias(c.REASON),
        pl.col(c.ERROR).alias(c.DETAIL),
        pl.col(c.REASON).replace_strict(_ACTIONS, default=_OTHERWISE, return_dtype=pl.String).alias(c.ACTION),
    )


def _rejected(documents: pl.DataFrame, gated: pl.DataFrame) -> pl.DataFrame:
    """Pages whose text is too poor to be indexed."""
    rejected = gated.filter(pl.col(c.ROUTE) == "reject").select(
        c.DOC_ID, c.VERSION_ID, c.PAGE_NO, c.QUALITY, c.SOURCE, c.SCORES
    )
    scores = pl.col(c.SCORES).struct
    confidence = pl.when(scores.field("confidence").is_null()).then(pl.lit("")).otherwise(
        pl.format(", confidence of the engine {} %", _percent(scores.field("confidence")))
    )  # fmt: skip
    words = pl.when(scores.field("known_words").is_null()).then(pl.lit("too few words to tell")).otherwise(
        pl.format("{} % of its words are known", _percent(scores.field("known_words")))
    )  # fmt: skip
    # Rounded as text: a Float32 printed as it is shows digits that mean nothing.
    quality = pl.format("{} %", _percent(pl.col(c.QUALITY)))
    return _with_documents(documents, rejected).select(
        *_identity(pl.col(c.PAGE_NO)),
        pl.lit("gate").alias(c.STAGE),
        pl.lit("low_quality").alias(c.REASON),
        pl.format(
            "{} is too poor to be indexed (quality {}): {}, {} % of its characters are garbage{}",
            _PAGE_OF, quality, words, _percent(scores.field("symbols")), confidence,
        ).alias(c.DETAIL),
        pl.lit("rescan_requested").alias(c.ACTION),
    )  # fmt: skip


def _percent(share: pl.Expr) -> pl.Expr:
    return (share.cast(pl.Float64) * 100).round(0).cast(pl.Int64)


def _identity(page: pl.Expr) -> tuple[pl.Expr, ...]:
    names = (c.DOC_ID, c.VERSION_ID, c.COLLECTION, c.URI)
    return (*(pl.col(name) for name in names), page.alias(c.PAGE_NO))


def _with_documents(documents: pl.DataFrame, pages: pl.DataFrame) -> pl.DataFrame:
    """The pages whose document is in the estate, with its collection and uri."""
    key = [c.DOC_ID, c.VERSION_ID]
    return pages.join(documents.select(*key, c.COLLECTION, c.URI), on=key, how="inner")
