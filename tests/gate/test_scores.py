"""The measures: each sees its own fault and no other."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.gate.quality import PictureScores, quality
from pipeline.gate.scores import score_text
from tests.gate.texts import GARBAGE, GOOD, UNUSUAL

ALL = ("tr", "de", "en")


@pytest.mark.parametrize("language", ALL)
def test_good_text(language):
    scores = score_text(GOOD[language], (language,))
    assert scores.known_words is not None
    assert scores.known_words > 0.95
    assert scores.symbols == scores.repeated_lines == 0
    assert scores.single_letters < 0.05
    assert quality(scores, None)[0] == 1.0
    assert quality(scores, PictureScores(confidence=0.99))[0] > 0.95


@pytest.mark.parametrize("language", ALL)
@pytest.mark.parametrize("fault", GARBAGE)
def test_garbage_is_far_below_the_limit(language, fault):
    value, reason = quality(score_text(GARBAGE[fault](GOOD[language]), ALL), None)
    assert value < 0.3
    assert reason in {"known_words", "symbols", "single_letters"}


@pytest.mark.parametrize(("language", "limit"), [("tr", 0.3), ("de", 0.7)])
def test_utf8_read_as_a_code_page(language, limit):
    broken = GOOD[language].encode().decode("cp1252", "replace")
    assert quality(score_text(broken, (language,)), None)[0] < limit


def test_turkish_code_page_read_as_a_western_one():
    broken = GOOD["tr"].encode("cp1254").decode("cp1252")
    assert quality(score_text(broken, ("tr",)), None)[0] < 0.45


@pytest.mark.parametrize("name", UNUSUAL)
def test_unusual_text_passes(name):
    assert quality(score_text(UNUSUAL[name], ALL), None)[0] >= 0.7


def test_another_language_is_flagged_not_rejected():
    french = """La maison est très belle et le jardin est aussi grand que celui de nos voisins, mais les arbres sont vieux et il
faut les couper avant l'hiver prochain, quand le vent souffle de la montagne."""
    russian = "Дом очень красивый и сад тоже большой, но деревья старые и их нужно срубить до следующей зимы."
    for text in (french, russian):
        scores = score_text(text, ALL)
        assert scores.foreign
        assert 0.45 <= quality(scores, None)[0] < 0.7


def test_wrong_language_of_the_page_is_no_fault_when_all_are_expected():
    assert score_text(GOOD["en"], ALL).known_words > 0.95
    assert score_text(GOOD["tr"], ("de",)).known_words < 0.5


def test_repeated_lines():
    assert score_text("Die Pumpe läuft\n" * 20, ("de",)).repeated_lines == pytest.approx(0.95)
    assert score_text("Die Pumpe läuft\n" * 3, ("de",)).repeated_lines == 0


def test_engine_confidence_alone_can_reject():
    scores = score_text(GOOD["de"], ("de",))
    value, worst = quality(scores, PictureScores(confidence=0.6))
    assert value < 0.45
    assert worst == "confidence"


@pytest.mark.parametrize("measure", ["doubtful", "uncovered", "sideways", "short_lines", "overlapping"])
def test_what_the_picture_shows_counts(measure):
    scores = score_text(GOOD["de"], ("de",))
    good = PictureScores(confidence=0.98)
    assert quality(scores, replace(good, **{measure: 1.0}))[0] < quality(scores, good)[0]


def test_a_page_of_which_most_was_not_read_is_rejected():
    scores = score_text(GOOD["de"], ("de",))
    value, worst = quality(scores, PictureScores(confidence=0.98, uncovered=0.8))
    assert value < 0.45
    assert worst == "uncovered"
    assert quality(scores, PictureScores(confidence=0.98, uncovered=0.35))[0] < 0.7


SHARES = st.floats(0, 1)
PICTURES = st.builds(PictureScores, SHARES, SHARES, SHARES, SHARES, SHARES, SHARES)


@given(PICTURES, st.sampled_from(sorted(vars(PictureScores()))), SHARES)
def test_no_page_gets_better_by_a_worse_measure(picture, measure, value):
    other = replace(picture, **{measure: value})
    worse = (value < getattr(picture, measure)) == (measure == "confidence")
    low, high = (other, picture) if worse else (picture, other)
    for text in (GOOD["en"], "Anlage 3"):
        scores = score_text(text, ALL)
        assert quality(scores, low)[0] <= quality(scores, high)[0] + 1e-9


@given(st.text(), st.none() | PICTURES)
def test_any_text_has_a_quality(text, picture):
    scores = score_text(text, ALL)
    for share in (scores.symbols, scores.single_letters, scores.repeated_lines, scores.known_words or 0.0):
        assert 0 <= share <= 1
    assert 0 <= quality(scores, picture)[0] <= 1
