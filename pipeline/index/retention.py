"""Removal of builds whose time for a rollback is over."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from pipeline.index.pointer import Build, Pointer, find_pointer, read_candidate, write_pointer
from pipeline.index.tables import connect, table_names

if TYPE_CHECKING:
    from lancedb.table import Table

# Readers notice a new pointer within seconds; a table without a pointer may be one that is being built.
GRACE: Final = timedelta(hours=1)


@dataclass(frozen=True)
class Removed:
    """What was removed.

    Attributes:
        builds: names of builds that can no longer be rolled back to.
        tables: names of dropped tables.
        versions: number of versions removed from tables that stay.
    """

    builds: tuple[str, ...]
    tables: tuple[str, ...]
    versions: int


def remove_expired(root: str, rollback_days: int, now: datetime, *, grace: timedelta = GRACE) -> Removed:
    """Forget builds that ceased to be live too long ago, and remove what neither the pointer nor a tag names.

    A version that carries a LanceDB tag stays, and so does its build among the previous ones.

    The pointer is written first: a run that is killed afterwards leaves files too many, never a pointer to nothing.

    Args:
        root: folder or URL of the index.
        rollback_days: for how many days after it ceased to be live a build is kept.
        now: the present, with a time zone.
        grace: nothing younger than this is removed, named or not, nor versions that precede a needed one by less.
    """
    pointer = find_pointer(root)
    if pointer is None:
        return Removed((), (), 0)
    window = max(timedelta(days=rollback_days), grace)
    database = connect(root)
    tagged = {name: tagged_versions(database.open_table(name)) for name in table_names(database)}
    kept, expired = split(pointer, now - window, tagged)
    if expired:
        write_pointer(root, pointer.model_copy(update={"previous": kept}))
    candidate = read_candidate(root)
    named = [pointer.current, *kept, *([candidate] if candidate else [])]
    dropped: list[str] = []
    versions = 0
    for name, tags in tagged.items():
        table = database.open_table(name)
        needed = [*(build.version for build in named if build.table == name), *tags]
        if needed:
            versions += _trim(table, needed, grace)
        elif _times(table)[table.version] < now - window:
            database.drop_table(name)
            dropped.append(name)
    return Removed(tuple(build.name for build in expired), tuple(dropped), versions)


def has_expired(root: str, rollback_days: int, now: datetime) -> bool:
    """Whether the time of a build for a rollback is over, told from the pointer alone: LanceDB is not loaded for it.

    Args:
        root: folder or URL of the index.
        rollback_days: for how many days after it ceased to be live a build is kept.
        now: the present, with a time zone.
    """
    pointer = find_pointer(root)
    return pointer is not None and bool(split(pointer, now - timedelta(days=rollback_days), {})[1])


def split(
    pointer: Pointer, since: datetime, tagged: Mapping[str, Collection[int]]
) -> tuple[tuple[Build, ...], tuple[Build, ...]]:
    """Previous builds to keep and to forget. A build ceased to be live when the one after it went live.

    Args:
        pointer: the live pointer.
        since: a build that ceased to be live before is forgotten, unless a tag holds it.
        tagged: versions that carry a tag, by table.
    """
    ended = [build.promoted_at for build in pointer.builds[:-1]]
    kept = tuple(
        build
        for build, end in zip(pointer.previous, ended, strict=True)
        if end >= since or build.version in tagged.get(build.table, ())
    )
    return kept, tuple(build for build in pointer.previous if build not in kept)


def tagged_versions(table: "Table") -> dict[int, str]:
    """The versions of a table that carry a tag, and its name."""
    tags: Mapping[str, Any] = table.tags.list()
    return {tag["version"]: name for name, tag in tags.items()}


def _trim(table: "Table", needed: list[int], grace: timedelta) -> int:
    """Remove the versions that are older than the oldest needed one by more than the grace. Returns how many."""
    times = _times(table)
    oldest = min((times[version] for version in needed if version in times), default=None)
    if oldest is None or not any(time < oldest - grace for time in times.values()):
        return 0
    # LanceDB measures from its own, later present: the grace keeps the needed version out of its reach.
    table.optimize(cleanup_older_than=datetime.now(UTC) - oldest + grace)
    return len(times) - len(table.list_versions())


def _times(table: "Table") -> dict[int, datetime]:
    """When each version was made. LanceDB gives local times without a zone."""
    return {entry["version"]: entry["timestamp"].astimezone(UTC) for entry in table.list_versions()}
