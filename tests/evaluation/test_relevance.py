import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.evaluation.relevance import COVERED, cover, covers, letters

QUOTE = (
    "Der Arbeitgeber darf das Arbeitsverhältnis nur aus wichtigem Grund kündigen; die Frist beträgt 14 Tage."
)
TEXT = f"Allgemeines steht zuvor. {QUOTE} Näheres regelt die Betriebsvereinbarung vom 1. März."


def share(quote: str, text: str) -> float:
    return float(cover(quote, text).mean())


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.upper(),
        TEXT.replace(" ", "\n"),
        TEXT.replace(" ", ""),
        TEXT.replace("Arbeitgeber", "Arbeit-\ngeber").replace("kündigen", "kündi\u00adgen"),
        TEXT.replace("ä", "a\u0308").replace("ü", "u\u0308"),
        TEXT.replace("Frist", "Fri\ufffest").replace(" die ", " | **die** | "),
        TEXT.replace("Fr", "\ufb01r".replace("\ufb01", "F")),
    ],
)
def test_layout_markup_and_unicode_form_make_no_difference(text: str) -> None:
    assert share(QUOTE, text) == 1


def test_a_quote_that_is_cut_is_covered_in_part() -> None:
    half = TEXT[: TEXT.index(QUOTE) + len(QUOTE) // 2]
    assert share(QUOTE, half) == pytest.approx(0.5, abs=0.05)
    assert share(QUOTE, "Ganz anderer Text über Pumpen und Ventile.") == 0
    assert share(QUOTE, "") == 0


def test_ocr_errors_are_bridged() -> None:
    dice = random.Random(3)
    words = "".join("x" if char.isalpha() and dice.random() < 0.05 else char for char in TEXT)
    assert words != TEXT
    assert share(QUOTE, words) >= COVERED


def test_another_number_is_not_an_ocr_error() -> None:
    for quote, same, other in [
        (
            "Die Miete beträgt 1250 Euro",
            "Die Miete betrâgt 1250 Eur0 monatlich",
            "Die Miete beträgt 1350 Euro monatlich",
        ),
        (QUOTE, TEXT, TEXT.replace("14", "15")),
    ]:
        assert covers(quote, cover(quote, same))
        assert not covers(quote, cover(quote, other))
    assert covers("", cover("", "anything"))


def test_words_scattered_over_a_long_text_are_no_passage() -> None:
    filler = "Hier steht etwas ganz anderes über Pumpen. " * 30
    text = filler.join(QUOTE.split(" "))
    assert share(QUOTE, text) < 0.5


def test_two_cuts_of_a_passage_cover_it_together() -> None:
    middle = TEXT.index("nur aus")
    flags = cover(QUOTE, TEXT[:middle]) | cover(QUOTE, TEXT[middle:])
    assert flags.mean() >= COVERED


@given(st.text(min_size=1, max_size=60), st.text(max_size=200), st.text(max_size=200))
def test_a_text_that_contains_the_quote_covers_it(quote: str, before: str, after: str) -> None:
    flags = cover(quote, f"{before} {quote} {after}")
    assert len(flags) == len(letters(quote))
    assert flags.all()


@given(st.text(max_size=60), st.text(max_size=300))
def test_any_two_texts_can_be_compared(quote: str, text: str) -> None:
    assert cover(quote, text).shape == (len(letters(quote)),)
