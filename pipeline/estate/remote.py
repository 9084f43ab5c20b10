"""A source behind a URL: whatever fsspec reads — object stores, SFTP servers, folders that a web server lists."""

import posixpath
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote, unquote, urljoin, urlsplit

from pipeline.config import CollectionConfig
from pipeline.estate.exclusion import Exclusion
from pipeline.estate.media import is_litter, is_litter_folder
from pipeline.estate.source import (
    RACY,
    READ_BYTES,
    Found,
    Listing,
    SourceError,
    arrange,
    reason_of,
    source_error,
)
from pipeline.tables.stores import open_store, package_for

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_WEB: Final = ("http", "https")
# One request for 1000 objects, however deep they lie; elsewhere folder by folder, so that one that fails is known.
_FLAT: Final = ("s3", "s3a")
_MARKS: Final = ("ETag", "etag", "md5Hash", "generation")
_TIMES: Final = ("LastModified", "last_modified", "mtime", "modified", "updated", "Last-Modified", "created")
_AT_ONCE: Final = 8

Info = Mapping[str, Any]


@dataclass(frozen=True)
class RemoteFolder:
    """A URL and everything below it.

    What an etag may promise differs: the ETag of an object store or web server changes with the content (a weak one, `W/…`,
    need not), and together with size and time it is proof. Where there is none (SFTP), every file is read in each scan,
    unless `trust_times` takes size and time for proof.

    Attributes:
        url: the folder.
        rules: settings of the collection.
        options: of the file system, secrets included: never part of a message.
    """

    url: str
    rules: CollectionConfig
    options: Mapping[str, Any] = field(repr=False)

    @property
    def local(self) -> bool:
        """Locations are no paths."""
        return False

    def listing(self, now: datetime | None = None) -> Listing:
        """List the folder.

        Raises:
            SourceError: it cannot be listed as a whole, or nothing at all lies there. An object store has no folders: one
                that is empty looks like one that is misspelt, and that must not delete a collection.
        """
        now = now or datetime.now(UTC)
        try:
            found = list(self._found(now))
        except SourceError:
            raise
        except Exception as error:  # each store has errors of its own
            raise source_error(self.url, _reason(error, self.url), error) from error
        if not found:
            raise source_error(
                self.url,
                "nothing lies there; if its documents are meant to be gone, put an empty file named .keep there",
            )
        return arrange((file for file in found if not _litter(file.name)), self.rules, self.read, now)

    def look(self, uri: str, now: datetime) -> Found | None:
        """What lies at one path. What is no file has an error. Raises SourceError if the store cannot be asked."""
        try:
            fs, _ = self._open()
            place = self.location_of(uri)
            info = cast("Info", fs.info(place))
        except FileNotFoundError:
            return None
        except Exception as error:
            raise source_error(self.url, _reason(error, self.url), error) from error
        return self._as_found(uri, place, info, "" if info["type"] == "file" else "is no file", now)

    def read(self, location: str) -> Iterator[bytes]:
        """The bytes of a file in blocks, as one stream."""
        try:
            fs, _ = self._open()
            with fs.open(location, "rb", block_size=READ_BYTES, cache_type="readahead") as file:
                while block := cast("bytes", file.read(READ_BYTES)):
                    yield block
        except OSError:
            raise
        except Exception as error:  # a document that cannot be read stops no run
            raise OSError(_reason(error, self.url)) from error

    def location_of(self, uri: str) -> str:
        """The full name of a uri, spelled as it is."""
        _, root = self._open()
        return posixpath.join(root, quote(uri) if self._scheme in _WEB else uri)

    @property
    def _scheme(self) -> str:
        return urlsplit(self.url).scheme.lower()

    def _open(self) -> tuple["AbstractFileSystem", str]:
        # One for each thread: over a connection (SFTP) two that read at once would wait for each other's answers for ever.
        mine = self._opened
        if not hasattr(mine, "store"):
            fs, root = open_store(self.url, self.options)
            mine.store = fs, root.rstrip("/")
        return mine.store

    @cached_property
    def _opened(self) -> threading.local:
        return threading.local()

    def _found(self, now: datetime) -> Iterator[Found]:
        fs, root = self._open()
        if self._scheme in _WEB:
            yield from self._found_on_the_web(fs, root, now)
            return
        walk = _flat(fs, root) if self._scheme in _FLAT else self._walk(fs, root)
        for name, info, error in walk:
            below = name.removeprefix(root).lstrip("/")
            if not below:
                raise source_error(self.url, "is a file, not a folder")
            yield self._as_found(below, name, info, error, now)

    def _walk(self, fs: "AbstractFileSystem", root: str) -> Iterator[tuple[str, Info | None, str]]:
        exclusion = Exclusion(self.rules.exclude)
        folders = [root]
        while folders:
            folder = folders.pop()
            try:
                children = cast("list[Info]", fs.ls(folder or "/", detail=True))
            except PermissionError as error:
                if folder == root:
                    raise
                yield folder, None, reason_of(error)
                continue
            for child in children:
                name = str(child["name"]).rstrip("/")
                below = name.removeprefix(root).lstrip("/")
                if child["type"] == "directory":
                    if not is_litter_folder(posixpath.basename(name)) and not exclusion.covers(f"{below}/"):
                        folders.append(name)
                elif child["type"] == "file":
                    yield name, child, ""
                elif not self.rules.follow_links:
                    yield name, None, "is a symbolic link; follow_links = true would follow it"
                else:
                    info = cast("Info", fs.info(name))
                    error = "" if info["type"] == "file" else "is a link to what is no file"
                    yield name, info, error

    def _found_on_the_web(self, fs: "AbstractFileSystem", root: str, now: datetime) -> Iterator[Found]:
        files: list[str] = []
        folders, seen = [f"{root}/"], {f"{root}/"}
        while folders:
            folder = folders.pop()
            for child in sorted(_links(fs, folder)):
                if child in seen:
                    continue
                seen.add(child)
                (folders if child.endswith("/") else files).append(child)

        def look(url: str) -> Found:
            below = unquote(url.removeprefix(f"{root}/"))
            try:
                return self._as_found(below, url, cast("Info", fs.info(url)), "", now)
            except OSError as error:
                return self._as_found(below, url, None, _reason(error, self.url), now)

        with ThreadPoolExecutor(_AT_ONCE) as pool:
            yield from pool.map(look, files)

    def _as_found(self, below: str, location: str, info: Info | None, error: str, now: datetime) -> Found:
        if info is None or error:
            return Found(below, location, 0, _EPOCH, "", error)
        modified = _modified(info)
        size = int(info.get("size") or 0)
        return Found(below, location, size, modified or _EPOCH, self._etag(info, size, modified, now))

    def _etag(self, info: Info, size: int, modified: datetime | None, now: datetime) -> str:
        mark = next((str(info[name]) for name in _MARKS if info.get(name)), "")
        at = modified.isoformat() if modified else ""
        if mark and not mark.startswith("W/"):
            return f"{mark}-{size}-{at}"
        if self.rules.trust_times and modified is not None and now - modified > RACY:
            return f"{size}-{at}"
        return ""


