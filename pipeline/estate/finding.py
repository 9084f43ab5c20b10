"""A document by what a person calls it."""

from typing import Any

import polars as pl

from pipeline.config import UserError
from pipeline.tables import columns as c


class UnknownDocumentError(UserError):
    """No document or chunk has the name that was asked for, or several have. The message says what they are."""


def is_called(name: str) -> pl.Expr:
    """Whether a row with doc_id, collection and uri is of the document of that doc_id, path or collection/path. Boolean."""
    return (pl.col(c.DOC_ID) == name) | (pl.col(c.URI) == name) | (_place() == name)


def find_document(documents: pl.DataFrame, name: str) -> dict[str, Any] | None:
    """The row of a document; None if nothing is called so.

    Args:
        documents: rows of `documents`, with doc_id, collection and uri; of a document the last row counts.
        name: doc_id, path below the source, or collection/path.

    Raises:
        UnknownDocumentError: several documents are called so.
    """
    found = documents.filter(is_called(name)).unique(c.DOC_ID, keep="last", maintain_order=True)
    if found.height > 1:
        places = ", ".join(found.select(_place().sort()).to_series())
        raise UnknownDocumentError(f"{name!r} names several documents: {places}")
    return found.row(0, named=True) if found.height else None


def _place() -> pl.Expr:
    return pl.concat_str(c.COLLECTION, pl.lit("/"), c.URI)
