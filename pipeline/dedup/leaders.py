"""Near-duplicates gathered around leaders, without chaining, from nothing or from where an earlier run stood."""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pipeline.dedup.bands import SHARED, Buckets, Items
from pipeline.dedup.jaccard import Shingles

Alike = Callable[[Items, Items], NDArray[np.bool_]]

_AT_ONCE: Final = 2_000_000  # candidate pairs in memory at once


class Gathering:
    """Who leads whom.

    The items stand in the order of election. An item joins the first leader before it that it is itself similar to, and
    leads when there is none; similar are two items that share two bands and whose true Jaccard similarity reaches the
    threshold. So no member hangs on another (A~B and B~C do not join A and C), and the result depends on the items and
    their order alone: it is the greedy (lexicographically first) maximal independent set, and each other item with its
    first neighbour in it.

    `settle` repairs any state to that result: it decides the undecided in blocks of the order; a new leader takes the
    later ones that are similar to it, of a leader among them it frees the members, and these are undecided in turn. Every
    step can only change what comes later in the order, so it ends, and there is one end.

    Args:
        bands: uint32 (items, bands).
        sizes: distinct shingles of each item, int64 (items,).
        shingles: of the items.
        threshold: Jaccard similarity from which two items are near-duplicates, over 0 to 1.
        leader: int64 (items,): each item's leader (its own position for a leader); `len(leader)` where undecided.
        similarity: float32 (items,): to the leader.
        alike: what pairs must fulfil besides, if anything: from two arrays of positions to bool (pairs,).

    Attributes:
        leader: as given, then settled.
        similarity: likewise; 1 for a leader.
        compared: pairs whose similarity was computed.
    """

    def __init__(
        self,
        bands: NDArray[np.uint32],
        sizes: Items,
        shingles: Shingles,
        *,
        threshold: float,
        leader: Items,
        similarity: NDArray[np.float32],
        alike: Alike | None = None,
    ) -> None:
        self._bands = bands
        self._sizes = sizes
        self._shingles = shingles
        self._threshold = threshold
        self._alike = alike
        self.leader = leader.copy()
        self.similarity = similarity.copy()
        self.compared = 0
        self._undecided = len(leader)
        self._itself = np.arange(len(leader))

    def settle(self) -> None:
        """Decide all that is undecided, and what follows from it."""
        touched = np.zeros(len(self.leader), np.bool_)
        fresh = self.leader == self._undecided
        while fresh.any():
            touched |= fresh
            buckets = Buckets(self._bands, touched)
            self._shingles.load(buckets.item)
            self._join_leaders(buckets, fresh)
            fresh = self._decide(buckets)

    def _decide(self, buckets: Buckets) -> NDArray[np.bool_]:
        """Decide block by block until none is undecided or members of a leader that fell are free; these are returned."""
        while True:
            undecided = np.flatnonzero(self.leader == self._undecided)
            if not len(undecided):
                return np.zeros(len(self.leader), np.bool_)
            # What hangs on a leader before all that is undecided is decided for good.
            buckets.keep(self.leader >= undecided[0])
            block = self._block(buckets, undecided)
            leads = self._resolve(buckets, block)
            freed = self._take(buckets, leads)
            if freed.any():
                return freed

    def _block(self, buckets: Buckets, undecided: Items) -> NDArray[np.bool_]:
        """The first of the undecided, as many as have few enough pairs among them; one at least. bool (items,)."""
        entries = self.leader[buckets.item] == self._undecided
        count = np.cumsum(entries)
        # Undecided entries before each one in its bucket.
        earlier = count - 1 - np.r_[0, count][buckets.start]
        pairs = np.bincount(
            buckets.item[entries], weights=earlier[entries], minlength=len(self.leader)
        ).cumsum()
        last = max(int(np.searchsorted(pairs, _AT_ONCE, side="right")), int(undecided[0]) + 1)
        block = self.leader == self._undecided
        block[last:] = False
        return block

    def _resolve(self, buckets: Buckets, block: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Decide a block, whose items no leader before it takes; the new leaders are returned. bool (items,)."""
        pairs = self._pairs_within(buckets, block)
        leads = block.copy()
        self.leader[block] = self._itself[block]
        self.similarity[block] = 1
        for first, second, similarity in zip(*(part.tolist() for part in self._similar(*pairs)), strict=True):
            # By first: whether it leads is known when its own pairs come.
            if leads[first] and leads[second]:
                leads[second] = False
                self.leader[second], self.similarity[second] = first, similarity
        return leads

    def _pairs_within(self, buckets: Buckets, block: NDArray[np.bool_]) -> tuple[Items, Items]:
        entries = np.flatnonzero(block[buckets.item])
        if not len(entries):
            return entries, entries
        item, start = buckets.item[entries], buckets.start[entries]
        opens = np.flatnonzero(np.r_[True, start[1:] != start[:-1]])
        sizes = np.diff(np.r_[opens, len(entries)])
        earlier = np.arange(len(entries)) - np.repeat(opens, sizes)
        later = np.repeat(np.arange(len(entries)), earlier)
        offsets = np.cumsum(earlier) - earlier
        first = np.arange(int(earlier.sum())) + np.repeat(np.repeat(opens, sizes) - offsets, earlier)
        return item[first], item[later]

    def _take(self, buckets: Buckets, leads: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Give the later items that are similar to new leaders to them; members of leaders that fell are freed."""
        entries = np.flatnonzero(leads[buckets.item])
        fallen = np.zeros(len(self.leader), np.bool_)
        for part in _parts(entries, buckets.end[entries] - entries):
            owner, other = buckets.after(part)
            fallen |= self._join(buckets.item[owner], buckets.item[other])
        if not fallen.any():
            return fallen
        freed = np.zeros(len(self.leader), np.bool_)
        decided = self.leader < self._undecided
        freed[decided] = fallen[self.leader[decided]]
        self.leader[freed] = self._undecided
        return freed

    def _join_leaders(self, buckets: Buckets, fresh: NDArray[np.bool_]) -> None:
        """Give fresh items to the leaders before them."""
        entries = np.flatnonzero(fresh[buckets.item] & (buckets.place > 0))
        if not (self.leader == self._itself).any():
            return
        for part in _parts(entries, entries - buckets.start[entries]):
            owner, other = buckets.before(part)
            first = buckets.item[other]
            leads = self.leader[first] == first
            self._join(first[leads], buckets.item[owner][leads])

    def _join(self, leaders: Items, items: Items) -> NDArray[np.bool_]:
        """Let items join leaders before them that come before the one they have; leaders that fell so. bool (items,)."""
        open_ = self.leader[items] > leaders
        first, second, similarity = self._similar(leaders[open_], items[open_])
        # Of several leaders the first.
        order = np.lexsort((first, second))
        first, second, similarity = first[order], second[order], similarity[order]
        once = np.r_[True, second[1:] != second[:-1]][: len(second)]
        first, second = first[once], second[once]
        fallen = np.zeros(len(self.leader), np.bool_)
        fallen[second] = self.leader[second] == second
        self.leader[second], self.similarity[second] = first, similarity[once]
        return fallen

    def _similar(self, first: Items, second: Items) -> tuple[Items, Items, NDArray[np.float64]]:
        """The pairs that reach the threshold, each once, by first and second, and their similarity."""
        # Sets whose sizes differ more than the threshold allows cannot be so similar.
        one, other = self._sizes[first], self._sizes[second]
        fitting = np.minimum(one, other) / np.maximum(one, other) >= self._threshold
        count = len(self.leader)
        keys = np.sort(first[fitting] * count + second[fitting])
        keys = keys[np.r_[True, keys[1:] != keys[:-1]][: len(keys)]]
        first, second = np.divmod(keys, max(count, 1))
        shared = np.count_nonzero(self._bands[first] == self._bands[second], axis=1) >= SHARED
        first, second = first[shared], second[shared]
        similarity = self._shingles.similarity(first, second)
        self.compared += len(first)
        near = similarity >= self._threshold
        if self._alike is not None:
            near[near] = self._alike(first[near], second[near])
        return first[near], second[near], similarity[near]


def _parts(entries: Items, sizes: Items) -> list[Items]:
    """Entries in parts of a bounded total size; a part holds one at least."""
    if not len(entries):
        return []
    cuts = np.flatnonzero(np.diff(np.cumsum(sizes) // _AT_ONCE)) + 1
    return np.split(entries, cuts)
