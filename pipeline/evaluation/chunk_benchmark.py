"""Chunkers against each other: the same questions over the same texts, with the cost of each index."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import process_time
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.config import UNDECLARED
from pipeline.evaluation.chunkers import Chunker, Text
from pipeline.evaluation.comparison import interval
from pipeline.evaluation.spans import MEASURES, Span, measures

if TYPE_CHECKING:
    from pipeline.embedding.encoders import Encoder

DEFAULT_ENCODER: Final = "use-multilingual"
_DRAWS: Final = 4000  # of the randomisation test
_RANKED: Final = 100  # passages kept for each question: more than any budget takes


class Embedder(Protocol):
    """What turns strings into vectors: an `Encoder`, or a cache around one."""

    def encode_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32 (texts, dims), each of length 1."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32 (texts, dims), each of length 1."""
        ...


@dataclass(frozen=True)
class Asked:
    """A question whose answer is known.

    Attributes:
        id: its name.
        text: what is asked.
        wanted: the spans of the documents that answer it; at least one, none empty.
        document_class: of the document that answers it.
        weight: in means, greater than 0.
    """

    id: str
    text: str
    wanted: tuple[Span, ...]
    document_class: str = UNDECLARED
    weight: float = 1.0


@dataclass(frozen=True)
class Run:
    """What one chunker made of the texts, and how the questions fared.

    Attributes:
        chunker: its name.
        chunks: number of passages.
        tokens: that were embedded.
        seconds: CPU time of the cutting, without the embedding.
        values: measure → one value for each question, 0 to 1.
    """

    chunker: str
    chunks: int
    tokens: int
    seconds: float
    values: Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Results:
    """All runs over the same questions.

    Attributes:
        queries: the questions.
        runs: one for each chunker, in the order given.
    """

    queries: tuple[Asked, ...]
    runs: tuple[Run, ...]

    def summary(self, baseline: str | None = None, document_class: str | None = None) -> pl.DataFrame:
        """One row per chunker: means with 95 % bootstrap intervals, the paired change against a baseline, and the cost.

        Args:
            baseline: name of a chunker; the first one if not given.
            document_class: only questions about documents of this class.

        Returns:
            chunker, chunks, tokens, seconds, each of `MEASURES` (0 to 1), <measure>_low and <measure>_high of recall, iou and
            recall_at_budget, and for these <measure>_change, _change_low, _change_high, _p: against the baseline, its interval
            and the two-sided probability, by drawing signs at random, of so large a change by chance.

        Raises:
            KeyError: there is no such chunker.
        """
        chosen = [n for n, each in enumerate(self.queries) if document_class in (None, each.document_class)]
        weights = np.asarray([self.queries[n].weight for n in chosen])
        base = {run.chunker: run for run in self.runs}[baseline or self.runs[0].chunker]
        rows: list[dict[str, Any]] = []
        for run in self.runs:
            row: dict[str, Any] = {
                "chunker": run.chunker, "chunks": run.chunks, "tokens": run.tokens, "seconds": run.seconds,
            }  # fmt: skip
            for name in MEASURES:
                values = run.values[name][chosen]
                row[name] = float(np.average(values, weights=weights))
                if name in ("recall", "iou", "recall_at_budget"):
                    row[f"{name}_low"], row[f"{name}_high"] = interval(values.tolist(), weights.tolist())
                    change = values - base.values[name][chosen]
                    row[f"{name}_change"] = float(np.average(change, weights=weights))
                    row[f"{name}_change_low"], row[f"{name}_change_high"] = interval(
                        change.tolist(), weights.tolist()
                    )
                    row[f"{name}_p"] = permutation_test(change, weights)
            rows.append(row)
        return pl.DataFrame(rows)


