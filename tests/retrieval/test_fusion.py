from collections import Counter
from datetime import date
from math import log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.config import RetrievalConfig
from pipeline.language.glossary import Concept
from pipeline.retrieval.bm25 import K1, B
from pipeline.retrieval.fusion import boost, encoder_weight, fuse, matches, nearness, text_weight
from pipeline.retrieval.legs import Candidate

DAY = date(2026, 1, 1)
PLAIN = RetrievalConfig(
    authority_boost=0, recency_boost=0, text_weight=0.5, cross_lingual_text_weight=0.5, encoder_weights={}
)


def row(
    chunk_id: str,
    language: str = "en",
    terms: str = "",
    authority: int = 0,
    effective: date | None = None,
    **cosines: float,
) -> Candidate:
    by_column = {f"vector_{slug}": cosine for slug, cosine in cosines.items()}
    return Candidate(
        0,
        chunk_id,
        "d",
        "s",
        None,
        None,
        language,
        authority,
        effective,
        None,
        Counter(terms.split()),
        by_column,
    )


def concepts(terms: str) -> list[Concept]:
    return [Concept((term,), {}) for term in terms.split()]


def ranked(
    pool: list[Candidate], terms: str | list[Concept] = "", asked: str = "en", **changes: Any
) -> dict[str, float]:
    config = PLAIN.model_copy(update=changes)
    columns = sorted({column for candidate in pool for column in candidate.cosines})
    found = fuse(
        pool,
        columns=columns,
        concepts=concepts(terms) if isinstance(terms, str) else terms,
        languages=asked.split(),
        as_of=DAY,
        config=config,
    )
    return {candidate.chunk_id: score for candidate, score in found}


def test_encoders_are_stretched_over_the_pool_so_that_each_counts_alike() -> None:
    pool = [row("a", one=0.90, two=0.1), row("b", one=0.88, two=0.5), row("c", one=0.86, two=0.3)]
    near = nearness(pool, columns=["vector_one", "vector_two"], languages=["en"], config=PLAIN)
    assert near == pytest.approx([0.5, 0.75, 0.25])
    assert list(ranked(pool)) == ["b", "a", "c"]


def test_a_candidate_is_compared_by_the_encoders_that_know_its_language_and_not_lifted_by_their_weight() -> (
    None
):
    pool = [row("near", "en", one=0.9, two=0.2), row("far", "de", one=0.1, two=0.9), row("x", one=0, two=0)]
    weights = {"one:same": 3.0, "one:cross": 0.0}
    near = nearness(
        pool,
        columns=["vector_one", "vector_two"],
        languages=["en"],
        config=PLAIN.model_copy(update={"encoder_weights": weights}),
    )
    assert near == pytest.approx([(3 * 1 + 0.2 / 0.9) / 4, 1.0, 0.0])


def test_one_candidate_or_equal_ones_are_as_near_as_can_be() -> None:
    assert nearness([row("a", one=0.2)], columns=["vector_one"], languages=["en"], config=PLAIN) == [1.0]
    assert nearness([], columns=["vector_one"], languages=["en"], config=PLAIN) == []
    assert ranked([]) == {}


def test_full_text_is_bm25_over_the_pool_as_a_share_of_what_a_row_could_have() -> None:
    pool = [row("a", terms="leave leave annual"), row("b", terms="annual"), row("c", terms="of the")]
    rare, common, missing = log(1 + 2.5 / 1.5), log(1 + 1.5 / 2.5), log(1 + 3.5 / 0.5)
    most = (rare + common + missing) * (K1 + 1)

    def part(rarity: float, count: int, length: int) -> float:
        return rarity * count * (K1 + 1) / (count + K1 * (1 - B + B * length / 2)) / most

    found = matches(pool, concepts("leave annual holiday"), 0.8)
    assert found == pytest.approx([part(rare, 2, 3) + part(common, 1, 3), part(common, 1, 1), 0])
    assert matches(pool, [], 0.8) == [0, 0, 0]


def test_another_word_in_the_language_of_the_row_counts_a_share_of_the_own_one() -> None:
    deposit = Concept(("deposit",), {"de": (("kaution",), ("miete", "sicherheit")), "tr": (("depozito",),)})
    pool = [
        row("own", "en", "deposit paid"),
        row("other", "de", "kaution zahlen"),
        row("half", "de", "miete zahlen"),
        row("wrong", "en", "kaution zahlen"),  # not a word of its language
        row("unknown", "und", "depozito öde"),
        row("none", "tr", "kira öde"),
    ]
    own, other, half, wrong, unknown, none = matches(pool, [deposit], 0.5)
    assert [other, unknown] == pytest.approx([own / 2, own / 2])
    assert 0 < half < other
    assert wrong == none == 0
    assert matches(pool, [deposit], 0) == pytest.approx([own, 0, 0, 0, 0, 0])
    # The question's own word counts wherever it stands.
    assert matches([row("a", "de", "deposit"), row("b", "en", "x")], [deposit], 0.5)[0] > 0


