"""The second pass: which pages are read again, which reading wins, and that none is ever lost by it."""

import io

import numpy as np
import pytest
from PIL import Image

from pipeline.config import GateConfig
from pipeline.gate.pages import gate_pages
from pipeline.gate.second_pass import Ask
from pipeline.parsing.again import read_page_again
from pipeline.parsing.errors import ParseError
from pipeline.parsing.formats import read_bytes
from pipeline.parsing.ocr import installed_engines
from pipeline.parsing.tree import finish
from pipeline.tables import columns as c
from pipeline.tables.schemas import GATED_PAGES
from tests.gate import scans
from tests.gate.pages_builder import documents, page, parsed
from tests.gate.texts import GARBAGE, GOOD
from tests.parsing.readings import engines

BOTH = ("rapidocr", "tesseract")


class Reader:
    """Answers what a test says for each engine and preprocessing, and remembers what it was asked."""

    def __init__(self, **answers):
        self.answers = answers
        self.asked: list[tuple[int, str, str]] = []

    def __call__(self, asks: list[Ask]):
        self.asked += [(ask.reading.page, ask.reading.engine, ask.reading.preprocessing) for ask in asks]
        return [self.answers.get(ask.reading.engine, ParseError("crash")) for ask in asks]


def gate(*pages, reread, engines=BOTH, engine="rapidocr", config=None, **about):
    frame = gate_pages(
        parsed(*pages),
        documents("a", **about),
        config or GateConfig(),
        {"hr": ("de", "en")},
        engine=engine,
        engines=engines,
        reread=reread,
    )
    GATED_PAGES.pandera.validate(frame)
    return frame.to_dicts()


GARBLED = GARBAGE["wrong font map"](GOOD["de"])


def poor(**changes):
    return page(GARBLED, confidence=0.6, **changes)


def answer(text, confidence=0.98, **changes):
    return page(text, confidence=confidence, **changes)


def test_good_pages_are_read_once():
    reader = Reader(rapidocr=answer(GOOD["de"]))
    row = gate(page(GOOD["de"], confidence=0.98), reread=reader)[0]
    assert (reader.asked, len(row[c.ATTEMPTS])) == ([], 1)


def test_the_best_reading_stands_and_all_are_kept():
    reader = Reader(
        rapidocr=answer(GARBLED, 0.7), tesseract=answer(GOOD["de"], **{c.ENGINE: "tesseract+geometry"})
    )
    row = gate(poor(), reread=reader)[0]
    assert reader.asked == [(1, "rapidocr", "cleaned"), (1, "tesseract", "cleaned")]
    assert (row[c.ROUTE], row[c.CHOSEN_ATTEMPT], row[c.ENGINE]) == ("pass", 2, "tesseract+geometry")
    assert [each["preprocessing"] for each in row[c.ATTEMPTS]] == ["none", "cleaned", "cleaned"]
    assert row[c.ATTEMPTS][2]["quality"] == row[c.QUALITY] == max(each["quality"] for each in row[c.ATTEMPTS])
    assert "Kündigung" in row[c.BLOCKS][0]["text"]


def test_reading_stops_when_it_is_good_enough():
    reader = Reader(rapidocr=answer(GOOD["de"]))
    assert gate(poor(), reread=reader)[0][c.ROUTE] == "pass"
    assert len(reader.asked) == 1


def test_the_first_reading_stands_when_the_others_break():
    row = gate(poor(), reread=Reader())[0]
    assert (row[c.CHOSEN_ATTEMPT], row[c.ROUTE]) == (0, "reject")
    assert {each["error"] for each in row[c.ATTEMPTS][1:]} == {"crash"}
    assert all(each["quality"] is None for each in row[c.ATTEMPTS][1:])
    assert row[c.BLOCKS]


def test_a_restored_picture_on_which_nothing_is_left_does_not_win():
    empty = answer("", **{c.SCORES: {"ocr": None, "letters_seen": 0.0}})
    row = gate(poor(), reread=Reader(rapidocr=empty, tesseract=empty))[0]
    assert (row[c.CHOSEN_ATTEMPT], row["blank"]) == (0, False)


def test_pages_without_a_picture_are_not_asked_for():
    reader = Reader()
    gate(page(GARBLED, **{c.ENGINE: "docling"}), reread=reader)
    assert reader.asked == []
    row = gate(
        poor(), reread=Reader(rapidocr=ParseError("unsupported"), tesseract=ParseError("unsupported"))
    )[0]
    assert len(row[c.ATTEMPTS]) == 1


