"""Runs that take only some of the changed documents: those changed since a day, or a number of them."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import Final

import polars as pl

from pipeline.estate.identity import UNREAD_VERSION
from pipeline.estate.scan import Scan
from pipeline.estate.validity import with_validity
from pipeline.tables import columns as c
from pipeline.tables.schemas import DOCUMENTS

_COSTLY: Final = ("created", "updated")
# What follows from the bytes of a file; all else in its row is metadata.
_OF_BYTES: Final = (c.VERSION_ID, c.BYTES, c.MODIFIED_AT, c.ETAG)


def narrowed(scan: Scan, previous: pl.DataFrame, *, since: datetime | None, limit: int | None) -> Scan:
    """The scan without some of the documents that would have to be read: they wait for a later run.

    Only new and edited documents can wait. What was deleted goes, and whoever may no longer see a document does not, at once:
    an edited document that waits is shown as it was, under the metadata of today.

    Args:
        scan: everything that changed.
        previous: DOCUMENTS rows of the collection as published.
        since: documents whose file was last written before wait; None: none does.
        limit: of the others, in order of path, so many are taken; None: all.
    """
    costly = scan.documents.join(
        scan.changes.filter(pl.col("kind").is_in(_COSTLY)).select(c.DOC_ID).unique(), on=c.DOC_ID, how="semi"
    ).sort(c.URI)
    taken = costly.filter(pl.col(c.MODIFIED_AT) >= since) if since else costly
    taken = taken.head(limit) if limit is not None else taken
    waiting = set(costly[c.DOC_ID]) - set(taken[c.DOC_ID])
    if not waiting:
        return scan
    return replace(
        scan,
        documents=_without(scan.documents, previous, waiting),
        changes=scan.changes.filter(~(pl.col(c.DOC_ID).is_in(waiting) & pl.col("kind").is_in(_COSTLY))),
    )


def _without(documents: pl.DataFrame, previous: pl.DataFrame, waiting: Collection[str]) -> pl.DataFrame:
    """The rows of documents that wait as they were before, or left out where they were not there."""
    waits = pl.col(c.DOC_ID).is_in(waiting)
    known = previous.filter(waits & (pl.col(c.VERSION_ID) != UNREAD_VERSION)).select(c.DOC_ID, *_OF_BYTES)
    kept = documents.filter(waits).drop(_OF_BYTES).join(known, on=c.DOC_ID).select(DOCUMENTS.schema.names())
    return with_validity(pl.concat([documents.filter(~waits), kept]))
