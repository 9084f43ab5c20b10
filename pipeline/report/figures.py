"""Figures in numbers: how many are in the index, how many are not and why, how many a vision model described."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from pipeline.tables.lake import Lake

# Their words are in the index: under the caption, or as a paragraph.
_INDEXED = ("captioned", "labelled")


@dataclass(frozen=True)
class FigureCounts:
    """Pictures of the whole estate.

    Attributes:
        indexed: pictures whose caption or labels are in the index.
        skipped: the others, by the reason.
        described: distinct images that a vision model described.
        waiting: distinct images that are still to be sent.
        failed: distinct images that could not be described.
        why: why images wait or failed, each reason once.
        cost: of sending those that wait; 0 when the price of one is not configured.
    """

    indexed: int
    skipped: Mapping[str, int]
    described: int
    waiting: int
    failed: int
    why: tuple[str, ...]
    cost: float

    def lines(self) -> Iterable[str]:
        """The counts for a person."""
        reasons = ", ".join(f"{count} {reason}" for reason, count in self.skipped.items())
        left = sum(self.skipped.values())
        yield f"figures     {self.indexed} indexed, {left} skipped" + (f" ({reasons})" if reasons else "")
        if self.described or self.waiting or self.failed:
            cost = f" ({self.cost:.2f} to send)" if self.waiting and self.cost else ""
            yield (
                f"            {self.described} described, {self.waiting} waiting{cost}, {self.failed} failed"
            )
        for reason in self.why:
            yield f"            {reason}"


def figure_counts(lake: Lake, partitions: Iterable[str], cost_per_image: float) -> FigureCounts:
    """Count the pictures of the published pages and the descriptions of them.

    Args:
        lake: the tables.
        partitions: which of them.
        cost_per_image: as configured.
    """
    names = list(partitions)
    pages = [lake.current(s.PARSED_PAGES, name, [c.PICTURES]) for name in names]
    pictures = pl.concat([s.PARSED_PAGES.empty().select(c.PICTURES), *pages])[c.PICTURES]
    decisions = pictures.explode(empty_as_null=False).struct.field("decision").rename("decision")
    by_decision = dict(
        decisions.value_counts().sort("count", "decision", descending=[True, False]).iter_rows()
    )
    described = pl.concat(
        [s.FIGURE_DESCRIPTIONS.empty(), *(lake.current(s.FIGURE_DESCRIPTIONS, name) for name in names)]
    ).unique(c.INPUT_HASH)
    statuses = dict(described[c.STATUS].value_counts().iter_rows())
    waiting = statuses.get("waiting", 0)
    return FigureCounts(
        indexed=sum(by_decision.get(name, 0) for name in _INDEXED),
        skipped={name: count for name, count in by_decision.items() if name not in _INDEXED},
        described=statuses.get("described", 0),
        waiting=waiting,
        failed=statuses.get("failed", 0),
        why=tuple(described.filter(pl.col(c.DETAIL) != "")[c.DETAIL].unique().sort().head(5)),
        cost=round(waiting * cost_per_image, 4),
    )
