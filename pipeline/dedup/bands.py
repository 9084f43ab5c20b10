"""Candidates by locality-sensitive hashing: texts that share bands of their signatures, in buckets."""

from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

SHARED: Final = 2  # bands that a pair must share to be verified
_RECALL: Final = 0.999  # share of the pairs exactly at the threshold that the bands must let through
_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)

Items = NDArray[np.int64]


def band_rows(permutations: int, threshold: float) -> int:
    """Values in a band: as many as still let a pair at the threshold through with a probability of 0.999; 1 at least.

    A pair of similarity s shares any one of b bands of r values with probability s^r (Leskovec, Rajaraman and Ullman,
    Mining of Massive Datasets, chapter 3), and is a candidate when it shares `SHARED` of them. Many pairs below the
    threshold get through too: candidates are verified.
    """
    fitting = [
        rows
        for rows in range(1, permutations + 1)
        if _shared(permutations // rows, threshold**rows) >= _RECALL
    ]
    return max(fitting, default=1)


def _shared(bands: int, chance: float) -> float:
    """Probability that at least `SHARED` of the bands are shared, each with the given chance."""
    return 1 - sum(comb(bands, n) * chance**n * (1 - chance) ** (bands - n) for n in range(SHARED))


def band_hashes(signatures: NDArray[np.uint32], threshold: float) -> NDArray[np.uint32]:
    """A hash of each band.

    Two texts may share a hash by chance (one pair of bands in four billion): that costs a verification and no more.

    Args:
        signatures: uint32 (items, permutations).
        threshold: Jaccard similarity that pairs must not be missed at.

    Returns:
        uint32 (items, bands), with as many bands of `band_rows` values as the signatures hold.
    """
    items, permutations = signatures.shape
    rows = band_rows(permutations, threshold)
    bands = permutations // rows
    parts = signatures[:, : bands * rows].reshape(items, bands, rows)
    key = np.tile(np.arange(1, bands + 1, dtype=np.uint64), (items, 1))
    for place in range(rows):
        key ^= parts[:, :, place]
        key *= _MULTIPLIER
        key ^= key >> np.uint64(29)
    return (key >> np.uint64(32)).astype(np.uint32)


class Buckets:
    """The buckets of two items or more that hold an item of interest.

    Entries are (bucket, item), by bucket and in it by item.

    Args:
        bands: uint32 (items, bands).
        touched: bool (items,): the items of interest.

    Attributes:
        item: int64 (entries,).
        start: int64 (entries,): where the entry's bucket starts.
        end: int64 (entries,): where it ends, exclusive.
    """

    def __init__(self, bands: NDArray[np.uint32], touched: NDArray[np.bool_]) -> None:
        everything = bool(touched.all())
        members: list[Items] = []
        opening: list[NDArray[np.bool_]] = []
        for hashes in bands.T:
            within = None if everything else _among(hashes, hashes[touched])
            keys = np.ascontiguousarray(hashes if within is None else hashes[within])
            order = np.argsort(keys, kind="stable")
            keys = keys[order]
            first = np.r_[True, keys[1:] != keys[:-1]][: len(keys)]
            alone = first & np.r_[first[1:], True][: len(keys)]
            members.append((order if within is None else within[order])[~alone])
            opening.append(first[~alone])
        self._set(np.concatenate(members), np.concatenate(opening))

    def _set(self, item: Items, first: NDArray[np.bool_]) -> None:
        starts = np.flatnonzero(first)
        sizes = np.diff(np.r_[starts, len(item)])
        self.item = item
        self.start = np.repeat(starts, sizes)
        self.end = np.repeat(starts + sizes, sizes)

    def keep(self, wanted: NDArray[np.bool_]) -> None:
        """Leave only the entries of the wanted items. bool (items,)."""
        kept = wanted[self.item]
        start = self.start[kept]
        first = np.r_[True, start[1:] != start[:-1]][: len(start)]
        self._set(self.item[kept], first)

    @property
    def place(self) -> Items:
        """Number of entries before each in its bucket."""
        return np.arange(len(self.item)) - self.start

    def before(self, entries: Items) -> tuple[Items, Items]:
        """All pairs (entry, earlier entry of its bucket)."""
        return _ranges(entries, self.start[entries], entries)

    def after(self, entries: Items) -> tuple[Items, Items]:
        """All pairs (entry, later entry of its bucket)."""
        return _ranges(entries, entries + 1, self.end[entries])


def _among(hashes: NDArray[np.uint32], wanted: NDArray[np.uint32]) -> Items:
    """Positions of the hashes that are among the wanted ones, of which there are few."""
    # The upper bits rule out almost all, at the cost of a look into a small table.
    upper = np.zeros(1 << 20, np.bool_)
    upper[wanted >> np.uint32(12)] = True
    likely = np.flatnonzero(upper[hashes >> np.uint32(12)])
    return likely[np.isin(hashes[likely], wanted)]


def _ranges(owners: Items, start: Items, end: Items) -> tuple[Items, Items]:
    """Each owner beside each number from its start up to its end."""
    sizes = end - start
    total = int(sizes.sum())
    offsets = np.cumsum(sizes) - sizes
    return np.repeat(owners, sizes), np.arange(total) + np.repeat(start - offsets, sizes)
