"""A source: the files of a folder, with what is needed to tell whether one changed."""

import hashlib
import os
import stat
import unicodedata
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from pipeline.estate.media import (
    DEFAULTS_NAME,
    SIDECAR_SUFFIX,
    is_document,
    is_litter,
    is_litter_folder,
    is_metadata,
)

_READ_BYTES: Final = 1 << 20
# A file that changed so shortly before it was listed could change again without its times moving.
_RACY: Final = timedelta(seconds=2)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = (
    (end.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1) for end in (datetime.min, datetime.max)
)


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

    Symbolic links to files are followed; a folder is listed once, under its own path rather than a link's, so that a
    loop ends. Two spellings of one name (NFC and NFD) are one uri: the first in byte order is taken, the other
    reported. What is neither file nor folder, and names that are not UTF-8, are reported.

    Raises:
        SourceError: the folder does not exist, is no folder or cannot be read.
    """
    if "://" in source:
        raise SourceError(f"source = {source!r}: only local folders can be a source in this version")
    root = Path(source)
    now = now or datetime.now(UTC)
    entries: dict[str, Entry] = {}
    sidecars: dict[str, str] = {}
    unreadable: dict[str, str] = {}
    for path, status, error in sorted(_walk(root), key=lambda found: os.fsencode(found.path)):
        if path == root:
            raise SourceError(f"source = {source!r}: {error}")
        uri = unicodedata.normalize("NFC", path.relative_to(root).as_posix())
        if not _is_text(uri):
            unreadable[uri.encode("utf-8", "backslashreplace").decode()] = "its name is not UTF-8"
        elif is_metadata(uri):  # also when it cannot be read: its document must not do without it
            sidecars[_metadata_uri(uri)] = str(path)
        elif status is None:
            unreadable[uri] = error
        elif uri in entries:
            unreadable[f"{uri} (second spelling)"] = "another file has the same name in another Unicode form"
        elif is_document(uri):
            entries[uri] = _entry(uri, path, status, now)
    return Listing(tuple(entries[uri] for uri in sorted(entries)), sidecars, unreadable)


def content_hashes(entries: Iterable[Entry]) -> dict[str, str | OSError]:
    """sha256 of each file's bytes by uri, or the error that kept it from being read. Files are read in parallel."""
    entries = list(entries)
    with ThreadPoolExecutor(max_workers=min(8, (os.cpu_count() or 1) * 2)) as pool:
        return dict(zip((entry.uri for entry in entries), pool.map(_sha256, entries), strict=True))


def spelled(location: str) -> str:
    """The path as the file system spells it, for one whose names are in NFC: macOS writes NFD. As it is, if nothing is there."""
    path = Path(location)
    if path.exists():
        return location
    found = Path(path.anchor)
    for part in path.parts[bool(path.anchor) :]:
        direct = found / part
        if not direct.exists():
            with suppress(OSError):
                names = (child.name for child in os.scandir(found))
                same = sorted(
                    (name for name in names if unicodedata.normalize("NFC", name) == part), key=os.fsencode
                )
                direct = found / same[0] if same else direct
        found = direct
    return str(found)


def reason_of(error: OSError) -> str:
    """What the system says of an error, without the path."""
    return error.strerror or str(error) or type(error).__name__


class _Found(NamedTuple):
    """A file with its status, or a place that cannot be looked at (status None) with the reason."""

    path: Path
    status: os.stat_result | None
    error: str


def _walk(root: Path) -> Iterator[_Found]:
    seen: set[tuple[int, int]] = set()
    folders, links = [root], list[Path]()
    while folders or links:
        # Linked folders last: what has a place of its own below the root is found there.
        folder = folders.pop() if folders else links.pop(0)
        try:
            status = folder.stat()
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
            with os.scandir(folder) as scanned:
                children = sorted(scanned, key=lambda child: os.fsencode(child.name))
        except OSError as error:
            yield _Found(folder, None, reason_of(error))
            continue
        for child in children:
            path = Path(child.path)
            try:
                status = child.stat()
            except OSError as error:
                if not is_litter(child.name):
                    yield _Found(path, None, reason_of(error))
                continue
            if stat.S_ISDIR(status.st_mode):
                if not is_litter_folder(child.name):
                    (links if child.is_symlink() else folders).append(path)
            elif not is_litter(child.name):
                regular = stat.S_ISREG(status.st_mode)
                yield _Found(path, status if regular else None, "is neither a file nor a folder")


def _is_text(uri: str) -> bool:
    try:
        uri.encode()
    except UnicodeEncodeError:
        return False
    return True


def _metadata_uri(uri: str) -> str:
    """The uri under which metadata is looked up: `x.pdf.META.TOML` is the sidecar of `x.pdf`, too."""
    for ending in (DEFAULTS_NAME, SIDECAR_SUFFIX):
        if uri.lower().endswith(ending):
            return uri[: -len(ending)] + ending
    return uri


def _entry(uri: str, path: Path, status: os.stat_result, now: datetime) -> Entry:
    changed = _instant(max(status.st_mtime_ns, status.st_ctime_ns))
    # The change time is the kernel's own: a copy with an old modification time still moves it.
    etag = f"{status.st_size}-{status.st_mtime_ns}-{status.st_ctime_ns}-{status.st_ino}"
    return Entry(
        uri=uri,
        location=str(path),
        size=status.st_size,
        modified_at=_instant(status.st_mtime_ns),
        etag=etag if now - changed > _RACY else "",
    )


def _instant(nanoseconds: int) -> datetime:
    """An instant; file systems know times that a calendar of four-digit years does not."""
    return _EPOCH + timedelta(microseconds=min(max(nanoseconds // 1000, _FIRST), _LAST))


def _sha256(entry: Entry) -> str | OSError:
    try:
        digest = hashlib.sha256()
        with Path(entry.location).open("rb") as file:
            while block := file.read(_READ_BYTES):
                digest.update(block)
        return digest.hexdigest()
    except OSError as error:
        return error
