import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.parsing.repair import clean, join_lines, one_line


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
