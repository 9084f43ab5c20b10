"""The exception register: what is not in the index, why, since when, and what is to be done."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import polars as pl

from pipeline.estate.faults import IS_UNREADABLE
from pipeline.parsing.errors import (
    CHANGED,
    CORRUPT,
    CRASH,
    DTD,
    ENCRYPTED,
    INSTALL_LIBREOFFICE,
    NO_CONTENT,
    OUT_OF_MEMORY,
    TIMEOUT,
    TOO_LARGE,
    UNREADABLE,
    UNSUPPORTED,
)
from pipeline.tables import columns as c
from pipeline.tables.schemas import PAGE_EXCEPTIONS

WHOLE_DOCUMENT: Final = 0

# What is to be done about a document that could not be parsed, by reason code.
_ACTIONS: Final = {
    TIMEOUT: "timeout",
    ENCRYPTED: "password_needed",
    UNSUPPORTED: "unsupported",
    CHANGED: "none",
}
_OTHERWISE: Final = "unreadable"

TO_DO: Final[Mapping[str, str]] = {
    "bad_metadata": "Correct the sidecar at the file, line and field that are named.",
    UNREADABLE: "See whether the file can be opened: rights, network share, disk.",
    ENCRYPTED: "Save the file without a password, or give its password: `passwords_file` or `passwords_variable` in [parsing].",
    CORRUPT: "Get the file again, or export it anew: it is damaged or not what its name says.",
    UNSUPPORTED: "Convert the file to a format that can be read, such as PDF.",
    TIMEOUT: "Raise timeout_seconds in the [parsing] section, or split the file.",
    OUT_OF_MEMORY: "Raise memory_mb in the [parsing] section, or split the file.",
    CRASH: "Open the file and save it anew; if it crashes again, report it.",
    TOO_LARGE: "Split the file, or raise max_pages in the [parsing] section.",
    DTD: "Export the file anew without document types or entities of its own.",
    NO_CONTENT: "Look at the file: one that opens and holds no text is often a broken export or an empty scan.",
    CHANGED: "Nothing: the next run reads the file as it is then.",
    "too_long": "Lower max_tokens in the [chunking] section: the encoder does not read so long a string, and nothing is cut off.",
    "no_vector": "Look at the text of the chunk, or choose another encoder: this one gives no usable vector for it.",
    "low_quality": "Scan the page again, at 300 dpi, straight and with good contrast.",
}
"""For each reason code what a person can do about it."""

_EXPORT_ANEW: Final = "Export the document anew from the program that wrote it: its text is garbled."
_TRY_AGAIN: Final = "Run again with a higher timeout_seconds or memory_mb in the [parsing] section: a second reading broke off."


def to_do(reason: str, action: str, detail: str = "") -> str:
    """What a person can do about an entry, as a sentence; "" where its detail says that already."""
    if INSTALL_LIBREOFFICE in detail:
        return ""
    if reason == "low_quality" and action in ("unreadable", "second_pass_failed"):
        return _EXPORT_ANEW if action == "unreadable" else _TRY_AGAIN
    return TO_DO.get(reason, TO_DO["unreadable"])


_MEASURES: Final = {
    "confidence": "the engine's confidence",
    "doubtful": "lines that the engine is not sure of",
    "known_words": "unknown words",
    "symbols": "characters that no one types",
    "single_letters": "words fallen into letters",
    "repeated_lines": "repeated lines",
    "short_lines": "lines of one or two characters",
    "overlapping": "lines that lie on one another",
    "uncovered": "print that was not read",
    "sideways": "lines that stand on end",
}
_READINGS: Final = "_readings"
_BROKEN: Final = "_broken"

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
    found = [
        _unscanned(documents),
        _unparsed(documents, parsed, gated),
        _rejected(documents, gated),
        _empty(documents, parsed, gated),
    ]
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
    return documents.filter(pl.col(c.ERROR).is_not_null()).select(
        *_identity(pl.lit(WHOLE_DOCUMENT, dtype=pl.Int32)),
        pl.lit("scan").alias(c.STAGE),
        pl.when(IS_UNREADABLE).then(pl.lit(UNREADABLE)).otherwise(pl.lit("bad_metadata")).alias(c.REASON),
        pl.when(IS_UNREADABLE)
        .then(pl.format("The file could not be read: {}", c.ERROR))
        .otherwise(pl.format("Its metadata cannot be used, the last good state is kept: {}", c.ERROR))
        .alias(c.DETAIL),
        pl.when(IS_UNREADABLE).then(pl.lit("unreadable")).otherwise(pl.lit("fix_metadata")).alias(c.ACTION),
    )


def _unparsed(documents: pl.DataFrame, parsed: pl.DataFrame, gated: pl.DataFrame) -> pl.DataFrame:
    """Pages and documents that the parser gave up, unless the second pass found the text that it had missed."""
    failed = parsed.filter(pl.col(c.STATUS) == "failed").select(*c.VERSION_KEY, c.PAGE_NO, c.REASON, c.ERROR)
    found = gated.filter(pl.col(c.BLOCKS).list.len() > 0)
    failed = pl.concat(
        [
            failed.filter(pl.col(c.REASON) != NO_CONTENT),
            failed.filter(pl.col(c.REASON) == NO_CONTENT).join(found, on=c.VERSION_KEY, how="anti"),
        ]
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
    rejected = gated.filter(pl.col(c.ROUTE) == "reject").with_columns(
        pl.col(c.ATTEMPTS).list.len().alias(_READINGS),
        pl.col(c.ATTEMPTS).list.eval(pl.element().struct.field("error") != "").list.any().alias(_BROKEN),
    )
    scores = pl.col(c.SCORES).struct
    found = pl.concat_str(
        [pl.when(scores.field(name).is_not_null()).then(told) for name, told in _told(scores).items()],
        separator=", ",
        ignore_nulls=True,
    )
    readings = pl.when(pl.col(_READINGS) > 1).then(
        pl.format("; the best of {} readings", _READINGS)
    ).otherwise(pl.lit(""))  # fmt: skip
    return _with_documents(documents, rejected).select(
        *_identity(pl.col(c.PAGE_NO)),
        pl.lit("gate").alias(c.STAGE),
        pl.lit("low_quality").alias(c.REASON),
        pl.format(
            "{} is too poor to be indexed (quality {} %, because of {}): {}{}",
            _PAGE_OF, _percent(pl.col(c.QUALITY)), _named(scores.field("worst")), found, readings,
        ).alias(c.DETAIL),
        pl.when(_BROKEN).then(pl.lit("second_pass_failed"))
        .when(pl.col(c.SOURCE) == "ocr").then(pl.lit("rescan_requested"))
        .otherwise(pl.lit("unreadable")).alias(c.ACTION),
    )  # fmt: skip


def _named(measure: pl.Expr) -> pl.Expr:
    return measure.replace_strict(_MEASURES, default=measure, return_dtype=pl.String)


def _told(scores: Any) -> dict[str, pl.Expr]:
    """The measures of a page in words. Rounded as text: a Float32 printed as it is shows digits that mean nothing."""
    return {
        "known_words": pl.format("{} % of its words are known", _percent(scores.field("known_words"))),
        "symbols": pl.format("{} % of its characters are garbage", _percent(scores.field("symbols"))),
        "confidence": pl.format("confidence of the engine {} %", _percent(scores.field("confidence"))),
        "uncovered": pl.format(
            "{} % of the letters seen on it were not read", _percent(scores.field("uncovered"))
        ),
    }


def _empty(documents: pl.DataFrame, parsed: pl.DataFrame, gated: pl.DataFrame) -> pl.DataFrame:
    """Documents of scans that hold nothing but specks: the parser took them for text, the gate did not."""
    failed = parsed.filter(pl.col(c.STATUS) == "failed")
    blank = gated.group_by(c.VERSION_KEY).agg(pl.col(c.BLANK).all()).filter(c.BLANK)
    return _with_documents(documents, blank.join(failed, on=c.VERSION_KEY, how="anti")).select(
        *_identity(pl.lit(WHOLE_DOCUMENT, dtype=pl.Int32)),
        pl.lit("gate").alias(c.STAGE),
        pl.lit(NO_CONTENT).alias(c.REASON),
        pl.lit("All pages of the document are blank.").alias(c.DETAIL),
        pl.lit("unreadable").alias(c.ACTION),
    )


def _percent(share: pl.Expr) -> pl.Expr:
    return (share.cast(pl.Float64) * 100).round(0).cast(pl.Int64)


def _identity(page: pl.Expr) -> tuple[pl.Expr, ...]:
    names = (*c.VERSION_KEY, c.COLLECTION, c.URI)
    return (*(pl.col(name) for name in names), page.alias(c.PAGE_NO))


def _with_documents(documents: pl.DataFrame, pages: pl.DataFrame) -> pl.DataFrame:
    """The pages whose document is in the estate, with its collection and uri."""
    return pages.join(documents.select(*c.VERSION_KEY, c.COLLECTION, c.URI), on=c.VERSION_KEY, how="inner")
