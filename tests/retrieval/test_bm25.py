from collections import Counter
from math import log

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.retrieval.bm25 import K1, B, bm25, count_terms, rarity

texts = st.lists(st.lists(st.sampled_from("abcde"), max_size=6).map(" ".join), min_size=1, max_size=8)


@given(texts=texts, terms=st.lists(st.sampled_from("abxy"), min_size=1, max_size=4, unique=True))
def test_terms_are_counted_as_a_counter_does(texts: list[str], terms: list[str]) -> None:
    counts, lengths = count_terms(pl.Series(texts), terms)
    by_hand = [Counter(text.split(" ")) for text in texts]
    assert counts.tolist() == [[counter[term] for term in terms] for counter in by_hand]
    assert lengths.tolist() == [counter.total() for counter in by_hand]


def test_scores_are_those_of_the_formula() -> None:
    counts, lengths = count_terms(pl.Series(["leave leave annual", "annual"]), ["leave", "annual", "holiday"])
    rare, common, missing = log(1 + 9.5 / 1.5), log(1 + 8.5 / 2.5), log(1 + 10.5 / 0.5)
    assert rarity(counts, corpus=10).tolist() == pytest.approx([rare, common, missing])

    def part(rarity: float, count: int, length: int) -> float:
        return rarity * count * (K1 + 1) / (count + K1 * (1 - B + B * length / 2))

    np.testing.assert_allclose(
        bm25(counts, lengths, corpus=10),
        [[part(rare, 2, 3), part(common, 1, 3), 0], [0, part(common, 1, 1), 0]],
    )
