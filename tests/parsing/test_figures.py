import base64
import hashlib
import io
import zipfile

import pytest

from pipeline.parsing.cutouts import CutOutTask, Wanted, cut_out, cut_out_task
from pipeline.parsing.errors import ParseError
from pipeline.parsing.tree import finish
from tests.parsing.documents import blocks, lines, texts, written
from tests.parsing.readings import limits, read_document, read_pdf

PROSE = "Die Anlage wird jedes Jahr geprüft, und der Befund wird eingetragen."


def image(color, size=(200, 120)):
    """A picture that differs from those of other colours."""
    from PIL import Image, ImageDraw

    picture = Image.new("RGB", size, "white")
    ImageDraw.Draw(picture).ellipse((5, 5, size[0] - 5, size[1] - 5), fill=color)
    return picture


def png(picture):
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def drawn(page, picture, *place):
    from reportlab.lib.utils import ImageReader

    page.drawImage(ImageReader(picture), *place)


def pdf_rows(draw):
    return finish(read_pdf(written(draw), max_pages=50, ocr="rapidocr", layout="geometry"))


def pictures(rows):
    return [picture for row in rows for picture in row["pictures"]]


def decisions(rows):
    return [picture["decision"] for picture in pictures(rows)]


@pytest.mark.parametrize(
    ("caption", "below"),
    [
        ("Şekil 3: Pompanın kesiti", True),
        ("Abbildung 3: Schnitt durch die Pumpe", True),
        ("Figure 3: Section of the pump", True),
        ("Şekil 3. Pompanın kesiti", False),
        ("Abb. 3: Schnitt durch die Pumpe", False),
        ("Fig. 3: Section of the pump", False),
        ("Figure 3 to paragraph (h)(3) – Section", False),
    ],
)
def test_a_caption_above_or_below_makes_a_picture_a_figure(caption, below):
    def draw(page):
        lines(page, [PROSE] * 3, y=780)
        drawn(page, image("red"), 150, 500, 250, 150)
        lines(page, [caption], x=150, y=480 if below else 660)
        lines(page, [PROSE] * 3, y=430)

    rows = pdf_rows(draw)
    [figure] = [block for block in blocks(rows) if block["kind"] == "figure"]
    [picture] = pictures(rows)
    assert figure["caption"] == caption
    assert picture["decision"] == "captioned"
    assert picture["block_id"] == figure["block_id"]
    assert picture["image_hash"] == figure["image_hash"] != ""


def test_a_sentence_about_a_figure_is_no_caption():
    def draw(page):
        lines(page, [PROSE] * 3, y=780)
        lines(page, ["Abbildung 3 zeigt die Pumpe."], y=700)
        drawn(page, image("red"), 150, 500, 250, 150)

    assert decisions(pdf_rows(draw)) == ["decorative:no_caption"]


def test_every_picture_of_a_pdf_has_its_reason():
    def draw(page):
        for number in range(3):
            drawn(page, image("blue"), 450, 760, 90, 60)  # a logo on each page
            drawn(page, image("green", (20, 20)), 60, 700, 15, 15)
            lines(page, [PROSE] * 30, y=600 if number else 560)
            if number == 0:
                drawn(page, image("yellow"), 100, 590, 200, 120)  # large, and nothing names it
            if number == 1:
                drawn(page, image("orange"), 0, 0, 595, 842)  # behind the text
            page.showPage()

    rows = pdf_rows(draw)
    assert sorted(decisions(rows)) == [
        "decorative:background",
        "decorative:no_caption",
        *["decorative:repeated"] * 3,
        *["decorative:small"] * 3,
    ]
    assert len({p["image_hash"] for p in pictures(rows) if p["decision"] == "decorative:repeated"}) == 1
    [kept] = [block for block in blocks(rows) if block["kind"] == "figure"]
    assert (kept["text"], kept["caption"]) == ("", "")
    assert all(picture["bbox"] for picture in pictures(rows))


def test_charts_in_the_same_place_of_each_page_are_no_logo():
    def draw(page):
        for number, color in enumerate(("red", "green", "blue", "black"), start=1):
            lines(page, [PROSE] * 3, y=780)
            drawn(page, image(color), 150, 500, 250, 150)
            lines(page, [f"Abbildung {number}: Umsatz {2020 + number}"], x=150, y=480)
            page.showPage()

    assert decisions(pdf_rows(draw)) == ["captioned"] * 4


def test_a_picture_cut_into_strips_is_one():
    def draw(page):
        lines(page, [PROSE] * 3, y=780)
        for number in range(8):
            drawn(page, image("red", (200, 10 + number)), 150, 600 - 20 * number, 250, 20)
        lines(page, ["Abbildung 1: In Streifen"], x=150, y=445)

    rows = pdf_rows(draw)
    [picture] = pictures(rows)
    assert picture["decision"] == "captioned"
    assert picture["bbox"][3] - picture["bbox"][1] == pytest.approx(160, abs=1)


def _docx(*pieces):
    import docx

    document = docx.Document()
    for piece in pieces:
        if isinstance(piece, str):
            document.add_paragraph(piece)
        else:
            document.add_picture(io.BytesIO(png(piece)))
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _read(folder, name, data):
    (folder / name).write_bytes(data)
    return finish(read_document(str(folder / name), "", max_pages=50, ocr="rapidocr"))


def test_word_pictures_are_bound_to_their_captions_and_logos_are_not(tmp_path):
    logo, icon = image("blue", (150, 80)), image("green", (16, 16))
    rows = _read(tmp_path, "a.docx", _docx(
        logo, PROSE, image("red"), "Abbildung 1: Die Pumpe", logo, PROSE, icon, PROSE, logo, image("black"), PROSE,
    ))  # fmt: skip
    assert sorted(decisions(rows)) == [
        "captioned", "decorative:no_caption", *["decorative:repeated"] * 3, "decorative:small"
    ]  # fmt: skip
    [figure] = [block for block in blocks(rows) if block["caption"]]
    assert figure["text"] == "Abbildung 1: Die Pumpe"
    named = next(p for p in pictures(rows) if p["decision"] == "captioned")
    assert named["pixels"] == [200, 120]
    assert named["image_hash"] == figure["image_hash"]


