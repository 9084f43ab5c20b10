"""Where the lake keeps the bytes of documents whose history is kept: one file for each version, named by its id as an edition."""

import re
from typing import Final

import polars as pl

from pipeline.estate.scan import Scan
from pipeline.estate.versions import with_editions
from pipeline.tables.lake import Lake
from pipeline.tables.schemas import KEPT_VERSIONS

FOLDER: Final = "versions"
_NAME: Final = re.compile(r"[0-9a-f]{32}(\..*)?")


def folder_of(collection: str) -> str:
    """Where the bytes of a collection's documents are kept, below the lake's root."""
    return f"{FOLDER}/{collection}"


def held_files(lake: Lake, collection: str) -> frozenset[str]:
    """Names of the files that are kept of a collection.

    Raises:
        LakeError: the store could not be asked.
    """
    return frozenset(filter(_NAME.fullmatch, lake.files(folder_of(collection))))


def with_history(lake: Lake, scan: Scan, previous: pl.DataFrame) -> Scan:
    """The scan of a collection with the earlier editions of its documents.

    Args:
        lake: keeps them.
        scan: what is in the source.
        previous: DOCUMENTS rows as published, without earlier editions.

    Raises:
        LakeError: the register cannot be read; without it earlier editions would be lost.
    """
    collection = scan.collection
    held, kept = held_files(lake, collection.name), lake.read(KEPT_VERSIONS, collection.name)
    if not held and kept.is_empty() and not collection.keeps_any:
        return scan
    folder = folder_of(collection.name)
    return with_editions(scan, previous, kept, held, lambda name: lake.place(folder, name))
