"""BM25 over some rows, with no other statistics than their own."""

from collections.abc import Collection, Mapping, Sequence
from math import log
from typing import Final

K1: Final = 1.2  # how soon further occurrences of a term stop to count
B: Final = 0.75  # how much the length of a row counts


def matches(rows: Sequence[Mapping[str, int]], terms: Collection[str]) -> list[float]:
    """BM25 of each row, with these rows as the corpus, as a share (0 to 1) of the most that a row can have.

    A term that no row has counts in that most, as the rarest of all.

    Args:
        rows: how often each term stands in each row.
        terms: of the question.
    """
    lengths = [sum(row.values()) for row in rows]
    mean = sum(lengths) / len(rows) if rows else 1.0
    damping = [K1 * (1 - B + B * length / (mean or 1)) for length in lengths]
    scores, most = [0.0] * len(rows), 0.0
    for term in sorted(terms):
        counts = [row.get(term, 0) for row in rows]
        found = sum(count > 0 for count in counts)
        rarity = log(1 + (len(rows) - found + 0.5) / (found + 0.5))
        most += rarity * (K1 + 1)
        if found:
            for at, count in enumerate(counts):
                if count:
                    scores[at] += rarity * count * (K1 + 1) / (count + damping[at])
    return [score / most if most else 0.0 for score in scores]
