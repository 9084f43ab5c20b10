"""The state of a project: what is there, what is live, what is stale."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pipeline.line.stage import is_fresh
from pipeline.line.stages import PARTITIONED
from pipeline.line.whole_estate import GLOBAL
from pipeline.line.workspace import Workspace
from pipeline.report.exceptions import read_register
from pipeline.report.run_report import page_routes
from pipeline.tables import schemas as s


@dataclass(frozen=True)
class Status:
    """What `kesit status --json` prints.

    Attributes:
        documents: versions of documents in the estate.
        pages: passed, flagged and rejected.
        chunks: in the lake.
        live: table, version, fingerprint and promoted_at of what is searched; None before the first build.
        stale: stages that a run would have something to do for.
        exceptions_open: pages and documents that are not in the index.
    """

    documents: int
    pages: Mapping[str, int]
    chunks: int
    live: Mapping[str, Any] | None
    stale: tuple[str, ...]
    exceptions_open: int

    def as_json(self) -> dict[str, Any]:
        """Plain dictionaries, lists and numbers."""
        return asdict(self)

    def lines(self) -> Iterable[str]:
        """The status for a person."""
        yield f"documents   {self.documents}"
        yield "pages       " + ", ".join(f"{count} {route}" for route, count in self.pages.items())
        yield f"chunks      {self.chunks}"
        live = self.live
        yield (
            f"live        {live['table']} version {live['version']} since {live['promoted_at']}"
            if live
            else "live        nothing yet"
        )
        yield f"stale       {', '.join(self.stale) or 'nothing'}"
        yield f"exceptions  {self.exceptions_open} open"


def status(workspace: Workspace) -> Status:
    """Look at the tables, the sources and the pointer; changes nothing.

    Raises:
        SourceError: a source cannot be listed.
    """
    from pipeline.index.pointer import find_pointer

    partitions = workspace.partitions
    stale = [
        stage.name
        for stage in PARTITIONED
        if not all(is_fresh(workspace, stage, name) for name in partitions)
    ]
    stale += [stage.name for stage in GLOBAL if not stage.is_fresh(workspace)]
    pointer = find_pointer(workspace.index_root)
    return Status(
        documents=_rows(workspace, s.DOCUMENTS),
        pages=page_routes(workspace.lake, partitions),
        chunks=_rows(workspace, s.CHUNKS),
        live=pointer.current.model_dump(
            mode="json", include={"table", "version", "fingerprint", "promoted_at"}
        )
        if pointer
        else None,
        stale=tuple(stale),
        exceptions_open=read_register(workspace.lake).height,
    )


def _rows(workspace: Workspace, table: s.Table) -> int:
    states = (workspace.lake.state(table, name) for name in workspace.partitions)
    return sum(state.rows for state in states if state)
