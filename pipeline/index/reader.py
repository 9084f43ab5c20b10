"""Reading: handles that are pinned to one build, whatever a writer does meanwhile."""

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.index.errors import IndexMissingError
from pipeline.index.pointer import Build, Pointer, read_pointer
from pipeline.index.tables import connect, open_version
from pipeline.tables.stores import open_store

if TYPE_CHECKING:
    from lancedb.db import DBConnection
    from lancedb.table import Table


@dataclass(frozen=True)
class OpenBuild:
    """A build that is open for reading.

    Attributes:
        build: which build it is.
        table: the LanceDB table, pinned to the build's version.
    """

    build: Build
    table: "Table"


class LiveIndex:
    """The live build, followed when the pointer moves.

    A search takes `opened` once and uses only that: it then sees one build or the other, never a mixture.

    Args:
        root: folder or URL of the index.
        opened: the build that is live now.
    """

    def __init__(self, root: str, opened: OpenBuild) -> None:
        self._root = root
        self._opened = opened

    @property
    def opened(self) -> OpenBuild:
        """The build that answered the pointer when it was last looked at."""
        return self._opened

    def refresh(self) -> bool:
        """Look at the pointer again. True if another build is live now, or says something else of itself: `opened` is it.

        Raises:
            NoIndexYetError, IndexMissingError: as `open_live`. `opened` stays what it was.
        """
        pointer = read_pointer(self._root)
        if pointer.current == self._opened.build:
            return False
        self._opened = _open_current(self._root, pointer)
        return True


def open_live(root: str) -> LiveIndex:
    """Open the live build.

    Raises:
        NoIndexYetError: nothing has gone live.
        IndexMissingError: what the pointer names is not there. The message names the last good build, if one is left.
    """
    return LiveIndex(root, _open_current(root, read_pointer(root)))


def open_build(root: str, build: Build) -> OpenBuild:
    """Open any build, live or not.

    Raises:
        IndexMissingError: its table or version is not there.
    """
    return OpenBuild(build, open_version(connect(root), build.table, build.version))


def is_there(root: str, build: Build) -> bool:
    """Whether a build's table is there and has its version.

    The names of the table's manifests tell, without LanceDB, which takes a second to load; a table that names them
    otherwise is opened.
    """
    fs, place = open_store(root)
    folder = posixpath.join(place, f"{build.table}.lance", "_versions")
    try:
        names = {posixpath.basename(str(path)) for path in fs.ls(folder, detail=False)}
    except OSError:
        names = set[str]()
    # Lance counts versions down from 2^64 - 1, so that a listing has the latest first; it used to count up.
    if names & {f"{2**64 - 1 - build.version:020}.manifest", f"{build.version}.manifest"}:
        return True
    return _can_be_opened(connect(root), build)


def _open_current(root: str, pointer: Pointer) -> OpenBuild:
    database = connect(root)
    try:
        return OpenBuild(
            pointer.current, open_version(database, pointer.current.table, pointer.current.version)
        )
    except IndexMissingError as error:
        good = next((build for build in pointer.previous if _can_be_opened(database, build)), None)
        advice = (
            f"the last good build is {good.name}, `kesit rollback` makes it live"
            if good
            else "`kesit run` builds anew"
        )
        raise IndexMissingError(
            f"{root}: the live pointer names {pointer.current.name}, but {error}; {advice}"
        ) from error


def _can_be_opened(database: "DBConnection", build: Build) -> bool:
    try:
        open_version(database, build.table, build.version)
    except IndexMissingError:
        return False
    return True
