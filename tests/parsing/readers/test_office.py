import io
import random
import zipfile

import pytest

from pipeline.parsing.errors import ParseError
from pipeline.parsing.formats import kind_of
from pipeline.parsing.tree import finish
from tests.parsing.documents import blocks, texts
from tests.parsing.readings import read_document


def _read(folder, name, data):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return finish(read_document(str(path), "", max_pages=100, ocr="rapidocr"))


def _docx(build):
    import docx

    document = docx.Document()
    build(document)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def test_word_keeps_words_whole_and_cells_filled(tmp_path):
    def build(document):
        document.add_heading("İstasyonlar", 1)
        paragraph = document.add_paragraph()
        paragraph.add_run("Der Be").bold = True
        paragraph.add_run("trieb läuft, und ")
        paragraph.add_run("Name").italic = True
        paragraph.add_run(".")
        grid = document.add_table(3, 3)
        for row, values in enumerate(
            (["Bölge", "İstasyon", "Debi"], ["Kuzey", "K-1", "11"], ["", "K-2", "12"])
        ):
            for column, value in enumerate(values):
                grid.cell(row, column).text = value
        grid.cell(1, 0).merge(grid.cell(2, 0))
        grid.cell(1, 1).add_paragraph("ikinci satır")
        document.add_paragraph("§ 5 Kündigung").runs[0].bold = True
        document.add_paragraph("Die Frist beträgt einen Monat.")

    rows = _read(tmp_path, "a.docx", _docx(build))
    assert "Der Betrieb läuft, und Name." in texts(rows, "paragraph")
    grid = next(block for block in blocks(rows) if block["kind"] == "table")
    assert grid["header_rows"] == 1
    assert grid["rows"][1:] == [["Kuzey", "K-1 ikinci satır", "11"], ["Kuzey", "K-2", "12"]]
    assert blocks(rows)[-1]["section_path"] == ["İstasyonlar", "§ 5 Kündigung"]


def test_html_charset_links_numbers_and_nested_tables(tmp_path):
    page = (
        '<html><head><meta charset="iso-8859-9"></head><body><h1>Şebeke</h1><h2>Ab <a href="http://x.invalid">Übergabe</a></h2>'
        '<p>Der <b>Be</b>trieb.</p><ol start="3"><li>drei<ol type="a"><li>innen</li></ol></li></ol>'
        "<table><tr><td>aussen1</td><td><table><tr><td>innen1</td><td>innen2</td></tr></table></td></tr></table>"
        '<img src="http://x.invalid/a.png" alt="bild"><script>nein()</script></body></html>'
    )
    rows = _read(tmp_path, "a.html", page)
    assert texts(rows, "title", "heading") == ["Şebeke", "Ab Übergabe"]
    assert "Der Betrieb." in texts(rows, "paragraph")
    assert [(b["text"], b["level"]) for b in blocks(rows) if b["kind"] == "list_item"] == [
        ("3. drei", 1),
        ("a) innen", 2),
    ]
    everything = " ".join(texts(rows)).split()
    assert [everything.count(word) for word in ("aussen1", "innen1", "innen2")] == [1, 1, 1]
    assert not any("nein" in text for text in texts(rows))


