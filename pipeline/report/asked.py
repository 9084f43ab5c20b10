"""What models were asked, in numbers: figures (and which are in the index at all), and chunks placed in their documents."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.config import ContextConfig, FiguresConfig
from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from pipeline.tables.lake import Lake

# Their words are in the index: under the caption, or as a paragraph.
_INDEXED = ("captioned", "labelled")


@dataclass(frozen=True)
class _Unanswered:
    """What a model has not answered, in the whole estate.

    Attributes:
        waiting: what is still to be asked.
        failed: what could not be asked or answered.
        why: why it waits or failed, each reason once.
        cost: of asking what waits; 0 when no prices are configured.
    """

    waiting: int
    failed: int
    why: tuple[str, ...]
    cost: float

    def _lines(self, answered: str, to_ask: str) -> Iterable[str]:
        """What was answered, what waits and what asking that takes, what failed, and why."""
        waiting = f"{self.waiting} waiting" + (to_ask if self.waiting else "")
        yield f"{answered}, {waiting}, {self.failed} failed"
        for reason in self.why:
            yield f"            {reason}"


@dataclass(frozen=True)
class FigureCounts(_Unanswered):
    """Pictures of the whole estate; those that a model is to describe are counted as distinct images.

    Attributes:
        indexed: pictures whose caption or labels are in the index.
        skipped: the others, by the reason.
        described: distinct images that a vision model described.
    """

    indexed: int
    skipped: Mapping[str, int]
    described: int

    def lines(self) -> Iterable[str]:
        """The counts for a person."""
        reasons = ", ".join(f"{count} {reason}" for reason, count in self.skipped.items())
        left = sum(self.skipped.values())
        yield f"figures     {self.indexed} indexed, {left} skipped" + (f" ({reasons})" if reasons else "")
        if self.described or self.waiting or self.failed:
            to_ask = f" ({self.cost:.2f} to send)" if self.cost else ""
            yield from self._lines(f"            {self.described} described", to_ask)


@dataclass(frozen=True)
class ContextCounts(_Unanswered):
    """Chunks of the whole estate that a language model is to place in their documents.

    Attributes:
        written: chunks that the model was asked about.
        tokens: of the questions that wait, without the answers.
    """

    written: int
    tokens: int

    def lines(self) -> Iterable[str]:
        """The counts for a person; nothing where no chunk is to be asked about."""
        if not (self.written or self.waiting or self.failed):
            return
        price = f", {self.cost:.2f}" if self.cost else ""
        yield from self._lines(
            f"contexts    {self.written} written", f" ({self.tokens} tokens{price} to ask)"
        )


def figure_counts(lake: Lake, partitions: Iterable[str], config: FiguresConfig) -> FigureCounts:
    """Count the pictures of the published pages and the descriptions of them.

    Args:
        lake: the tables.
        partitions: which of them.
        config: the price of an image.
    """
    names = list(partitions)
    pages = [lake.current(s.PARSED_PAGES, name, [c.PICTURES]) for name in names]
    pictures = pl.concat([s.PARSED_PAGES.empty().select(c.PICTURES), *pages])[c.PICTURES]
    decisions = pictures.explode(empty_as_null=False).struct.field("decision").rename("decision")
    by_decision = dict(
        decisions.value_counts().sort("count", "decision", descending=[True, False]).iter_rows()
    )
    rows = _rows(lake, s.FIGURE_DESCRIPTIONS, names).unique(c.INPUT_HASH)
    return FigureCounts(
        indexed=sum(by_decision.get(name, 0) for name in _INDEXED),
        skipped={name: count for name, count in by_decision.items() if name not in _INDEXED},
        described=_count(rows, "described"),
        waiting=_count(rows, "waiting"),
        failed=_count(rows, "failed"),
        why=_reasons(rows),
        cost=round(_count(rows, "waiting") * config.cost_per_image, 4),
    )


def context_counts(lake: Lake, partitions: Iterable[str], config: ContextConfig) -> ContextCounts:
    """Count the rows of `contexts`.

    Args:
        lake: the tables.
        partitions: which of them.
        config: the prices.
    """
    rows = _rows(lake, s.CONTEXTS, partitions)
    questions = rows.filter(status="waiting").unique(c.QUESTION_HASH)
    tokens = int(questions[c.TOKEN_COUNT].sum())
    return ContextCounts(
        written=_count(rows, "written"),
        waiting=_count(rows, "waiting"),
        failed=_count(rows, "failed"),
        why=_reasons(rows),
        tokens=tokens,
        cost=round(config.cost(questions.height, tokens), 4),
    )


def _rows(lake: Lake, table: s.Table, partitions: Iterable[str]) -> pl.DataFrame:
    return pl.concat([table.empty(), *(lake.current(table, name) for name in partitions)])


def _count(rows: pl.DataFrame, status: str) -> int:
    return int((rows[c.STATUS] == status).sum())


def _reasons(rows: pl.DataFrame) -> tuple[str, ...]:
    return tuple(rows.filter(pl.col(c.DETAIL) != "")[c.DETAIL].unique().sort().head(5))
