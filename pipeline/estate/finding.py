"""A document by what a person calls it."""

from typing import Any

import polars as pl

from pipeline.config import UserError
from pipeline.tables import columns as c


class UnknownDocumentError(UserError):
    """No document or chunk has the name that was asked for, or several have. The message says what they are."""


def find_document(documents: pl.DataFrame, name: str) -> dict[str, Any] | None:
    """The row of a document; None if nothing is called so.

    Args:
        documents: rows of `documents`, with doc_id, collection and uri; of a document the last row counts.
        name: doc_id, path below the source, or collection/path.

    Raises:
        UnknownDocumentError: several documents are called so.
    """
    place = pl.concat_str(c.COLLECTION, pl.lit("/"), c.URI)
    called = (pl.col(c.DOC_ID) == name) | (pl.col(c.URI) == name) | (place == name)
    found = documents.filter(called).unique(c.DOC_ID, keep="last", maintain_order=True)
    if found.height > 1:
        places = ", ".join(found.select(place.sort()).to_series())
        raise UnknownDocumentError(f"{name!r} names several documents: {places}")
    return found.row(0, named=True) if found.height else None
