from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.parsing.dates import date_of_page, labelled_date
from pipeline.sample.texts.names import MONTHS

CAPITALS = {
    "de": str.upper,
    "tr": lambda text: text.replace("i", "İ").upper(),
    "en": str.upper,
}
LABELS = {
    "de": (
        "Stand:", "Stand", "Gültig ab", "Gültig ab dem", "In Kraft getreten am", "Fassung vom", "Datum des Inkrafttretens:",
        "Letzte Änderung:", "Zuletzt aktualisiert am",
    ),
    "tr": (
        "Yürürlük tarihi:", "Yürürlüğe giriş tarihi", "Yürürlüğe Giriş Tarihi :", "Son güncelleme:", "Güncelleme tarihi:",
        "Revizyon Tarihi:",
    ),
    "en": (
        "Effective date:", "Effective Date", "Effective as of", "Effective:", "Last revised:", "Last updated on", "Version of",
        "Version 2.1 of", "Entry into force:",
    ),
}  # fmt: skip


def words(language, day):
    month = MONTHS[language][day.month - 1]
    forms = {
        "de": (f"{day.day}. {month} {day.year}", f"{day.day:02}. {month} {day.year}"),
        "tr": (f"{day.day} {month} {day.year}", f"{day.day:02} {month} {day.year}"),
        "en": (f"{month} {day.day}, {day.year}", f"{day.day} {month} {day.year}", f"{month[:3]}. {day.day}, {day.year}"),
    }  # fmt: skip
    return forms[language]


def numbers(language, day):
    if language == "en":
        clear = day.day > 12 or day.day == day.month
        return (f"{day.month}/{day.day}/{day.year}", f"{day:%d/%m/%Y}") if clear else ()
    return (
        f"{day:%d.%m.%Y}",
        f"{day.day}.{day.month}.{day.year}",
        f"{day.day}. {day.month}. {day.year}",
        f"{day:%d/%m/%Y}",
    )


@st.composite
def written(draw):
    language = draw(st.sampled_from(sorted(LABELS)))
    day = draw(st.dates(date(1950, 1, 1), date(2049, 12, 31)))
    form = draw(st.sampled_from((day.isoformat(), *words(language, day), *numbers(language, day))))
    text = f"{draw(st.sampled_from(LABELS[language]))} {form}"
    return CAPITALS[language](text) if draw(st.booleans()) else text, day


@given(
    written(),
    st.sampled_from(("", "Handbuch\n", "(", "• ", "Rev. 3 | ", "1.2 ")),
    st.sampled_from(("", ".", ")", "\nmore", " | Seite 1", ", 10:30")),
)
def test_a_labelled_date_is_read_as_it_was_written_in_every_form(case, before, after):
    text, day = case
    assert labelled_date(f"{before}{text}{after}") == day


@given(
    st.dates(date(1950, 1, 1), date(2049, 12, 31)),
    st.sampled_from(("", "on ", "vom ", "Datum: ", "Tarih: ", "Gültig bis ", "Umstand: ", "due date: ")),
)
def test_without_a_label_no_date_is_read(day, before):
    for language in MONTHS:
        for form in (day.isoformat(), *words(language, day), *numbers(language, day)):
            assert labelled_date(before + form) is None


@pytest.mark.parametrize(
    "text",
    [
        "Effective date: 03/04/2024",  # the third of April or the fourth of March
        "Effective date: 03.04.2024",
        "Stand: 31.02.2024",
        "Stand: 13/25/2024",
        "Stand: 01.02.24",
        "Stand: 01.02.20245",
        "Stand: März 2024",
        "Stand: 01.02.2024\n…\nStand: 02.02.2024",
        "Gültig ab 01.02.2024\nIn Kraft getreten am 1. März 2024",
        "Es gilt das BGB in der Fassung vom 2. Januar 2002.",
        "Fassung vom 2. Januar 2002 und spätere Änderungen",
        "Nach der Regelung, gültig ab 01.02.2024, wird gezahlt.",
        "Die Stadt hat 3 Mio. Einwohner (Stand: 31.12.2020).",
        "Effective date: 03/04/2024\nLast revised: May 5, 2024",  # what counts more is in doubt
        "Effective date: to be decided",
        "",
    ],
)  # fmt: skip
def test_what_is_in_doubt_is_not_read(text):
    assert labelled_date(text) is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Last revised: May 5, 2024\nEffective date: January 5, 2024", "2024-01-05"),
        ("Stand: 01.02.2024\nStand: 1. Februar 2024", "2024-02-01"),
        ("Gültig ab 01.02.2024 bis 31.12.2024", "2024-02-01"),
        ("Gültig vom 1. Januar 2024 bis 31. Dezember 2025. Alle Preise in Euro.", "2024-01-01"),
        ("Gültig ab 1. Januar 2026. Alle Preise in Euro.", "2026-01-01"),
        ("Effective date\tJanuary 5, 2024\nOwner\tLegal", "2024-01-05"),
        ("Effective date:\n5 January 2024", "2024-01-05"),
        ("YÜRÜRLÜK TARİHİ: 5 KASIM 2020", "2020-11-05"),
        ("Yürürlük tarihi: 2024-02-01T10:00:00", "2024-02-01"),
        ("Gu\u0308ltig ab 1. Ma\u0308rz 2023", "2023-03-01"),
        ("Effective date: 25/03/2024", "2024-03-25"),
        ("Effective date: 03/03/2024", "2024-03-03"),
    ],
)
def test_labels_and_dates_as_documents_write_them(text, day):
    assert labelled_date(text) == date.fromisoformat(day)


def test_of_a_page_its_footers_count_and_what_somebody_says_does_not():
    def block(text, kind="paragraph"):
        return {"kind": kind, "text": text}

    assert date_of_page([block("Text")], ["Stand: 01.02.2024 | Seite 1"]) == date(2024, 2, 1)
    assert date_of_page([block("Stand: 01.02.2024", "code"), block("Stand: 01.02.2024", "turn")], []) is None
    # A text without pages is one page: what stands far below does not open it.
    assert date_of_page([block("wort " * 2000), block("Stand: 01.02.2024")], []) is None
