import pytest

from pipeline.parsing.errors import ParseError
from pipeline.parsing.tree import finish
from tests.parsing.documents import blocks, lines, texts, written
from tests.parsing.readings import read_pdf

PROSE = "Der Öldruck muss vor dem Anfahren geprüft und eingetragen werden"
TURKISH = "Kullanılmayan vanalar kapalı tutulur çünkü sızıntı gürültüye yol açar"


def _read(draw):
    return finish(read_pdf(written(draw), max_pages=100, ocr="rapidocr"))


def test_two_columns_are_read_one_after_the_other():
    def draw(page):
        lines(page, ["Zwei Spalten im Bericht"], y=800, size=18)
        left = [f"links {n} " + "wort oder " * 4 for n in range(20)]
        right = [f"rechts {n} " + "wort oder " * 4 for n in range(20)]
        lines(page, left, x=50, y=740, size=8)
        lines(page, right, x=310, y=740, size=8)

    text = " ".join(texts(_read(draw)))
    places = [text.index(f"links {n} ") for n in range(20)] + [text.index(f"rechts {n} ") for n in range(20)]
    assert places == sorted(places)
    assert text.startswith("Zwei Spalten")


def test_headings_levels_paragraphs_and_hyphens():
    def draw(page):
        y = lines(page, ["Betriebsordnung"], size=20, step=30)
        y = lines(page, ["1 Druckluft"], y=y - 6, size=14, step=20, bold=True)
        y = lines(
            page, ["Die Druckluft-", "anlage läuft weiter, der E-Mail-", "Verteiler wird geprüft."], y=y
        )
        y = lines(page, ["1.1 Wartung"], y=y - 10, size=12, step=18, bold=True)
        lines(page, [PROSE + ",", TURKISH + "."], y=y)

    rows = _read(draw)
    assert [(b["kind"], b["level"], b["text"]) for b in blocks(rows) if b["kind"] in ("title", "heading")] == [
        ("title", 0, "Betriebsordnung"), ("heading", 1, "1 Druckluft"), ("heading", 2, "1.1 Wartung")
    ]  # fmt: skip
    assert "Die Druckluftanlage läuft weiter, der E-Mail-Verteiler wird geprüft." in texts(rows, "paragraph")
    assert blocks(rows)[-1]["text"] == f"{PROSE}, {TURKISH}."
    assert blocks(rows)[-1]["section_path"] == ["Betriebsordnung", "1 Druckluft", "1.1 Wartung"]


def test_running_headers_and_page_numbers_are_furniture():
    def draw(page):
        for number in range(1, 7):
            lines(page, ["Werk Nord · Betriebshandbuch"], y=810, size=8)
            lines(page, [f"Seite {number} von 6"], y=30, size=8)
            if number == 4:
                lines(page, ["Anhang Schmierstoffe"], y=760, size=16)
            lines(page, [f"Kennzahl KZ-40{number} gilt. {PROSE}.", TURKISH], y=720)
            page.showPage()

    rows = _read(draw)
    body = " ".join(texts(rows))
    assert "Betriebshandbuch" not in body
    assert "von 6" not in body
    assert "Anhang Schmierstoffe" in texts(rows, "title", "heading")
    assert [next(b["text"] for b in row["blocks"] if "KZ" in b["text"])[9:15] for row in rows] == [
        f"KZ-40{n}" for n in range(1, 7)
    ]
    assert rows[0]["furniture"] == ["Werk Nord · Betriebshandbuch", "Seite 1 von 6"]


def test_a_document_of_one_line_pages_is_not_all_furniture():
    def draw(page):
        for number in range(3):
            page.drawString(60, 760, f"Note 4 page {number}: the seal was replaced.")
            page.showPage()

    assert all("seal" in row["blocks"][0]["text"] for row in _read(draw))


def _price_table(page, rows, top, ruled):
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            page.drawString(64 + 150 * column, top - 20 * number, text)
    if ruled:
        for number in range(len(rows) + 1):
            page.line(60, top + 14 - 20 * number, 510, top + 14 - 20 * number)
        for column in range(4):
            page.line(60 + 150 * column, top + 14, 60 + 150 * column, top + 14 - 20 * len(rows))


def test_merged_cells_of_a_ruled_table_repeat_their_text():
    def draw(page):
        page.setFont("Helvetica", 10)
        for x in (60, 160, 260, 360):
            page.line(x, 700, x, 640)
        page.line(60, 700, 360, 700)
        page.line(60, 680, 360, 680)
        page.line(160, 660, 360, 660)
        page.line(60, 640, 360, 640)
        for x, y, text in ((64, 685, "Region"), (164, 685, "Station"), (264, 685, "Wert"), (64, 655, "Nord"), (164, 665, "K-1"),
                           (264, 665, "11"), (164, 645, "K-2"), (264, 645, "12")):  # fmt: skip
            page.drawString(x, y, text)

    grid = next(block for block in blocks(_read(draw)) if block["kind"] == "table")
    assert grid["rows"] == [["Region", "Station", "Wert"], ["Nord", "K-1", "11"], ["Nord", "K-2", "12"]]


