"""Metrics of one question, and their means over many.

Any one gold passage answers a question, so one relevant result is all that there is to find: recall@k is 1 or 0,
precision@1 equals recall@1, and nDCG is the discount of the first relevant rank.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from pipeline.evaluation.questions import Gold, Question
from pipeline.evaluation.relevance import Flags, cover, covers
from pipeline.retrieval.answer import Place, Result
from pipeline.retrieval.filters import groups_of

METRICS: Final = (
    "recall@1", "recall@5", "recall@10", "mrr", "precision@1", "recall@1000tok", "recall@2000tok", "ndcg@10",
    "context_recall@5", "redundancy@5",
)  # fmt: skip
SHINGLE_WORDS: Final = 5

Access = Mapping[str, frozenset[str]]  # doc_id → its groups


@dataclass(frozen=True)
class Judgement:
    """How one question was answered.

    Attributes:
        values: each of METRICS, 0 to 1; empty for a question without gold, which only asks what must not be shown.
        covered: for each result the largest share of a gold quote, 0 to 1, that it covers; 0 in other documents.
        leaks: for each leak what was shown, in words.
        rank: of the first relevant result, from 1; None: none is relevant.
    """

    question: Question
    results: tuple[Result, ...]
    values: Mapping[str, float]
    covered: tuple[float, ...]
    leaks: tuple[str, ...]
    rank: int | None = None


def judge(question: Question, results: Sequence[Result], access: Access | None = None) -> Judgement:
    """Judge the results of a question, which may be fewer than ten.

    A result is relevant when what the reader gets (the section if it is given, else the chunk) comes from a gold
    document, or from a near-duplicate that names one in `also_in`, and covers its quote (95 %, and every digit).

    Args:
        question: the question with its gold passages.
        results: best first.
        access: groups of every document of the estate, for leaks; None: those in the index rows decide alone.
    """
    flags = [[_flags(gold, result) for gold in question.gold] for result in results]
    covered = tuple(max((_share(found) for found in row), default=0.0) for row in flags)
    values: dict[str, float] = {}
    first: int | None = None
    if question.gold:
        first = next((rank for rank, row in enumerate(flags, start=1) if _relevant(question.gold, row)), None)
        values = _rank_metrics(first)
        for budget in (1000, 2000):
            values[f"recall@{budget}tok"] = float(_tokens_to(results, first) <= budget)
        values["context_recall@5"] = _context_recall(flags[:5], len(question.gold))
        values["redundancy@5"] = redundancy([result.shown for result in results[:5]])
        values = {name: values[name] for name in METRICS}
    return Judgement(
        question, tuple(results), values, covered, tuple(leaks(question, results, access)), first
    )


def means(judgements: Sequence[Judgement]) -> dict[str, float | None]:
    """Weighted mean of each metric over the questions with gold (None: there are none), with leaks and counts added up."""
    weighted = [judgement for judgement in judgements if judgement.values]
    total = math.fsum(judgement.question.weight for judgement in weighted)
    overall: dict[str, float | None] = {
        name: math.fsum(judgement.values[name] * judgement.question.weight for judgement in weighted) / total
        if weighted
        else None
        for name in METRICS
    }
    return overall | {
        "leaks": sum(len(judgement.leaks) for judgement in judgements),
        "questions": len(judgements),
    }


def leaks(question: Question, results: Sequence[Result], access: Access | None) -> list[str]:
    """What the asker was shown and may not see: each result and each other place at most once.

    A leak is a row without a group of the asker; a document that, by `access`, has none of them or does not exist;
    a forbidden passage.
    """
    groups = groups_of(question.query)
    found: list[str] = []
    for result in results:
        if groups.isdisjoint(result.acl_groups):
            found.append(f"{result.uri}: its groups are {', '.join(result.acl_groups) or 'none'}")
        elif access is not None and groups.isdisjoint(access.get(result.doc_id, ())):
            found.append(f"{result.uri}: the documents table does not allow it")
        elif any(_shows(passage, result, result) for passage in question.forbidden):
            found.append(f"{result.uri}: a forbidden passage")
        for place in result.also_in:
            if access is not None and groups.isdisjoint(access.get(place.doc_id, ())):
                found.append(f"{place.uri}: named beside {result.uri}; the documents table does not allow it")
            elif any(_shows(passage, place, result) for passage in question.forbidden):
                found.append(f"{place.uri}: named beside {result.uri}; a forbidden passage")
    return found


def redundancy(texts: Sequence[str]) -> float:
    """Share (0 to 1) of the texts' five-word shingles that repeat an earlier one; 0 for texts without shingles."""
    shingles = [shingle for text in texts for shingle in _shingles(text)]
    return 1 - len(set(shingles)) / len(shingles) if shingles else 0.0


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = text.casefold().split()
    return {tuple(words[at : at + SHINGLE_WORDS]) for at in range(len(words) - SHINGLE_WORDS + 1)}


def _rank_metrics(first: int | None) -> dict[str, float]:
    def within(k: int) -> float:
        return float(first is not None and first <= k)

    return {
        "recall@1": within(1),
        "recall@5": within(5),
        "recall@10": within(10),
        "precision@1": within(1),
        "mrr": 1 / first if first else 0.0,
        "ndcg@10": 1 / math.log2(1 + first) if first and first <= 10 else 0.0,
    }


def _tokens_to(results: Sequence[Result], first: int | None) -> float:
    """Tokens that are read until the first relevant result has been read to its end."""
    return math.inf if first is None else sum(result.tokens for result in results[:first])


def _context_recall(flags: Sequence[Sequence[Flags | None]], passages: int) -> float:
    """The largest share of a gold quote that the results cover together."""
    best = 0.0
    for at in range(passages):
        found = [row[at] for row in flags]
        united = [mask for mask in found if mask is not None]
        if united:
            best = max(best, float(np.logical_or.reduce(united).mean()))
    return best


def _flags(gold: Gold, result: Result) -> Flags | None:
    """Which letters of the quote the result covers; None in another document."""
    if any(gold.names(place.collection, place.uri, place.external_id) for place in (result, *result.also_in)):
        return cover(gold.quote, result.shown)
    return None


def _relevant(gold: Sequence[Gold], row: Sequence[Flags | None]) -> bool:
    return any(
        found is not None and covers(passage.quote, found) for passage, found in zip(gold, row, strict=True)
    )


def _share(flags: Flags | None) -> float:
    return 0.0 if flags is None else float(flags.mean())


def _shows(passage: Gold, place: Result | Place, result: Result) -> bool:
    if not passage.names(place.collection, place.uri, place.external_id):
        return False
    return covers(passage.quote, cover(passage.quote, result.shown))
