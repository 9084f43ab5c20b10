"""Sidecars that lie beside no document of their name: the access groups that they give would be lost in silence."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from pipeline.estate.faults import is_of_sidecar, wrong_sidecar
from pipeline.estate.media import SIDECAR_SUFFIX
from pipeline.estate.source import Listing
from pipeline.tables import columns as c


def stray_sidecars(listing: Listing, before: Mapping[str, Mapping[str, Any] | None]) -> dict[str, str]:
    """Documents that a stray sidecar was probably meant for, by uri, with one line about it.

    Such a document has no sidecar of its own, and either the stray one has its name without the ending (`a.meta.toml`
    beside `a.pdf`), or it was left behind when the document was renamed. It keeps its last good state, and a new one
    stays out, until the sidecar is renamed or deleted. A sidecar whose document was deleted is meant for nobody.

    Args:
        listing: the source as it is now.
        before: the row that each file had in the documents table, by uri; None for a new one.
    """
    uris = {entry.uri for entry in listing.entries}
    owners = {
        name: name.removesuffix(SIDECAR_SUFFIX) for name in listing.sidecars if name.endswith(SIDECAR_SUFFIX)
    }
    strays = {owner: name for name, owner in owners.items() if owner not in uris | listing.unreadable.keys()}
    if not strays:
        return {}
    lines: dict[str, str] = {}
    for uri in uris:
        if uri + SIDECAR_SUFFIX in listing.sidecars:
            continue
        row = before.get(uri) or {}
        candidates = [str(PurePosixPath(uri).with_suffix("")), row.get(c.URI, "")]
        # The row of a renamed document has the new path from the next scan on: then its error remembers.
        candidates += [owner for owner, name in strays.items() if is_of_sidecar(row.get(c.ERROR), name)]
        name = next((strays[owner] for owner in candidates if owner in strays), None)
        if name is not None:
            wanted = PurePosixPath(uri).name + SIDECAR_SUFFIX
            lines[uri] = wrong_sidecar(name, f"belongs to no document; name it {wanted}, or delete it")
    return lines
