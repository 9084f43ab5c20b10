"""What makes the pages hard: columns, furniture, footnotes, divided words, a table overleaf, scans."""

import numpy as np
import pypdfium2
import pytest

from pipeline.sample.document import Document, Para, Scan
from pipeline.sample.mixture import documents
from pipeline.sample.scans import scan_pages


def pages(path):
    return [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(path)]


def test_the_price_list_runs_over_two_pages_with_its_header_on_the_first(summary):
    first, second = pages(summary.estate / "finance/preise/preisliste-2026.pdf")
    assert "Bezeichnung" in first
    assert "Bezeichnung" not in second
    assert "DS-100" in second
    assert "Seite 2" in second


def test_the_manual_has_furniture_footnotes_and_divided_words(summary):
    text = pages(summary.estate / "policies/technik/betriebshandbuch-kp200.pdf")
    assert all("Betriebshandbuch KP-200" in page for page in text)
    assert [f"Seite {n}" in page for n, page in enumerate(text, 1)] == [True] * len(text)
    assert "Abkühlzeit" in text[0]
    assert "Schäden durch Trockenlauf" in text[1]
    assert sum(page.count("\ufffe") for page in text) >= 3


def test_the_bulletin_is_set_in_two_columns(summary):
    page = pypdfium2.PdfDocument(summary.estate / "policies/bulletins/bulletin-14-dry-running.pdf")[0]
    text = page.get_textpage()
    lefts = [text.get_rect(n)[0] for n in range(text.count_rects())]
    middle = page.get_width() / 2
    assert sum(left < middle - 20 for left in lefts) > 20
    assert sum(left > middle for left in lefts) > 15


def test_scans_hold_no_text_layer(summary):
    for path in (summary.estate / "scans").rglob("*.pdf"):
        assert not "".join(pages(path)).strip()


def _scan(quality, turns=0):
    document = Document(
        "scans/x.pdf", "en", "Title", (Para("Some words on a page."),), scan=Scan(quality, turns)
    )
    return scan_pages(document, np.random.default_rng(1))[0]


def test_qualities_get_worse():
    noise = [float(np.std(np.asarray(_scan(q))[-60:, :60])) for q in ("clean", "medium", "poor", "hopeless")]
    assert noise == sorted(noise)
    assert noise[0] < 4
    widths = [_scan(q).width for q in ("clean", "medium", "poor", "hopeless")]
    assert widths == sorted(widths, reverse=True)


def test_quarter_turns_turn_the_sheet():
    assert _scan("clean", 1).width > _scan("clean", 1).height
    upright, upside_down = np.asarray(_scan("clean")), np.asarray(_scan("clean", 2))
    assert np.array_equal(upright[::-1, ::-1], upside_down)


def test_the_blank_page_has_no_ink(summary):
    page = pypdfium2.PdfDocument(summary.estate / "scans/leer/leerseite.pdf")[0]
    assert np.asarray(page.render(scale=1, grayscale=True).to_pil()).min() > 150


def test_a_document_that_is_no_scan_is_refused():
    with pytest.raises(ValueError, match="not a scan"):
        scan_pages(documents(1, 7)[0], np.random.default_rng(1))
