"""The scan: what is in a collection now, and what changed since the documents table was written."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import PurePosixPath
from typing import Final

import polars as pl

from pipeline.config import CollectionConfig
from pipeline.estate.faults import unreadable
from pipeline.estate.identity import (
    UNREAD_VERSION,
    Row,
    identify,
    new_identity,
    partition_of,
)
from pipeline.estate.rows import METADATA_COLUMNS, document_row, unread_row
from pipeline.estate.sidecar import Metadata, Sidecars
from pipeline.estate.source import Entry, Listing, content_hashes
from pipeline.estate.strays import stray_sidecars
from pipeline.estate.validity import with_validity
from pipeline.tables import columns as c
from pipeline.tables.schemas import DOCUMENTS, KEPT_VERSIONS

CHANGE_KINDS: Final = ("created", "updated", "renamed", "deleted", "metadata", "unchanged", "failed")
CHANGE_SCHEMA: Final = pl.Schema(
    {"kind": pl.String, c.URI: pl.String, c.DOC_ID: pl.String, "partition": pl.String, c.DETAIL: pl.String}
)


@dataclass(frozen=True)
class Scan:
    """The outcome of scanning one collection.

    Attributes:
        collection: its settings.
        documents: DOCUMENTS rows as they should now be, all partitions.
        changes: one row per document and kind of change: kind (CHANGE_KINDS), uri, doc_id, partition, detail.
            A document that was edited and renamed has two rows.
        previous: documents that the table held before.
        locations: where each file is, as the file system spells it, by uri; a document that could not be seen has none.
        kept: KEPT_VERSIONS rows as they should now be.
        unsettled: kept files that are missing, or left over, although their documents are published: name, and which of both.
    """

    collection: CollectionConfig
    documents: pl.DataFrame
    changes: pl.DataFrame
    previous: int
    locations: Mapping[str, str]
    kept: pl.DataFrame = field(default_factory=KEPT_VERSIONS.empty)
    unsettled: frozenset[str] = frozenset()

    @cached_property
    def _by_partition(self) -> dict[str, pl.DataFrame]:
        names = [partition_of(doc_id, self.collection) for doc_id in self.documents[c.DOC_ID]]
        parts = self.documents.with_columns(pl.Series("partition", names, pl.String)).partition_by(
            "partition", as_dict=True, include_key=False, maintain_order=True
        )
        return {str(key[0]): frame for key, frame in parts.items()}

    def partition(self, name: str) -> pl.DataFrame:
        """The documents of one partition."""
        return self._by_partition.get(name, self.documents.clear())

    def count(self, kind: str) -> int:
        """Number of documents with a change of this kind."""
        return self.changes.filter(pl.col("kind") == kind).height


def scan_collection(
    listing: Listing, previous: pl.DataFrame, collection: CollectionConfig, *, now: datetime | None = None
) -> Scan:
    """Compare a listing with the documents table.

    A file that cannot be read, or whose sidecar is wrong, keeps the last good state of its document and says why in
    `error`; if it is new it gets a row with version "" which no later stage reads. A document that is not seen because
    its folder could not be read is not deleted. A file that may still be written leaves its document as it was; if it is
    new, the next scan takes it.

    Args:
        listing: the source as it is now.
        previous: DOCUMENTS rows of the collection as published.
        collection: name, buckets and defaults.
        now: the instant of the scan.
    """
    now = now or datetime.now(UTC)
    known = {row[c.DOC_ID]: row for row in previous.iter_rows(named=True)}
    unseen = {
        doc_id: place
        for doc_id, row in known.items()
        for place in _places(row[c.URI], listing.unreadable)[:1]
    }
    waiting = {entry.uri for entry in listing.waiting}
    paused = {doc_id for doc_id, row in known.items() if row[c.URI] in waiting}
    sidecars = Sidecars(listing.sidecars, listing.read)
    metadata = {entry.uri: sidecars.resolve(entry.uri, collection) for entry in listing.entries}
    declared = {
        uri: m.external_id for uri, m in metadata.items() if isinstance(m, Metadata) and m.external_id
    }
    identified = identify(
        listing.entries, known, declared, unseen.keys() | paused, collection.name, read=listing.read
    )
    metadata |= identified.conflicts
    hashes = dict(identified.hashes)
    before = {uri: identity.before for uri, identity in identified.identities.items()}
    metadata |= stray_sidecars(listing, before)
    hashes |= content_hashes(
        (
            entry
            for entry in listing.entries
            if entry.uri not in hashes and _must_hash(entry, before[entry.uri], listing.untouched)
        ),
        listing.read,
    )

    rows: list[Row] = []
    changes: list[Row] = []
    for entry in listing.entries:
        uri, identity = entry.uri, identified.identities[entry.uri]
        row = document_row(entry, identity, metadata[uri], hashes.get(uri), collection=collection, now=now)
        rows.append(row)
        changes.extend(_changes(row, identity.before, collection))
    seen = {row[c.DOC_ID] for row in rows}
    for doc_id, row in known.items():
        if doc_id in seen:
            continue
        if doc_id in unseen:
            rows.append(row | {c.ERROR: unreadable(listing.unreadable[unseen[doc_id]])})
            changes.extend(_changes(rows[-1], row, collection))
        elif doc_id in paused:
            rows.append(row)
            changes.append(_change("unchanged", row, collection, "still being written"))
        elif row[c.VERSION_ID] != UNREAD_VERSION:  # what was never read cannot be lost
            changes.append(_change("deleted", row, collection, row[c.URI]))
    occupied = {place for row in rows for place in _places(row[c.URI], listing.unreadable)}
    for uri in sorted(listing.unreadable.keys() - occupied):
        identity = new_identity(uri, collection.name, {row[c.DOC_ID] for row in rows} | known.keys())
        rows.append(unread_row(uri, identity, collection, now, unreadable(listing.unreadable[uri])))
        changes.extend(_changes(rows[-1], None, collection))
    documents = with_validity(DOCUMENTS.frame(rows))
    return Scan(
        collection=collection,
        documents=documents,
        changes=_with_supersession(
            documents, previous, pl.DataFrame(changes, schema=CHANGE_SCHEMA), collection
        ),
        previous=len(known),
        locations={entry.uri: entry.location for entry in (*listing.entries, *listing.waiting)},
    )


def _must_hash(entry: Entry, before: Row | None, untouched: frozenset[str]) -> bool:
    if before is None or before[c.VERSION_ID] == UNREAD_VERSION:
        return True
    if entry.uri in untouched and before[c.URI] == entry.uri:
        return False
    return not entry.etag or entry.etag != before[c.ETAG]


def _changes(row: Row, before: Row | None, collection: CollectionConfig) -> list[Row]:
    if row[c.ERROR] is not None:
        return [_change("failed", row, collection, row[c.ERROR])]
    if before is None or before[c.VERSION_ID] == UNREAD_VERSION:
        return [_change("created", row, collection, "")]
    changes: list[Row] = []
    if row[c.VERSION_ID] != before[c.VERSION_ID]:
        changes.append(_change("updated", row, collection, ""))
    if row[c.URI] != before[c.URI]:
        changes.append(_change("renamed", row, collection, f"was {before[c.URI]}"))
    if row[c.METADATA_HASH] != before[c.METADATA_HASH]:
        moved = [name for name in METADATA_COLUMNS if row[name] != before[name]]
        # The title that follows from the file name is no metadata of its own.
        if row[c.URI] == before[c.URI] or moved != [c.TITLE]:
            changes.append(_change("metadata", row, collection, ", ".join(moved)))
    return changes or [_change("unchanged", row, collection, "")]


def _change(kind: str, row: Row, collection: CollectionConfig, detail: str) -> Row:
    doc_id = row[c.DOC_ID]
    return {
        "kind": kind, c.URI: row[c.URI], c.DOC_ID: doc_id, "partition": partition_of(doc_id, collection), c.DETAIL: detail,
    }  # fmt: skip


def _with_supersession(
    documents: pl.DataFrame, previous: pl.DataFrame, changes: pl.DataFrame, collection: CollectionConfig
) -> pl.DataFrame:
    """A document whose days of validity moved because another one came or went has changed too, in its metadata."""
    columns = (c.VALID_FROM, c.VALID_TO, c.STATUS, c.SUPERSEDED_BY)
    moved = (
        documents.join(previous.select(c.DOC_ID, *columns), on=c.DOC_ID, suffix="_before")
        .filter(pl.any_horizontal(pl.col(n).ne_missing(pl.col(f"{n}_before")) for n in columns))
        .join(changes.filter(pl.col("kind") == "unchanged"), on=c.DOC_ID, how="semi")
    )
    if moved.is_empty():
        return changes
    ids = moved[c.DOC_ID].to_list()
    kept = changes.filter(~((pl.col("kind") == "unchanged") & pl.col(c.DOC_ID).is_in(ids)))
    rows = [_change("metadata", row, collection, "validity") for row in moved.iter_rows(named=True)]
    return pl.concat([kept, pl.DataFrame(rows, schema=CHANGE_SCHEMA)])


def _places(uri: str, unreadable: Mapping[str, str]) -> list[str]:
    """What could not be looked at of a path: the file itself, the folders above it; the nearest first."""
    if not unreadable:
        return []
    return [place for place in (uri, *map(str, PurePosixPath(uri).parents)) if place in unreadable]
