"""Span truth: does a text contain the quoted words, whatever cut the text out of its document.

Text and quote are compared by their letters and digits alone, so white space, hyphenation, table rules, markup and
the form of Unicode do not matter. OCR errors do not either: see `cover`.
"""

import unicodedata
from collections import Counter
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]

COVERED: Final = 0.95  # share of the quote's letters and digits from which a result counts as relevant
_GRAM: Final = 5  # characters by which a place is found
_BLOCK: Final = 3  # characters that must agree in a row
_BRIDGE: Final = 3  # characters between two agreeing runs that pass as misread
_RUN: Final = 10  # characters that a stretch must have, misread ones included, to be part of the passage
_BUCKET: Final = 64  # characters of drift within which matches belong to one place


@lru_cache(maxsize=4096)
def letters(text: str) -> str:
    """The letters and digits of a text, in their compatibility form and without case."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in plain if char.isalnum())


def cover(quote: str, text: str) -> Flags:
    """Which letters and digits of the quote the text contains, in one place.

    The two are aligned in order, where most agrees. Runs of three that agree count, and up to three characters between
    two of them pass as misread, unless a digit is among them: a sum that differs is another sum. Stretches of fewer
    than ten are left to chance. So a text with one wrong letter in thirty still covers a quote, and a text that
    ends in its middle covers half of it.

    Args:
        quote: the words looked for.
        text: where they may stand.

    Returns:
        One flag for each of the `letters` of the quote; empty if it has none.
    """
    wanted, given = letters(quote), letters(text)
    if wanted in given:
        return np.ones(len(wanted), dtype=np.bool_)
    return _aligned(wanted, _place(wanted, given, min(_GRAM, len(wanted))))


def covers(quote: str, flags: Flags) -> bool:
    """Whether what `cover` found is enough: 95 % of the quote, and every digit. An empty quote is covered."""
    digits = [flag for char, flag in zip(letters(quote), flags.tolist(), strict=True) if char.isdigit()]
    return len(flags) == 0 or (float(flags.mean()) >= COVERED and all(digits))


def _place(wanted: str, given: str, size: int) -> str:
    """The part of `given` where most runs of `wanted` are, with room for what may stand in between."""
    diagonals: Counter[int] = Counter()
    for at in range(len(wanted) - size + 1):
        gram = wanted[at : at + size]
        found = given.find(gram)
        while found >= 0:
            # Two overlapping buckets, so that a place on a border is not split.
            drift = found - at
            diagonals.update({2 * (drift // _BUCKET): 1, 2 * ((drift + _BUCKET // 2) // _BUCKET) - 1: 1})
            found = given.find(gram, found + 1)
    if not diagonals:
        return ""
    best = max(diagonals, key=lambda bucket: (diagonals[bucket], -bucket))
    start = best // 2 * _BUCKET if best % 2 == 0 else (best + 1) // 2 * _BUCKET - _BUCKET // 2
    slack = max(_BUCKET, len(wanted) // 2)
    return given[max(0, start - slack) : max(0, start) + _BUCKET + len(wanted) + slack]


def _aligned(wanted: str, place: str) -> Flags:
    """Which letters agree when the two are aligned in order, misread ones between included, chance ones not."""
    flags = np.zeros(len(wanted), dtype=np.bool_)
    blocks = [
        block
        for block in SequenceMatcher(None, wanted, place, autojunk=False).get_matching_blocks()
        if block.size >= min(_BLOCK, len(wanted))
    ]
    for block in blocks:
        flags[block.a : block.a + block.size] = True
    for left, right in pairwise(blocks):
        gap = wanted[left.a + left.size : right.a]
        drift = (right.b - left.b) - (right.a - left.a)
        if len(gap) <= _BRIDGE and abs(drift) <= _BRIDGE and not any(char.isdigit() for char in gap):
            flags[left.a + left.size : right.a] = True
    edges = np.flatnonzero(np.diff(flags, prepend=False, append=False)).tolist()
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        if end - start < min(_RUN, len(wanted)):
            flags[start:end] = False
    return flags
