"""How well ranked passages cover the words that answer a question: measures over characters.

After Smith and Troynikov, Evaluating Chunking Strategies for Retrieval (Chroma, 2024).
"""

from collections.abc import Iterable, Sequence
from typing import Final

Span = tuple[str, int, int]  # document, start, end

MEASURES: Final = ("recall", "precision", "iou", "omega", "recall_at_budget", "found", "mrr")


def union(spans: Iterable[Span]) -> list[Span]:
    """The same characters in spans that do not overlap, sorted."""
    merged: list[Span] = []
    for document, start, end in sorted(span for span in spans if span[1] < span[2]):
        if merged and merged[-1][0] == document and start <= merged[-1][2]:
            merged[-1] = (document, merged[-1][1], max(merged[-1][2], end))
        else:
            merged.append((document, start, end))
    return merged


def shared(left: Iterable[Span], right: Iterable[Span]) -> int:
    """Characters that stand in both."""
    theirs = union(right)
    return sum(
        max(0, min(end, last) - max(start, first))
        for document, start, end in union(left)
        for other, first, last in theirs
        if other == document
    )


def length(spans: Iterable[Span]) -> int:
    """Characters of all spans, those that stand in two counted twice."""
    return sum(end - start for _, start, end in spans)


def measures(
    ranked: Sequence[Span],
    tokens: Sequence[int],
    wanted: Sequence[Span],
    touching: Sequence[Span],
    *,
    k: int,
    budget: int,
) -> dict[str, float]:
    """The measures of one question, each 0 to 1.

    recall, precision, iou: of the characters of the first `k` passages against those wanted; what two passages both show is
    read twice, so it counts twice in precision and iou. omega: precision of the passages that hold what is wanted, had all of them
    been found and no other. recall_at_budget: recall of as many passages as `budget` tokens take, the last one cut. found:
    whether the first `k` hold one of the wanted spans whole. mrr: one over the rank of the first that touches one.

    Args:
        ranked: passages, best first; more than `k` for the budget.
        tokens: of each.
        wanted: what answers the question; at least one character.
        touching: all passages, ranked or not, that touch what is wanted.
        k: how many are read.
        budget: tokens that are read.
    """
    top = list(ranked[:k])
    total = length(union(wanted))
    hit = shared(top, wanted)
    read = length(top)
    rank = next((n for n, span in enumerate(ranked, 1) if shared([span], wanted)), None)
    whole = union(touching)
    return {
        "recall": hit / total,
        "precision": hit / read if read else 0.0,
        "iou": hit / (read + total - hit),
        "omega": shared(whole, wanted) / length(whole) if whole else 0.0,
        "recall_at_budget": shared(_within(ranked, tokens, budget), wanted) / total,
        "found": float(any(shared(top, [span]) == span[2] - span[1] for span in wanted)),
        "mrr": 1 / rank if rank else 0.0,
    }


def _within(ranked: Sequence[Span], tokens: Sequence[int], budget: int) -> list[Span]:
    taken: list[Span] = []
    for (document, start, end), cost in zip(ranked, tokens, strict=True):
        if cost >= budget:
            taken.append((document, start, start + (end - start) * budget // max(cost, 1)))
            break
        taken.append((document, start, end))
        budget -= cost
    return taken
