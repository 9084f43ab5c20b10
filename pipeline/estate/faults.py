"""Column `error` of the documents table: its text is written here, and here alone is read of which kind a fault is.

A document without its bytes cannot be read at all. One with wrong metadata keeps what it had, and is read as ever.
"""

from typing import Final

import polars as pl

from pipeline.tables import columns as c

_UNREADABLE: Final = "unreadable: "

IS_UNREADABLE: Final = pl.col(c.ERROR).str.starts_with(_UNREADABLE)
"""Rows of which the bytes could not be had; all others with an error have wrong metadata."""


def unreadable(reason: str) -> str:
    """The error of a document whose bytes cannot be had."""
    return f"{_UNREADABLE}{reason}"


def wrong_sidecar(name: str, problem: str) -> str:
    """The error of a document whose metadata file of this name cannot be used."""
    return f"sidecar {name}: {problem}"


def unreadable_because(error: str | None) -> str | None:
    """Why the bytes of a document cannot be had; None: they can, whatever else its error says."""
    return error.removeprefix(_UNREADABLE) if error and error.startswith(_UNREADABLE) else None


def is_of_sidecar(error: str | None, name: str) -> bool:
    """Whether an error is about the metadata file of this name."""
    return (error or "").startswith(wrong_sidecar(name, ""))