def test_of_several_other_words_the_best_counts_and_not_their_sum() -> None:
    concept = Concept(("a",), {"en": (("b",), ("c",))})
    one, both, every = matches(
        [row("1", terms="b x"), row("2", terms="b c"), row("3", terms="a b c")], [concept], 1.0
    )
    assert both == pytest.approx(max(one, both))
    assert both < 2 * one
    assert every <= 1


def test_hits_on_small_words_do_not_outweigh_the_answer_in_another_language() -> None:
    small = [row(f"e{at}", "en", "how is of the", one=0.1) for at in range(9)]
    german = row("g", "de", "urlaub tage", one=0.5)
    scores = ranked([*small, german], "how long is the annual leave of a new employee")
    assert next(iter(scores)) == "g"
    # Where the words are all there, they decide between what is equally near.
    exact = row("x", "en", "annual leave new employee long", one=0.1)
    assert next(iter(ranked([*small, exact], "how long is the annual leave of a new employee"))) == "x"


def test_full_text_weighs_by_language() -> None:
    config = RetrievalConfig(text_weight=0.8, cross_lingual_text_weight=0.5)
    assert [text_weight(chunk, ["en"], config) for chunk in ("de", "en", "und")] == [0.4, 0.8, 0.8]
    assert text_weight("de", ["en"], RetrievalConfig(text_weight=0, cross_lingual_text_weight=3)) == 0
    pool = [row("a", "de", "x"), row("b", "en", "x")]
    assert list(ranked(pool, "x", cross_lingual_text_weight=0.1)) == ["b", "a"]


def test_equal_scores_are_in_the_order_of_chunk_ids_whatever_the_order_of_the_pool() -> None:
    for first, second in (("a", "b"), ("b", "a")):
        assert list(ranked([row(first, one=0.5), row(second, one=0.5)])) == ["a", "b"]


candidates = st.lists(
    st.tuples(
        st.floats(-1, 1), st.floats(-1, 1), st.lists(st.sampled_from("abc"), max_size=4), st.sampled_from(["en", "de", "und"])
    ),
    max_size=8,
)  # fmt: skip


@given(raw=candidates, weight=st.sampled_from([0.0, 0.5, 3.0]))
def test_scores_are_shares_and_do_not_depend_on_the_order_of_the_pool(raw: Any, weight: float) -> None:
    pool = [
        row(f"c{at}", language, " ".join(terms), at * 10, DAY, one=one, two=two)
        for at, (one, two, terms, language) in enumerate(raw)
    ]
    changes: dict[str, Any] = {"authority_boost": 0.2, "recency_boost": 0.1, "text_weight": weight}
    asked = [Concept(("a",), {"de": (("b", "c"),), "en": (("c",),)}), Concept(("b",), {})]
    scores = ranked(pool, asked, **changes)
    assert all(0 < score <= 1 for score in scores.values())
    assert scores == ranked(pool[::-1], asked, **changes)


def test_boosts_are_bounded_and_recency_halves_every_three_years() -> None:
    config = RetrievalConfig(authority_boost=0.1, recency_boost=0.2)
    assert boost(row("a"), DAY, config) == 1
    assert boost(row("a", authority=100, effective=DAY), DAY, config) == pytest.approx(1.1 * 1.2)
    assert boost(row("a", authority=50, effective=date(2023, 1, 1)), DAY, config) == pytest.approx(
        1.05 * 1.1, abs=1e-3
    )
    assert boost(row("a", effective=date(2030, 1, 1)), DAY, config) == pytest.approx(1.2)


def test_the_narrowest_weight_of_an_encoder_counts() -> None:
    config = PLAIN.model_copy(
        update={"encoder_weights": {"e": 2.0, "e:cross": 0.5, "e:en-de": 0.25, "f:same": 3.0}}
    )
    cases = [
        ("e", "de", ("de",), 2), ("e", "tr", ("de",), 0.5), ("e", "de", ("en",), 0.25), ("e", "und", ("en",), 2),
        ("e", "de", ("tr", "de", "en"), 2), ("f", "de", ("de",), 3), ("f", "de", ("tr",), 1), ("g", "de", ("de",), 1),
    ]  # fmt: skip
    for slug, chunk, asked, weight in cases:
        assert encoder_weight(f"vector_{slug}", chunk, asked, config) == weight
