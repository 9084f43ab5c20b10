"""Hashes of word shingles and their MinHash, for many chunks at once.

The definition is datasketch's: `datasketch.MinHash(num_perm, seed, hashfunc)` updated with the shingles of one chunk has the
same values (a test holds it); only the loop over chunks is another. The hash of a shingle is the sum of the 64-bit hashes of
its words, each times a power of the golden constant by its place, mixed and folded to the upper half: 32 bits. The hash of a
word is multilinear (Lemire and Kaser, Strongly universal string hashing is fast, 2014): the sum of its UTF-8 bytes, each plus
one times a constant of its place, mixed.
"""

from collections.abc import Iterable
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

_GOLDEN: Final = (
    0x9E3779B97F4A7C15  # 2^64 over the golden ratio, odd: its powers tell the places in a shingle apart
)
_STEP: Final = np.uint64(_GOLDEN)
_WORD64: Final = (1 << 64) - 1
_BLOCK: Final = 1 << 16  # shingles permuted at once; the working arrays then stay in the processor's cache


def string_hashes(words: pl.Series) -> NDArray[np.uint64]:
    """64-bit hash of each string of a column: uint64 (strings,)."""
    import pyarrow as pa

    _, offsets, content = words.to_arrow().cast(pa.large_string()).buffers()
    ends = np.frombuffer(offsets, np.int64)[: len(words) + 1] if len(words) else np.zeros(1, np.int64)
    letters = np.frombuffer(content, np.uint8)[: ends[-1]] if content else np.empty(0, np.uint8)
    lengths = np.diff(ends)
    places = np.arange(1, int(lengths.max(initial=0)) + 1).astype(np.uint64)
    return _mixed64(
        _weighted_sums(lengths, letters.astype(np.uint64) + np.uint64(1), _mixed64(places * _STEP))
    )


def _weighted_sums(
    lengths: NDArray[np.int64], values: NDArray[np.uint64], weights: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """The sum of each row's values, each times the weight of its place, modulo 2^64."""
    ends = np.cumsum(lengths)
    places = np.arange(len(values)) - np.repeat(ends - lengths, lengths)
    # The sum up to each end, less that up to the start; it wraps, and so does the difference.
    sums = np.r_[np.uint64(0), np.cumsum(values * weights[places], dtype=np.uint64)]
    return sums[ends] - sums[ends - lengths]


def _mixed64(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return (values ^ (values >> np.uint64(32))) * _STEP


def distinct_shingles(
    lengths: NDArray[np.int64], values: NDArray[np.uint64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """The distinct shingles of each row.

    Args:
        lengths: int64 (rows,): words of each row.
        values: uint64 (words,): their hashes, one row after the other.
        sizes: int64 (rows,): words in a shingle of each row, 1 at least.

    Returns:
        (counts, hashes): int64 (rows,), how many each row has (0 for fewer words than its size), and the hashes of one
        row after the other, uint32, ascending in each.
    """
    rows = np.repeat(np.arange(len(lengths)), lengths)
    found: list[NDArray[np.uint64]] = [np.empty(0, np.uint64)]
    for size in np.unique(sizes).tolist():
        here = (sizes == size)[rows]
        found.append(_keys(rows[here], values[here], size))
    keys = np.concatenate(found)
    keys.sort()
    keys = keys[np.r_[True, keys[1:] != keys[:-1]][: len(keys)]]
    counts = np.bincount((keys >> np.uint64(32)).astype(np.int64), minlength=len(lengths))
    return counts, keys.astype(np.uint32)


def words_sums(lengths: NDArray[np.int64], values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A hash of the words of each row in order that can be joined (`joined_sum`): uint64 (rows,), 0 for a row without words.

    The sum of the words' hashes, each times a power of the golden constant by its place, modulo 2^64.

    Args:
        lengths: int64 (rows,): words of each row.
        values: uint64 (words,): their hashes, one row after the other.
    """
    longest = int(lengths.max(initial=0))
    return _weighted_sums(lengths, values, np.multiply.accumulate(np.full(longest, _STEP)))


def joined_sum(parts: Iterable[tuple[int, int]]) -> int:
    """The hash of all words of some rows in order, however they were cut into rows, from (n_words, words_sum) of each."""
    total, factor = 0, 1
    for count, part in parts:
        total += part * factor
        factor = factor * pow(_GOLDEN, count, 1 << 64) & _WORD64
    return total & _WORD64


def _keys(rows: NDArray[np.int64], values: NDArray[np.uint64], size: int) -> NDArray[np.uint64]:
    """Row in the upper half and hash in the lower, of each shingle."""
    length = len(rows) - size + 1
    if length <= 0:
        return np.empty(0, np.uint64)
    total = np.zeros(length, np.uint64)
    for place in range(size):
        total += values[place : place + length] * np.uint64(pow(_GOLDEN, place + 1, 1 << 64))
    total ^= total >> np.uint64(32)
    total *= _STEP
    total >>= np.uint64(32)
    inside = rows[:length] == rows[size - 1 :]
    return (rows[:length].astype(np.uint64) << np.uint64(32) | total)[inside]


def minhashes(
    counts: NDArray[np.int64], hashes: NDArray[np.uint32], permutations: int, seed: int
) -> NDArray[np.uint32]:
    """MinHash signatures (Broder, On the resemblance and containment of documents, 1997) of many chunks.

    Args:
        counts: int64 (rows,): number of shingles of each row.
        hashes: hashes of the shingles of one row after the other.
        permutations: length of a signature.
        seed: of the permutations, as in datasketch.

    Returns:
        uint32 (rows with shingles, permutations); rows without any have no signature.
    """
    from datasketch import MinHash

    factors, offsets = np.asarray(MinHash(num_perm=permutations, seed=seed).permutations, dtype=np.uint32)
    counts = counts[counts > 0]
    result = np.empty((len(counts), permutations), np.uint32)
    mixed = _mix(hashes)
    ends = np.cumsum(counts)
    starts = ends - counts
    begin = 0
    while begin < len(counts):
        # As many whole rows as fit the block, one at least.
        end = max(begin + 1, int(np.searchsorted(ends, starts[begin] + _BLOCK, side="right")))
        block = mixed[starts[begin] : ends[end - 1]]
        relative = starts[begin:end] - starts[begin]
        least = np.empty((permutations, end - begin), np.uint32)
        work = np.empty_like(block)
        for number in range(permutations):
            np.multiply(block, factors[number], out=work)
            work += offsets[number]
            np.minimum.reduceat(work, relative, out=least[number])
        result[begin:end] = least.T
        begin = end
    return result


def _mix(values: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The finaliser of MurmurHash3 (Appleby, public domain), which datasketch's scheme affine32 applies first."""
    mixed = values ^ (values >> np.uint32(16))
    mixed = mixed * np.uint32(0x85EBCA6B)
    mixed ^= mixed >> np.uint32(13)
    mixed = mixed * np.uint32(0xC2B2AE35)
    return mixed ^ (mixed >> np.uint32(16))
