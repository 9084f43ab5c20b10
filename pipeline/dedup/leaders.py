"""Near-duplicates: candidates from LSH bands, verified, gathered around leaders without chaining."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

_RECALL: Final = 0.999  # share of the pairs exactly at the threshold that the bands must let through
_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)


def band_rows(permutations: int, threshold: float) -> int:
    """Values in a band: as many as still let a pair at the threshold through with a probability of 0.999; 1 at least.

    A pair of similarity s shares one of b bands of r values with probability 1 - (1 - s^r)^b (Leskovec, Rajaraman and
    Ullman, Mining of Massive Datasets, chapter 3).
    """
    fitting = [
        rows
        for rows in range(1, permutations + 1)
        if 1 - (1 - threshold**rows) ** (permutations // rows) >= _RECALL
    ]
    return max(fitting, default=1)


def gather(signatures: NDArray[np.uint32], threshold: float) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Gather items around leaders, in the order of election.

    An item joins the first leader that it is itself similar to, and becomes a leader when there is none. So no member hangs
    on another (A~B and B~C do not join A and C), and the result depends on the order of election alone.

    Args:
        signatures: uint32 (items, permutations), first elected first.
        threshold: estimated Jaccard similarity from which two items are near-duplicates, over 0 to 1.

    Returns:
        (leader, similarity): position of each item's leader (its own for a leader), int64 (items,); estimated Jaccard
        similarity to it, float32 (items,), 1 for a leader.
    """
    items, permutations = signatures.shape
    leader = np.arange(items, dtype=np.int64)
    similarity = np.ones(items, np.float32)
    standing: dict[int, list[int]] = {}  # bucket to the leaders in it, in order of election
    for item, buckets in _buckets(signatures, band_rows(permutations, threshold)):
        candidates = sorted({other for bucket in buckets for other in standing.get(bucket, ())})
        if candidates:
            equal = np.count_nonzero(signatures[candidates] == signatures[item], axis=1) / permutations
            similar = np.flatnonzero(equal >= threshold)
            if similar.size:
                leader[item] = candidates[similar[0]]
                similarity[item] = equal[similar[0]]
                continue
        for bucket in buckets:
            standing.setdefault(bucket, []).append(item)
    return leader, similarity


def _buckets(signatures: NDArray[np.uint32], rows: int) -> Iterator[tuple[int, list[int]]]:
    """The buckets of each item that shares one with another, in order of the items. Other items are left out."""
    items, permutations = signatures.shape
    shared: list[pl.DataFrame] = []
    for band in range(permutations // rows):
        key = np.full(items, band + 1, np.uint64)
        for column in range(band * rows, (band + 1) * rows):
            key = (key ^ signatures[:, column]) * _MULTIPLIER
            key ^= key >> np.uint64(29)
        frame = pl.DataFrame({"key": key}).with_row_index("item")
        shared.append(frame.filter(pl.len().over("key") > 1))
    grouped = pl.concat(shared).group_by("item").agg("key").sort("item")
    yield from grouped.iter_rows()
