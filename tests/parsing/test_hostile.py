"""Hostile files beside good ones: each bad one has its reason, each good one the rows that it has alone."""

import io
import struct
import zipfile
import zlib

import pytest

from pipeline.config import ParsingConfig
from pipeline.parsing.pages import parse_documents
from tests.parsing.documents import lines, written
from tests.parsing.test_pages import _documents


def _zip(members, **options):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def _huge_picture():
    """A picture of 60,000 x 60,000 pixels in a hundred bytes."""

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(99)))


def _encrypted_pdf():
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen.canvas import Canvas

    buffer = io.BytesIO()
    canvas = Canvas(buffer, encrypt=StandardEncryption("geheim", strength=128))
    canvas.drawString(60, 700, "Niemand liest das.")
    canvas.save()
    return buffer.getvalue()


GOOD = {
    "gut.pdf": written(lambda page: lines(page, ["Die Leitstelle ist besetzt und meldet jede Störung."])),
    "gut.txt": "Der Öldruck ist gut.".encode(),
    "gut.csv": b"Jahr;Wert\n2024;12,5\n2025;13,1\n",
    "gut.html": "<h1>Übergabe</h1><p>Basınç normal.</p>".encode(),
}
BAD = {
    "bombe.docx": (_zip({"word/document.xml": bytes(40 << 20)}), "too_large"),
    "lachen.docx": (_zip({"word/document.xml": b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}), "dtd"),
    "leer.docx": (_zip({}), "corrupt"),
    "halb.docx": (_zip({"word/document.xml": b"<w:document"})[:40], "corrupt"),
    "kaputt.pdf": (b"%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 1 0 R>>", "corrupt"),
    "zu.pdf": (_encrypted_pdf(), "encrypted"),
    "riesig.png": (_huge_picture(), "too_large"),
    "programm.txt": (bytes(range(256)) * 64, "corrupt"),
    "tief.json": (b"[" * 200_000, "corrupt"),
    "archiv.zip": (_zip({"a.txt": b"a"}), "unsupported"),
}


@pytest.mark.slow
def test_bad_files_have_their_reason_and_good_ones_their_rows(tmp_path):
    config = ParsingConfig(workers=1, timeout_seconds=60, memory_mb=2048)
    together, alone = tmp_path / "together", tmp_path / "alone"
    together.mkdir()
    alone.mkdir()
    # The good ones come first in the list, so that they have the same names in both.
    expected = parse_documents(_documents(alone, GOOD), config)
    found = parse_documents(
        _documents(together, GOOD | {name: data for name, (data, _) in BAD.items()}), config
    )
    assert found.join(expected, on="doc_id", how="semi").equals(expected)
    reasons = {
        name: found.filter(doc_id=f"d{len(GOOD) + n}")["reason"].to_list() for n, name in enumerate(BAD)
    }
    assert reasons == {name: [reason] for name, (_, reason) in BAD.items()}
    assert sorted(path.name for path in together.iterdir()) == sorted([*GOOD, *BAD])
