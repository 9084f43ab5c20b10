"""The bytes and the register of earlier editions, which lie in the lake and, unlike all else there, cannot be made anew."""

from collections.abc import Iterator

import polars as pl

from pipeline.config import CollectionConfig
from pipeline.estate.identity import partition_of
from pipeline.estate.kept_files import FOLDER, folder_of, held_files
from pipeline.estate.source import Read, reason_of
from pipeline.estate.sources import open_source
from pipeline.estate.versions import file_name, keeps_history, without_editions
from pipeline.line.lock import holding
from pipeline.line.workspace import Workspace
from pipeline.tables import columns as c
from pipeline.tables import schemas as s


class _UnreadableError(Exception):
    """A file of the source cannot be read."""


def kept_versions(workspace: Workspace, partition: str) -> pl.DataFrame:
    """KEPT_VERSIONS rows of the documents of one partition."""
    collection = workspace.collection_of(partition)
    return _of(workspace.lake.read(s.KEPT_VERSIONS, collection.name), collection, partition)


def keep_versions(workspace: Workspace, partition: str) -> None:
    """Keep what the documents of a partition say now, and the register of what they said before.

    To be done before their rows are published: after that nothing else knows it. A file that cannot be read, or that
    changed meanwhile, is told, and tried once more in the next run.

    Raises:
        LakeError: the store refused.
    """
    collection = workspace.collection_of(partition)
    scan, lake, folder = workspace.scan(collection.name), workspace.lake, folder_of(collection.name)
    if not collection.keeps_any and lake.state(s.KEPT_VERSIONS, collection.name) is None:
        return
    source, held = open_source(workspace.config, collection), held_files(workspace.lake, collection.name)
    for row in without_editions(scan.partition(partition)).iter_rows(named=True):
        place = scan.locations.get(row[c.URI])
        if place is None or not keeps_history(row, collection) or (name := file_name(row)) in held:
            continue
        try:
            if not lake.keep_file(folder, name, _blocks(source.read, place), row[c.VERSION_ID]):
                workspace.say(f"warning: {collection.name}/{row[c.URI]}: not kept, it is being written")
        except _UnreadableError as error:
            workspace.say(f"warning: {collection.name}/{row[c.URI]}: not kept: {error}")
    with holding(workspace, f"{FOLDER}.{collection.name}"):
        known = lake.read(s.KEPT_VERSIONS, collection.name)
        others = known.join(_of(known, collection, partition), on=s.KEPT_VERSIONS.key, how="anti")
        kept = pl.concat([others, _of(scan.kept, collection, partition)]).sort(s.KEPT_VERSIONS.key)
        if not kept.equals(known):
            lake.publish(s.KEPT_VERSIONS, collection.name, kept, "")


def sweep_versions(workspace: Workspace, partition: str) -> None:
    """Remove kept bytes of a partition that belong to no published document: it was deleted, or its history is not kept."""
    collection = workspace.collection_of(partition)
    folder = folder_of(collection.name)
    held = {
        name
        for name in held_files(workspace.lake, collection.name)
        if partition_of(name, collection) == partition
    }
    if held:
        documents = without_editions(workspace.lake.read(s.DOCUMENTS, partition)).to_dicts()
        wanted = {file_name(row) for row in documents if keeps_history(row, collection)}
        wanted |= {file_name(row) for row in kept_versions(workspace, partition).iter_rows(named=True)}
        for name in sorted(held - wanted):
            workspace.lake.drop_file(folder, name)


def forget_versions(workspace: Workspace) -> None:
    """Remove all that is kept of collections that are no longer configured."""
    lake = workspace.lake
    configured = {collection.name for collection in workspace.config.collections}
    for name in sorted({*lake.files(FOLDER), *lake.partitions(s.KEPT_VERSIONS)} - configured):
        for file in sorted(lake.files(folder_of(name))):
            lake.drop_file(folder_of(name), file)
        lake.drop(s.KEPT_VERSIONS, name)


def unsettled(workspace: Workspace, partition: str) -> list[str]:
    """Kept files of a partition that a run which broke off left over, or did not write: such a partition is stale."""
    collection = workspace.collection_of(partition)
    files = workspace.scan(collection.name).unsettled
    return sorted(file for file in files if partition_of(file, collection) == partition)


def _of(kept: pl.DataFrame, collection: CollectionConfig, partition: str) -> pl.DataFrame:
    mine = [partition_of(doc_id, collection) == partition for doc_id in kept[c.DOC_ID]]
    return kept.filter(pl.Series(mine, dtype=pl.Boolean))


def _blocks(read: Read, place: str) -> Iterator[bytes]:
    try:
        yield from read(place)
    except OSError as error:
        raise _UnreadableError(reason_of(error)) from error
