"""Copies on this machine of files that lie in another store, for the processes that read documents.

Those processes have no network: what a hostile document makes of its reader must not reach it. So the files come to them.
"""

from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import polars as pl

from pipeline.estate.faults import unreadable
from pipeline.estate.kept_files import folder_of
from pipeline.estate.media import suffix_of
from pipeline.estate.source import reason_of
from pipeline.estate.sources import open_source
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import fingerprint

if TYPE_CHECKING:
    from pipeline.estate.source import Read
    from pipeline.line.workspace import Workspace

_AT_ONCE: Final = 8


@contextmanager
def local_copies(
    workspace: "Workspace", collection: str, sizes: Mapping[str, int]
) -> Generator[Mapping[str, str | OSError]]:
    """Have files of a collection on this machine for the time of the block. Local ones are where they are.

    Args:
        workspace: whose collection it is.
        collection: its name.
        sizes: bytes of each file by location. A file that no reader would take for its size is not fetched: an empty file
            of that size stands for it, and is refused as it would be.

    Yields:
        Path of each file by location, or why it could not be had.
    """
    from shutil import rmtree
    from tempfile import mkdtemp

    source, lake = open_source(workspace.config, workspace.config.collection(collection)), workspace.lake
    kept = lake.place(folder_of(collection), "")  # earlier editions lie in the lake

    def near(location: str) -> bool:
        return "://" not in lake.root if location.startswith(kept) else source.local

    def read(location: str) -> "Iterator[bytes]":
        return lake.read_file(location) if location.startswith(kept) else source.read(location)

    here = {location: location for location in sizes if near(location)}
    far = {location: size for location, size in sizes.items() if location not in here}
    if not far:
        yield here
        return
    place = workspace.private_folder / ".work" / "fetched"
    place.mkdir(parents=True, exist_ok=True)
    folder = Path(mkdtemp(dir=place))
    try:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            copies = pool.map(lambda item: _fetch(read, item[0], item[1], folder), far.items())
            found = dict(zip(far, copies, strict=True))
        yield here | found
    finally:
        rmtree(folder, ignore_errors=True)


@contextmanager
def with_local_copies(workspace: "Workspace", partition: str, files: pl.DataFrame) -> Generator[pl.DataFrame]:
    """Rows of one partition whose column `location` names files on this machine for the time of the block.

    Args:
        workspace: whose partition it is.
        partition: its name.
        files: with location, bytes and error; "" as a location stays. A file that cannot be had has its error.

    Yields:
        The same rows.
    """
    wanted = files.filter(pl.col(c.LOCATION) != "").select(c.LOCATION, c.BYTES).rows()
    with local_copies(workspace, workspace.collection_of(partition).name, dict(wanted)) as copies:
        paths = {place: copy for place, copy in copies.items() if isinstance(copy, str)}
        errors = {
            place: unreadable(reason_of(copy)) for place, copy in copies.items() if isinstance(copy, OSError)
        }
        place = pl.col(c.LOCATION)
        yield files.with_columns(
            place.replace_strict(paths, default="", return_dtype=pl.String),
            place.replace_strict(errors, default=pl.col(c.ERROR), return_dtype=pl.String).alias(c.ERROR),
        )


def _fetch(read: "Read", location: str, size: int, folder: Path) -> str | OSError:
    from pipeline.parsing.guards import MAX_BYTES

    path = folder / f"{fingerprint(location)}{suffix_of(location)}"
    try:
        with path.open("wb") as file:
            if size > MAX_BYTES:
                file.truncate(size)
                return str(path)
            for block in read(location):
                file.write(block)
                if file.tell() > MAX_BYTES:  # it grew since it was listed: the reader sees that it is another
                    break
    except OSError as error:
        return error
    return str(path)