def test_an_engine_that_is_not_installed_is_not_asked():
    reader = Reader(rapidocr=answer(GARBLED, 0.7))
    gate(poor(), reread=reader, engines=("rapidocr",))
    assert {engine for _, engine, _ in reader.asked} == {"rapidocr"}


def test_a_garbled_text_layer_is_read_from_the_picture_as_it_is():
    reader = Reader(rapidocr=answer(GOOD["de"]))
    row = gate(page(GARBLED, **{c.ENGINE: "geometry"}), reread=reader)[0]
    assert reader.asked == [(1, "rapidocr", "none")]
    assert (row[c.SOURCE], row[c.ROUTE]) == ("ocr", "pass")


def test_it_can_be_switched_off():
    reader = Reader(rapidocr=answer(GOOD["de"]))
    assert gate(poor(), reread=reader, config=GateConfig(second_pass=False))[0][c.ROUTE] == "reject"
    assert reader.asked == []


def test_thresholds_of_the_class_decide_who_is_read_again():
    strict = GateConfig(thresholds=({"document_class": "contract", "flag_below": 1.0},))
    for name, readings in (("contract", 4), ("memo", 1)):
        row = gate(
            page(GOOD["de"], confidence=0.97),
            reread=Reader(rapidocr=answer(GOOD["de"], 0.9), tesseract=answer(GOOD["de"], 0.9)),
            config=strict,
            **{c.DOCUMENT_CLASS: name},
        )[0]
        assert len(row[c.ATTEMPTS]) == readings
        assert row[c.ROUTE] == ("flag" if name == "contract" else "pass")


def _reread(data, name):
    def reread(asks):
        return [
            read_page_again(name, "", data, ask.reading, engines(layout="geometry"))[0] | {c.FURNITURE: []}
            for ask in asks
        ]

    return reread


def _first(data, name, engine="rapidocr"):
    rows = finish(read_bytes(name, "", data, engines(ocr=engine, layout="geometry")))
    return [row | {c.DOC_ID: "a", c.VERSION_ID: "v1", c.INPUT_HASH: "p"} for row in rows]


@pytest.mark.parametrize("kind", ["poor_text_layer", "wrong_font_map"])
def test_garbage_text_layers_go_to_ocr(kind):
    data = getattr(scans, kind)()
    first = _first(data, "a.pdf")
    assert first[0][c.SOURCE] == "native"
    row = gate(*first, reread=_reread(data, "a.pdf"), engines=("rapidocr",))[0]
    assert (row[c.SOURCE], row[c.ROUTE], row[c.CHOSEN_ATTEMPT]) == ("ocr", "pass", 1)
    text = " ".join(block["text"] for block in row[c.BLOCKS])
    assert "Größere Störungen" in text
    assert "Förderbänder" in text


@pytest.mark.slow
def test_a_faint_scan_is_rescued():
    pytest.importorskip("tesserocr")
    grey = np.asarray(scans.picture(), np.float32)
    noise = np.random.default_rng(5).standard_normal(grey.shape) * 7
    faint = Image.fromarray(np.clip(228 - 0.055 * (255 - grey) + noise, 0, 255).astype(np.uint8))
    data = scans.png(faint)
    first = _first(data, "a.png", "tesseract")
    row = gate(*first, reread=_reread(data, "a.png"), engines=installed_engines(), engine="tesseract")[0]
    assert row[c.ATTEMPTS][0]["quality"] < 0.7
    assert row[c.ROUTE] == "pass"
    assert "Betriebsrat" in " ".join(block["text"] for block in row[c.BLOCKS])


def _sheet(kind):
    rng = np.random.default_rng(3)
    sheet = np.full((1100, 780), 246.0)
    if kind == "noise":
        sheet += rng.standard_normal(sheet.shape) * 25
    if kind == "shadow":
        sheet -= np.linspace(0, 120, sheet.shape[1])
    if kind == "specks":
        for y, x in zip(rng.integers(0, 1090, 300), rng.integers(0, 770, 300), strict=True):
            sheet[y : y + rng.integers(1, 6), x : x + rng.integers(1, 6)] = 60
    if kind == "grey":
        sheet -= 90
    buffer = io.BytesIO()
    Image.fromarray(np.clip(sheet, 0, 255).astype(np.uint8)).save(buffer, "JPEG", quality=70)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["white", "grey", "noise", "shadow", "specks"])
def test_empty_sheets_are_blank_and_not_read_again(kind):
    row = gate(*_first(_sheet(kind), "a.jpg"), reread=Reader())[0]
    assert (row["blank"], row[c.ROUTE], row[c.BLOCKS], len(row[c.ATTEMPTS])) == (True, "pass", [], 1)
