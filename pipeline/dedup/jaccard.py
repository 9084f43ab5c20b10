"""The true Jaccard similarity of pairs of texts, from the hashes of their shingles."""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

# Gives, for sorted positions int64 (n,), the lengths int64 (n,) of their lists and the lists themselves, joined: uint32, each
# ascending and distinct.
Fetch = Callable[[NDArray[np.int64]], tuple[NDArray[np.int64], NDArray[np.uint32]]]

_PAIRS: Final = 2_000  # compared at once, so that their shingles stay in the cache
_HASHES: Final = 1 << 32


class Shingles:
    """The shingles of those texts that are compared, fetched when first needed.

    Args:
        count: number of texts.
        fetch: reads the shingles of texts.
    """

    def __init__(self, count: int, fetch: Fetch) -> None:
        self._fetch = fetch
        self._start = np.full(count, -1, np.int64)
        self._size = np.zeros(count, np.int64)
        self._values = np.empty(0, np.uint32)

    def load(self, items: NDArray[np.int64]) -> None:
        """Fetch what is not there yet. int64 (n,): positions of texts, with repeats in any order."""
        wanted = np.zeros(len(self._start), np.bool_)
        wanted[items] = True
        missing = np.flatnonzero(wanted & (self._start < 0))
        if len(missing):
            sizes, values = self._fetch(missing)
            self._start[missing] = len(self._values) + np.cumsum(sizes) - sizes
            self._size[missing] = sizes
            self._values = np.concatenate([self._values, values])

    def similarity(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """Jaccard similarity, 0 to 1, of each pair of texts, which must be loaded. int64 (pairs,) twice; float64 (pairs,)."""
        result = np.empty(len(left), np.float64)
        for begin in range(0, len(left), _PAIRS):
            one, other = left[begin : begin + _PAIRS], right[begin : begin + _PAIRS]
            common = self._common(one, other)
            result[begin : begin + _PAIRS] = common / (self._size[one] + self._size[other] - common)
        return result

    def _common(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
        # A row of ones for each list: the product of two rows, element by element, has a one for each shared shingle.
        shared = self._rows(left).multiply(self._rows(right))
        return np.diff(shared.tocsr().indptr).astype(np.int64)

    def _rows(self, items: NDArray[np.int64]):  # noqa: ANN202
        from scipy.sparse import csr_array

        sizes = self._size[items]
        ends = np.cumsum(sizes)
        places = np.arange(int(sizes.sum())) + np.repeat(self._start[items] - ends + sizes, sizes)
        columns = self._values[places].astype(np.int64)
        rows = csr_array(
            (np.ones(len(columns), np.bool_), columns, np.r_[0, ends]), shape=(len(items), _HASHES)
        )
        rows.has_canonical_format = True
        return rows
