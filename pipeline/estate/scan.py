"""The scan: what is in a collection now, and what changed since the documents table was written.

Identity (design §3): a document keeps its id through edits, re-uploads and renames. A rename is seen when the same bytes
vanish under one path and appear under another in one scan.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any, Final

import polars as pl

from pipeline.config import CollectionConfig
from pipeline.estate.classes import document_class
from pipeline.estate.media import media_type
from pipeline.estate.sidecar import Metadata, Sidecars
from pipeline.estate.source import Entry, Listing, content_hashes
from pipeline.estate.validity import with_validity
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import fingerprint
from pipeline.tables.schemas import DOCUMENTS

CHANGE_KINDS: Final = ("created", "updated", "renamed", "deleted", "metadata", "unchanged", "failed")
CHANGE_SCHEMA: Final = pl.Schema(
    {"kind": pl.String, c.URI: pl.String, c.DOC_ID: pl.String, "partition": pl.String, c.DETAIL: pl.String}
)
UNREAD_VERSION: Final = ""

_METADATA_COLUMNS: Final = (
    c.EXTERNAL_ID, c.TITLE, c.DOC_TYPE, c.DOCUMENT_CLASS, c.AUTHORITY, c.EFFECTIVE_DATE, c.EXPIRY_DATE,
    c.VERSION_LABEL, c.SUPERSEDES, c.ACL_GROUPS, c.LANGUAGE_HINT,
)  # fmt: skip

Row = dict[str, Any]


@dataclass(frozen=True)
class Scan:
    """The outcome of scanning one collection.

    Attributes:
        collection: its settings.
        documents: DOCUMENTS rows as they should now be, all partitions.
        changes: one row per document and kind of change: kind (CHANGE_KINDS), uri, doc_id, partition, detail.
            A document that was edited and renamed has two rows.
        previous: documents that the table held before.
    """

    collection: CollectionConfig
    documents: pl.DataFrame
    changes: pl.DataFrame
    previous: int

    def partition(self, name: str) -> pl.DataFrame:
        """The documents of one partition."""
        ids = [row for row in self.documents[c.DOC_ID] if partition_of(row, self.collection) == name]
        return self.documents.filter(pl.col(c.DOC_ID).is_in(ids))

    def count(self, kind: str) -> int:
        """Number of documents with a change of this kind."""
        return self.changes.filter(pl.col("kind") == kind).height


def document_id(collection: str, external_id: str) -> str:
    """The stable id of a document: 32 hexadecimal digits."""
    return fingerprint("document", collection, external_id)


def partition_of(doc_id: str, collection: CollectionConfig) -> str:
    """The partition `{collection}.{bucket}` that a document lies in."""
    return f"{collection.name}.{int(doc_id[:8], 16) % collection.buckets}"


def partitions_of(collection: CollectionConfig) -> list[str]:
    """All partitions of a collection, in order of bucket."""
    return [f"{collection.name}.{bucket}" for bucket in range(collection.buckets)]


def scan_collection(
    listing: Listing, previous: pl.DataFrame, collection: CollectionConfig, *, now: datetime | None = None
) -> Scan:
    """Compare a listing with the documents table.

    A file that cannot be read, or whose sidecar is wrong, keeps the last good state of its document and says why in
    `error`; if it is new it gets a row with version "" which no later stage reads.

    Args:
        listing: the source as it is now.
        previous: DOCUMENTS rows of the collection as published.
        collection: name, buckets and defaults.
        now: the instant of the scan.
    """
    now = now or datetime.now(UTC)
    known = {row[c.DOC_ID]: row for row in previous.iter_rows(named=True)}
    sidecars = Sidecars(listing.sidecars)
    resolved = {entry.uri: sidecars.resolve(entry.uri, collection) for entry in listing.entries}
    declared = {uri: found.metadata.external_id for uri, found in resolved.items()}
    matches, hashes = _match(listing.entries, known, declared, collection.name)
    hashes |= content_hashes(e for e in listing.entries if e.uri not in hashes and _must_hash(e, matches[e.uri]))

    rows: list[Row] = []
    changes: list[Row] = []
    taken: set[str] = {row[c.DOC_ID] for row in matches.values() if row is not None}
    for entry in listing.entries:
        before = matches[entry.uri]
        identity = before or _new_identity(entry.uri, declared[entry.uri], collection.name, taken)
        taken.add(identity[c.DOC_ID])
        found = resolved[entry.uri]
        row = _row(entry, identity, before, found.metadata, found.error, hashes.get(entry.uri), collection, now)
        rows.append(row)
        changes.extend(_changes(row, before, collection))
    unlisted = [known[doc_id] for doc_id in known if doc_id not in taken]
    for row in unlisted:
        reason = _unreadable_at(row[c.URI], listing.unreadable)
        if reason is None:
            changes.append(_change("deleted", row, collection, row[c.URI]))
        else:  # not seen because its folder could not be read: not deleted
            rows.append(row | {c.ERROR: f"unreadable: {reason}"})
            changes.append(_change("failed", row, collection, reason))
    for uri, reason in listing.unreadable.items():
        if not any(_below(row[c.URI], uri) for row in rows):
            failed = _unread_row(uri, f"unreadable: {reason}", collection, now)
            rows.append(failed)
            changes.append(_change("failed", failed, collection, reason))
    documents = with_validity(DOCUMENTS.frame(rows))
    return Scan(
        collection=collection,
        documents=documents,
        changes=_with_supersession(documents, previous, pl.DataFrame(changes, schema=CHANGE_SCHEMA), collection),
        previous=len(known),
    )


def _match(
    entries: Iterable[Entry], known: dict[str, Row], declared: dict[str, str | None], collection: str
) -> tuple[dict[str, Row | None], dict[str, str | OSError]]:
    """Which known document each file is: by declared id, then by path, then by bytes. Also the hashes taken for that."""
    by_uri = {row[c.URI]: row for row in known.values()}
    matches: dict[str, Row | None] = {}
    taken: set[str] = set()
    entries = list(entries)
    for entry in entries:
        external_id = declared[entry.uri]
        row = known.get(document_id(collection, external_id)) if external_id else by_uri.get(entry.uri)
        matches[entry.uri] = row if row is not None and row[c.DOC_ID] not in taken else None
        if row is not None:
            taken.add(row[c.DOC_ID])
    vanished = [row for row in known.values() if row[c.DOC_ID] not in taken and row[c.VERSION_ID] != UNREAD_VERSION]
    sizes = {row[c.BYTES] for row in vanished}
    suspects = [e for e in entries if matches[e.uri] is None and declared[e.uri] is None and e.size in sizes]
    hashes = content_hashes(suspects)
    waiting: dict[str, list[Row]] = {}
    for row in sorted(vanished, key=lambda row: row[c.URI], reverse=True):
        waiting.setdefault(row[c.VERSION_ID], []).append(row)
    for entry in suspects:  # sorted by uri, as the listing is: pairing is deterministic
        candidates = waiting.get(str(hashes[entry.uri]), [])
        if candidates:
            matches[entry.uri] = candidates.pop()
    return matches, hashes


def _must_hash(entry: Entry, before: Row | None) -> bool:
    return before is None or not entry.etag or entry.etag != before[c.ETAG] or before[c.VERSION_ID] == UNREAD_VERSION


def _new_identity(uri: str, declared: str | None, collection: str, taken: set[str]) -> Row:
    """Id of a document seen for the first time. A path whose document moved away gets a numbered external id."""
    wanted = declared or uri
    external_id, n = wanted, 2
    while document_id(collection, external_id) in taken:
        external_id, n = f"{wanted}#{n}", n + 1
    return {c.DOC_ID: document_id(collection, external_id), c.EXTERNAL_ID: external_id}


def _row(
    entry: Entry,
    identity: Row,
    before: Row | None,
    metadata: Metadata,
    metadata_error: str,
    digest: str | OSError | None,
    collection: CollectionConfig,
    now: datetime,
) -> Row:
    if isinstance(digest, OSError) or metadata_error:
        reason = f"unreadable: {digest.strerror}" if isinstance(digest, OSError) else metadata_error
        kept = before or _unread_row(entry.uri, reason, collection, now) | identity
        return kept | {c.ERROR: reason, c.ETAG: ""}
    if digest is None:
        assert before is not None  # only a known file is not hashed
        digest = before[c.VERSION_ID]
    row: Row = {
        c.DOC_ID: identity[c.DOC_ID],
        c.VERSION_ID: digest,
        c.COLLECTION: collection.name,
        c.URI: entry.uri,
        c.EXTERNAL_ID: identity[c.EXTERNAL_ID],
        c.TITLE: metadata.title or PurePosixPath(entry.uri).stem,
        c.DOC_TYPE: metadata.doc_type or "",
        c.DOCUMENT_CLASS: document_class(metadata.doc_type or "", entry.uri),
        c.AUTHORITY: metadata.authority,
        c.EFFECTIVE_DATE: metadata.effective_date,
        c.EXPIRY_DATE: metadata.expiry_date,
        c.VERSION_LABEL: metadata.version_label or "",
        c.SUPERSEDES: list(metadata.supersedes or ()),
        c.SUPERSEDED_BY: None,
        c.VALID_FROM: None,
        c.VALID_TO: None,
        c.ACL_GROUPS: sorted(set(metadata.acl_groups or collection.acl_groups)),
        c.LANGUAGE_HINT: metadata.language,
        c.MODIFIED_AT: entry.modified_at,
        c.BYTES: entry.size,
        c.MEDIA_TYPE: media_type(entry.uri),
        c.STATUS: "live",
        c.ERROR: None,
        c.ETAG: entry.etag,
        c.FIRST_SEEN: before[c.FIRST_SEEN] if before else now,
        c.LAST_SEEN: now,
    }
    return row | {c.METADATA_HASH: _metadata_hash(row)}


def _unread_row(uri: str, reason: str, collection: CollectionConfig, now: datetime) -> Row:
    """A document of which nothing could be taken yet: it is in the register and nowhere else."""
    row: Row = dict.fromkeys(DOCUMENTS.schema.names())
    row |= {
        c.DOC_ID: document_id(collection.name, uri), c.VERSION_ID: UNREAD_VERSION, c.COLLECTION: collection.name,
        c.URI: uri, c.EXTERNAL_ID: uri, c.TITLE: PurePosixPath(uri).stem, c.DOC_TYPE: "", c.DOCUMENT_CLASS: "other",
        c.AUTHORITY: collection.authority, c.VERSION_LABEL: "", c.SUPERSEDES: [],
        c.ACL_GROUPS: sorted(collection.acl_groups), c.MODIFIED_AT: now, c.BYTES: 0, c.MEDIA_TYPE: media_type(uri),
        c.STATUS: "live", c.ERROR: reason, c.ETAG: "", c.FIRST_SEEN: now, c.LAST_SEEN: now,
    }  # fmt: skip
    return row | {c.METADATA_HASH: _metadata_hash(row)}


def _metadata_hash(row: Row) -> str:
    values = [(str(v) for v in row[n]) if isinstance(row[n], list) else str(row[n]) for n in _METADATA_COLUMNS]
    return fingerprint(*values)


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
        moved = [name for name in _METADATA_COLUMNS if row[name] != before[name]]
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


def _unreadable_at(uri: str, unreadable: dict[str, str]) -> str | None:
    return next((reason for place, reason in unreadable.items() if _below(uri, place)), None)


def _below(uri: str, place: str) -> bool:
    return uri == place or uri.startswith(f"{place}/")
