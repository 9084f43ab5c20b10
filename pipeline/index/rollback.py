"""Rollback: an earlier build answers again, without what was deleted or forbidden since."""

from dataclasses import dataclass
from datetime import datetime

import polars as pl

from pipeline.index.errors import SearchIndexError
from pipeline.index.pointer import Build, Pointer, read_pointer, write_pointer
from pipeline.index.policy import apply, differences
from pipeline.index.tables import connect, open_version


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
    moves. The build that was live stays among the previous ones, and is held: a later run that makes it again does not
    make it live (`Pointer.held`).

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
    found = differences(table, documents)
    apply(table, found)
    build = Build(
        table=target.table,
        version=table.version,
        fingerprint=target.fingerprint,
        rows=table.count_rows(),
        promoted_at=now,
        models=target.models,
        vector_indices=target.vector_indices,
        evaluation=target.evaluation,
    )
    rest = tuple(build for build in pointer.previous if build.name != target.name)
    left = pointer.current
    held = left.inputs if left.fingerprint == build.fingerprint else left.fingerprint
    write_pointer(root, Pointer(current=build, previous=(left, *rest), held=held))
    return RolledBack(build=build, replaced=left, deleted=found.gone_rows, updated=found.moved.height)


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
