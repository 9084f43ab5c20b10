"""Editions: which document supersedes which, and on which days each one answers."""

from typing import Final

import polars as pl

from pipeline.tables import columns as c

_SUCCESSOR: Final = "successor_starts"


def with_validity(documents: pl.DataFrame) -> pl.DataFrame:
    """Fill superseded_by, status, valid_from and valid_to of all documents of one collection.

    A document answers from its effective date until the day its successor takes effect, or the day after its expiry
    date if that is earlier. A successor without an effective date starts on the day its file was last written. Of
    several successors the earliest counts. `supersedes` names external ids of the same collection; a name that no
    document has, or its own, is ignored. In a cycle every document supersedes another, which is contradictory: its
    members keep answering.

    Args:
        documents: DOCUMENTS rows; the four columns are overwritten.
    """
    claims = (
        documents.select(
            pl.col(c.DOC_ID).alias(c.SUPERSEDED_BY),
            pl.coalesce(c.EFFECTIVE_DATE, pl.col(c.MODIFIED_AT).dt.date()).alias(_SUCCESSOR),
            pl.col(c.SUPERSEDES).alias(c.EXTERNAL_ID),
        )
        .explode(c.EXTERNAL_ID)
        .drop_nulls(c.EXTERNAL_ID)
        .join(documents.select(c.EXTERNAL_ID, c.DOC_ID), on=c.EXTERNAL_ID)
        .filter(pl.col(c.DOC_ID) != pl.col(c.SUPERSEDED_BY))
        .sort(_SUCCESSOR, c.SUPERSEDED_BY)
        .unique(c.DOC_ID, keep="first", maintain_order=True)
        .select(c.DOC_ID, c.SUPERSEDED_BY, _SUCCESSOR)
    )
    in_cycle = _cyclic(dict(claims.select(c.DOC_ID, c.SUPERSEDED_BY).iter_rows()))
    claims = claims.filter(~pl.col(c.DOC_ID).is_in(sorted(in_cycle)))
    expired = pl.col(c.EXPIRY_DATE).dt.offset_by("1d")
    return (
        documents.drop(c.SUPERSEDED_BY)
        .join(claims, on=c.DOC_ID, how="left", maintain_order="left")
        .with_columns(
            pl.col(c.EFFECTIVE_DATE).alias(c.VALID_FROM),
            pl.min_horizontal(expired, _SUCCESSOR).alias(c.VALID_TO),
            pl.when(pl.col(c.SUPERSEDED_BY).is_null()).then(pl.lit("live")).otherwise(pl.lit("superseded")).alias(c.STATUS),
        )
        .select(documents.columns)
    )


def _cyclic(successor: dict[str, str]) -> set[str]:
    """The documents that reach themselves by following successors."""
    return {start for start in successor if _returns(start, successor)}


def _returns(start: str, successor: dict[str, str]) -> bool:
    seen: set[str] = set()
    current = successor.get(start)
    while current is not None and current not in seen:
        if current == start:
            return True
        seen.add(current)
        current = successor.get(current)
    return False
