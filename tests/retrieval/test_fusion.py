from datetime import date
from math import log

import pytest

from pipeline.config import RetrievalConfig
from pipeline.retrieval.fusion import (
    boost,
    covered,
    encoder_weight,
    fuse,
    language_share,
    text_weights,
    word_worth,
)
from pipeline.retrieval.legs import Candidate

DAY = date(2026, 1, 1)
PLAIN = RetrievalConfig(authority_boost=0, recency_boost=0, rrf_k=60, text_doubt=2)


def row(
    chunk_id: str, language: str = "en", terms: str = "", authority: int = 0, effective: date | None = None
) -> Candidate:
    return Candidate(
        0, chunk_id, "d", "s", None, None, language, authority, effective, None, frozenset(terms.split())
    )


def test_scores_are_weighted_reciprocal_ranks() -> None:
    a, b, d = row("a", terms="x y"), row("b"), row("d", terms="x")
    ranked = fuse(
        {"one": [a, b], "two": [b]}, [d, a], words=[["x"], ["y"]], languages=["en"], as_of=DAY, config=PLAIN
    )
    scores = {candidate.chunk_id: score for candidate, score in ranked}
    assert scores == pytest.approx({"a": 1 / 61 + 1 / 62, "b": 1 / 62 + 1 / 61, "d": 1 / 61})
    assert [candidate.chunk_id for candidate, _ in ranked][2] == "d"


def test_equal_scores_are_in_the_order_of_chunk_ids_whatever_the_leg() -> None:
    for first, second in (("a", "b"), ("b", "a")):
        ranked = fuse(
            {"one": [row(first)], "two": [row(second)]},
            [],
            words=[],
            languages=["en"],
            as_of=DAY,
            config=PLAIN,
        )
        assert [candidate.chunk_id for candidate, _ in ranked] == ["a", "b"]


def test_full_text_counts_fully_when_the_nearest_rows_are_in_the_language_of_the_query() -> None:
    small = [row(f"e{at}", terms="the of") for at in range(3)]
    assert language_share([small], ["en"]) == 1
    assert language_share([[row("d", "de"), *small]], ["en"]) == 0.75
    assert language_share([[row("u", "und")]], ["en"]) == 1
    assert language_share([], ["en"]) == 1
    weights = text_weights(
        small, word_worth(small, [["the"], ["leave"]]), languages=["en"], doubt=0, config=PLAIN
    )
    assert weights == [1, 1, 1]


def test_hits_on_small_words_lose_their_weight_when_the_answer_is_in_another_language() -> None:
    small = [row(f"e{at}", "en", "the of") for at in range(9)]
    real = row("e9", "en", "the annual leave")
    words = [["the"], ["annual"], ["leave", "leav"]]
    weights = text_weights(
        [real, *small], word_worth([real, *small], words), languages=["en"], doubt=2, config=PLAIN
    )
    the, rare = log(11 / 10.5), log(11 / 1.5)
    assert weights[0] == pytest.approx(1)
    assert weights[1:] == pytest.approx([(the / (the + 2 * rare)) ** 2] * 9)
    german = [row("g", "de")]
    ranked = fuse({"one": german}, small, words=words, languages=["en"], as_of=DAY, config=PLAIN)
    assert ranked[0][0].chunk_id == "g"


def test_a_hit_in_another_language_counts_less() -> None:
    hits = [row("a", "de", "x"), row("b", "en", "x"), row("c", "und", "x")]
    config = RetrievalConfig(text_weight=0.8, cross_lingual_text_weight=0.3)
    assert text_weights(hits, [], languages=["en"], doubt=3, config=config) == [0.3, 0.8, 0.8]
    low = RetrievalConfig(text_weight=0.1, cross_lingual_text_weight=0.3)
    assert text_weights(hits, [], languages=["en"], doubt=0, config=low) == [0.1, 0.1, 0.1]


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
        assert encoder_weight(slug, chunk, asked, config) == weight
    near, far = row("a", "de"), row("b", "de")
    ranked = fuse({"e": [far], "f": [near]}, [], words=[], languages=["en"], as_of=DAY, config=config)
    assert [candidate.chunk_id for candidate, _ in ranked] == ["a", "b"]


def test_a_heading_that_covers_the_question_lifts_its_section() -> None:
    names = {"a": "", "b": "", "c": "consumer"}
    legs = [
        Candidate(0, name, "d", "s", None, None, "en", 0, None, None, frozenset({"consumer"}), frozenset(head.split()))
        for name, head in names.items()
    ]  # fmt: skip
    words = [["who"], ["consumer"]]
    worth = word_worth(legs, words)
    assert covered(worth, legs[2].heading) == pytest.approx(log(4 / 3.5) / (log(4 / 3.5) + log(4 / 0.5)))
    assert covered([], legs[2].heading) == covered(worth, frozenset()) == 0

    def order(heading_boost: float) -> list[str]:
        config = PLAIN.model_copy(update={"heading_boost": heading_boost})
        ranked = fuse({"one": legs}, [], words=words, languages=["en"], as_of=DAY, config=config)
        return [candidate.chunk_id for candidate, _ in ranked]

    assert order(0) == ["a", "b", "c"]
    assert order(1) == ["c", "a", "b"]
