"""Lemmas: what the dictionary is asked, and what is added to it."""

import pytest

from pipeline.language.lemmas import guessed, known, recognised


@pytest.mark.parametrize(
    ("word", "language", "lemma"),
    [
        ("feshi", "tr", "fesih"),
        ("feshedilmesi", "tr", "fesih"),
        ("kaydedilir", "tr", "kayıt"),
        ("bakımlarını", "tr", "bakım"),
        ("kündigten", "de", "kündigen"),
        ("kuendigungen", "de", "kündigung"),
        ("strassen", "de", "straße"),
        ("gesundheitsämter", "de", "gesundheitsamt"),
        ("arbeitnehmerinnen", "de", "arbeitnehmer"),
        ("präsidentin", "de", "präsident"),
        ("pumps", "en", "pump"),
        ("filings", "en", "file"),
        ("setting", "en", "set"),
        ("proceedings", "en", "proceed"),
        ("policies", "en", "policy"),
    ],
)
def test_lemma(word, language, lemma):
    assert lemma in recognised(word, language)


def test_verb_that_is_no_light_verb_gives_no_noun():
    assert recognised("yönetmek", "tr") == ("yönet",)


def test_plain_turkish():
    assert recognised("sozlesmesi", "tr", plain=True) == ("sözleşme",)
    assert recognised("sozlesmesi", "tr") == ()


def test_words_that_end_as_titles_do():
    assert recognised("termin", "de") == ("termin",)
    assert recognised("anything", "en") == ("anything",)


def test_rules_for_words_that_no_dictionary_has():
    assert guessed("brexitten", "tr") == ("brexit",)
    assert guessed("deepfakes", "en") == ("deepfake",)


def test_unknown():
    assert known("xqzvw", "de") == ()
    assert known("a" * 5000, "tr") == ()
    assert recognised("a" * 5000, "de") == guessed("a" * 5000, "tr") == ()
