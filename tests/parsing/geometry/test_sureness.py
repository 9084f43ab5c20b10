from pipeline.parsing.geometry.ink import Ink
from pipeline.parsing.geometry.sureness import SURE, sureness
from pipeline.parsing.tree import Block, table

TEXT = Block("paragraph", "Die Pumpe fördert Wasser aus dem Schacht in den Kanal und hält den Druck.")
LABELS = [Block("paragraph", text) for text in ("Saugseite", "Druckseite", "Laufrad", "Welle")]


def _ink(rules):
    return Ink(595, 842, rules=tuple((100.0 + 5 * n, 100.0, 100.0 + 5 * n, 160.0) for n in range(rules)))


def test_text_alone_is_sure():
    assert sureness(_ink(0), [TEXT, TEXT]) == (1.0, "")
    assert sureness(_ink(20), [TEXT, TEXT])[0] == 1.0


def test_labels_beside_loose_lines_are_a_drawing():
    score, reason = sureness(_ink(20), [TEXT, *LABELS])
    assert score < SURE
    assert reason == "labels"


def test_a_table_without_lines_header_and_numbers_is_doubtful():
    words = table([["der", "Wert"], ["einer", "Pumpe"], ["ist", "hoch"]], 0, bbox=(60, 60, 300, 260))
    numbers = table([["P 10", "12"], ["P 20", "16"], ["1", "20"]], 0)
    assert sureness(_ink(0), [words])[1] == "doubtful table"
    assert sureness(_ink(0), [numbers]) == (1.0, "")
