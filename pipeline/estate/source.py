"""A source: the files of a collection, with what is needed to tell whether one changed, and the way to read them."""

import hashlib
import os
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from pipeline.config import CollectionConfig, UserError
from pipeline.estate.exclusion import Exclusion
from pipeline.estate.media import DEFAULTS_NAME, SIDECAR_SUFFIX, is_document, is_metadata

READ_BYTES: Final = 1 << 20
# A file that changed so shortly before it was listed could change again without its times moving.
RACY: Final = timedelta(seconds=2)

Read = Callable[[str], Iterator[bytes]]
"""From a location to the bytes that lie there, in blocks. Raises OSError."""


class SourceError(UserError):
    """A source cannot be listed. The message names the collection's source and the cause."""

    exit_code = 1


class NoSourceError(SourceError):
    """Nothing that could be listed is where the configuration says: no such place, no folder, no way to reach its kind."""

    exit_code = 2


def source_error(source: str, reason: str, cause: Exception | None = None) -> SourceError:
    """The error of a source, by its cause: the settings are wrong, or the store does not answer.

    Args:
        source: folder or URL.
        reason: what is wrong, in words.
        cause: what was raised; None: there is no such place, or no folder.
    """
    wrong = cause is None or isinstance(
        cause, FileNotFoundError | NotADirectoryError | ImportError | ValueError
    )
    return (NoSourceError if wrong else SourceError)(f"source = {source!r}: {reason}")


@dataclass(frozen=True)
class Entry:
    """One file of a source.

    Attributes:
        uri: path below the source, Unicode NFC, with `/`.
        location: absolute path as the file system spells it, or the full name in another store.
        size: bytes.
        modified_at: when its content was last written.
        etag: equal etags mean equal content; "" when that cannot be promised.
    """

    uri: str
    location: str
    size: int
    modified_at: datetime
    etag: str


class Found(NamedTuple):
    """What lies at a place below a source: a file, or something that cannot be looked at (`error` says why)."""

    name: str  # path below the source as its store spells it
    location: str
    size: int
    modified_at: datetime
    etag: str
    error: str = ""


def read_file(location: str) -> Iterator[bytes]:
    """The bytes of a local file in blocks."""
    with Path(location).open("rb") as file:
        while block := file.read(READ_BYTES):
            yield block


@dataclass(frozen=True)
class Listing:
    """The files of a source.

    Attributes:
        entries: every document file, sorted by uri.
        sidecars: location of every metadata file by uri.
        unreadable: folders and files that could not be looked at, by uri, with the reason.
        waiting: files that may still be written (`settle_seconds`): the next scan looks at them.
        untouched: uris of files that are known to be as they were.
        read: reads what lies at a location.
    """

    entries: tuple[Entry, ...]
    sidecars: dict[str, str]
    unreadable: dict[str, str]
    waiting: tuple[Entry, ...] = ()
    read: Read = read_file
    untouched: frozenset[str] = frozenset()


class Source(Protocol):
    """Where the documents of a collection come from."""

    @property
    def local(self) -> bool:
        """Whether locations are paths on this machine."""
        ...

    def listing(self, now: datetime | None = None) -> Listing:
        """List everything. Raises SourceError, and NoSourceError where the settings are wrong; then nothing is known of any file."""
        ...

    def look(self, uri: str, now: datetime) -> Found | None:
        """What lies at one path, without a listing; None for nothing. What is no file has an error."""
        ...

    def read(self, location: str) -> Iterator[bytes]:
        """The bytes at a location in blocks. Raises OSError."""
        ...

    def location_of(self, uri: str) -> str:
        """Where the file of a uri lies, without a listing."""
        ...


def arrange(found: Iterable[Found], rules: CollectionConfig, read: Read, now: datetime) -> Listing:
    """Sort what was found into documents, metadata files, and what cannot be looked at.

    Two spellings of one name (NFC and NFD) are one uri: the first in byte order is taken, the other reported. Names that
    are not UTF-8 are reported. Excluded files are nowhere; metadata files cannot be excluded, for they say who may read.

    Args:
        found: everything below the source.
        rules: what is excluded, and how long a file must have been at rest.
        read: see `Listing`.
        now: the instant of the listing.
    """
    exclusion = Exclusion(rules.exclude)
    entries: dict[str, Entry] = {}
    sidecars: dict[str, str] = {}
    unreadable: dict[str, str] = {}
    for file in sorted(found, key=lambda file: os.fsencode(file.name)):
        uri = unicodedata.normalize("NFC", file.name)
        if not _is_text(uri):
            unreadable[uri.encode("utf-8", "backslashreplace").decode()] = "its name is not UTF-8"
        elif is_metadata(uri):  # also when it cannot be read: its document must not do without it
            sidecars[_metadata_uri(uri)] = file.location
        elif exclusion.covers(uri):
            continue
        elif file.error:
            unreadable[uri] = file.error
        elif uri in entries:
            unreadable[f"{uri} (second spelling)"] = "another file has the same name in another Unicode form"
        elif is_document(uri):
            entries[uri] = Entry(uri, file.location, file.size, file.modified_at, file.etag)
    rest = timedelta(seconds=rules.settle_seconds)
    # A time far ahead is a wrong clock, and waiting for it would have no end.
    waiting = {uri for uri, entry in entries.items() if abs(now - entry.modified_at) < rest}
    return Listing(
        tuple(entries[uri] for uri in sorted(entries.keys() - waiting)),
        sidecars,
        unreadable,
        tuple(entries[uri] for uri in sorted(waiting)),
        read,
    )


def content_hashes(entries: Iterable[Entry], read: Read = read_file) -> dict[str, str | OSError]:
    """sha256 of each file's bytes by uri, or the error that kept it from being read. Files are read in parallel."""
    entries = list(entries)
    with ThreadPoolExecutor(max_workers=min(8, (os.cpu_count() or 1) * 2)) as pool:
        digests = pool.map(lambda entry: _sha256(entry, read), entries)
        return dict(zip((entry.uri for entry in entries), digests, strict=True))


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


def _sha256(entry: Entry, read: Read) -> str | OSError:
    try:
        digest = hashlib.sha256()
        for block in read(entry.location):
            digest.update(block)
        return digest.hexdigest()
    except OSError as error:
        return error
