"""Faults that users reported, and the kind of fault behind each: pages that only look readable, or only look empty."""

import hashlib
import json

import openpyxl
import pytest

from pipeline.gate.judgement import judge
from pipeline.parsing.tree import finish
from tests.gate import scans
from tests.parsing.readings import read_document

ALL = ("tr", "de", "en")


def read(path):
    return finish(read_document(str(path), "", max_pages=5, ocr="rapidocr", layout="geometry"))


def text(row):
    return " ".join(block["text"] for block in row["blocks"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("B28/umrisse.pdf", ["Druckbehälter"]),
        ("B30/kopf_unten.pdf", ["Sperber", "freitags"]),
        ("B30/kopf_unten.png", ["Sperber", "freitags"]),
        ("B30/quer90.pdf", ["Sperber", "freitags"]),
        ("B30/rotate_flag180.pdf", ["Sperber", "freitags"]),
        (
            "B32/scan_de.pdf",
            ["Größe", "Übergabestraße", "Förderbänder", "außer", "Überholmanöver", "Maßstab"],
        ),
        (
            "B32/scan_de.png",
            ["Größe", "Übergabestraße", "Förderbänder", "außer", "Überholmanöver", "Maßstab"],
        ),
    ],
)
def test_reported_pages_are_read(cases, name, words):
    row = read(cases / name)[0]
    assert row["source"] == "ocr"
    assert [word for word in words if word not in text(row)] == []
    found = judge(row, ALL, None)
    assert found.quality >= 0.7
    assert not found.blank


@pytest.mark.slow
def test_a_noisy_empty_sheet_between_two_pages_is_blank(cases):
    found = [(row["page_no"], judge(row, ALL, None)) for row in read(cases / "B34/bos_sayfa.pdf")]
    assert [(number, page.blank) for number, page in found] == [(1, False), (2, True), (3, False)]


@pytest.mark.parametrize("kind", ["footer_over_scan", "outlines_with_heading"])
def test_pages_that_show_more_print_than_they_have_text_go_to_ocr(tmp_path, kind):
    (tmp_path / "a.pdf").write_bytes(getattr(scans, kind)())
    row = read(tmp_path / "a.pdf")[0]
    assert row["source"] == "ocr"
    assert "Der Druckbehälter der zweiten Halle ist dicht." in text(row)


def test_german_read_as_english_is_seen():
    """What Tesseract makes of German when it is told to expect English."""
    wrong = (
        "GroBe der Ubergabestrafe\nAltere Férderbander auBer Betrieb\nOl fir Uberholmanéver prifen\nMaRstab eins zu fiinfzig\n"
        "Die Prifung der Behalter erfolgt jahrlich und die Offnung fir Arzte ist moglich"
    )
    blocks = [
        {"kind": "paragraph", "text": line, "caption": "", "row_pages": []} for line in wrong.split("\n")
    ]
    row = {
        "source": "ocr",
        "engine": "tesseract",
        "blocks": blocks,
        "scores": {"ocr": 0.9, "letters_seen": 160.0, "uncovered": 0.0},
    }
    assert judge(row, ALL, "de").quality < 0.7


@pytest.mark.parametrize(
    "lines",
    [
        ["2021;14,50;88", "2022;15,75;91", "2023;16,10;97"] * 20,
        ["1 204,50\t3 411,00\t17,3 %"] * 30,
        ["4711"],
        ["0,1 0,2 0,3 0,4\n1,1 1,2 1,3 1,4"] * 9,
    ],
)
def test_numbers_alone_are_no_unreadable_page(lines):
    blocks = [{"kind": "table", "text": line, "caption": "", "row_pages": []} for line in lines]
    for source, scores in (("native", {}), ("ocr", {"ocr": 0.97, "letters_seen": 300.0, "uncovered": 0.0})):
        found = judge(
            {"source": source, "engine": "rapidocr", "engine_reason": "", "blocks": blocks, "scores": scores},
            ALL,
            None,
        )
        assert found.quality >= 0.7
        assert not found.blank


EXACT = {
    "numbers.csv": "\n".join(["a;b;c"] + [f"{n};{n * n};-{n / 7:.3f}" for n in range(60)]),
    "formulas.csv": "\n".join(
        ["Größe,Formel", *(f"x{n},∑(α_{n}²·β⁻¹)≥∂f/∂x±√{n}⟨ψ|φ⟩ ⊕ ⌊{n}⌋ ⏚ ⏛ ⎓" for n in range(40))]
    ),
    "parts.csv": "\n".join(["Teil;Ersatz", *(f"G{n}/G{n + 1};XKR-{n:04}-qz/bd" for n in range(60))]),
    "hashes.json": json.dumps({f"k{n}": hashlib.sha256(bytes([n])).hexdigest() for n in range(60)}),
    "addresses.txt": "\n".join(f"xq{n}.zvrk@mlw-{n}.example.org" for n in range(60)),
    "letters.txt": "\n".join("A B C D E F G H" for _ in range(40)),
    "words.txt": "\n".join("zvrkl qwxptr mlwkz brtgh" for _ in range(40)),
    "code.txt": "\n".join(f"def fn_{n}(a, b): return (a ^ b) << {n} & ~0x{n:02x}" for n in range(60)),
}


@pytest.mark.parametrize("name", sorted(EXACT))
def test_characters_that_are_those_of_the_file_are_not_judged_by_what_they_say(tmp_path, name):
    (tmp_path / name).write_text(EXACT[name], encoding="utf-8")
    for row in read(tmp_path / name):
        found = judge(row, ALL, None)
        assert (found.quality, found.scores["worst"]) == (1.0, "")


def test_the_sheet_of_a_workbook_of_formulas_passes(tmp_path):
    book = openpyxl.Workbook()
    for line in EXACT["formulas.csv"].splitlines():
        book.active.append(line.split(","))
    book.save(tmp_path / "formulas.xlsx")
    [row] = read(tmp_path / "formulas.xlsx")
    assert judge(row, ALL, None).quality == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "Die Lieferung erfolgt b\ufffdi Raumtemperatur \ufffdm Werk und k\ufffdlt\ufffd sch\ufffdt\ufffdt. "
        * 9,
        "FÃ¼r die PrÃ¼fung der BehÃ¤lter ist ein SachverstÃ¤ndiger nÃ¶tig. " * 9,
        "\ue041\ue042\ue043 \ue044\ue045 \ue046\ue047 " * 20,
    ],
)
def test_broken_characters_count_in_every_format(text):
    block = {"kind": "paragraph", "text": text, "caption": "", "row_pages": []}
    row = {"source": "native", "engine": "text", "engine_reason": "format", "blocks": [block], "scores": {}}
    assert judge(row, ALL, None).quality < 0.7


@pytest.mark.parametrize("name", ["formulas.csv", "words.txt", "letters.txt"])
def test_a_text_layer_that_reads_so_is_still_doubted(name):
    block = {"kind": "paragraph", "text": EXACT[name], "caption": "", "row_pages": []}
    row = {
        "source": "native",
        "engine": "geometry",
        "engine_reason": "text layer",
        "blocks": [block],
        "scores": {},
    }
    assert judge(row, ALL, None).quality < 0.7
