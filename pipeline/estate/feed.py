"""A change feed: which paths of a source to look at, so that it need not be listed.

An event is a hint and no order: whatever it says happened, the path that it names is looked at as it is now. So events may
come twice, late, or in any order, and the outcome is that of a full listing. Where a feed cannot be trusted to be whole,
there is a full listing.
"""

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, Final, cast

from pipeline.config import CollectionConfig
from pipeline.estate.faults import unreadable_because
from pipeline.estate.identity import UNREAD_VERSION, Row
from pipeline.estate.media import SIDECAR_SUFFIX, is_metadata
from pipeline.estate.source import Entry, Found, Listing, Source, arrange
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import fingerprint
from pipeline.tables.stores import open_store

_MARK_BYTES: Final = 4096
_CODE_VERSION: Final = "1"


class FeedGapError(RuntimeError):
    """The feed does not tell of all changes, or not what to look at. The message says why."""


@dataclass(frozen=True)
class Cursor:
    """How far a feed was followed.

    Attributes:
        position: bytes of the feed that were followed, whole lines.
        mark: hash of the last bytes before the position: another one, and the feed was written anew.
        rules: hash of the settings by which the source was listed.
        partitions: of the documents table that hold what was known then.
        sidecars: uris of the metadata files.
        pending: files that were still being written.
    """

    position: int
    mark: str
    rules: str
    partitions: tuple[str, ...] = ()
    sidecars: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()


@dataclass(frozen=True)
class Feed:
    """A file of events, one JSON object a line, appended to.

    Each has `kind` (create, update, rename, delete, metadata) and `uri`, the path below the source; `rename` has `from`, too. `id` and `time` are for
    people. An event of another kind is a hint as well if it names a uri. A last line without its end is left for the next
    scan.

    Attributes:
        place: path or URL.
        options: of its file system.
    """

    place: str
    options: Mapping[str, Any]

    def events(self, cursor: Cursor | None) -> tuple[set[str], int, str]:
        """What is to be looked at since the cursor, the position after it, and the mark there.

        Without a cursor nothing is read but the end of the feed.

        Raises:
            FeedGapError: the feed is not what the cursor knew, or holds what names no path.
            OSError: it cannot be read.
        """
        try:
            text, start, mark = self._read(cursor)
        except (OSError, FeedGapError):
            raise
        except Exception as error:  # each store has errors of its own
            raise OSError(f"{type(error).__name__}: {error}") from error
        end = start + len(text)
        touched: set[str] = set()
        if cursor is not None:
            for line in text.splitlines():
                touched.update(_paths(line))
        return touched, end, mark

    def _read(self, cursor: Cursor | None) -> tuple[bytes, int, str]:
        """The whole lines after the cursor, where they begin, and the mark at their end."""
        fs, path = open_store(self.place, self.options)
        with fs.open(path, "rb") as file:
            start = 0
            if cursor is not None:
                first = max(0, cursor.position - _MARK_BYTES)
                file.seek(first)
                before = cast("bytes", file.read(cursor.position - first))
                if first + len(before) < cursor.position or _mark(before) != cursor.mark:
                    raise FeedGapError("it was cut or written anew")
                start = cursor.position
            file.seek(start)
            text = cast("bytes", file.read())
            text = text[: text.rfind(b"\n") + 1]
            end = start + len(text)
            file.seek(max(0, end - _MARK_BYTES))
            return text, start, _mark(cast("bytes", file.read(min(end, _MARK_BYTES))))


def rules_of(collection: CollectionConfig) -> str:
    """Hash of what decides which files of a source are documents, and of where source and feed are."""
    values = collection.model_dump(include={"source", "feed", "exclude", "follow_links", "trust_times"})
    return fingerprint(_CODE_VERSION, json.dumps(values, sort_keys=True))


def followed(
    source: Source,
    collection: CollectionConfig,
    cursor: Cursor,
    *,
    touched: Iterable[str],
    known: Sequence[Row],
    now: datetime,
) -> Listing:
    """The listing that a full one would give, from what was known and a look at the paths that the feed names.

    Args:
        source: where to look.
        collection: its settings.
        cursor: what was known of metadata files and of files that were still being written.
        touched: uris that the feed names.
        known: rows of the documents table.
        now: the instant of the scan.

    Raises:
        FeedGapError: something was not readable before, or is no file now: only a listing tells what lies there.
    """
    uris = {row[c.URI] for row in known}
    looked = {unicodedata.normalize("NFC", uri) for uri in (*touched, *cursor.pending)}
    looked |= {row[c.URI] for row in known if row[c.ERROR] is not None}
    if any(
        unreadable_because(row[c.ERROR]) is not None or row[c.VERSION_ID] == UNREAD_VERSION for row in known
    ):
        raise FeedGapError("something could not be read before")
    if source.local:  # of these nothing is promised: they changed just before they were looked at
        looked |= {row[c.URI] for row in known if not row[c.ETAG]}
    looked |= {uri + SIDECAR_SUFFIX for uri in looked if not is_metadata(uri)}
    # A folder that went takes all below it along.
    gone = {
        str(parent) for uri in (*uris, *cursor.sidecars) for parent in PurePosixPath(uri).parents
    } & looked
    if gone:
        looked |= {
            uri
            for uri in (*uris, *cursor.sidecars)
            if any(str(p) in gone for p in PurePosixPath(uri).parents)
        }
    found = [file for file in (source.look(uri, now) for uri in sorted(looked)) if file is not None]
    if any(file.error for file in found):
        raise FeedGapError("what it names cannot be looked at")
    found += [Found(uri, source.location_of(uri), 0, now, "") for uri in cursor.sidecars if uri not in looked]
    listing = arrange(found, collection, source.read, now)
    untouched = [
        Entry(row[c.URI], source.location_of(row[c.URI]), row[c.BYTES], row[c.MODIFIED_AT], row[c.ETAG])
        for row in known
        if row[c.URI] not in looked
    ]
    return replace(
        listing,
        entries=tuple(sorted((*listing.entries, *untouched), key=lambda entry: entry.uri)),
        untouched=frozenset(entry.uri for entry in untouched),
    )


def _paths(line: bytes) -> Iterable[str]:
    """The paths that an event names."""
    if not line.strip():
        return
    try:
        event = json.loads(line)
    except ValueError:
        raise FeedGapError("a line of it is no JSON") from None
    if not isinstance(event, dict) or not isinstance(event.get("uri"), str):
        raise FeedGapError("an event of it names no uri")
    if event.get("kind") == "rename" and not isinstance(event.get("from"), str):
        raise FeedGapError('a rename in it names no "from"')
    for name in ("uri", "from"):
        uri = event.get(name)
        if isinstance(uri, str):
            path = PurePosixPath(uri)
            if path.is_absolute() or ".." in path.parts or not path.parts:
                raise FeedGapError(f"a {name} of it is no path below the source")
            yield str(path)


def _mark(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()
