"""Builds of the index: which there are, and going back to an earlier one."""

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, cast

from pipeline.line.judging import kept_back
from pipeline.line.keeping_up import tell_behind
from pipeline.line.lock import RUN, holding, is_held
from pipeline.line.policy import documents_of_today
from pipeline.line.workspace import WHOLE, Workspace
from pipeline.tables.stores import open_store

if TYPE_CHECKING:
    from pipeline.index.pointer import Build

_SHOWN: Final = 10
_MEGABYTE: Final = 1_000_000


def list_builds(workspace: Workspace) -> list[dict[str, Any]]:
    """Every build that is named somewhere, the live one first, then tables that nothing names.

    Each with its state (live, previous, candidate; rejected: a candidate that stays back; expired: goes with the next run;
    missing: named, but not there; building: a run is at work, and nothing names the table yet; tagged: only a tag holds it),
    why it has it where that was decided,
    the bytes of its rows and, shared by all builds in one table, those of the table with its indices and versions.
    """
    from pipeline.index.pointer import find_pointer, read_candidate
    from pipeline.index.retention import split, tagged_versions
    from pipeline.index.tables import connect, table_names

    root = workspace.index_root
    pointer, candidate = find_pointer(root), read_candidate(root)
    if pointer is None and candidate is None:
        return []
    database = connect(root)
    tables = {name: database.open_table(name) for name in table_names(database)}
    tagged = {name: tagged_versions(table) for name, table in tables.items()}
    sizes = {name: _folder_bytes(root, name) for name in tables}
    since = workspace.now() - timedelta(days=workspace.config.index.rollback_days)
    expired = split(pointer, since, tagged)[1] if pointer else ()
    named: list[tuple[str, Build]] = []
    for build in pointer.builds if pointer else ():
        live = pointer is not None and build is pointer.current
        named.append(("live" if live else "expired" if build in expired else "previous", build))
    if candidate is not None:
        stays = candidate.evaluation is not None and kept_back(candidate, pointer)
        named.append(("rejected" if stays else "candidate", candidate))
    found: list[dict[str, Any]] = []
    for state, build in named:
        held = _bytes(workspace, build)
        found.append(
            {
                "build": build.name,
                "state": state if held is not None else "missing",
                **build.model_dump(mode="json"),
                "behind": str(pointer.behind) if state == "live" and pointer and pointer.behind else "",
                "bytes": held,
                "table_bytes": sizes.get(build.table),
                "reason": kept_back(build, pointer)
                if state == "rejected"
                else (build.evaluation or {}).get("reason", ""),
                "tag": tagged.get(build.table, {}).get(build.version),
            }
        )
    unnamed = "building" if is_held(workspace, RUN) or is_held(workspace, WHOLE) else "expired"
    for name in sorted(tables.keys() - {build.table for _, build in named}):
        table = tables[name]
        found.append(
            {
                "build": f"{name}@{table.version}",
                "state": "tagged" if tagged[name] else unnamed,
                "table": name,
                "version": table.version,
                "rows": table.count_rows(),
                "table_bytes": sizes[name],
            }
        )
    return found


def _bytes(workspace: Workspace, build: "Build") -> int | None:
    """Bytes of a build's rows; None when it is not there."""
    from pipeline.index.errors import IndexMissingError
    from pipeline.index.reader import open_build

    try:
        stats: Mapping[str, Any] = open_build(workspace.index_root, build).table.stats()  # pyright: ignore[reportAssignmentType]
    except IndexMissingError:
        return None
    return int(stats["total_bytes"])


def _folder_bytes(root: str, table: str) -> int:
    fs, base = open_store(root)
    return cast("int", fs.du(posixpath.join(base, f"{table}.lance")))


def build_lines(builds: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """A line or more for each build, for a person."""
    for build in builds:
        size = build.get("bytes")
        facts = [
            f"{build['rows']:,} rows",
            f"{size / _MEGABYTE:.1f} MB" if size is not None else "",
            f"table {build['table_bytes'] / _MEGABYTE:.1f} MB" if build["table_bytes"] is not None else "",
            build.get("promoted_at", "")[:19],
            ", ".join(build.get("models", ())),
            f"tag {build['tag']}" if build.get("tag") else "",
        ]
        yield f"{build['state']:9} {build['build']}  {'  '.join(filter(None, facts))}"
        if build.get("fingerprint"):
            yield f"          fingerprint {build['fingerprint'][:16]}"
        if build.get("behind"):
            yield f"          {build['behind']}"
        for column, known in build.get("vector_indices", {}).items():
            use = "too little: exact search" if known["exact"] else "of the nearest rows"
            yield f"          {column}: the approximate index finds {known['recall']:.3f} {use}"
        evaluation = build.get("evaluation")
        if evaluation:
            recall = evaluation.get("recall@5")
            measured = (
                f"recall@5 {recall:.3f} on {len(evaluation.get('ranks', ()))} questions: "
                if recall is not None
                else ""
            )
            yield f"          {measured}{build['reason']}"


def roll_back(workspace: Workspace, build: str | None) -> dict[str, Any]:
    """Make an earlier build live, without what was deleted or forbidden since.

    Raises:
        NoIndexYetError: nothing has gone live.
        NoSuchBuildError: there is no such earlier build.
        LockedError: a run is under way.
    """
    from pipeline.index.rollback import rollback

    with holding(workspace, RUN, patience=0), holding(workspace, WHOLE):
        done = rollback(workspace.index_root, documents_of_today(workspace), workspace.now(), to=build)
        tell_behind(workspace, f"somebody went back from {done.replaced.name}")
    return {
        **done.build.model_dump(mode="json"),
        "replaced": done.replaced.name,
        "deleted": done.deleted,
        "updated": done.updated,
        "lost": asdict(done.lost),
    }


def preview_rollback(workspace: Workspace, build: str | None) -> dict[str, Any]:
    """To which build a rollback would go, and what would no longer answer. Touches nothing; raises as `roll_back`."""
    from pipeline.index.pointer import read_pointer
    from pipeline.index.rollback import find_target, would_lose

    root = workspace.index_root
    target = find_target(read_pointer(root), build)
    lost = would_lose(root, documents_of_today(workspace), to=target.name)
    return {**target.model_dump(mode="json"), "lost": asdict(lost)}


def rollback_lines(entry: Mapping[str, Any]) -> Iterable[str]:
    """What a rollback did, or would do, for a person."""
    name = f"{entry['table']}@{entry['version']}"
    yield f"live: {name}, {entry['rows']} rows" if "replaced" in entry else f"would go back to {name}"
    lost: Mapping[str, list[str]] = entry["lost"]
    for key, meaning in (
        ("missing", "not in that build, so not found"),
        ("identified_anew", "in that build under an identity that is gone, so not found"),
        ("older", "found in the version of that build"),
    ):
        paths = lost[key]
        if paths:
            more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
            yield f"{len(paths)} {meaning}: {', '.join(paths[:_SHOWN])}{more}"
