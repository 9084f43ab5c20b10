import pytest

from pipeline.parsing.encodings import decode

TURKISH = "Iğdır şubesinde yağışlı günlerde şebeke basıncı düşüyor; İşçi, çünkü ağır."
GERMAN = "Größere Störungen werden der Leitstelle unverzüglich gemeldet. Straße, Öl."


@pytest.mark.parametrize("text", [TURKISH, GERMAN])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_unicode_encodings(text, encoding):
    assert decode(text.encode(encoding))[0] == text


def test_code_pages_are_told_apart_by_their_letters():
    assert decode(TURKISH.encode("cp1254")) == (TURKISH, "cp1254")
    assert decode(GERMAN.encode("cp1252")) == (GERMAN, "cp1252")


def test_a_wrong_declaration_does_not_beat_valid_utf8():
    page = f'<meta charset="iso-8859-1"><p>{TURKISH}</p>'
    assert decode(page.encode())[0] == page


def test_one_broken_byte_does_not_turn_a_file_into_another_encoding():
    data = (TURKISH * 3).encode() + b"\xff"
    assert decode(data)[0].startswith(TURKISH)


def test_latin1_declared_over_turkish_bytes_is_read_as_turkish():
    page = f'<meta charset="iso-8859-1"><p>{TURKISH}</p>'
    assert TURKISH in decode(page.encode("cp1254"))[0]
