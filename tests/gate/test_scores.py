"""The measures: each sees its own fault and no other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.gate.quality import quality
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
    assert quality(scores, 0.99)[0] == 1.0


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
    assert quality(scores, 0.6) == (pytest.approx(0.08), "confidence")


@given(st.text(), st.none() | st.floats(0, 1))
def test_any_text_has_a_quality(text, confidence):
    scores = score_text(text, ALL)
    for share in (scores.symbols, scores.single_letters, scores.repeated_lines, scores.known_words or 0.0):
        assert 0 <= share <= 1
    assert 0 <= quality(scores, confidence)[0] <= 1