class ChunkingBenchmark:
    """Cuts, embeds, asks and measures: `ChunkingBenchmark(documents, queries, chunkers).run().summary()`.

    Every question is asked of all passages of all documents, nearest vector first, exactly.

    Args:
        documents: what is searched in.
        queries: what is asked; at least one.
        chunkers: by name; at least one.
        encoder: of passages and questions; the packaged fast one if not given.
        k: passages that are read.
        budget: tokens that are read, for `recall_at_budget`.

    Raises:
        ValueError: no questions, no chunkers, or a question that wants nothing.
    """

    def __init__(
        self,
        documents: Sequence[Text],
        queries: Sequence[Asked],
        chunkers: Mapping[str, Chunker],
        *,
        encoder: "Embedder | None" = None,
        k: int = 5,
        budget: int = 1000,
    ) -> None:
        if not queries or not chunkers:
            raise ValueError("a benchmark needs at least one question and one chunker")
        empty = next(
            (query.id for query in queries if all(end <= start for _, start, end in query.wanted)), None
        )
        if empty is not None:
            raise ValueError(f"question {empty}: wants no character of any document")
        self._documents, self._queries, self._chunkers = documents, tuple(queries), chunkers
        self._encoder, self._k, self._budget = encoder, k, budget

    def run(self, progress: Callable[[str, int, int], None] = lambda _name, _number, _of: None) -> Results:
        """Every chunker in turn.

        Args:
            progress: takes the name of the chunker whose turn it is, its number from 1, and how many there are.
        """
        encoder = self._encoder or _packaged()
        asked = encoder.encode_queries([query.text for query in self._queries])
        runs: list[Run] = []
        for number, (name, cut) in enumerate(self._chunkers.items(), start=1):
            progress(name, number, len(self._chunkers))
            runs.append(self._measure(name, cut, encoder, asked))
        return Results(self._queries, tuple(runs))

    def _measure(self, name: str, cut: Chunker, encoder: Embedder, asked: NDArray[np.float32]) -> Run:
        begun = process_time()
        passages = cut(self._documents)
        seconds = process_time() - begun
        spans: list[Span] = [(each.document, each.start, each.end) for each in passages]
        tokens = [each.tokens for each in passages]
        by_document: defaultdict[str, list[Span]] = defaultdict(list)
        for span in spans:
            by_document[span[0]].append(span)
        vectors = encoder.encode_passages([each.embedded for each in passages])
        values: defaultdict[str, list[float]] = defaultdict(list)
        for query, vector in zip(self._queries, asked, strict=True):
            shown: dict[Span, int] = {}  # chunks of one section that show the reader the section show it once
            for n in _nearest(vectors, vector):
                shown.setdefault(spans[n], n)
            best = list(shown.values())
            touching = [
                span
                for wanted in query.wanted
                for span in by_document[wanted[0]]
                if span[1] < wanted[2] and wanted[1] < span[2]
            ]
            found = measures(
                [spans[n] for n in best],
                [tokens[n] for n in best],
                query.wanted,
                touching,
                k=self._k,
                budget=self._budget,
            )
            for measure, value in found.items():
                values[measure].append(value)
        return Run(name, len(passages), sum(tokens), seconds, {m: np.asarray(v) for m, v in values.items()})


def permutation_test(changes: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Two-sided probability (0 to 1) of a weighted mean at least so far from 0 if each change were as likely the other way round.

    A paired randomisation test (Smucker, Allan, Carterette, CIKM 2007); deterministic.
    """
    weighted = changes * weights
    signs = np.random.default_rng(7).integers(0, 2, (_DRAWS, len(weighted)), dtype=np.int8) * 2 - 1
    drawn = np.abs(signs @ weighted)
    return float((np.sum(drawn >= abs(weighted.sum()) - 1e-12) + 1) / (_DRAWS + 1))


def _nearest(vectors: NDArray[np.float32], vector: NDArray[np.float32]) -> list[int]:
    scores = vectors @ vector
    return np.argsort(-scores, kind="stable")[:_RANKED].tolist()


def _packaged() -> "Encoder":
    from pipeline.embedding.encoders import load_encoder

    return load_encoder(DEFAULT_ENCODER)
