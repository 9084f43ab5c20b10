"""Vectors of encoders that are no longer configured: they stay as long as a build that may answer again, and go with a document."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from pipeline.line.workspace import Workspace
from pipeline.tables import columns as c
from pipeline.tables import schemas as s

if TYPE_CHECKING:
    from lancedb.table import Table

    from pipeline.index.pointer import Build


def forget_vectors(workspace: Workspace) -> None:
    """Remove the vectors of former encoders that no build names and, of the others, those of documents that are gone.

    Args:
        workspace: whose lake; the lock on the whole estate is held.

    Raises:
        LakeError: the store refused.
    """
    from pipeline.index.pointer import named_builds

    lake = workspace.lake
    former = lake.files(s.EMBEDDINGS) - {encoder.slug for encoder in workspace.encoders}
    builds = named_builds(workspace.index_root) if former else ()
    for slug in sorted(former):
        tables = list(_open(workspace, [build for build in builds if slug in build.encoders]))
        if tables:
            _keep_those_of(workspace, slug, tables)
            continue
        table = s.embeddings(slug, 0)  # of whatever length: nothing of it is read
        for partition in lake.partitions(table):
            lake.drop(table, partition)


def _open(workspace: Workspace, builds: list["Build"]) -> Iterator["Table"]:
    """The tables of the builds that are still there."""
    from pipeline.index.errors import IndexMissingError
    from pipeline.index.reader import open_build

    for build in builds:
        try:
            yield open_build(workspace.index_root, build).table
        except IndexMissingError:
            continue


def _keep_those_of(workspace: Workspace, slug: str, tables: list["Table"]) -> None:
    """Leave only vectors of strings that one of the builds has of a document of the estate."""
    from pipeline.index.rows import vector_column
    from pipeline.index.tables import read_columns

    lake, documents = workspace.lake, workspace.read(s.DOCUMENTS, [c.DOC_ID])
    held = pl.concat([read_columns(table, (c.DOC_ID, c.EMBED_HASH)) for table in tables])
    wanted = held.join(documents, on=c.DOC_ID, how="semi").select(c.EMBED_HASH).unique()
    table = s.embeddings(slug, tables[0].schema.field(vector_column(slug)).type.list_size)
    for partition in lake.partitions(table):
        strings = lake.current(table, partition, [c.EMBED_HASH])
        kept = strings.join(wanted, on=c.EMBED_HASH, how="semi")
        if kept.height < strings.height:
            rows = lake.current(table, partition).join(kept, on=c.EMBED_HASH, how="semi")
            # Made from nothing: the stage of that encoder completes it.
            lake.publish(table, partition, rows, "")
