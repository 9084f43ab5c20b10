import pytest

from pipeline.parsing.errors import ParseError
from pipeline.parsing.readers.rich_text import read_rich_text
from tests.parsing.readings import read_document


@pytest.mark.parametrize(
    ("page", "text"),
    [("1254", "Basınç ölçümü: ğüşiöç İ"), ("1252", "Prüfung der Öldruckmessgeräte, größer")],
)
def test_letters_come_out_as_the_code_page_says(page, text):
    escaped = "".join(chr(byte) if byte < 128 else f"\\'{byte:02x}" for byte in text.encode(f"cp{page}"))
    data = rf"{{\rtf1\ansi\ansicpg{page} {{\fonttbl{{\f0 Arial;}}}}\f0 {escaped}\par Zweiter Absatz.\par }}".encode(
        "ascii"
    )
    (found,) = read_rich_text(data)
    assert [block.text for block in found.blocks] == [text, "Zweiter Absatz."]
    assert found.engine == "striprtf"


def test_unicode_escapes_and_destinations():
    data = (
        rb"{\rtf1\ansi\ansicpg1252{\info{\author Niemand}}{\*\generator X;}\u351?eker ve \u304?stanbul\par}"
    )
    assert [block.text for block in read_rich_text(data)[0].blocks] == ["şeker ve İstanbul"]


def test_an_old_word_file_without_libreoffice_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    path = tmp_path / "a.doc"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2048))
    with pytest.raises(ParseError) as caught:
        read_document(str(path), "", max_pages=9, ocr="rapidocr")
    assert caught.value.reason == "unsupported"
    assert "install it, or save the file as DOCX" in caught.value.message


def test_a_real_one(samples):
    pages = read_rich_text((samples / "office/tika__testRTFUmlautSpaces.rtf").read_bytes())
    assert "Übersicht" in " ".join(block.text for page in pages for block in page.blocks)
