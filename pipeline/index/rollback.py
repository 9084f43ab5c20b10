"""Rollback: an earlier build answers again, without what was deleted or forbidden since."""

from dataclasses import dataclass
from datetime import datetime

import polars as pl

from pipeline.index.errors import IndexMissingError, NoSuchBuildError
from pipeline.index.pointer import Build, Pointer, read_pointer, write_pointer
from pipeline.index.policy import apply, differences
from pipeline.index.tables import connect, open_version, read_columns
from pipeline.tables import columns as c


@dataclass(frozen=True)
class RolledBack:
    """What a rollback did.

    Attributes:
        build: the build that is live now: a new version of the older build's table.
        replaced: the build that was live before.
        deleted: rows of documents that are no longer in the estate.
        updated: rows whose access groups, dates or successor were brought up to date.
        lost: what no longer answers.
    """

    build: Build
    replaced: Build
    deleted: int
    updated: int
    lost: "Lost"


@dataclass(frozen=True)
class Lost:
    """What an earlier build does not answer from that the live one does, as addresses of documents, sorted.

    Attributes:
        missing: documents that came later.
        identified_anew: documents whose address the earlier build knows under another identity, which is no longer in
            the estate; missing too, until a run brings them.
        older: documents that it has in another version.
    """

    missing: tuple[str, ...] = ()
    identified_anew: tuple[str, ...] = ()
    older: tuple[str, ...] = ()


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
        NoSuchBuildError: there is no such earlier build.
        IndexMissingError: its table or version is no longer there.
    """
    pointer = read_pointer(root)
    target = find_target(pointer, to)
    lost = would_lose(root, documents, to=target.name)
    database = connect(root)
    table = open_version(database, target.table, target.version)
    table.restore()  # a new version, on top of all others, with the content of the old one
    found = differences(table, documents)
    apply(table, found)
    build = target.model_copy(
        update={"version": table.version, "rows": table.count_rows(), "promoted_at": now, "inputs": ""}
    )
    rest = tuple(build for build in pointer.previous if build.name != target.name)
    left = pointer.current
    if left.fingerprint != build.fingerprint:
        held = left.fingerprint
    else:  # a build that a person went back to has no inputs: what it was held against is held still
        held = left.inputs or ("" if pointer.holds(target) else pointer.held)
    write_pointer(root, Pointer(current=build, previous=(left, *rest), held=held))
    return RolledBack(
        build=build, replaced=left, deleted=found.gone_rows, updated=found.moved.height, lost=lost
    )


def would_lose(root: str, documents: pl.DataFrame, *, to: str) -> Lost:
    """What would no longer answer after a rollback; nothing is touched.

    Args:
        root: folder or URL of the index.
        documents: table `documents` as it is now.
        to: as in `rollback`.

    Raises:
        As `rollback`.
    """
    pointer = read_pointer(root)
    target = find_target(pointer, to)
    earlier = _documents(root, target)
    try:
        now = _documents(root, pointer.current).join(documents, on=c.DOC_ID, how="semi")
    except IndexMissingError:  # the reason to go back; then all that the estate has
        now = documents.select(*c.VERSION_KEY, c.COLLECTION, c.URI)
    absent = now.join(earlier, on=c.DOC_ID, how="anti")
    other = absent.join(earlier, on=[c.COLLECTION, c.URI], how="semi")
    both = now.join(earlier, on=c.DOC_ID, how="semi")
    return Lost(
        missing=_addresses(absent.join(other, on=c.DOC_ID, how="anti")),
        identified_anew=_addresses(other),
        older=_addresses(both.join(earlier, on=c.VERSION_KEY, how="anti")),
    )


def _documents(root: str, build: Build) -> pl.DataFrame:
    """The documents that a build has rows of."""
    table = open_version(connect(root), build.table, build.version)
    return read_columns(table, (*c.VERSION_KEY, c.COLLECTION, c.URI)).unique()


def _addresses(documents: pl.DataFrame) -> tuple[str, ...]:
    paths = documents.select(pl.concat_str(c.COLLECTION, pl.lit("/"), c.URI)).to_series()
    return tuple(paths.unique().sort())


def find_target(pointer: Pointer, to: str | None) -> Build:
    """The build of a name among the earlier ones, or the latest of them.

    Raises:
        NoSuchBuildError: there is none.
    """
    if not pointer.previous:
        raise NoSuchBuildError(f"there is no build before {pointer.current.name} to go back to")
    if to is None:
        return pointer.previous[0]
    for build in pointer.previous:
        if build.name == to:
            return build
    known = ", ".join(build.name for build in pointer.previous)
    raise NoSuchBuildError(f"{to} is not one of the earlier builds: {known}")