def _uri(picture):
    return "data:image/png;base64," + base64.b64encode(png(picture)).decode()


def test_of_html_only_images_in_the_file_itself_are_taken(tmp_path):
    (tmp_path / "secret.png").write_bytes(png(image("black")))
    page = (
        f"<h1>Pumpe</h1><p>{PROSE}</p><figure><img src='{_uri(image('red'))}'><figcaption>Schnitt der Pumpe</figcaption></figure>"
        f"<p>x</p><img src='{_uri(image('blue'))}' alt='logo'><p>y</p><img alt='Das geheime Bild hier' src='secret.png'>"
        f"<img src='file://{tmp_path}/secret.png'><figure><img src='http://127.0.0.1:9/a.png'><figcaption>Von fern</figcaption></figure>"
    )
    rows = _read(tmp_path, "a.html", page.encode())
    found = {(picture["decision"], bool(picture["image_hash"])) for picture in pictures(rows)}
    assert found == {
        ("captioned", True), ("decorative:no_caption", True), ("no_image", False), ("captioned", False)
    }  # fmt: skip
    captions = [block["caption"] for block in blocks(rows) if block["kind"] == "figure"]
    assert captions == ["Schnitt der Pumpe", "", "Von fern"]
    assert "geheime" not in " ".join(texts(rows))


def _epub(pages, members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr(
            "META-INF/container.xml",
            '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile '
            'full-path="OEBPS/c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        )
        items = "".join(
            f'<item id="i{n}" href="t/{n}.xhtml" media-type="application/xhtml+xml"/>'
            for n in range(len(pages))
        )
        spine = "".join(f'<itemref idref="i{n}"/>' for n in range(len(pages)))
        archive.writestr(
            "OEBPS/c.opf",
            '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
            f"<dc:title>Buch</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>",
        )
        for number, body in enumerate(pages):
            archive.writestr(
                f"OEBPS/t/{number}.xhtml",
                f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>{body}</body></html>',
            )
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def test_images_of_an_e_book_come_from_its_archive(tmp_path):
    figure = '<figure><img src="../img/a%20b.png"/><figcaption>Abbildung 1: Pumpe</figcaption></figure>'
    other = '<p>Text</p><img src="../../../etc/x.png"/><img src="http://127.0.0.1:9/y.png"/>'
    data = _epub([f"<p>{PROSE}</p>{figure}", other], {"OEBPS/img/a b.png": png(image("red"))})
    rows = _read(tmp_path, "a.epub", data)
    assert sorted((p["decision"], bool(p["image_hash"])) for p in pictures(rows)) == [
        ("captioned", True), ("no_image", False), ("no_image", False)
    ]  # fmt: skip


def _wanted(row, picture):
    return Wanted(
        picture["image_hash"], row["page_no"], row["rotation"], row["width"], tuple(picture["bbox"])
    )


def _colour(data):
    from PIL import Image

    picture = Image.open(io.BytesIO(data))
    return picture.getpixel((picture.width // 2, picture.height // 2))


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_figures_are_cut_out_of_their_page_however_it_is_turned(turned):
    def draw(page):
        if turned:
            page.setPageRotation(turned)
        lines(page, [PROSE] * 5, y=780)
        drawn(page, image("red"), 100, 500, 250, 150)
        drawn(page, image("blue"), 300, 100, 200, 150)

    data = written(draw)
    [row] = finish(read_pdf(data, max_pages=5, ocr="rapidocr", layout="geometry"))
    cut = cut_out("pdf", data, [_wanted(row, picture) for picture in row["pictures"]])
    assert {_colour(each["png"]) for each in cut} == {(255, 0, 0), (0, 0, 255)}


def test_figures_of_office_files_are_found_by_their_hash(tmp_path):
    data = _docx(PROSE, image("red"), "Abbildung 1: Die Pumpe", image("blue"), PROSE)
    [row] = _read(tmp_path, "a.docx", data)
    named = next(picture for picture in row["pictures"] if picture["decision"] == "captioned")
    [cut] = cut_out("docx", data, [_wanted(row, named)])
    assert cut["image_hash"] == named["image_hash"]
    assert _colour(cut["png"]) == (255, 0, 0)


def test_figures_of_an_encrypted_office_file_are_found_with_its_password(tmp_path):
    from msoffcrypto.format.ooxml import OOXMLFile

    data = _docx(PROSE, image("red"), "Abbildung 1: Die Pumpe", PROSE)
    path = tmp_path / "a.docx"
    with path.open("wb") as file:
        OOXMLFile(io.BytesIO(data)).encrypt("geheim", file)
    engines = {"max_pages": 9, "ocr": "rapidocr", "passwords": ("geheim",)}
    [row] = finish(read_document(str(path), "", **engines))
    named = next(picture for picture in row["pictures"] if picture["decision"] == "captioned")
    task = CutOutTask(0, str(path), "", hashlib.sha256(path.read_bytes()).hexdigest(), (_wanted(row, named),))
    found = cut_out_task(task, limits(passwords=("geheim",)))
    assert not isinstance(found, ParseError)
    assert [(each["image_hash"], _colour(each["png"])) for each in found] == [
        (named["image_hash"], (255, 0, 0))
    ]
    refused = cut_out_task(task, limits())
    assert isinstance(refused, ParseError)
    assert refused.reason == "encrypted"
