"""The order in which chunks may become canonical, and by what one won over another."""

from collections.abc import Sequence
from typing import Final

import polars as pl

from pipeline.config import Criterion
from pipeline.tables import columns as c
from pipeline.tables.schemas import REASONS

SUPERSEDED: Final = "superseded"
RANK: Final = "rank"

# Formats in which a text is nearer to what its author wrote come first; an unknown format comes between.
_FORMATS: Final = {
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": 0,
    "application/vnd.oasis.opendocument.text": 0,
    "text/markdown": 1,
    "text/html": 2,
    "application/xhtml+xml": 2,
    "application/pdf": 4,
    "image/png": 5,
    "image/jpeg": 5,
    "image/tiff": 5,
}
_OTHER_FORMAT: Final = 3

# What each criterion compares; the smaller value wins, and one that is not known loses.
_CRITERIA: Final[dict[Criterion, tuple[pl.Expr, ...]]] = {
    "authority": (pl.col(c.AUTHORITY).cast(pl.Int64).neg(),),
    "in_force": (pl.col(SUPERSEDED).cast(pl.Int64),),
    "effective_date": (pl.col(c.EFFECTIVE_DATE).to_physical().cast(pl.Int64).neg(),),
    "modified": (pl.col(c.MODIFIED_AT).to_physical().cast(pl.Int64).neg(),),
    "quality": (
        pl.col(c.LOW_CONFIDENCE).cast(pl.Int64),
        # Tenths: a page that reads a hair better decides nothing.
        (pl.col(c.QUALITY) * 10).round().cast(pl.Int64).neg(),
    ),
    "format": (pl.col(c.MEDIA_TYPE).replace_strict(_FORMATS, default=_OTHER_FORMAT, return_dtype=pl.Int64),),
}


def elected_first(policy: pl.DataFrame, election: Sequence[Criterion]) -> pl.DataFrame:
    """Chunks in the order of election: the first of a cluster is its canonical.

    The criteria in the configured order, then the chunk's id: a total order, whatever the order of the rows.

    Args:
        policy: one row per chunk: chunk_id, authority, superseded (bool), effective_date, modified_at, low_confidence,
            quality (of the document's pages, 0 to 1; null: not known), media_type.
        election: the criteria, first what counts most.

    Returns:
        The rows in order, with a column `rank` (UInt32) from 0 and one column of each criterion's values
        (`values_of`).
    """
    values = [
        value.alias(name)
        for criterion in election
        for value, name in zip(_CRITERIA[criterion], _names(criterion), strict=True)
    ]
    return (
        policy.with_columns(values)
        .sort(*values_of(election), c.CHUNK_ID, nulls_last=True)
        .with_row_index(RANK)
    )


def values_of(election: Sequence[Criterion]) -> list[str]:
    """Names of the columns of values that `elected_first` adds, in the order in which they count."""
    return [name for criterion in election for name in _names(criterion)]


def reason_expr(election: Sequence[Criterion], winner: str) -> pl.Expr:
    """The criterion by which a winner came before a row: the first in which their values differ, else "id".

    Args:
        election: the criteria, in order.
        winner: ending of the columns that hold the winner's values beside the row's own.
    """
    reason = pl.lit(REASONS[-1])
    for criterion in reversed(election):
        differs = pl.any_horizontal(
            pl.col(name).ne_missing(pl.col(name + winner)) for name in _names(criterion)
        )
        reason = pl.when(differs).then(pl.lit(criterion)).otherwise(reason)
    return reason


def _names(criterion: Criterion) -> list[str]:
    return [f"{criterion}.{place}" for place in range(len(_CRITERIA[criterion]))]
