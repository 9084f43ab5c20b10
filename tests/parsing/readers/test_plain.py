import json

import pytest

from pipeline.parsing.errors import ParseError
from pipeline.parsing.formats import read_bytes
from pipeline.parsing.readers.plain import read_csv, read_json, read_text
from pipeline.parsing.tree import finish
from tests.parsing.documents import blocks, texts
from tests.parsing.readings import engines


def test_transcripts_become_turns():
    text = "[2026-03-01 10:22] Ayşe: Basınç düştü.\n[2026-03-01 10:23] Jörg: Wie viel?\n   Bitte genau.\n10:24 Ayşe: 6 bar"
    found = blocks(finish(read_text(text)))
    assert [block["text"] for block in found] == [
        "Ayşe: Basınç düştü.",
        "Jörg: Wie viel? Bitte genau.",
        "Ayşe: 6 bar",
    ]
    assert {block["kind"] for block in found} == {"turn"}
    assert found[0]["anchor"] == "2026-03-01 10:22"


def test_prose_with_colons_is_no_transcript():
    rows = finish(
        read_text(
            "Hinweis: bitte lesen.\n\nDie Anlage läuft. Sie läuft weiter.\n\nZiel: Ruhe.\n\nEs ist ruhig."
        )
    )
    assert {block["kind"] for block in blocks(rows)} == {"paragraph"}


def test_wrapped_lines_lists_and_headings():
    text = "Betriebsordnung\n===============\n\nDie Druckluft-\nanlage läuft\nweiter.\n\n- eins\n  zwei\n- drei\n\n§ 2 Pflege\n\nTäglich."
    found = blocks(finish(read_text(text)))
    assert [(b["kind"], b["text"]) for b in found] == [
        ("heading", "Betriebsordnung"), ("paragraph", "Die Druckluftanlage läuft weiter."), ("list_item", "eins zwei"),
        ("list_item", "drei"), ("heading", "§ 2 Pflege"), ("paragraph", "Täglich."),
    ]  # fmt: skip


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators_are_found(separator):
    text = "\ufeff" + "\n".join(
        separator.join(row) for row in (["Ad", "Fiyat"], ["Vana", '"1,20"'], ["Conta", "007"])
    )
    found = blocks(finish(read_csv(text)))[0]
    assert found["rows"] == [["Ad", "Fiyat"], ["Vana", "1,20"], ["Conta", "007"]]
    assert found["header_rows"] == 1


@pytest.mark.parametrize("encoding", ["cp1254", "utf-16", "utf-8-sig"])
def test_lines_above_a_csv_table_are_its_caption(encoding):
    text = (
        "Şube fiyatları 2026;;\nStand: 01.03.2026;;\n\nArtikel;Menge;Preis\nVana;12.500;1,20\nŞişe;007;2,5\n"
    )
    (grid,) = blocks(finish(read_bytes("a.csv", "", text.encode(encoding), engines())))
    assert grid["caption"] == "Şube fiyatları 2026 Stand: 01.03.2026"
    assert grid["rows"] == [["Artikel", "Menge", "Preis"], ["Vana", "12.500", "1,20"], ["Şişe", "007", "2,5"]]
    assert grid["header_rows"] == 1


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('Ad,Not\nVana,"bir\niki; üç"\nConta,"""tırnak"", virgül"\n', [["Ad", "Not"], ["Vana", "bir iki; üç"], ["Conta", '"tırnak", virgül']]),
        ('Ad;Not\nVana;"yarım\nConta;2\n', [["Ad", "Not"], ["Vana", '"yarım'], ["Conta", "2"]]),
        ("sep=;\nAd;Tutar\nVana;1,20\n", [["Ad", "Tutar"], ["Vana", "1,20"]]),
        ("tek sütun\nbir\niki, üç\ndört\n", [["tek sütun"], ["bir"], ["iki, üç"], ["dört"]]),
    ],
)  # fmt: skip
def test_quotes_named_separators_and_single_columns(text, rows):
    assert blocks(finish(read_csv(text)))[0]["rows"] == rows


def test_a_field_beyond_all_measure_is_corrupt():
    with pytest.raises(ParseError, match="field"):
        read_csv("x" * 200_000)


def test_byte_order_marks_are_no_part_of_a_header(cases):
    data = (cases / "B08" / "werte.csv").read_bytes()
    (grid,) = blocks(finish(read_bytes("werte.csv", "", data, engines())))
    assert grid["rows"] == [["Name", "Druck"], ["Ventil A", "6"], ["Ventil B", "7"]]


def test_json_reads_like_a_document():
    value = {
        "title": "İŞ KANUNU",
        "provisions": [{"section": "14", "content": "Madde 14 - (1) Kıdem tazminatı ödenir."}],
    }
    rows = finish(read_json(json.dumps(value)))
    assert texts(rows, "title") == ["İŞ KANUNU"]
    article = next(block for block in blocks(rows) if "Kıdem" in block["text"])
    assert article["section_path"] == ["İŞ KANUNU", "provisions"]
    assert article["text"] == "section: 14; content: Madde 14 - (1) Kıdem tazminatı ödenir."


def test_flat_objects_are_a_table_and_broken_json_is_corrupt():
    found = blocks(finish(read_json('[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]')))[0]
    assert found["rows"] == [["a", "b"], ["1", "x"], ["2", "y"]]
    with pytest.raises(ParseError) as caught:
        read_json("{")
    assert caught.value.reason == "corrupt"
