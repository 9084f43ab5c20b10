import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.parsing.repair import clean, join_lines, one_line, repairs_of


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Die Druckluft-", "anlage läuft"], "Die Druckluftanlage läuft"),
        (["der E-Mail-", "Verteiler"], "der E-Mail-Verteiler"),
        (["Öl-Wasser-", "Abscheider"], "Öl-Wasser-Abscheider"),
        (["Für Ein- und Ausfuhr"], "Für Ein- und Ausfuhr"),
        (["Für Ein-", "und Ausfuhr"], "Für Ein- und Ausfuhr"),
        (["Leit\ufffe", "stelle"], "Leitstelle"),
        (["Haupt\u00ad", "verteiler"], "Hauptverteiler"),
        (["Zeit –", "danach"], "Zeit – danach"),
        (["Modell X-", "12"], "Modell X-12"),
    ],
)
def test_line_ends_are_joined_as_people_read_them(lines, expected):
    assert join_lines(lines) == expected


def test_a_paragraph_of_many_lines_takes_time_in_proportion_to_them():
    lines = [f"Die Leitstelle {n} meldet, dass der Druck gefal-" for n in range(20_000)]
    started = time.process_time()
    text = join_lines(line for pair in zip(lines, ["len ist."] * 20_000, strict=True) for line in pair)
    assert text.count("gefallen ist. Die") == 19_999
    assert time.process_time() - started < 3  # joined to one growing text it were minutes


def test_characters_are_cleaned():
    assert clean("\ufeffHaupt\u00adver\u200bteiler\u00a0 ﬁnden\x00") == "Hauptverteiler finden"
    assert clean("S\u0327ebeke") == "Şebeke"
    assert one_line("a\n b\t c") == "a b c"


@given(st.text())
def test_cleaning_is_stable_and_normal(text):
    once = clean(text)
    assert clean(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert not set("\ufeff\u00ad\ufffe\x00") & set(once)


@pytest.mark.parametrize("code_page", ["cp1252", "cp1254"])
@pytest.mark.parametrize(
    "word", ["Größe", "Überschrift", "şirket", "iğde", "ışık", "İstanbul", "§ 5", "„so“", "10 €", "Ölçüm"]
)
def test_utf8_that_was_read_as_windows_text_is_turned_back(word, code_page):
    shown = "".join(
        bytes([byte]).decode(code_page, "replace").replace("\ufffd", chr(byte)) for byte in word.encode()
    )
    assert clean(f"Das ist {shown}.") == f"Das ist {word}."
    assert repairs_of([shown])["mojibake"] == sum(not letter.isascii() for letter in word)


@pytest.mark.parametrize(
    "text", ["Größe Ğ ş İ Ä – Ö", "„Ä“ ist ein Umlaut", "SÃO PAULO", "Âge d’or", "20 °C"]
)
def test_letters_that_are_meant_stay(text):
    assert clean(text) == text
    assert not repairs_of([text])


def test_repairs_are_counted_by_kind():
    lines = [
        "\ufeffDie Druckluft-",
        "anlage ﬁn\u00addet",
        "Leit\ufffe",
        "stelle und Haupt\u00ad",
        "verteiler\x00s, E-Mail-",
        "Verteiler",
    ]
    assert repairs_of(lines) == {"hyphen": 4, "ligature": 1, "soft_hyphen": 1, "character": 1}
    assert join_lines(lines) == "Die Druckluftanlage findet Leitstelle und Hauptverteilers, E-Mail-Verteiler"


@given(st.lists(st.text(), max_size=5))
def test_what_is_repaired_needs_no_repair(lines):
    assert not set(repairs_of([join_lines(lines)])) & {"ligature", "character", "soft_hyphen"}