def test_markdown_front_matter_stays_out(tmp_path):
    rows = _read(
        tmp_path,
        "a.md",
        "\ufeff---\ntitle: geheim\n---\n# Übergabe\n\nText.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    )
    assert not any("geheim" in text for text in texts(rows))
    assert blocks(rows)[1]["section_path"] == ["Übergabe"]
    assert blocks(rows)[2]["rows"] == [["a", "b"], ["1", "2"]]


def test_slides_are_pages_with_their_title_as_heading(tmp_path):
    import pptx

    show = pptx.Presentation()
    for title in ("Basınç", "Wartung"):
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = f"{title} punkt"
    buffer = io.BytesIO()
    show.save(buffer)
    rows = _read(tmp_path, "a.pptx", buffer.getvalue())
    assert [row["page_no"] for row in rows] == [1, 2]
    assert rows[1]["blocks"][-1]["section_path"] == ["Wartung"]


def test_mail_has_subject_sender_and_body(tmp_path):
    mail = "From: a@x.invalid\nTo: b@x.invalid\nSubject: =?utf-8?b?QmFzxLFuw6c=?=\nContent-Type: text/plain; charset=utf-8\n\nMerhaba\n"
    rows = _read(tmp_path, "a.eml", mail)
    assert texts(rows, "title") == ["Basınç"]
    assert "Merhaba" in texts(rows)


def _archive(**parts):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/") + ".xml", content)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "encrypted"),
        ("a.docx", b"keine zip", "corrupt"),
        ("a.docx", _archive(word__document='<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]><d>&x;</d>'), "dtd"),
        ("a.docx", _archive(word__document="<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>".encode("utf-16")), "dtd"),
        ("a.xlsx", _archive(xl__sheet=b"0" * (300 << 20)), "too_large"),
        ("a.pdf", b"kein pdf", "corrupt"),
        ("a.doc", b"x", "corrupt"), ("a.xyz", b"x", "unsupported"),
        ("a.png", b"\x89PNG\r\n\x1a\nkaputt", "corrupt"),
        ("a.bmp", b"BM" + bytes(12) + (40).to_bytes(4, "little") + (60000).to_bytes(4, "little") * 2 + b"\1\0\x18\0" + bytes(24), "too_large"),
    ],
)  # fmt: skip
def test_hostile_files_are_refused_with_a_reason(tmp_path, name, data, reason):
    with pytest.raises(ParseError) as caught:
        _read(tmp_path, name, data)
    assert caught.value.reason == reason
    assert str(tmp_path) not in caught.value.message


def test_kind_goes_by_content_first():
    assert kind_of("a.txt", "", b"%PDF-1.7") == "pdf"
    assert kind_of("a", "text/plain", b"hallo") == "text"


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.csv", "a.html", "a.eml"])
@pytest.mark.parametrize(
    "data", [random.Random(1).randbytes(20_000), _archive(a=random.Random(1).randbytes(9000))]
)
def test_bytes_that_are_no_text_do_not_become_one(tmp_path, name, data):
    with pytest.raises(ParseError) as caught:
        _read(tmp_path, name, data)
    assert caught.value.message.endswith("(not text)")


def test_text_with_a_stray_control_character_is_text(tmp_path):
    [page] = _read(tmp_path, "a.txt", "Der Druck\x00 betrug 6 bar.\x1a".encode("utf-16"))
    assert page["blocks"][0]["text"] == "Der Druck betrug 6 bar."


def test_deeply_nested_lists_keep_their_text(tmp_path):
    text = "".join(f"{'  ' * depth}- Stufe{depth}\n" for depth in range(30))
    [page] = _read(tmp_path, "a.md", text.encode())
    assert [block["text"] for block in page["blocks"]] == [f"Stufe{depth}" for depth in range(30)]


def test_marked_headers_nested_tables_and_lists_lose_no_word(tmp_path):
    page = (
        "<table><caption>Tabelle 3: Preise</caption><thead><tr><th rowspan=2>Artikel</th><th colspan=2>Preis</th></tr>"
        "<tr><th>2023</th><th>2024</th></tr></thead><tbody><tr><td>Vana</td><td>12.500</td><td>007</td></tr>"
        "<tr><td>Conta<ul><li>punkt1</li><li>punkt2</li></ul></td><td>1,20<p>zwei</p>drei</td><td><table><tr><td>innen1</td>"
        "<td>innen2</td></tr></table>danach</td></tr></tbody></table>"
    )
    (grid,) = blocks(_read(tmp_path, "a.html", page))
    assert grid["rows"] == [
        ["Artikel", "Preis", "Preis"],
        ["Artikel", "2023", "2024"],
        ["Vana", "12.500", "007"],
        ["Conta punkt1 punkt2", "1,20 zwei drei", "innen1 innen2 danach"],
    ]
    assert (grid["header_rows"], grid["caption"]) == (2, "Tabelle 3: Preise")
    assert grid["spans"] == [
        {"row": 0, "column": 0, "rows": 2, "columns": 1},
        {"row": 0, "column": 1, "rows": 1, "columns": 2},
    ]


