"""Identity: which document each file is.

A document keeps its id through edits, re-uploads and renames. What decides, in this order: the external id that its
sidecar declares; its path; its bytes, when they vanish with one path and appear under another in one scan. A path that
is still there keeps its document whatever its bytes are now: two files that swap their names are two edits, and a file
that was copied and then edited is one edit and one new document.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pipeline.config import CollectionConfig
from pipeline.estate.faults import wrong_sidecar
from pipeline.estate.media import SIDECAR_SUFFIX
from pipeline.estate.source import Entry, Read, content_hashes
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import fingerprint

UNREAD_VERSION: Final = ""

Row = dict[str, Any]


@dataclass(frozen=True)
class Identity:
    """Which document a file is.

    Attributes:
        doc_id: 32 hexadecimal digits.
        external_id: what the id was made from.
        before: its row in the documents table; None if it is new.
    """

    doc_id: str
    external_id: str
    before: Row | None = None


@dataclass(frozen=True)
class Identified:
    """The documents that the files of a listing are.

    Attributes:
        identities: by uri of the file.
        conflicts: files whose declared external id is another's, with one line about it.
        hashes: of the files that had to be read for this: sha256 or the error.
    """

    identities: Mapping[str, Identity]
    conflicts: Mapping[str, str]
    hashes: Mapping[str, str | OSError]


def document_id(collection: str, external_id: str) -> str:
    """The stable id of a document: 32 hexadecimal digits."""
    return fingerprint("document", collection, external_id)


def partition_of(doc_id: str, collection: CollectionConfig) -> str:
    """The partition `{collection}.{bucket}` that a document lies in."""
    return f"{collection.name}.{int(doc_id[:8], 16) % collection.buckets}"


def collection_name(partition: str) -> str:
    """The collection that a partition belongs to, whether or not it is configured today."""
    return partition.rpartition(".")[0]


def partitions_of(collection: CollectionConfig) -> list[str]:
    """All partitions of a collection, in order of bucket."""
    return [f"{collection.name}.{bucket}" for bucket in range(collection.buckets)]


def identify(
    entries: Iterable[Entry],
    known: Mapping[str, Row],
    declared: Mapping[str, str],
    unseen: Iterable[str],
    collection: str,
    *,
    read: Read,
) -> Identified:
    """Find the document of each file.

    Args:
        entries: the files, sorted by uri.
        known: rows of the documents table by doc_id.
        declared: external ids from sidecars by uri.
        unseen: doc_ids of which nothing can be said in this scan, because their folder could not be read.
        collection: its name.
        read: reads what lies at a location.
    """
    entries = list(entries)
    claims, conflicts = _claims(declared, known, collection)
    before: dict[str, Row] = {}
    for uri, external_id in claims.items():
        row = known.get(document_id(collection, external_id))
        if row is not None:
            before[uri] = row

    taken = {row[c.DOC_ID] for row in before.values()}
    at = {row[c.URI]: row for row in known.values() if row[c.DOC_ID] not in taken}
    undeclared = [entry for entry in entries if entry.uri not in claims]
    before |= {entry.uri: at[entry.uri] for entry in undeclared if entry.uri in at}

    taken = {row[c.DOC_ID] for row in before.values()}.union(unseen)
    there = {entry.uri for entry in entries}
    vanished = [row for row in known.values() if row[c.DOC_ID] not in taken and row[c.URI] not in there]
    renamed, hashes = _renamed([entry for entry in undeclared if entry.uri not in before], vanished, read)
    before |= renamed

    names = {uri: Identity(row[c.DOC_ID], row[c.EXTERNAL_ID], row) for uri, row in before.items()}
    taken = set(known)
    for uri in sorted(there - before.keys(), key=lambda uri: (uri not in claims, uri)):
        names[uri] = new_identity(claims.get(uri, uri), collection, taken)
        taken.add(names[uri].doc_id)
    return Identified(names, conflicts, hashes)


def new_identity(wanted: str, collection: str, taken: set[str]) -> Identity:
    """Id of a document seen for the first time. A path whose document moved away gets a numbered external id."""
    external_id, n = wanted, 2
    while document_id(collection, external_id) in taken:
        external_id, n = f"{wanted}#{n}", n + 1
    return Identity(document_id(collection, external_id), external_id)


def _claims(
    declared: Mapping[str, str], known: Mapping[str, Row], collection: str
) -> tuple[dict[str, str], dict[str, str]]:
    """The external id of each file that declares one of its own, and what is wrong with the others.

    Of several files with one id that one has it which had it before, else the first.
    """
    claimants: dict[str, list[str]] = {}
    for uri in sorted(declared):
        claimants.setdefault(declared[uri], []).append(uri)
    claims: dict[str, str] = {}
    conflicts: dict[str, str] = {}
    for external_id, uris in claimants.items():
        row = known.get(document_id(collection, external_id))
        owner = row[c.URI] if row is not None and row[c.URI] in uris else uris[0]
        claims[owner] = external_id
        for uri in uris:
            if uri != owner:
                conflicts[uri] = wrong_sidecar(
                    uri + SIDECAR_SUFFIX, f"external_id {external_id!r} is that of {owner}, too"
                )
    return claims, conflicts


def _renamed(
    suspects: list[Entry], vanished: list[Row], read: Read
) -> tuple[dict[str, Row], dict[str, str | OSError]]:
    """The vanished document whose bytes a new file has, by uri; both sides in order of uri. Only equal sizes are read."""
    sizes = {row[c.BYTES] for row in vanished if row[c.VERSION_ID] != UNREAD_VERSION}
    hashes = content_hashes((entry for entry in suspects if entry.size in sizes), read)
    waiting: dict[str | OSError, list[Row]] = {}
    for row in sorted(vanished, key=lambda row: row[c.URI], reverse=True):
        waiting.setdefault(row[c.VERSION_ID], []).append(row)
    found: dict[str, Row] = {}
    for uri, digest in hashes.items():
        if waiting.get(digest):
            found[uri] = waiting[digest].pop()
    return found, hashes
