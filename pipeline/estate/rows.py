"""Rows of the documents table: what a file's bytes, its metadata and its place each contribute."""

from datetime import datetime
from pathlib import PurePosixPath
from typing import Final

from pipeline.config import CollectionConfig
from pipeline.estate.classes import document_class
from pipeline.estate.faults import unreadable
from pipeline.estate.identity import UNREAD_VERSION, Identity, Row
from pipeline.estate.media import media_type
from pipeline.estate.sidecar import Metadata
from pipeline.estate.source import Entry, reason_of
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import fingerprint
from pipeline.tables.schemas import DOCUMENTS

METADATA_COLUMNS: Final = (
    c.EXTERNAL_ID, c.TITLE, c.DOC_TYPE, c.DOCUMENT_CLASS, c.AUTHORITY, c.EFFECTIVE_DATE, c.EXPIRY_DATE,
    c.VERSION_LABEL, c.SUPERSEDES, c.ACL_GROUPS, c.LANGUAGE_HINT,
)  # fmt: skip


def document_row(
    entry: Entry,
    identity: Identity,
    metadata: Metadata | str,
    digest: str | OSError | None,
    *,
    collection: CollectionConfig,
    now: datetime,
) -> Row:
    """The row of a file that is there.

    What cannot be had is as it was: the version of a file that cannot be read; version and metadata of one whose
    metadata is wrong, for the wrong metadata may be what forbids the new version to somebody. A document that never
    was in order has version "", which no later stage reads.

    Args:
        entry: the file.
        identity: which document it is.
        metadata: what holds for it, or what is wrong with that.
        digest: sha256 of its bytes, the error in reading them, or None when they are those of `identity.before`.
        collection: its collection.
        now: the instant of the scan.
    """
    row = dict(identity.before or unread_row(entry.uri, identity, collection, now))
    row |= {c.URI: entry.uri, c.MEDIA_TYPE: media_type(entry.uri), c.LAST_SEEN: now, c.ERROR: None}
    if isinstance(metadata, str):
        row[c.ERROR] = metadata
    else:
        row |= _described(entry.uri, metadata, collection)
        if isinstance(digest, OSError):
            row[c.ERROR] = unreadable(reason_of(digest))
        else:
            row |= {
                c.VERSION_ID: digest or row[c.VERSION_ID],
                c.BYTES: entry.size,
                c.MODIFIED_AT: entry.modified_at,
                c.ETAG: entry.etag,
            }
    return row | {c.METADATA_HASH: metadata_hash(row)}


def unread_row(
    uri: str, identity: Identity, collection: CollectionConfig, now: datetime, error: str = ""
) -> Row:
    """A document of which nothing could be taken yet: it is in the register and nowhere else."""
    row: Row = dict.fromkeys(DOCUMENTS.schema.names())
    row |= _described(uri, Metadata(), collection)
    row |= {
        c.DOC_ID: identity.doc_id, c.EXTERNAL_ID: identity.external_id, c.VERSION_ID: UNREAD_VERSION,
        c.COLLECTION: collection.name, c.URI: uri, c.MODIFIED_AT: now, c.BYTES: 0, c.MEDIA_TYPE: media_type(uri),
        c.STATUS: "live", c.ERROR: error or None, c.ETAG: "", c.FIRST_SEEN: now, c.LAST_SEEN: now,
    }  # fmt: skip
    return row | {c.METADATA_HASH: metadata_hash(row)}


def _described(uri: str, metadata: Metadata, collection: CollectionConfig) -> Row:
    """The columns that metadata decides, and what they are where it says nothing."""
    authority = metadata.authority
    return {
        c.TITLE: metadata.title or PurePosixPath(uri).stem,
        c.DOC_TYPE: metadata.doc_type or "",
        c.DOCUMENT_CLASS: document_class(metadata.doc_type or "", uri),
        c.AUTHORITY: collection.authority if authority is None else authority,
        c.EFFECTIVE_DATE: metadata.effective_date,
        c.EXPIRY_DATE: metadata.expiry_date,
        c.VERSION_LABEL: metadata.version_label or "",
        c.SUPERSEDES: list(metadata.supersedes or ()),
        c.ACL_GROUPS: sorted(set(metadata.acl_groups or collection.acl_groups)),
        c.LANGUAGE_HINT: metadata.language,
    }


def metadata_hash(row: Row) -> str:
    """Hash of all that metadata decided in a row."""
    values = (row[name] for name in METADATA_COLUMNS)
    return fingerprint(*(value if isinstance(value, list | str | None) else str(value) for value in values))