def test_names_of_rows_are_no_header(tmp_path):
    page = "<table><tr><th>Ad</th><td>Vana</td></tr><tr><th>Kod</th><td>007</td></tr></table>"
    (grid,) = blocks(_read(tmp_path, "a.html", page))
    assert (grid["rows"], grid["header_rows"]) == ([["Ad", "Vana"], ["Kod", "007"]], 0)


def test_html_rows_in_which_no_cell_begins_cost_no_other(tmp_path):
    page = (
        "<table><tr><td rowspan=2>a</td><td rowspan=2>b</td></tr><tr></tr><tr><td>c</td><td rowspan=0>d</td></tr>"
        "<tr><td>e</td></tr><tr><td rowspan=99>f</td><td>g</td></tr></table>"
    )
    (grid,) = blocks(_read(tmp_path, "a.html", page))
    assert grid["rows"] == [["a", "b", ""], ["c", "d", ""], ["e", "d", ""], ["f", "d", "g"]]


_BOX = (
    '<w:p xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><w:r><mc:AlternateContent>{}</mc:AlternateContent>'
    "</w:r></w:p>"
)
_CONTENT = (
    "<w:txbxContent><w:p><w:r><w:t>Kutu başı</w:t></w:r></w:p><w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>"
    "<w:tr><w:tc><w:p><w:r><w:t>kutu1</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>kutu2</w:t></w:r></w:p></w:tc></w:tr>"
    "<w:tr><w:tc><w:p><w:r><w:t>kutu3</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>kutu4</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    "<w:p><w:r><w:t>Kutu sonu</w:t></w:r></w:p></w:txbxContent>"
)


def test_a_table_in_a_text_box_is_a_table_and_stands_once(tmp_path):
    from docx.oxml import parse_xml

    def build(document):
        before = document.add_paragraph("Metin önce.")
        drawn = f"<mc:Choice Requires='wps'><w:drawing>{_CONTENT}</w:drawing></mc:Choice>"
        old = f"<mc:Fallback><w:pict><v:shape><v:textbox>{_CONTENT}</v:textbox></v:shape></w:pict></mc:Fallback>"
        before._p.addnext(parse_xml(_BOX.format(drawn + old)))
        document.add_paragraph("Metin sonra.")

    found = blocks(_read(tmp_path, "a.docx", _docx(build)))
    assert [block["text"] for block in found] == [
        "Metin önce.", "Kutu başı", "kutu1\tkutu2\nkutu3\tkutu4", "Kutu sonu", "Metin sonra.",
    ]  # fmt: skip


def test_reported_tables_lose_no_row_and_no_word(tmp_path, cases):
    def table_of(case, name):
        rows = _read(tmp_path, name, (cases / case / name).read_bytes())
        return next(block["rows"] for block in blocks(rows) if block["kind"] == "table"), rows

    grid, _ = table_of("B20", "vmerge.docx")
    pairs = [["Kuzey", f"K-{n}", f"1{n}"] for n in (1, 2, 3)] + [["Güney", f"G-{n}", f"2{n}"] for n in (1, 2)]
    assert grid[1:] == pairs
    grid, _ = table_of("B22", "satirlar.docx")
    assert (len(grid), len(grid[0])) == (3, 2)
    sentences = "Önce vanayı kapat. Sonra basıncı oku. Son olarak imzala."
    assert any(sentences in cell for row in grid for cell in row)
    _, rows = table_of("B24", "verschachtelt.html")
    words = " ".join(texts(rows)).split()
    names = ["aussen1", "aussen2", "innen1", "innen2", "innen3", "innen4", "punkt1", "punkt2"]
    assert [words.count(name) for name in names] == [1] * 8
