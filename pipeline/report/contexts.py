"""Chunks in numbers that a language model placed in their documents, or is to."""

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from pipeline.config import ContextConfig
from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from pipeline.tables.lake import Lake


@dataclass(frozen=True)
class ContextCounts:
    """Chunks of the whole estate.

    Attributes:
        written: chunks that the model was asked about.
        waiting: chunks that it is still to be asked about.
        failed: chunks that it could not be asked about.
        why: why chunks wait or failed, each reason once.
        tokens: of the questions that wait, without the answers.
        cost: of these questions and their answers; 0 when no prices are configured.
    """

    written: int
    waiting: int
    failed: int
    why: tuple[str, ...]
    tokens: int
    cost: float

    def lines(self) -> Iterable[str]:
        """The counts for a person; nothing where no chunk is to be asked about."""
        if not (self.written or self.waiting or self.failed):
            return
        price = f", {self.cost:.2f}" if self.cost else ""
        asking = f" ({self.tokens} tokens{price} to ask)" if self.waiting else ""
        yield f"contexts    {self.written} written, {self.waiting} waiting{asking}, {self.failed} failed"
        for reason in self.why:
            yield f"            {reason}"


def context_counts(lake: Lake, partitions: Iterable[str], config: ContextConfig) -> ContextCounts:
    """Count the rows of `contexts`.

    Args:
        lake: the tables.
        partitions: which of them.
        config: the prices.
    """
    rows = pl.concat([s.CONTEXTS.empty(), *(lake.current(s.CONTEXTS, name) for name in partitions)])
    statuses = dict(rows[c.STATUS].value_counts().iter_rows())
    waiting = rows.filter(status="waiting").unique(c.QUESTION_HASH)
    tokens = int(waiting[c.TOKEN_COUNT].sum())
    return ContextCounts(
        written=statuses.get("written", 0),
        waiting=statuses.get("waiting", 0),
        failed=statuses.get("failed", 0),
        why=tuple(rows.filter(pl.col(c.DETAIL) != "")[c.DETAIL].unique().sort().head(5)),
        tokens=tokens,
        cost=round(config.cost(waiting.height, tokens), 4),
    )
