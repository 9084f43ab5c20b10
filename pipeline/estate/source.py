"""A source: the files of a folder, with what is needed to tell whether one changed."""

import hashlib
import os
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from pipeline.estate.media import is_document

_READ_BYTES: Final = 1 << 20
# A file that changed so shortly before it was listed could change again without its times moving.
_RACY: Final = timedelta(seconds=2)


class SourceError(RuntimeError):
    """A source cannot be listed. The message names the collection's source and the cause."""


@dataclass(frozen=True)
class Entry:
    """One file of a source.

    Attributes:
        uri: path below the source, Unicode NFC, with `/`.
        location: absolute path of the file as the file system spells it.
        size: bytes.
        modified_at: when its content was last written.
        etag: equal etags mean equal content; "" when that cannot be promised.
    """

    uri: str
    location: str
    size: int
    modified_at: datetime
    etag: str


@dataclass(frozen=True)
class Listing:
    """The files of a source.

    Attributes:
        entries: every document file, sorted by uri.
        sidecars: location of every metadata file by uri.
        unreadable: folders and files that could not be looked at, by uri, with the reason.
    """

    entries: tuple[Entry, ...]
    sidecars: dict[str, str]
    unreadable: dict[str, str]


def list_folder(source: str, *, now: datetime | None = None) -> Listing:
    """List a local folder and everything below it.

    Symbolic links to files are followed; links to folders are followed once, so that a loop ends.
    Two spellings of one name (NFC and NFD) are one uri: the first in byte order is taken, the other reported.

    Raises:
        SourceError: the folder does not exist, is no folder or cannot be read.
    """
    root = Path(source)
    if "://" in source:
        raise SourceError(f"{source}: only local folders can be a source in this version")
    if not root.exists():
        raise SourceError(f"{source}: no such folder")
    if not root.is_dir():
        raise SourceError(f"{source}: is a file, not a folder")
    now = now or datetime.now(UTC)
    entries: dict[str, Entry] = {}
    sidecars: dict[str, str] = {}
    unreadable: dict[str, str] = {}
    for path, error in _walk(root):
        uri = unicodedata.normalize("NFC", path.relative_to(root).as_posix())
        if error is not None:
            if path == root:
                raise SourceError(f"{source}: {error}")
            unreadable[uri] = error
            continue
        if uri.endswith(".toml") and not is_document(uri):
            sidecars[uri] = str(path)
        elif is_document(uri):
            if uri in entries:
                unreadable[f"{uri} (second spelling)"] = "another file has the same name in another Unicode form"
                continue
            try:
                entries[uri] = _entry(uri, path, now)
            except OSError as failure:
                unreadable[uri] = failure.strerror or str(failure)
    return Listing(tuple(entries[uri] for uri in sorted(entries)), sidecars, unreadable)


def content_hashes(entries: Iterable[Entry]) -> dict[str, str | OSError]:
    """sha256 of each file's bytes by uri, or the error that kept it from being read. Files are read in parallel."""
    entries = list(entries)
    with ThreadPoolExecutor(max_workers=min(8, (os.cpu_count() or 1) * 2)) as pool:
        return dict(zip((entry.uri for entry in entries), pool.map(_sha256, entries), strict=True))


def _walk(root: Path) -> Iterable[tuple[Path, str | None]]:
    """Every file below `root` in a fixed order; a folder that cannot be read comes with its error."""
    seen: set[tuple[int, int]] = set()
    stack = [root]
    while stack:
        folder = stack.pop()
        try:
            status = folder.stat()
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
            children = sorted(folder.iterdir(), key=lambda child: child.name)
        except OSError as error:
            yield folder, error.strerror or str(error)
            continue
        for child in children:
            if child.is_dir():
                stack.append(child)
            else:
                yield child, None


def _entry(uri: str, path: Path, now: datetime) -> Entry:
    status = path.stat()
    changed = datetime.fromtimestamp(max(status.st_mtime, status.st_ctime), UTC)
    # The change time is the kernel's own: a copy with an old modification time still moves it.
    etag = f"{status.st_size}-{status.st_mtime_ns}-{status.st_ctime_ns}-{status.st_ino}"
    return Entry(
        uri=uri,
        location=str(path),
        size=status.st_size,
        modified_at=datetime.fromtimestamp(status.st_mtime_ns // 1000 / 1_000_000, UTC),
        etag=etag if now - changed > _RACY else "",
    )


def _sha256(entry: Entry) -> str | OSError:
    try:
        digest = hashlib.sha256()
        with Path(entry.location).open("rb") as file:
            while block := file.read(_READ_BYTES):
                digest.update(block)
        return digest.hexdigest()
    except OSError as error:
        return error
