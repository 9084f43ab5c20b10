"""Scanning with the guard: what every run does before it touches a table."""

from pipeline.estate.guard import check_deletes
from pipeline.estate.scan import Scan
from pipeline.line.freshness import obsolete_partitions
from pipeline.line.workspace import Workspace
from pipeline.tables import columns as c
from pipeline.tables import schemas as s


def guard_deletes(workspace: Workspace, collection: str, *, allowed: int = 0) -> Scan:
    """Scan a collection, and refuse a scan that would delete too much of it.

    Raises:
        SourceError: the source cannot be listed.
        MassDeleteError: too many documents would be deleted.
    """
    scan = workspace.scan(collection)
    deleted = scan.changes.filter(kind="deleted")[c.URI].to_list()
    check_deletes(collection, deleted, scan.previous, allowed=allowed)
    return scan


def guard_removed_collections(workspace: Workspace, *, allowed: int = 0) -> list[str]:
    """The partitions that the configuration no longer has; refused when dropping them deletes too many documents.

    A change of a collection's bucket count moves its documents to other partitions and deletes none.

    Raises:
        MassDeleteError: a collection with many documents is no longer configured.
    """
    obsolete = obsolete_partitions(workspace)
    configured = {collection.name for collection in workspace.config.collections}
    gone: dict[str, list[str]] = {}
    for partition in obsolete:
        collection = partition.rpartition(".")[0]
        if collection not in configured:
            uris = workspace.lake.current(s.DOCUMENTS, partition)[c.URI].to_list()
            gone.setdefault(collection, []).extend(uris)
    for collection, uris in gone.items():
        check_deletes(collection, uris, len(uris), allowed=allowed)
    return obsolete
