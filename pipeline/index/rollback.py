"""Rollback: an earlier build answers again, without what was deleted or forbidden since."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

import polars as pl

from pipeline.index.build import BATCH, KEEP_VERSIONS
from pipeline.index.errors import SearchIndexError
from pipeline.index.pointer import Build, Pointer, read_pointer, write_pointer
from pipeline.index.tables import connect, one_of, open_version, read_columns, to_arrow
from pipeline.tables import columns as c

if TYPE_CHECKING:
    from lancedb.table import Table

# What decides who may see a document and when it answers.
_POLICY: Final = (c.ACL_GROUPS, c.VALID_FROM, c.VALID_TO, c.SUPERSEDED_BY)


@dataclass(frozen=True)
class RolledBack:
    """What a rollback did.

    Attributes:
        build: the build that is live now: a new version of the older build's table.
        replaced: the build that was live before.
        deleted: rows of documents that are no longer in the estate.
        updated: rows whose access groups, dates or successor were brought up to date.
    """

    build: Build
    replaced: Build
    deleted: int
    updated: int


def rollback(root: str, documents: pl.DataFrame, now: datetime, *, to: str | None = None) -> RolledBack:
    """Make an earlier build live again.

    First the older build is brought up to date, as a new version of its table: rows of documents that are no longer in
    the estate are deleted, and access groups, validity and successors become those of today. Only then the pointer
    moves. The build that was live stays among the previous ones.

    Args:
        root: folder or URL of the index.
        documents: table `documents` as it is now.
        now: the present, with a time zone.
        to: name of the build (`table@version`); the latest previous one if not given.

    Raises:
        NoIndexYetError: nothing has gone live.
        SearchIndexError: there is no such earlier build.
        IndexMissingError: its table or version is no longer there.
    """
    pointer = read_pointer(root)
    target = _target(pointer, to)
    database = connect(root)
    table = open_version(database, target.table, target.version)
    table.restore()  # a new version, on top of all others, with the content of the old one
    deleted, updated = _bring_up_to_date(table, documents)
    table.optimize(cleanup_older_than=KEEP_VERSIONS)
    build = Build(
        table=target.table,
        version=table.version,
        fingerprint=target.fingerprint,
        rows=table.count_rows(),
        promoted_at=now,
        models=target.models,
        evaluation=target.evaluation,
    )
    rest = tuple(build for build in pointer.previous if build.name != target.name)
    write_pointer(root, Pointer(current=build, previous=(pointer.current, *rest)))
    return RolledBack(build=build, replaced=pointer.current, deleted=deleted, updated=updated)


def _target(pointer: Pointer, to: str | None) -> Build:
    if not pointer.previous:
        raise SearchIndexError(f"there is no build before {pointer.current.name} to go back to")
    if to is None:
        return pointer.previous[0]
    for build in pointer.previous:
        if build.name == to:
            return build
    known = ", ".join(build.name for build in pointer.previous)
    raise SearchIndexError(f"{to} is not one of the earlier builds: {known}")


def _bring_up_to_date(table: "Table", documents: pl.DataFrame) -> tuple[int, int]:
    """Rows deleted and updated."""
    held = read_columns(table, (c.CHUNK_ID, c.DOC_ID, *_POLICY))
    today = documents.select(c.DOC_ID, *_POLICY).unique(c.DOC_ID, keep="last", maintain_order=True)
    gone = held.join(today, on=c.DOC_ID, how="anti")
    doc_ids = gone[c.DOC_ID].unique().to_list()
    for start in range(0, len(doc_ids), BATCH):
        table.delete(one_of(c.DOC_ID, doc_ids[start : start + BATCH]))
    now = held.select(c.CHUNK_ID, c.DOC_ID).join(today, on=c.DOC_ID, how="inner")
    was = held.select(c.CHUNK_ID, pl.struct(*_POLICY).alias("was"))
    moved = (
        now.join(was, on=c.CHUNK_ID, how="inner")
        .filter(pl.struct(*_POLICY).ne_missing(pl.col("was")))
        # The content is no longer what the hash says: the next build then takes the row for changed.
        .select(c.CHUNK_ID, *_POLICY, pl.lit("").alias(c.ROW_HASH))
    )
    for batch in moved.iter_slices(BATCH):
        if batch.height:
            table.merge_insert(c.CHUNK_ID).when_matched_update_all().execute(to_arrow(batch))
    return gone.height, moved.height