def _flat(fs: "AbstractFileSystem", root: str) -> Iterator[tuple[str, Info | None, str]]:
    for name, info in cast("dict[str, Info]", fs.find(root, detail=True)).items():
        if info["type"] == "file" and not name.endswith("/"):
            yield name, info, ""


def _links(fs: Any, folder: str) -> set[str]:
    """What a page of a web server links to directly below itself: files, and folders with `/` at the end."""
    from lxml import html

    page = fs.cat_file(folder)
    if not page.strip():
        return set()
    found: set[str] = set()
    for target in html.fromstring(page).xpath("//a/@href"):
        url = urljoin(folder, str(target))
        below = url.removeprefix(folder)
        if (
            url.startswith(folder)
            and below
            and "?" not in below
            and "#" not in below
            and "/" not in below[:-1]
        ):
            found.add(url)
    return found


def _modified(info: Info) -> datetime | None:
    value = next((info[name] for name in _TIMES if info.get(name)), None)
    if isinstance(value, int | float):
        value = datetime.fromtimestamp(value, UTC)
    if isinstance(value, str):
        with suppress(ValueError):
            value = datetime.fromisoformat(value)
        if isinstance(value, str):
            value = parsedate_to_datetime(value)
    if not isinstance(value, datetime):
        return None
    return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


def _litter(name: str) -> bool:
    *folders, last = name.split("/")
    return is_litter(last) or any(is_litter_folder(folder) for folder in folders)


def _reason(error: Exception, url: str) -> str:
    """One line about an error of a store, in its own words; ours, the secrets of the options, are not among them."""
    if isinstance(error, OSError):
        return reason_of(error).partition("\n")[0]
    line = str(error).partition("\n")[0]
    if isinstance(error, ImportError):
        wanted = package_for(url)
        return f"a package for this kind of URL is not installed{wanted and f': {wanted}'} ({line})"
    return f"{type(error).__name__}: {line}"
