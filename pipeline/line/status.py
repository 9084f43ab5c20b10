"""The state of a project: what is there, what is live, what is stale."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from pipeline.estate.versions import without_editions
from pipeline.index.pointer import Behind
from pipeline.line.history import OUTCOMES, history_json, read_history
from pipeline.line.judging import kept_back
from pipeline.line.stage import Stage, is_fresh
from pipeline.line.stages import PARTITIONED
from pipeline.line.whole_estate import GLOBAL, held_back
from pipeline.line.workspace import Workspace
from pipeline.report.exceptions import read_register
from pipeline.report.run_report import page_routes
from pipeline.tables import columns as c
from pipeline.tables import schemas as s


@dataclass(frozen=True)
class Status:
    """What `kesit status --json` prints.

    Attributes:
        documents: in the estate.
        earlier_editions: that are kept beside them.
        pages: passed, flagged and rejected.
        chunks: in the lake.
        live: table, version, fingerprint and promoted_at of what is searched; None before the first build.
        behind: how many documents are newer than what is live, since when, and why; None: none is.
        newest: the newest build, whether it is live, and if not why; None before the first.
        stages: of each partitioned stage its partitions that are fresh and stale (by number and by name), and when it was last
            published.
        stale: stages that a run would have something to do for.
        held: why nothing that a run builds goes live, after a rollback; "" when it does.
        last_run: when the last run of the command line began, how it ended, and what stopped; None before the first.
        exceptions_open: pages and documents that are not in the index.
        exceptions: their number by reason.
    """

    documents: int
    earlier_editions: int
    pages: Mapping[str, int]
    chunks: int
    live: Mapping[str, Any] | None
    behind: Behind | None
    newest: Mapping[str, Any] | None
    stages: Mapping[str, Mapping[str, Any]]
    last_run: Mapping[str, Any] | None
    stale: tuple[str, ...]
    held: str
    exceptions_open: int
    exceptions: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        """Plain dictionaries, lists and numbers."""
        return asdict(self) | {"behind": self.behind.model_dump(mode="json") if self.behind else None}

    def lines(self) -> Iterable[str]:
        """The status for a person."""
        if self.live is None and self.last_run is None and not self.documents:
            yield "nothing has run yet: `kesit scan` shows what a run would do, `kesit run` does it"
            return
        earlier = f", {self.earlier_editions} earlier editions" if self.earlier_editions else ""
        yield f"documents   {self.documents}{earlier}"
        yield "pages       " + ", ".join(f"{count} {route}" for route, count in self.pages.items())
        yield f"chunks      {self.chunks}"
        live = self.live
        yield (
            f"live        {live['table']} version {live['version']} since {_minute(live['promoted_at'])}"
            if live
            else "live        nothing yet"
        )
        if self.behind:
            yield f"behind      {self.behind}"
        if self.newest and not self.newest["live"]:
            yield f"newest      {self.newest['build']} is not live: {self.newest['reason']}"
        yield f"stale       {', '.join(self.stale) or 'nothing'}"
        for name, stage in self.stages.items():
            if stage["stale"]:
                shown = ", ".join(stage["stale"][:5]) + (" …" if len(stage["stale"]) > 5 else "")
                at = stage["published_at"]
                since = f"last published {_minute(at)}" if at else "never published"
                yield f"            {name}: {len(stage['stale'])} of {stage['partitions']} partitions ({shown}); {since}"
        if self.held:
            yield f"            {self.held}"
        elif self.stale:
            yield "            `kesit run` brings it up to date"
        if self.last_run:
            yield f"last run    {_minute(self.last_run['started_at'])}, {OUTCOMES[self.last_run['outcome']]}"
            yield from (f"            {error}" for error in self.last_run["errors"])
        reasons = ", ".join(f"{count} {reason}" for reason, count in self.exceptions.items())
        yield f"exceptions  {self.exceptions_open} open{f': {reasons}; `kesit exceptions` says what to do' if reasons else ''}"


def _minute(instant: str) -> str:
    """An instant in ISO 8601, to the minute, for a person."""
    return f"{datetime.fromisoformat(instant).astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def status(workspace: Workspace) -> Status:
    """Look at the tables, the sources and the pointer; changes nothing.

    Raises:
        SourceError: a source cannot be listed.
    """
    from pipeline.index.pointer import find_pointer

    partitions = workspace.partitions
    stages = {stage.name: _stage(workspace, stage) for stage in PARTITIONED}
    stale = [name for name, stage in stages.items() if stage["stale"]]
    stale += [stage.name for stage in GLOBAL if not stage.is_fresh(workspace)]
    pointer = find_pointer(workspace.index_root)
    documents = workspace.read(s.DOCUMENTS)
    earlier = documents.height - without_editions(documents).height
    register = read_register(workspace.lake)
    return Status(
        documents=documents.height - earlier,
        earlier_editions=earlier,
        pages=page_routes(workspace.lake, partitions),
        chunks=workspace.rows(s.CHUNKS),
        live=pointer.current.model_dump(
            mode="json", include={"table", "version", "fingerprint", "promoted_at"}
        )
        if pointer
        else None,
        behind=pointer.behind if pointer else None,
        newest=_shown_newest(workspace),
        stages=stages,
        last_run=next(
            (
                {"started_at": run["started_at"], "outcome": run["outcome"], "errors": run["errors"]}
                for run in history_json(read_history(workspace.lake, limit=1))
            ),
            None,
        ),
        stale=tuple(stale),
        held=held_back(workspace),
        exceptions_open=register.height,
        exceptions=dict(register[c.REASON].value_counts().sort(c.REASON).iter_rows()),
    )


def _stage(workspace: Workspace, stage: Stage) -> dict[str, Any]:
    stale = [name for name in workspace.partitions if not is_fresh(workspace, stage, name)]
    table = stage.writes(workspace)[-1]
    times = [workspace.lake.published_at(table, name) for name in workspace.partitions]
    last = max((time for time in times if time), default=None)
    return {
        "partitions": len(workspace.partitions),
        "fresh": len(workspace.partitions) - len(stale),
        "stale": stale,
        "published_at": last.isoformat(timespec="seconds") if last else None,
    }


def _shown_newest(workspace: Workspace) -> dict[str, Any] | None:
    from pipeline.index.pointer import find_pointer, newest_build

    pointer, build = find_pointer(workspace.index_root), newest_build(workspace.index_root)
    if build is None:
        return None
    live = pointer is not None and build == pointer.current
    reason = "" if live else kept_back(build, pointer) or "it waits for the next run"
    return {"build": build.name, "live": live, "reason": reason}
