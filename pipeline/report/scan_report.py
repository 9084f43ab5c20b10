"""The report of a dry run: what changed in the estate since the tables were written."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pipeline.estate.guard import MassDeleteError, check_deletes
from pipeline.estate.scan import CHANGE_KINDS, Scan
from pipeline.report.estimate import Estimate
from pipeline.report.run_report import counted
from pipeline.tables import columns as c


@dataclass(frozen=True)
class Change:
    """A document that is not as it was."""

    kind: str
    document: str
    detail: str


@dataclass(frozen=True)
class ScanReport:
    """What `kesit scan --json` prints.

    Attributes:
        documents: counts by kind of change.
        changes: the changes one by one.
        estimate: what a run would take.
        warnings: what to look at before a run.
    """

    documents: dict[str, int]
    changes: tuple[Change, ...]
    estimate: Estimate
    warnings: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Plain dictionaries, lists and numbers."""
        return asdict(self)

    def lines(self) -> Iterable[str]:
        """The report for a person."""
        for change in self.changes:
            yield f"{change.kind:10} {change.document}" + (f"  ({change.detail})" if change.detail else "")
        yield counted(self.documents)
        yield from self.estimate.lines()
        yield from (f"warning: {line}" for line in self.warnings)


def scan_report(scans: Sequence[Scan], estimate: Estimate) -> ScanReport:
    """One report of the scans of several collections; unchanged documents are counted, not listed."""
    changes = tuple(
        Change(row["kind"], f"{scan.collection.name}/{row[c.URI]}", row[c.DETAIL])
        for scan in scans
        for row in scan.changes.sort("kind", c.URI).iter_rows(named=True)
        if row["kind"] != "unchanged"
    )
    counts = {kind: sum(scan.count(kind) for scan in scans) for kind in CHANGE_KINDS}
    warnings = tuple(line for scan in scans for line in (*scan_warnings(scan), *_refusal(scan)))
    return ScanReport(counts, changes, estimate, warnings)


def scan_warnings(scan: Scan) -> Iterable[str]:
    """What is odd about a collection, though it may be right."""
    name, deleted = scan.collection.name, scan.count("deleted")
    if scan.documents.is_empty() and deleted:
        yield f"collection {name!r} would lose all its documents ({deleted}); is its source whole?"
    elif scan.documents.is_empty():
        yield f"collection {name!r}: its source holds no documents"


def _refusal(scan: Scan) -> Iterable[str]:
    """What a run would say instead of running."""
    try:
        check_deletes(
            scan.collection.name, scan.changes.filter(kind="deleted")[c.URI].to_list(), scan.previous
        )
    except MassDeleteError as error:
        yield str(error).partition("\n")[0].removesuffix(":")
