from email.message import EmailMessage

from pipeline.parsing.tree import finish
from tests.parsing.documents import lines, written
from tests.parsing.readings import read_document


def _mail(*attachments):
    mail = EmailMessage()
    mail["Subject"] = "Prüfbericht"
    mail["From"], mail["To"] = "a@example.com", "b@example.com"
    mail.set_content("Anbei der Bericht.\n")
    for data, kind, name in attachments:
        major, minor = kind.split("/")
        mail.add_attachment(data, maintype=major, subtype=minor, filename=name)
    return mail


def _rows(tmp_path, mail):
    path = tmp_path / "mail.eml"
    path.write_bytes(mail.as_bytes())
    return finish(read_document(str(path), "", max_pages=50, ocr="rapidocr"))


def test_attachments_are_further_pages_under_their_names(tmp_path):
    pdf = written(lambda page: lines(page, ["Die Pumpe läuft ohne Befund weiter und wird im Mai geprüft."]))
    inner = _mail((b"Notiz: Dichtung tauschen", "text/plain", "notiz.txt"))
    mail = _mail((pdf, "application/pdf", "bericht.pdf"))
    mail.add_attachment(inner)
    rows = _rows(tmp_path, mail)
    assert [row["page_no"] for row in rows] == [1, 2, 3, 4]
    block = rows[1]["blocks"][-1]
    assert "Die Pumpe läuft ohne Befund" in block["text"]
    assert block["section_path"] == ["Prüfbericht", "bericht.pdf"]
    assert any("Dichtung tauschen" in block["text"] for block in rows[3]["blocks"])


def test_a_bad_attachment_costs_one_page_and_an_unknown_kind_none(tmp_path):
    rows = _rows(
        tmp_path,
        _mail(
            (b"%PDF-1.4 broken", "application/pdf", "kaputt.pdf"), (b"\0\1", "application/x-own", "etwas.xyz")
        ),
    )
    assert [(row["page_no"], row["reason"]) for row in rows] == [(1, ""), (2, "corrupt")]
    assert "kaputt.pdf" in rows[1]["error"]


def test_a_packed_attachment_is_named_with_its_reason(tmp_path):
    rows = _rows(
        tmp_path, _mail((b"PK\3\4", "application/zip", "belege.zip"), (b"x", "text/plain", "no\x07te.txt"))
    )
    assert [(row["page_no"], row["reason"]) for row in rows] == [(1, ""), (2, "unsupported"), (3, "")]
    assert "belege.zip" in rows[1]["error"]
    assert "unpack it" in rows[1]["error"]


def test_headings_of_an_attachment_stand_below_its_name(tmp_path):
    rows = _rows(
        tmp_path, _mail((b"# Druck\n\n## Messung\n\nDer Druck betrug 6 bar.\n", "text/markdown", "druck.md"))
    )
    block = rows[1]["blocks"][-1]
    assert block["section_path"] == ["Prüfbericht", "druck.md", "Druck", "Messung"]
