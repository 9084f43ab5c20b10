import io

import pytest

from pipeline.parsing.errors import ParseError
from pipeline.parsing.tree import finish
from tests.parsing.documents import texts
from tests.parsing.readings import read_document


def _word():
    from docx import Document

    buffer = io.BytesIO()
    document = Document()
    document.add_paragraph("Der Öldruck der Pumpe betrug 6 bar.")
    document.save(buffer)
    return buffer


def _sheet():
    from openpyxl import Workbook

    buffer, book = io.BytesIO(), Workbook()
    assert book.active is not None
    book.active.append(["Ölçüm", "Değer"])
    book.active.append(["Basınç", 6])
    book.save(buffer)
    return buffer


def _encrypted(path, plain, password):
    from msoffcrypto.format.ooxml import OOXMLFile

    plain.seek(0)
    with path.open("wb") as file:
        OOXMLFile(plain).encrypt(password, file)
    return str(path)


def _read(path, *passwords):
    return finish(read_document(path, "", max_pages=9, ocr="rapidocr", passwords=passwords))


def test_an_encrypted_office_file_opens_with_a_configured_password(tmp_path):
    word = _encrypted(tmp_path / "a.docx", _word(), "şifre")
    assert texts(_read(word, "falsch", "şifre")) == ["Der Öldruck der Pumpe betrug 6 bar."]
    sheet = _encrypted(tmp_path / "a.xlsx", _sheet(), "geheim")
    assert "Basınç\t6" in texts(_read(sheet, "geheim"), "table")[0]


@pytest.mark.parametrize(("passwords", "words"), [((), "encrypted container"), (("a", "b"), "none of the 2")])
def test_without_the_right_password_it_says_so(tmp_path, passwords, words):
    with pytest.raises(ParseError) as caught:
        _read(_encrypted(tmp_path / "a.docx", _word(), "geheim"), *passwords)
    assert (caught.value.reason, words in caught.value.detail) == ("encrypted", True)


def test_a_file_that_is_only_protected_against_changes_opens(tmp_path):
    assert texts(_read(_encrypted(tmp_path / "a.docx", _word(), "VelvetSweatshop")))


def test_a_damaged_container_is_no_crash(tmp_path):
    path = tmp_path / "a.docx"
    _encrypted(path, _word(), "geheim")
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(ParseError):
        _read(str(path), "geheim")


def test_a_cipher_that_is_not_known_wants_no_password(samples):
    path = samples / "hostile/office/poi__bug53475-password-is-pass.docx"
    for passwords in ((), ("pass",)):
        with pytest.raises(ParseError) as caught:
            _read(str(path), *passwords)
        assert caught.value.reason == "unsupported"
        assert "save the file without one" in caught.value.detail
