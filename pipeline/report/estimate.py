"""What a run would cost, from what earlier runs took: bytes to pages to chunks to seconds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.tables import columns as c
from pipeline.tables.duration import duration


@dataclass(frozen=True)
class Estimate:
    """What a run would do; None where nothing is known yet.

    Attributes:
        documents: to be read.
        pages: in them.
        chunks: to be embedded, unless the same text was embedded before.
        seconds: of the whole run.
        images: to be sent to the vision model; None: none is configured.
        cost: of these images.
        questions: about the places of chunks, to be sent to the language model; None: none is configured.
        question_tokens: of these questions, without the answers.
        question_cost: of these questions and their answers.
    """

    documents: int
    pages: int | None
    chunks: int | None
    seconds: float | None
    images: int | None = None
    cost: float | None = None
    questions: int | None = None
    question_tokens: int | None = None
    question_cost: float | None = None

    def lines(self) -> Iterable[str]:
        """The estimate for a person."""
        read = f"a run would read {self.documents} documents"
        if self.pages is None:
            yield f"{read}; how many pages and how long is known after the first run"
        else:
            yield f"{read} (about {self.pages} pages, {self.chunks} chunks to embed) in {_duration(self.seconds)}"
        if self.images is not None:
            yield f"and send at most {self.images} images to the vision model {_price(self.cost)}"
        if self.questions is not None:
            amount = f"{self.questions} chunks ({_or_unknown(self.question_tokens)} tokens)"
            yield f"and ask the language model about at most {amount} {_price(self.question_cost)}"


def yields(documents: pl.DataFrame, pages: pl.DataFrame, chunks: pl.DataFrame) -> pl.DataFrame:
    """What the documents that were read gave, by media type.

    Args:
        documents: doc_id, media_type, bytes: one row per document.
        pages: doc_id, one row per page that was read.
        chunks: doc_id, one row per chunk.

    Returns:
        media_type, bytes, pages, chunks: sums; only types of which pages were read.
    """
    counted = (
        documents.join(pages.group_by(c.DOC_ID).len("pages"), on=c.DOC_ID)
        .join(chunks.group_by(c.DOC_ID).len("chunks"), on=c.DOC_ID, how="left")
        .with_columns(pl.col("chunks").fill_null(0))
    )
    return counted.group_by(c.MEDIA_TYPE).agg(pl.col(c.BYTES, "pages", "chunks").sum())


def expected(new: pl.DataFrame, known: pl.DataFrame) -> tuple[int, int] | None:
    """Pages and chunks of documents that were not read yet; None if no document was ever read.

    A media type gives as much a byte as it gave before; one that was never read as much as all others together.

    Args:
        new: media_type, bytes: one row per document.
        known: see `yields`.
    """
    if new.is_empty():
        return 0, 0
    total = known.select(pl.col(c.BYTES, "pages", "chunks").sum()).row(0)
    if not total[0]:
        return None
    each = new.group_by(c.MEDIA_TYPE).agg(pl.len().alias("n"), pl.col(c.BYTES).sum().alias("size"))
    usable = known.filter(pl.col(c.BYTES) > 0)
    rates = each.join(usable, on=c.MEDIA_TYPE, how="left").select(
        pl.col("n"),
        (pl.col("size") * (pl.col("pages") / pl.col(c.BYTES)).fill_null(total[1] / total[0])).alias("pages"),
        (pl.col("size") * (pl.col("chunks") / pl.col(c.BYTES)).fill_null(total[2] / total[0])).alias(
            "chunks"
        ),
    )
    # A document has a page, however small it is.
    pages = rates.select(pl.max_horizontal("pages", "n").sum()).item()
    return round(pages), round(rates["chunks"].sum())


def expected_seconds(units: Mapping[str, float], paces: pl.DataFrame) -> float | None:
    """Time for an amount of work of each stage; None if one of them has never done any.

    Args:
        units: what each stage would have to do.
        paces: stage, units, seconds: what it took before.
    """
    known = {
        name: seconds / done
        for name, done, seconds in paces.select(c.STAGE, c.UNITS, c.SECONDS).rows()
        if done
    }
    wanted = {stage: amount for stage, amount in units.items() if amount}
    if not wanted.keys() <= known.keys():
        return None
    return sum(amount * known[stage] for stage, amount in wanted.items())


def _price(cost: float | None) -> str:
    return "at no stated cost" if cost is None else f"for {cost:.2f}"


def _or_unknown(value: int | None) -> str:
    return "an unknown number of" if value is None else str(value)


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "an unknown time: no run has measured it yet"
    return f"about {duration(seconds)}"
