"""What the gate's second pass needs of a project: the files behind the pages, and what to try once more."""

from typing import TYPE_CHECKING, Final

import polars as pl

from pipeline.line.fetching import local_copies
from pipeline.line.workspace import Workspace
from pipeline.parsing.errors import PASSING
from pipeline.tables import columns as c
from pipeline.tables import schemas as s

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.gate.second_pass import Answer, Ask

BROKEN_OFF: Final = pl.col(c.ATTEMPTS).list.eval(pl.element().struct.field("error").is_in(PASSING)).list.any()
"""Rows of `gated_pages` of which a reading failed for a reason that may pass by itself."""


def read_pages_again(
    workspace: Workspace, partition: str, documents: pl.DataFrame, asks: "Sequence[Ask]"
) -> "list[Answer]":
    """Rows of pages that the gate wants to be read in another way.

    Args:
        workspace: whose sources.
        partition: of the documents.
        documents: DOCUMENTS rows.
        asks: the pages, and how.
    """
    from pipeline.parsing.pages import PageToRead, read_again

    collection = workspace.collection_of(partition).name
    locations = workspace.scan(collection).locations
    asked = {(ask.doc_id, ask.version_id) for ask in asks}
    rows = documents.select(*c.VERSION_KEY, c.URI, c.MEDIA_TYPE, c.BYTES).rows()
    files = {
        (doc, version): (locations.get(uri, ""), media or "", size)
        for doc, version, uri, media, size in rows
        if (doc, version) in asked
    }
    workspace.say(f"{partition}: reading {len(asks)} poor pages again")
    sizes = {place: size for place, _, size in files.values() if place}
    with local_copies(workspace, collection, sizes) as copies:
        pages: list[PageToRead] = []
        for ask in asks:
            place, media, _ = files[ask.doc_id, ask.version_id]
            copy = copies.get(place, place)  # what cannot be had is not there: the reader says so
            path = copy if isinstance(copy, str) else place
            pages.append(PageToRead(path, media, ask.version_id, ask.reading))
        return list(read_again(pages, workspace.config.parsing))


def limits_that_broke(workspace: Workspace, partition: str) -> str:
    """The limits of parsing, where a second look broke them; "" where none did.

    Such a partition is stale once more after the run in which it failed, and whenever the limits change.
    """
    attempts = workspace.lake.current(s.GATED_PAGES, partition, [c.ATTEMPTS])
    broken = bool(attempts.select(BROKEN_OFF.any()).item()) if attempts.height else False
    return workspace.config.parsing.model_dump_json() if broken else ""