def test_lists_and_footnotes():
    def draw(page):
        y = lines(page, [PROSE + ".", "Es gilt dabei:"], y=760)
        y = lines(page, ["• erstens prüfen", "• zweitens eintragen und danach", "  abzeichnen"], y=y, x=72)
        lines(page, [TURKISH + "."] * 8, y=y - 10)
        lines(page, ["1 Siehe Anlage zum Vertrag."], y=60, size=7)

    found = blocks(_read(draw))
    items = [block["text"] for block in found if block["kind"] == "list_item"]
    assert items == ["erstens prüfen", "zweitens eintragen und danach abzeichnen"]
    note = next(block for block in found if block["kind"] == "footnote")
    assert (note["anchor"], note["text"]) == ("1", "Siehe Anlage zum Vertrag.")


def test_page_rotation_is_undone():
    def draw(page):
        page.setPageRotation(90)
        lines(page, [PROSE, TURKISH], y=500)  # reportlab turns the media box with the page

    row = _read(draw)[0]
    assert row["rotation"] in (0, 90)
    assert PROSE in row["blocks"][0]["text"]


def test_passwords_and_limits():
    import io

    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen.canvas import Canvas

    for user, readable in (("geheim", False), ("", True)):
        buffer = io.BytesIO()
        page = Canvas(buffer, encrypt=StandardEncryption(user, ownerPassword="besitzer"))
        page.drawString(60, 700, "The night shift records the pump pressure.")
        page.save()
        if readable:
            assert read_pdf(buffer.getvalue(), max_pages=5, ocr="rapidocr")[0].blocks
        else:
            with pytest.raises(ParseError) as caught:
                read_pdf(buffer.getvalue(), max_pages=5, ocr="rapidocr")
            assert caught.value.reason == "encrypted"

    def draw(page):
        for _ in range(4):
            page.drawString(60, 700, PROSE)
            page.showPage()

    rows = finish(read_pdf(written(draw), max_pages=2, ocr="rapidocr"))
    assert [(row["page_no"], row["reason"]) for row in rows] == [(1, ""), (2, ""), (3, "too_large")]


def test_the_same_file_gives_the_same_rows():
    def draw(page):
        lines(page, [PROSE, TURKISH] * 5)
        _price_table(page, [["a", "b", "c"], ["1", "2", "3"]], 300, ruled=True)

    assert _read(draw) == _read(draw)


@pytest.mark.slow
def test_lettering_that_was_turned_to_outlines_is_read_as_an_image():
    from matplotlib.textpath import TextPath

    def draw(page):
        for number, line in enumerate(["Messbericht der Halle", "Der Druckbehälter ist dicht"]):
            outline = page.beginPath()
            for points, code in TextPath((60, 700 - 40 * number), line, size=22).iter_segments():
                if code == 1:
                    outline.moveTo(*points)
                elif code == 2:
                    outline.lineTo(*points)
                elif code == 3:  # a quadratic curve: its control point twice is near enough
                    outline.curveTo(*points[:2], *points)
                elif code == 4:
                    outline.curveTo(*points)
                else:
                    outline.close()
            page.drawPath(outline, stroke=0, fill=1)

    rows = _read(draw)
    assert rows[0]["source"] == "ocr"
    assert "Druckbeh" in " ".join(texts(rows))


def test_configured_passwords_open_a_file():
    import io

    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen.canvas import Canvas

    buffer = io.BytesIO()
    page = Canvas(buffer, encrypt=StandardEncryption("geheim", ownerPassword="besitzer"))
    page.drawString(60, 700, "The night shift records the pump pressure.")
    page.save()
    (read,) = read_pdf(buffer.getvalue(), max_pages=5, ocr="rapidocr", passwords=("falsch", "geheim"))
    assert read.blocks[0].text == "The night shift records the pump pressure."
    with pytest.raises(ParseError, match="encrypted") as caught:
        read_pdf(buffer.getvalue(), max_pages=5, ocr="rapidocr", passwords=("falsch",))
    assert "1 configured" in caught.value.message
    assert "falsch" not in caught.value.message


def test_a_form_in_two_columns_is_read_column_by_column():
    def draw(page):
        for x, side, step in ((60, "links", 31), (330, "rechts", 27)):
            for number in range(8):
                lines(page, [f"Ja, {side} {number}"], x=x, y=760 - step * number)
                lines(page, ["auf der unteren Ebene"], x=x, y=748 - step * number)

    text = " ".join(texts(_read(draw)))
    assert text.index("links 7") < text.index("rechts 0")


def test_a_page_number_far_from_the_running_title_is_furniture_on_a_single_page():
    def draw(page):
        lines(page, ["Jahresbericht der Wasserwerke"], x=200, y=800)
        lines(page, ["17"], x=500, y=800)
        lines(page, [PROSE] * 6, y=740)

    (row,) = _read(draw)
    assert row["furniture"] == ["Jahresbericht der Wasserwerke 17"]
    assert not any("Jahresbericht" in block["text"] for block in row["blocks"])
