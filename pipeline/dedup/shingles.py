"""Hashes of word shingles and their MinHash, for many chunks at once.

The definition is datasketch's: `datasketch.MinHash(num_perm, seed, hashfunc=shingle_hash)` updated with the shingles of one
chunk has the same values (a test holds it); only the loop over chunks is another.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

_GOLDEN: Final = (
    0x9E3779B97F4A7C15  # 2^64 over the golden ratio, odd: its powers tell the places in a shingle apart
)
_WORD64: Final = (1 << 64) - 1
_BLOCK: Final = 1 << 16  # shingles permuted at once; the working arrays then stay in the processor's cache


def shingle_hash(words: Sequence[str]) -> int:
    """32-bit hash of a shingle: the definition that the vectorised form follows.

    The sum of 64-bit BLAKE2b hashes of its words, each times a power of the golden constant by its place, mixed and
    folded to the upper half.
    """
    total = (
        sum(_word_hash(word) * pow(_GOLDEN, place + 1, 1 << 64) for place, word in enumerate(words)) & _WORD64
    )
    total ^= total >> 32
    return (total * _GOLDEN & _WORD64) >> 32


def hash_shingles(words: pl.Series, size: int) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """The shingles of each row.

    Args:
        words: list of strings; each row the words of a chunk, in order.
        size: words in a shingle.

    Returns:
        (rows, hashes), both of length "number of shingles": the row that a shingle belongs to, ascending, and its hash.
        A chunk of fewer words than `size` has none; repeated shingles are repeated.
    """
    flat = (
        pl.DataFrame({"word": words})
        .with_row_index("row")
        .filter(pl.col("word").list.len() >= size)
        .explode("word")
    )
    if flat.is_empty():
        return np.empty(0, np.int64), np.empty(0, np.uint32)
    vocabulary = flat.select(pl.col("word").unique())
    hashes = pl.Series("hash", [_word_hash(word) for word in vocabulary["word"]], dtype=pl.UInt64)
    coded = flat.join(vocabulary.with_columns(hashes), on="word", how="left", maintain_order="left")
    rows = coded["row"].to_numpy().astype(np.int64)
    values = coded["hash"].to_numpy()
    length = len(rows) - size + 1
    total = np.zeros(length, np.uint64)
    for place in range(size):
        total += values[place : place + length] * np.uint64(pow(_GOLDEN, place + 1, 1 << 64))
    total ^= total >> np.uint64(32)
    folded = ((total * np.uint64(_GOLDEN)) >> np.uint64(32)).astype(np.uint32)
    inside = rows[:length] == rows[size - 1 :]
    return rows[:length][inside], folded[inside]


def minhashes(
    rows: NDArray[np.int64], hashes: NDArray[np.uint32], count: int, permutations: int, seed: int
) -> NDArray[np.uint32]:
    """MinHash signatures (Broder, On the resemblance and containment of documents, 1997) of many chunks.

    Args:
        rows: row of each shingle, ascending.
        hashes: hash of each shingle.
        count: number of rows.
        permutations: length of a signature.
        seed: of the permutations, as in datasketch.

    Returns:
        uint32 (count, permutations); the largest value everywhere for a row without shingles.
    """
    from datasketch import MinHash

    factors, offsets = np.asarray(MinHash(num_perm=permutations, seed=seed).permutations, dtype=np.uint32)
    result = np.full((count, permutations), np.iinfo(np.uint32).max, np.uint32)
    mixed = _mix(hashes)
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    begin = 0
    while begin < len(starts):
        # As many whole rows as fit the block, one at least.
        end = max(begin + 1, int(np.searchsorted(starts, starts[begin] + _BLOCK)))
        stop = starts[end] if end < len(starts) else len(rows)
        block = mixed[starts[begin] : stop]
        relative = starts[begin:end] - starts[begin]
        owners = rows[starts[begin:end]]
        least = np.empty((permutations, len(owners)), np.uint32)
        for number in range(permutations):
            least[number] = np.minimum.reduceat(block * factors[number] + offsets[number], relative)
        result[owners] = least.T
        begin = end
    return result


def _mix(values: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The finaliser of MurmurHash3 (Appleby, public domain), which datasketch's scheme affine32 applies first."""
    mixed = values ^ (values >> np.uint32(16))
    mixed = mixed * np.uint32(0x85EBCA6B)
    mixed ^= mixed >> np.uint32(13)
    mixed = mixed * np.uint32(0xC2B2AE35)
    return mixed ^ (mixed >> np.uint32(16))


def _word_hash(word: str) -> int:
    return int.from_bytes(
        hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
    )
