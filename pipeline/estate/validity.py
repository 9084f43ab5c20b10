"""Editions: which document supersedes which, and on which days each one answers."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Final

import polars as pl

from pipeline.estate.identity import UNREAD_VERSION
from pipeline.tables import columns as c

_SUCCESSOR: Final = "successor_starts"


def with_validity(documents: pl.DataFrame) -> pl.DataFrame:
    """Fill superseded_by, status, valid_from and valid_to of all documents of one collection.

    A document answers from its effective date until the day its successor takes effect, or the day after its expiry
    date if that is earlier. A successor without an effective date starts on the day its file was last written. Of
    several successors the earliest counts. `supersedes` names external ids of the same collection; a name that no
    document has, or its own, is ignored, and so is a successor that could not be read: it cannot answer instead. Where
    documents supersede each other in a circle, these claims contradict each other and none of them counts.

    Args:
        documents: DOCUMENTS rows; the four columns are overwritten. An expiry on the last day of the calendar
            (9999-12-31) means never.
    """
    claims = (
        documents.filter(pl.col(c.VERSION_ID) != UNREAD_VERSION)
        .select(
            pl.col(c.DOC_ID).alias(c.SUPERSEDED_BY),
            pl.coalesce(c.EFFECTIVE_DATE, pl.col(c.MODIFIED_AT).dt.date()).alias(_SUCCESSOR),
            pl.col(c.SUPERSEDES).alias(c.EXTERNAL_ID),
        )
        .explode(c.EXTERNAL_ID)
        .drop_nulls(c.EXTERNAL_ID)
        .join(documents.select(c.EXTERNAL_ID, c.DOC_ID), on=c.EXTERNAL_ID)
        .filter(pl.col(c.DOC_ID) != pl.col(c.SUPERSEDED_BY))
    )
    contradictory = pl.Series(_in_circles(claims.select(c.DOC_ID, c.SUPERSEDED_BY).rows()), dtype=pl.Boolean)
    claims = (
        claims.filter(~contradictory)
        .sort(_SUCCESSOR, c.SUPERSEDED_BY)
        .unique(c.DOC_ID, keep="first", maintain_order=True)
        .select(c.DOC_ID, c.SUPERSEDED_BY, _SUCCESSOR)
    )
    expiry = pl.col(c.EXPIRY_DATE)
    expired = pl.when(expiry < date.max).then(expiry).dt.offset_by("1d")
    superseded = pl.col(c.SUPERSEDED_BY).is_not_null()
    return (
        documents.drop(c.SUPERSEDED_BY)
        .join(claims, on=c.DOC_ID, how="left", maintain_order="left")
        .with_columns(
            pl.col(c.EFFECTIVE_DATE).alias(c.VALID_FROM),
            pl.min_horizontal(expired, _SUCCESSOR).alias(c.VALID_TO),
            pl.when(superseded).then(pl.lit("superseded")).otherwise(pl.lit("live")).alias(c.STATUS),
        )
        .select(documents.columns)
    )


def with_dates_read(documents: pl.DataFrame, read: pl.DataFrame) -> pl.DataFrame:
    """Let documents whose metadata give no effective date answer from the day that they themselves say they are from.

    Only valid_from is set so: what answers today goes on to. A day counts that lies neither after the file was last
    written nor after the last day on which the document answers.

    Args:
        documents: DOCUMENTS rows.
        read: doc_id, version_id (together unique) and date_read of the versions that are to be dated so.

    Returns:
        The rows with valid_from, and date_source: who says it, "metadata" or "document"; null: nobody does.
    """
    day = pl.col(c.DATE_READ)
    possible = (day <= pl.col(c.MODIFIED_AT).dt.date()) & (day < pl.col(c.VALID_TO).fill_null(date.max))
    return (
        documents.join(
            read.select(*c.VERSION_KEY, c.DATE_READ),
            on=c.VERSION_KEY,
            how="left",
            maintain_order="left",
        )
        .with_columns(
            pl.when(pl.col(c.VALID_FROM).is_not_null())
            .then(pl.lit("metadata"))
            .when(possible)
            .then(pl.lit("document"))
            .alias(c.DATE_SOURCE)
        )
        .with_columns(
            pl.when(pl.col(c.DATE_SOURCE) == "document").then(day).otherwise(c.VALID_FROM).alias(c.VALID_FROM)
        )
        .drop(c.DATE_READ)
    )


def _in_circles(claims: Iterable[tuple[str, str]]) -> list[bool]:
    """For each claim (document, successor): does a way along successors lead from the successor back?"""
    claims = list(claims)
    successors: dict[str, list[str]] = {}
    for document, successor in claims:
        successors.setdefault(document, []).append(successor)
    return [_reaches(successor, document, successors) for document, successor in claims]


def _reaches(start: str, goal: str, successors: Mapping[str, list[str]]) -> bool:
    seen = {start}
    waiting = [start]
    while waiting:
        current = waiting.pop()
        if current == goal:
            return True
        fresh = set(successors.get(current, ())) - seen
        seen |= fresh
        waiting.extend(fresh)
    return False
