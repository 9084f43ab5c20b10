"""Casing and folding against the rules of each language."""

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.language.casing import DOT_ABOVE, fold, lower

LANGUAGES = ("tr", "de", "en", "und")
TURKISH = st.text("abcçdefgğhıijklmnoöprsştuüvyzABCÇDEFGĞHIİJKLMNOÖPRSŞTUÜVYZâîûÂÎÛ -'’")


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("IĞDIR", "tr", "ığdır"),
        ("İSTANBUL", "tr", "istanbul"),
        ("DİYARBAKIR", "tr", "diyarbakır"),
        ("I\u0307zmir", "tr", "izmir"),
        ("KÂĞIT", "tr", "kâğıt"),
        ("INDEX", "en", "index"),
        ("INDEX", "de", "index"),
        ("İZMİR", "en", "izmir"),
        ("STRASSE", "de", "strasse"),
        ("Größe", "de", "größe"),
        ("GRÖẞE", "de", "größe"),
        ("O\u0308L", "de", "öl"),
    ],
)
def test_lower(text, language, expected):
    assert lower(text, language) == expected


def test_reported_pairs(cases: Path):
    for language, pairs in json.loads((cases / "B46/pairs.json").read_text(encoding="utf-8")).items():
        for text, expected in pairs:
            assert lower(text, language) == expected


@given(st.text(), st.sampled_from(LANGUAGES))
def test_form_makes_no_difference(text, language):
    decomposed = unicodedata.normalize("NFD", text)
    assert lower(decomposed, language) == lower(unicodedata.normalize("NFC", text), language)
    assert fold(decomposed) == fold(unicodedata.normalize("NFC", text))


@given(TURKISH)
def test_turkish_keeps_its_length_and_leaves_no_dot(text):
    lowered = lower(text, "tr")
    assert len(lowered) == len(text)
    assert DOT_ABOVE not in lowered
    assert lower(lowered, "tr") == lowered


@given(TURKISH)
def test_fold_is_the_same_whatever_the_language(text):
    assert len({fold(text, language) for language in LANGUAGES}) == 1
    assert fold(lower(text, "tr")) == fold(text)


@pytest.mark.parametrize(
    ("left", "right"),
    [("İZMİR", "izmir"), ("Iğdır", "IGDIR"), ("Straße", "STRASSE"), ("Şükrü", "sukru"), ("kâğıt", "kagit")],
)
def test_fold_meets(left, right):
    assert fold(left) == fold(right)
