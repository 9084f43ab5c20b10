"""Against what Excel is documented to show; separators and names as the language of the code has them."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.parsing.readers.number_formats import language_of, shown


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (0.125, "0.0%", "12.5%"), (0.5, "0%", "50%"), (1.005, "0.00", "1.01"), (7, "000", "007"), (7, "0000000", "0000007"),
        (12500, "General", "12500"), (0.1 + 0.2, "General", "0.3"), (12500, "#,##0", "12,500"),
        (12500.5, '#,##0.00 "€"', "12,500.50 €"), (12500.5, "[$₺-41F]#,##0.00", "₺12,500.50"), (-3, "0.00", "-3.00"),
        (-1200, "#,##0;(#,##0)", "(1,200)"), (0, '0.00;-0.00;"-"', "-"), (1_234_567, '0.0,,"M"', "1.2M"),
        (1.5, "0.##", "1.5"), (1.0, "0.##", "1"), (0.25, "# ?/?", "0.25"), (12345, "0.00E+00", "1.23E+04"),
        (5551234, "000-0000", "555-1234"), (905321234567, "+00 000 000 00 00", "+90 532 123 45 67"), (0, "#", ""),
        (-0.001, "0.00", "0.00"), (3, '0 "Stück"', "3 Stück"), (3, r"0\ \k\g", "3 kg"), (12500, "[Red]#,##0", "12,500"),
        (1200.5, '_-* #,##0.00 "TL"_-;-* #,##0.00 "TL"_-;_-* "-"?? "TL"_-;_-@_-', "1,200.50 TL"), (True, "General", "TRUE"),
        (None, "0", ""), ("007", "@", "007"), ("12.500", "General", "12.500"), ("x", '0;-0;0;"<"@">"', "<x>"),
        (5, "[>100]0.0;0", "5"), (5, ";;;", ""), (1e20, "General", "1e+20"), (10**15, "General", "1000000000000000"),
        (dt.date(2026, 3, 1), "dd.mm.yyyy", "01.03.2026"), (dt.date(2026, 3, 1), "yyyy-mm-dd", "2026-03-01"),
        (dt.date(2026, 3, 1), "mm-dd-yy", "2026-03-01"), (dt.date(2026, 3, 1), "General", "2026-03-01"),
        (dt.datetime(2026, 3, 1), "d mmmm yyyy", "1 March 2026"), (dt.datetime(2026, 3, 1), "mmm-yy", "Mar-26"),
        (dt.datetime(2026, 3, 1, 14, 5), "dd/mm/yyyy hh:mm", "01/03/2026 14:05"),
        (dt.datetime(2026, 3, 1, 14, 5, 9), "h:mm:ss AM/PM", "2:05:09 PM"), (dt.time(8, 5), "hh:mm", "08:05"),
        (dt.datetime(2026, 1, 2, 8, 30), "m/d/yy h:mm", "2026-01-02 08:30"), (dt.timedelta(hours=30, minutes=5), "[h]:mm", "30:05"),
        (dt.date(2026, 3, 1), "[$-F800]dddd, mmmm dd, yyyy", "2026-03-01"), (dt.time(8, 5), "mm:ss", "05:00"),
    ],
)  # fmt: skip
def test_values_are_shown_as_the_sheet_shows_them(value, code, text):
    assert shown(value, code) == text


@pytest.mark.parametrize(
    ("value", "code", "language", "text"),
    [
        (12500.5, "#,##0.00 [$€-407]", "de", "12.500,50 €"), (1.2, "0.00", "tr", "1,20"), (0.125, "0.0%", "tr", "12,5%"),
        (1.5, "General", "de", "1,5"), (12500, "#,##0", "de", "12.500"),
        (dt.date(2026, 5, 1), "[$-41F]d mmmm yyyy dddd", "tr", "1 Mayıs 2026 Cuma"),
        (dt.date(2026, 5, 1), "[$-407]ddd, d. mmmm", "de", "Fr, 1. Mai"),
    ],
)  # fmt: skip
def test_german_and_turkish_books_write_commas_and_their_own_months(value, code, language, text):
    assert shown(value, code, language) == text


def test_the_language_of_a_book_is_that_of_its_formats():
    assert language_of(["General", "0.00"]) == "en"
    assert language_of(["#,##0.00 [$€-407]", "[$-407]d. mmm", "[$-409]d"]) == "de"
    assert language_of(["[$₺-41F]0", "[$-F800]dddd"]) == "tr"


@given(
    st.one_of(st.integers(-(10**12), 10**12), st.floats(-1e12, 1e12)),
    st.sampled_from(["0", "0.00", "#,##0.000", "00000", "#,##0.00;(#,##0.00)", "General"]),
    st.sampled_from(["en", "de", "tr"]),
)
def test_a_number_reads_back(value, code, language):
    text = shown(value, code, language)
    point, comma = (".", ",") if language == "en" else (",", ".")
    plain = text.replace(comma, "").replace(point, ".") if "#,##" in code else text.replace(point, ".")
    number = -float(plain[1:-1]) if plain.startswith("(") else float(plain)
    places = len(code.split(";")[0].partition(".")[2])
    half = 0.5 * 10**-places if code != "General" else 0.0
    assert abs(number - value) <= half + 1e-11 * abs(value) + 1e-9


@given(
    st.one_of(st.integers(), st.floats(allow_nan=False), st.text()),
    st.text(alphabet='0#?.,%E+/;"\\[]$-ydmhs@ _*kg', max_size=20),
)
def test_any_code_gives_some_text(value, code):
    assert isinstance(shown(value, code), str)
