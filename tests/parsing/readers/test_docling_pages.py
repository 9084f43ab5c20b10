"""The setting `layout = "docling"`: docling's pipeline gives the same kind of pages, with who read them and why."""

import io

import pytest

from pipeline.parsing.errors import ParseError
from pipeline.parsing.formats import read_bytes
from pipeline.parsing.tree import finish
from tests.parsing.documents import canvas, lines, texts, written
from tests.parsing.readings import engines

HEADINGS = ("§ 1 Laufzeit", "§ 2 Entgelt der Leistung", "§ 3 Schluss")


def _read(data, name="a.pdf", **changes):
    return finish(read_bytes(name, "", data, engines(**{"max_pages": 10, "layout": "docling"} | changes)))


def _pages(page):
    for number in (1, 2, 3):
        lines(page, ["Rahmenvertrag Nord"], y=815, size=8)
        y = lines(page, [HEADINGS[number - 1]], size=16, bold=True)
        lines(
            page, [f"Der Vertrag läuft über {number} volle Jahre und endet danach von selbst."] * 3, y=y - 20
        )
        page.showPage()


def test_pages_have_sizes_places_scores_furniture_and_engines():
    rows = _read(written(_pages))
    assert [row["page_no"] for row in rows] == [1, 2, 3]
    for number, row in enumerate(rows, start=1):
        assert (row["engine"], row["engine_reason"]) == ("docling+geometry", "configured")
        assert (round(row["width"]), round(row["height"]), row["source"]) == (595, 842, "native")
        assert row["furniture"] == ["Rahmenvertrag Nord"]
        assert row["scores"]["parse"] == 1.0
        heading, text = row["blocks"]
        assert (heading["kind"], heading["text"]) == ("heading", HEADINGS[number - 1])
        assert text["section_path"] == [HEADINGS[number - 1]]
        x0, y0, x1, y1 = heading["bbox"]
        assert 55 < x0 < 65 < x1 < 300
        assert 60 < y0 < y1 < 95  # from the top


def test_pages_beyond_the_limit_are_told():
    rows = _read(written(_pages), max_pages=2)
    assert [(row["page_no"], row["reason"]) for row in rows] == [(1, ""), (2, ""), (3, "too_large")]
    assert rows[2]["engine"] == rows[2]["engine_reason"] == ""


def test_an_image_of_many_pages_is_read_page_by_page():
    import matplotlib as mpl
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.truetype(f"{mpl.get_data_path()}/fonts/ttf/DejaVuSans.ttf", 40)
    frames = []
    for text in ("Fatura tutarı 12.500 TL", "Rechnung über 1.200 Euro"):
        frames.append(Image.new("L", (1000, 700), 255))
        ImageDraw.Draw(frames[-1]).text((80, 200), text, font=font, fill=0)
    buffer = io.BytesIO()
    frames[0].save(buffer, "TIFF", save_all=True, append_images=frames[1:], dpi=(200, 200))
    rows = _read(buffer.getvalue(), "a.tiff")
    assert [row["engine"] for row in rows] == ["docling+rapidocr+rapid-layout"] * 2
    assert [row["engine_reason"] for row in rows] == ["configured; scan"] * 2
    assert [row["source"] for row in rows] == ["ocr"] * 2
    assert "12.500 TL" in texts(rows[:1])[0]
    assert "1.200 Euro" in texts(rows[1:])[0]


def test_passwords_open_and_their_lack_is_told():
    from reportlab.lib.pdfencrypt import StandardEncryption

    page, buffer = canvas()
    page.setEncrypt(StandardEncryption("gizli"))
    _pages(page)
    page.save()
    rows = _read(buffer.getvalue(), passwords=("falsch", "gizli", "andere"))
    assert rows[0]["blocks"][0]["text"] == HEADINGS[0]
    for passwords in ((), ("falsch",)):
        with pytest.raises(ParseError) as caught:
            _read(buffer.getvalue(), passwords=passwords)
        assert caught.value.reason == "encrypted"


@pytest.mark.parametrize("data", [b"%PDF-1.4\nnothing", written(_pages)[:700]])
def test_a_damaged_file_has_its_reason(data):
    with pytest.raises(ParseError) as caught:
        _read(data)
    assert caught.value.reason == "corrupt"


def test_other_formats_are_read_as_ever():
    (row,) = _read(b"Ein Absatz.", "a.txt")
    assert (row["engine"], row["engine_reason"]) == ("text", "format")


def test_a_paragraph_that_goes_on_over_the_page_keeps_its_pages():
    def draw(page):
        lines(page, ["Der Mieter trägt die Kosten der Reinigung und der Wartung und"] * 3, y=140)
        page.showPage()
        lines(page, ["zahlt sie mit der Miete, sofern nichts anderes vereinbart ist."] * 3, y=790)
        page.showPage()

    rows = _read(written(draw))
    first, second = (" ".join(block["text"] for block in row["blocks"]) for row in rows)
    assert first.startswith("Der Mieter")
    assert "zahlt" not in first
    assert second.startswith("zahlt sie mit der Miete")
    assert rows[1]["blocks"][0]["bbox"][1] < 100
