"""Builds of the index: which there are, and going back to an earlier one."""

from collections.abc import Iterable, Mapping
from typing import Any

from pipeline.line.lock import RUN, holding
from pipeline.line.policy import documents_of_today
from pipeline.line.workspace import WHOLE, Workspace


def list_builds(workspace: Workspace) -> list[dict[str, Any]]:
    """Every build that is named somewhere, the live one first, with its state: live, previous, candidate or rejected."""
    from pipeline.index.pointer import find_pointer, read_candidate

    pointer = find_pointer(workspace.index_root)
    candidate = read_candidate(workspace.index_root)
    states = [
        ("live" if n == 0 else "previous", build) for n, build in enumerate(pointer.builds if pointer else ())
    ]
    if candidate is not None:
        rejected = candidate.evaluation is not None and not candidate.evaluation.get("promote", False)
        states.append(("rejected" if rejected else "candidate", candidate))
    return [{"build": build.name, "state": state, **build.model_dump(mode="json")} for state, build in states]


def build_lines(builds: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """One line a build, for a person."""
    for build in builds:
        evaluation = build["evaluation"] or {}
        yield f"{build['state']:9} {build['build']}  {build['rows']} rows  {build['promoted_at'][:19]}  {', '.join(build['models'])}"
        if evaluation:
            yield f"          {evaluation.get('reason', '')}"


def roll_back(workspace: Workspace, build: str | None) -> dict[str, Any]:
    """Make an earlier build live, without what was deleted or forbidden since.

    Raises:
        NoIndexYetError: nothing has gone live.
        SearchIndexError: there is no such earlier build.
        LockedError: a run is under way.
    """
    from pipeline.index.rollback import rollback

    with holding(workspace, RUN, patience=0), holding(workspace, WHOLE):
        done = rollback(workspace.index_root, documents_of_today(workspace), workspace.now(), to=build)
    return {
        **done.build.model_dump(mode="json"),
        "replaced": done.replaced.name,
        "deleted": done.deleted,
        "updated": done.updated,
    }
