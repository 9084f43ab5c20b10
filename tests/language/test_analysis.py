"""The analyser: which spellings and forms meet, what survives, and its laws."""

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.language.analysis import analyse, search_text

LANGUAGES = ("tr", "de", "en", "und")
FORMS = {
    "tr": [("İZMİR", "izmir", "Izmir", "İzmir'de"), ("fesih", "feshi", "feshedilmesi"), ("IĞDIR", "ığdır", "igdir"),
           ("sözleşme", "sözleşmesi", "SÖZLEŞMELER"), ("bakım", "bakımlarını")],
    "de": [("Straße", "strasse", "STRASSE"), ("Kündigung", "Kuendigung", "Kundigung", "KÜNDIGUNGEN"), ("kündigen", "kündigten"),
           ("Müller", "Mueller", "MÜLLER"), ("Messwerte", "Messwert"), ("Kündigungsfristen", "Frist" ), ("E-Mail", "email")],
    "en": [("pumps", "pump"), ("service", "serviced"), ("company's", "companies")],
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "forms"), [(lang, forms) for lang, groups in FORMS.items() for forms in groups]
)
def test_forms_meet_in_their_language_and_as_unknown(language, forms):
    for query in forms[1:]:
        document = set(analyse(forms[0], language))
        assert document & set(analyse(query, language)), query
        assert document & set(analyse(query, "und")), query


def test_plain_turkish_query_finds_inflected_words():
    document = set(analyse("İşçinin kıdem tazminatının ödenmesi", "tr"))
    for word in analyse("kidem tazminati odemesi", "und"), analyse("tazminati", "tr"):
        assert document & set(word)


def test_cross_language_misdetection_still_meets():
    document = set(analyse("Die Kündigungen der Verträge", "de"))
    assert len(document & set(analyse("Kündigung Vertrag", "en"))) >= 2
    assert len(document & set(analyse("Kündigung Vertrag", "tr"))) >= 2


def test_numbers_and_codes_survive():
    tokens = analyse("§ 623, §§ 12 BGB, KZ-400, 12.500 EUR, 8,5 bar, 12.03.2026, IPv4, 5763/1", "de")
    assert {
        "§623",
        "623",
        "§12",
        "kz-400",
        "kz400",
        "400",
        "12.500",
        "12500",
        "8,5",
        "8.5",
        "12.03.2026",
        "2026",
        "ipv4",
        "5763/1",
    } <= set(tokens)
    assert set(analyse("12,500", "en")) & set(analyse("12.500", "de")) == {"12500"}
    assert set(analyse("1.234.567,89", "de")) & set(analyse("1,234,567.89", "en")) == {"1234567.89"}


def test_different_words_do_not_meet():
    assert not set(analyse("Vertrag", "de")) & set(analyse("Verkehr", "de"))
    assert not set(analyse("kiracı", "tr")) & set(analyse("işveren", "tr"))


def test_nothing_to_analyse():
    assert search_text(["", "   ", "?!", "— …"], ["tr", "de", "en", "und"]) == ["", "", "", ""]
    with pytest.raises(ValueError, match="zip"):
        search_text(["a"], [])


def test_no_word_is_dropped_for_being_common():
    assert {"der", "die", "das", "und"} <= set(analyse("der die das und", "de"))
    assert {"her", "it"} <= set(analyse("her it", "tr"))


@pytest.mark.parametrize("case", ["B66", "B68"])
def test_reported_cases(cases: Path, case):
    docs = json.loads((cases / case / "docs.json").read_text(encoding="utf-8"))
    index = {doc["id"]: set(analyse(doc["text"], doc.get("lang", "de"))) for doc in docs}
    for query in json.loads((cases / case / "queries.json").read_text(encoding="utf-8")):
        wanted = {query["want"]} if isinstance(query["want"], str) else set(query["want"])
        for language in (query.get("lang", "de"), "und"):
            tokens = set(analyse(query["q"], language))
            found = {name for name, words in index.items() if words & tokens}
            assert wanted <= found <= wanted | set(query.get("ok_also", []))


def test_reported_queries_never_fail(cases: Path):
    for query in json.loads((cases / "B64/queries.json").read_text(encoding="utf-8")):
        assert all(isinstance(analyse(query, language), list) for language in LANGUAGES)


@given(st.text(), st.sampled_from(LANGUAGES))
def test_laws_on_any_text(text, language):
    tokens = analyse(text, language)
    assert all(token and not any(char.isspace() for char in token) for token in tokens)
    assert analyse(unicodedata.normalize("NFD", text), language) == analyse(
        unicodedata.normalize("NFC", text), language
    )
    assert search_text([text], [language]) == [" ".join(tokens)]


@given(st.text("abcçdefgğhıijklmnoöprsştuüvyzABCÇDEFGĞHIİJKLMNOÖPRSŞTUÜVYZß", min_size=1, max_size=15))
def test_every_word_meets_itself_in_any_language(word):
    shared = set.intersection(*(set(analyse(word, language)) for language in LANGUAGES))
    assert shared
