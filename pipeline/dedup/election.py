"""The order in which chunks may become canonical."""

from typing import Final

import polars as pl

from pipeline.tables import columns as c

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


def elected_first(policy: pl.DataFrame) -> pl.DataFrame:
    """Chunks in the order of election: the first of a cluster is its canonical.

    Authority of the source, then what is in force before what is superseded, then the later effective date and the later
    change, then pages without doubts, then the format, then the chunk's id: a total order, whatever the order of the rows.

    Args:
        policy: chunk_id, doc_id, authority, superseded (bool), effective_date, modified_at, low_confidence, media_type, uri.

    Returns:
        The rows in order, with a column `rank` (UInt32) from 0.
    """
    form = pl.col(c.MEDIA_TYPE).replace_strict(_FORMATS, default=_OTHER_FORMAT, return_dtype=pl.Int8)
    return policy.sort(
        pl.col(c.AUTHORITY).neg(),
        SUPERSEDED,
        pl.col(c.EFFECTIVE_DATE).to_physical().neg(),
        pl.col(c.MODIFIED_AT).to_physical().neg(),
        c.LOW_CONFIDENCE,
        form,
        c.CHUNK_ID,
        nulls_last=True,
    ).with_row_index(RANK)
