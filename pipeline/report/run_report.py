"""The report of a run: one object for scripts, a few lines for people."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import polars as pl

from pipeline.parsing.errors import NO_FAILURE
from pipeline.report.asked import ContextCounts, FigureCounts
from pipeline.report.coverage import coverage_lines
from pipeline.report.exceptions import with_acknowledged
from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from pipeline.tables.lake import Lake

# Keys that say little to a person.
_WORDS: Final = {"metadata": "with other metadata", "no_content": "without text"}


@dataclass(frozen=True)
class Problem:
    """A document, or one of its chunks, that is not in the index, and why."""

    document: str
    reason: str
    detail: str


@dataclass(frozen=True)
class RunReport:
    """What `kesit run --json` prints; field by field the contract of the command line.

    Attributes:
        documents: created, updated, renamed, deleted, metadata, unchanged, failed, and no_content.
        pages: parsed and reused in this run; passed, flagged and rejected of all.
        chunks: added and removed in this run; kept of before.
        embeddings: computed in this run; reused of before.
        clusters: clusters and the chunks in them, exact and near.
        index: table and version of the build that was made, else of the live one (None before the first); rows inserted,
            updated, deleted; whether it went live (or had no need to), and why.
        seconds: by stage.
        peak_rss_mb: largest memory of the main process, in MiB.
        figures: pictures that are in the index, and those that are not by the reason; what a vision model described.
        contexts: chunks that a language model placed in their documents, or is to.
        failed: documents that are not in the index.
        refused: chunks that are not in the index, because an encoder has no vector for them.
        behind: how far the live build is behind the estate, and why; "": not at all.
        coverage: by dimension and value, pages and the shares of what became of them (`report/coverage.py`).
        errors: stages that stopped, with the cause; what they would have replaced stands.
    """

    documents: Mapping[str, int]
    pages: Mapping[str, int]
    chunks: Mapping[str, int]
    embeddings: Mapping[str, int]
    clusters: Mapping[str, int]
    index: Mapping[str, Any]
    seconds: Mapping[str, float]
    peak_rss_mb: float
    figures: FigureCounts | None = None
    contexts: ContextCounts | None = None
    failed: tuple[Problem, ...] = ()
    refused: tuple[Problem, ...] = ()
    behind: str = ""
    errors: tuple[str, ...] = field(default=())
    coverage: tuple[Mapping[str, Any], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Plain dictionaries, lists and numbers."""
        return asdict(self)

    def lines(self) -> Iterable[str]:
        """The report for a person."""
        yield "documents   " + counted(self.documents)
        yield "pages       " + counted(self.pages)
        yield "chunks      " + counted(self.chunks)
        if self.figures is not None:
            yield from self.figures.lines()
        if self.contexts is not None:
            yield from self.contexts.lines()
        yield "embeddings  " + counted(self.embeddings)
        yield "clusters    " + counted(self.clusters)
        changes = counted({key: self.index[key] for key in ("inserted", "updated", "deleted")})
        named = (
            f"{self.index['table']} version {self.index['version']}" if self.index["table"] else "none yet"
        )
        yield f"index       {named}: {changes}"
        yield f"            {'' if self.index['promoted'] else 'not promoted: '}{self.index['reason']}"
        if self.behind:
            yield f"behind      {self.behind}"
        yield "seconds     " + (
            ", ".join(f"{stage} {spent:.1f}" for stage, spent in self.seconds.items()) or "nothing to do"
        )
        yield f"memory      {self.peak_rss_mb:.0f} MiB at most"
        yield from coverage_lines(self.coverage)
        for name, problems in (("failed ", self.failed), ("refused", self.refused)):
            for problem in problems:
                yield f"{name}     {problem.document}: {problem.reason} – {problem.detail}"
        for error in self.errors:
            yield f"stopped     {error}"


def document_problems(lake: Lake, partitions: Iterable[str]) -> tuple[tuple[Problem, ...], int]:
    """Whole documents that the register holds open and nobody has acknowledged, and how many more hold no text at all."""
    parts = [lake.current(s.PAGE_EXCEPTIONS, name) for name in partitions]
    whole = (
        with_acknowledged(lake, pl.concat([s.PAGE_EXCEPTIONS.empty(), *parts]))
        .filter(page_no=0, status="open")
        .sort(c.COLLECTION, c.URI, c.REASON)
    )
    failed = whole.filter(~pl.col(c.REASON).is_in(NO_FAILURE))
    return _problems(failed), whole.height - failed.height


def chunk_problems(lake: Lake, partitions: Iterable[str]) -> tuple[Problem, ...]:
    """Chunks that an encoder has no vector for and that nobody has acknowledged."""
    parts = [lake.current(s.CHUNK_EXCEPTIONS, name) for name in partitions]
    register = with_acknowledged(lake, pl.concat([s.CHUNK_EXCEPTIONS.empty(), *parts]))
    return _problems(register.filter(status="open").sort(c.COLLECTION, c.URI, c.PAGE_NO, c.DETAIL))


def _problems(register: pl.DataFrame) -> tuple[Problem, ...]:
    return tuple(
        Problem(f"{row[c.COLLECTION]}/{row[c.URI]}", row[c.REASON], row[c.DETAIL])
        for row in register.iter_rows(named=True)
    )


def page_routes(lake: Lake, partitions: Iterable[str]) -> dict[str, int]:
    """Pages passed, flagged and rejected, of all that are in the lake."""
    parts = [lake.read(s.GATED_PAGES, name, [c.ROUTE]) for name in partitions]
    routes = pl.concat([s.GATED_PAGES.empty().select(c.ROUTE), *parts])[c.ROUTE]
    return {
        name: int((routes == route).sum())
        for name, route in (("passed", "pass"), ("flagged", "flag"), ("rejected", "reject"))
    }


def counted(counts: Mapping[str, Any]) -> str:
    """Counts on one line: "2 created, 0 updated"."""
    return ", ".join(f"{value} {_WORDS.get(key, key)}" for key, value in counts.items())
