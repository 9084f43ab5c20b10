"""The history of runs: each report is kept as a row of the table `runs`."""

import json
import time
import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

import polars as pl

from pipeline.estate.scan import CHANGE_KINDS
from pipeline.line.workspace import Workspace
from pipeline.report.run_report import RunReport
from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from pipeline.tables.lake import Lake, LakeError

OUTCOMES: Final = {
    "complete": "complete",
    "documents_failed": "complete but for failed documents",
    "stopped": "stopped",
}
"""How a run ended, for a person."""


def keep_report(workspace: Workspace, report: RunReport, started: datetime, *, only: str | None) -> str:
    """Add a run to the history.

    The run has done its work by now: that it cannot be written down must not undo it, so nothing is raised.

    Returns:
        Why it could not be kept; "" if it was.
    """
    name = f"{started:%Y-%m}"
    try:
        before = workspace.lake.current(s.RUNS, name)
        row = _row(report, started, (workspace.now() - started).total_seconds(), only)
        workspace.lake.publish(s.RUNS, name, pl.concat([before, s.RUNS.frame([row])]), row[c.RUN_ID])
    except LakeError as error:
        return str(error)
    return ""


def read_history(lake: Lake, *, limit: int) -> pl.DataFrame:
    """The last runs, the latest first. Only the months that are needed are read.

    Args:
        lake: the tables.
        limit: how many.

    Raises:
        LakeError: the store could not be asked.
    """
    found = s.RUNS.empty()
    for month in reversed(lake.partitions(s.RUNS)):
        found = pl.concat([lake.current(s.RUNS, month), found])
        if found.height >= limit:
            break
    return found.sort(s.RUNS.key, descending=True).head(limit)


def history_json(runs: pl.DataFrame) -> list[dict[str, Any]]:
    """Plain dictionaries, the report of each run as an object."""
    return [
        row | {c.STARTED_AT: row[c.STARTED_AT].isoformat(), c.REPORT: json.loads(row[c.REPORT])}
        for row in runs.iter_rows(named=True)
    ]


def history_lines(runs: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """One line a run, for a person; below it what stopped."""
    runs = list(runs)
    if not runs:
        yield "no runs yet; `kesit run` makes the first"
    width = max((len(OUTCOMES[run[c.OUTCOME]]) for run in runs), default=0)
    for run in runs:
        changed = ", ".join(
            f"{count} {kind}" for kind, count in run[c.CHANGES].items() if count and kind != "unchanged"
        )
        live = f"{run[c.BUILD] or 'nothing'} {'live' if run[c.PROMOTED] else 'not live: ' + run[c.REASON]}"
        only = f"  only {run[c.COLLECTION]}" if run[c.COLLECTION] else ""
        yield (
            f"{run[c.STARTED_AT][:19]}  {run[c.SECONDS]:8.1f} s  {OUTCOMES[run[c.OUTCOME]]:{width}}  {changed or 'no changes'}"
            f"; {run[c.COMPUTED]} embedded; {live}{only}"
        )
        yield from (f"    {error}" for error in run[c.ERRORS])


def _row(report: RunReport, started: datetime, seconds: float, only: str | None) -> dict[str, Any]:
    index = report.index
    return {
        # In the order of time, and of two that start at once still distinct.
        c.RUN_ID: f"{time.time_ns():020}-{uuid.uuid4().hex[:8]}",
        c.STARTED_AT: started,
        c.SECONDS: seconds,
        c.OUTCOME: "stopped" if report.errors else "documents_failed" if report.failed else "complete",
        c.COLLECTION: only or "",
        c.CHANGES: {kind: report.documents[kind] for kind in CHANGE_KINDS},
        c.CHUNKS_ADDED: report.chunks["added"],
        c.CHUNKS_REMOVED: report.chunks["removed"],
        c.COMPUTED: report.embeddings["computed"],
        c.BUILD: f"{index['table']}@{index['version']}" if index["table"] else "",
        c.PROMOTED: bool(index["promoted"]),
        c.REASON: index["reason"] or "",
        c.ERRORS: list(report.errors),
        c.REPORT: json.dumps(report.as_json(), ensure_ascii=False, default=str),
    }
