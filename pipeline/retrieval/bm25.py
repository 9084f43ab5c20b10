"""BM25 over rows that the asker may see: how common a term is counts among these alone.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, with the inverse document frequency of
Lucene, which is never negative.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

Counts = NDArray[np.int64]  # shape (rows, terms)
Scores = NDArray[np.float64]  # shape (rows, terms)

K1: Final = 1.2  # how soon further occurrences of a term stop to count
B: Final = 0.75  # how much the length of a row counts


def count_terms(texts: pl.Series, terms: Sequence[str]) -> tuple[Counts, Counts]:
    """How often each term stands in each text, shape (rows, terms), and how many tokens each text has, shape (rows,).

    Args:
        texts: tokens separated by single spaces.
        terms: distinct.
    """
    tokens = texts.str.split(" ")
    lengths = tokens.list.len().to_numpy().astype(np.int64)
    codes = tokens.explode().cast(pl.Enum(terms), strict=False).to_physical()
    found = codes.is_not_null().to_numpy()
    cells = np.repeat(np.arange(len(lengths)), lengths)[found] * len(terms) + codes.drop_nulls().to_numpy()
    counts = np.bincount(cells, minlength=len(lengths) * len(terms)).reshape(len(lengths), len(terms))
    return counts, lengths


def bm25(counts: Counts, lengths: Counts, *, corpus: int) -> Scores:
    """What each term gives each row; the sum over the terms is the row's BM25.

    Args:
        counts: as of `count_terms`.
        lengths: as of `count_terms`; their mean is taken for that of the corpus.
        corpus: how many rows there are, of which these are all that have one of the terms; at least as many as these.
    """
    damping = K1 * (1 - B + B * lengths / (lengths.mean() or 1))
    return rarity(counts, corpus=corpus) * counts * (K1 + 1) / (counts + damping[:, None])


def rarity(counts: Counts, *, corpus: int) -> Scores:
    """Inverse document frequency of each term, shape (terms,), above 0; a term of no row is the rarest."""
    found = (counts > 0).sum(axis=0)
    return np.log(1 + (corpus - found + 0.5) / (found + 0.5))
