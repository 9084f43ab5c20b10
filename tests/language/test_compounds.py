"""German compounds: those that are, and words that only look like it."""

import pytest

from pipeline.language.compounds import parts


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("kündigungsfrist", ("kündigung", "frist")),
        ("kündigungsfristenregelung", ("kündigung", "frist", "regelung")),
        ("gesundheitsämter", ("gesundheit", "amt")),
        ("öldruck", ("öl", "druck")),
        ("förderbänder", ("fördern", "band")),
        ("straßenverkehrsordnung", ("straße", "verkehr", "ordnung")),
        ("umsatzsteuergesetz", ("umsatz", "steuer", "gesetz")),
        ("schulgesetz", ("schule", "gesetz")),
    ],
)
def test_split(word, expected):
    assert parts(word) == expected


WHOLE = """
    gesellschaft vertrag antwort bedeutung vereinbarung unternehmen gericht universität information interessen wartung abteilung
    eigenschaft voraus maschinen xqzvwtrkpl
    """


def test_left_whole():
    assert {word: parts(word) for word in WHOLE.split() if parts(word)} == {}
