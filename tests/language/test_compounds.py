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
        ("verbraucherschutz", ("verbraucher", "schutz")),
        ("gewerbeordnung", ("gewerbe", "ordnung")),
        ("erbvertrag", ("erbe", "vertrag")),
        ("landpachtvertrags", ("land", "pacht", "vertrag")),  # a head that no dictionary has
        ("bergwerk", ("berg", "werk")),
    ],
)
def test_split(word, expected):
    assert parts(word) == expected


WHOLE = """
    gesellschaft vertrag antwort bedeutung vereinbarung unternehmen gericht universität information interessen wartung abteilung
    eigenschaft voraus maschinen xqzvwtrkpl
    verbraucher gewerbe betrieb betrag begriff beschreibung gesamt vorstand befugnisse regelungen richterinnen transport wiederholung
    """


def test_left_whole():
    assert {word: parts(word) for word in WHOLE.split() if parts(word)} == {}
