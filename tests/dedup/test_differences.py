"""What differs between two near copies is found, and told by kind."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.dedup.differences import Difference, differences

GERMAN = "Der Mieter {name} zahlt monatlich {rent} an die Hausverwaltung. Das Verhältnis beginnt am {day} und umfasst {rooms} Zimmer."
TURKISH = "Kiracı {name} her ay {rent} öder. Sözleşme {day} günü başlar ve {rooms} odayı kapsar."
ENGLISH = "The tenant {name} pays {rent} every month. The lease starts on {day} and comprises {rooms} rooms."


@pytest.mark.parametrize(
    ("template", "language", "canonical", "copy"),
    [
        (GERMAN, "de", ("Ulrike Zschoch", "1.200 €", "1. März 2024", "3"), ("Jörn Wyrsch", "950 €", "15. Mai 2025", "4")),
        (TURKISH, "tr", ("Ayşe Yılmaz", "12.000 TL", "01.02.2024", "3"), ("Iğdır A.Ş.", "9.500 TL", "15.06.2025", "4")),
        (ENGLISH, "en", ("Adler Ltd", "$1,200", "March 1, 2024", "3"), ("Zorn Inc", "$950", "May 15, 2025", "4")),
    ],
)  # fmt: skip
def test_names_sums_dates_and_numbers(template, language, canonical, copy):
    fields = ("name", "rent", "day", "rooms")
    found = differences(
        template.format(**dict(zip(fields, canonical, strict=True))),
        template.format(**dict(zip(fields, copy, strict=True))),
        language,
    )
    kinds = [each.kind for each in found]
    assert {"name", "sum", "date", "number"} == set(kinds)
    by_kind = {each.kind: each for each in reversed(found)}
    assert by_kind["number"] == Difference("number", "3", "4")
    assert by_kind["name"].canonical == canonical[0]
    assert by_kind["sum"].copy.split()[0] in copy[1]


def test_wording_and_what_only_one_of_them_says():
    found = differences(
        "Der Vertrag endet im Winter jeden Jahres. Er ist kündbar.",
        "Der Vertrag endet im Sommer jeden Jahres.",
        "de",
    )
    assert found == [Difference("text", "Winter", "Sommer"), Difference("text", "Er ist kündbar", "")]


def test_case_and_punctuation_are_no_difference():
    assert differences("„IŞIK” AÇIK, kapı kapalı.", "ışık açık; kapı KAPALI", "tr") == []
    assert differences("", "", "de") == []


WORDS = st.lists(
    st.sampled_from(
        ["der", "Mieter", "zahlt", "5", "€", "7", "am", "1.2.2024", "Zorn", "GmbH", "—", "nichts"]
    ),
    max_size=12,
)


@settings(deadline=None)
@given(WORDS, WORDS)
def test_nothing_is_lost(ours, theirs):
    """Every word that only one side has stands in a difference of that side."""
    found = differences(" ".join(ours), " ".join(theirs), "de")
    for word in set(ours) - set(theirs) - {"—"}:
        assert any(word in each.canonical.split() for each in found)
    for word in set(theirs) - set(ours) - {"—"}:
        assert any(word in each.copy.split() for each in found)
    assert all(each.canonical != each.copy for each in found)
