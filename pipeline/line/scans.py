"""Scanning with the guard: no way of running deletes more than was agreed to."""

from pipeline.estate.guard import check_deletes
from pipeline.estate.identity import collection_name
from pipeline.estate.scan import Scan
from pipeline.estate.versions import without_editions
from pipeline.line.workspace import Workspace
from pipeline.report.scan_report import scan_warnings
from pipeline.tables import columns as c
from pipeline.tables import schemas as s


def guard_deletes(workspace: Workspace, collection: str) -> Scan:
    """Scan a collection, and refuse a scan that would delete too much of it.

    Raises:
        SourceError: the source cannot be listed.
        MassDeleteError: too many documents would be deleted.
    """
    scan = workspace.scan(collection)
    for line in scan_warnings(scan):
        workspace.say(f"warning: {line}")
    deleted = scan.changes.filter(kind="deleted")[c.URI].to_list()
    check_deletes(collection, deleted, scan.previous, allowed=workspace.options.allow_deletes)
    return scan


def obsolete_partitions(workspace: Workspace) -> list[str]:
    """Published partitions that the configuration no longer has: a collection was removed, or its buckets changed."""
    return sorted(set(workspace.lake.partitions(s.DOCUMENTS)) - set(workspace.partitions))


def guard_removed_collections(workspace: Workspace) -> list[str]:
    """The obsolete partitions; refused when dropping them deletes too many documents.

    A change of a collection's bucket count moves its documents to other partitions and deletes none.

    Raises:
        MassDeleteError: a collection with many documents is no longer configured.
    """
    obsolete = obsolete_partitions(workspace)
    configured = {collection.name for collection in workspace.config.collections}
    gone: dict[str, list[str]] = {}
    for partition in obsolete:
        collection = collection_name(partition)
        if collection not in configured:
            documents = without_editions(workspace.lake.read(s.DOCUMENTS, partition))
            gone.setdefault(collection, []).extend(documents[c.URI])
    for collection, uris in gone.items():
        check_deletes(collection, uris, len(uris), allowed=workspace.options.allow_deletes)
    return obsolete
