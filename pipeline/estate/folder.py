"""A source that is a folder on this machine."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from pipeline.config import CollectionConfig
from pipeline.estate.media import is_litter, is_litter_folder, is_metadata
from pipeline.estate.source import RACY, Found, Listing, arrange, read_file, reason_of, source_error, spelled

OUTSIDE: Final = "is a link to a place outside the source; follow_links = true would follow it"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = (
    (end.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1) for end in (datetime.min, datetime.max)
)


@dataclass(frozen=True)
class Folder:
    """A local folder and everything below it.

    Symbolic links inside the folder are followed; those that lead out of it only with `follow_links`, for whoever may write
    into a shared folder could otherwise show what this process may read and others may not. Links to metadata files are
    followed: what they can say, a file in their place could say, too. A folder is listed once, under its own path rather
    than a link's, so that a loop ends. What is neither file nor folder is reported.

    Attributes:
        root: the folder.
        rules: settings of the collection.
    """

    root: str
    rules: CollectionConfig

    @property
    def local(self) -> bool:
        """Locations are paths."""
        return True

    def listing(self, now: datetime | None = None) -> Listing:
        """List the folder.

        Raises:
            SourceError: the folder does not exist, is no folder or cannot be read.
        """
        now = now or datetime.now(UTC)
        return arrange(self._found(now), self.rules, read_file, now)

    def look(self, uri: str, now: datetime) -> Found | None:
        """What lies at one path. What is no file, or lies behind a link, has an error: a listing tells more."""
        path = Path(spelled(self.location_of(uri)))
        try:
            status = path.stat()
            linked = any(
                parent.is_symlink()
                for parent in (path, *path.parents)
                if parent.is_relative_to(self.root) and parent != Path(self.root)
            )
        except (FileNotFoundError, NotADirectoryError):
            return None if not path.is_symlink() else _as_found(uri, path, None, "is a link to nothing", now)
        except OSError as error:
            return _as_found(uri, path, None, reason_of(error), now)
        if linked or not stat.S_ISREG(status.st_mode):
            return _as_found(uri, path, None, "is no plain file", now)
        return _as_found(uri, path, status, "", now)

    def read(self, location: str) -> Iterator[bytes]:
        """The bytes of a file in blocks."""
        return read_file(location)

    def location_of(self, uri: str) -> str:
        """The path of a uri; `source.spelled` finds how the file system spells it."""
        return str(Path(self.root) / uri)

    def _found(self, now: datetime) -> Iterator[Found]:
        root = Path(self.root)
        for path, status, error, cause in _walk(root, follow=self.rules.follow_links):
            if path == root:
                raise source_error(self.root, error, cause)
            yield _as_found(path.relative_to(root).as_posix(), path, status, error, now)


class _Place(NamedTuple):
    """A file with its status, or a place that cannot be looked at (status None) with the reason."""

    path: Path
    status: os.stat_result | None
    error: str
    cause: OSError | None = None


def _walk(root: Path, *, follow: bool) -> Iterator[_Place]:
    seen: set[tuple[int, int]] = set()
    home = os.path.realpath(root)
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
            yield _Place(folder, None, reason_of(error), error)
            continue
        for child in children:
            path = Path(child.path)
            try:
                status = child.stat()
            except OSError as error:
                if not is_litter(child.name):
                    yield _Place(path, None, reason_of(error))
                continue
            is_folder = stat.S_ISDIR(status.st_mode)
            if is_litter_folder(child.name) if is_folder else is_litter(child.name):
                continue
            leads_out = not follow and child.is_symlink() and not _inside(path, home)
            if leads_out and not is_metadata(child.name):
                yield _Place(path, None, OUTSIDE)
            elif is_folder:
                (links if child.is_symlink() else folders).append(path)
            else:
                regular = stat.S_ISREG(status.st_mode)
                yield _Place(path, status if regular else None, "is neither a file nor a folder")


def _inside(path: Path, home: str) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(home)


def _as_found(name: str, path: Path, status: os.stat_result | None, error: str, now: datetime) -> Found:
    if status is None:
        return Found(name, str(path), 0, _EPOCH, "", error)
    changed = _instant(max(status.st_mtime_ns, status.st_ctime_ns))
    # The change time is the kernel's own: a copy with an old modification time still moves it.
    etag = f"{status.st_size}-{status.st_mtime_ns}-{status.st_ctime_ns}-{status.st_ino}"
    return Found(
        name=name,
        location=str(path),
        size=status.st_size,
        modified_at=_instant(status.st_mtime_ns),
        etag=etag if now - changed > RACY else "",
    )


def _instant(nanoseconds: int) -> datetime:
    """An instant; file systems know times that a calendar of four-digit years does not."""
    return _EPOCH + timedelta(microseconds=min(max(nanoseconds // 1000, _FIRST), _LAST))
