"""The report of a dry run: what changed in the estate since the tables were written."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pipeline.estate.scan import CHANGE_KINDS, Scan
from pipeline.tables import columns as c


@dataclass(frozen=True)
class Change:
    """A document that is not as it was."""

    kind: str
    document: str
    detail: str


@dataclass(frozen=True)
class ScanReport:
    """What `kesit scan --json` prints: counts of documents by kind of change, and the changes one by one."""

    documents: dict[str, int]
    changes: tuple[Change, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain dictionaries, lists and numbers."""
        return asdict(self)

    def lines(self) -> Iterable[str]:
        """The report for a person."""
        for change in self.changes:
            yield f"{change.kind:10} {change.document}" + (f"  ({change.detail})" if change.detail else "")
        yield ", ".join(f"{count} {kind}" for kind, count in self.documents.items())


def scan_report(scans: Sequence[Scan]) -> ScanReport:
    """One report of the scans of several collections; unchanged documents are counted, not listed."""
    changes = tuple(
        Change(row["kind"], f"{scan.collection.name}/{row[c.URI]}", row[c.DETAIL])
        for scan in scans
        for row in scan.changes.sort("kind", c.URI).iter_rows(named=True)
        if row["kind"] != "unchanged"
    )
    return ScanReport({kind: sum(scan.count(kind) for scan in scans) for kind in CHANGE_KINDS}, changes)
