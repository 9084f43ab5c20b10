"""No file makes the parser open another one, a socket or a program: entities, links, pictures, includes, macros."""

import hashlib
import io
import multiprocessing
import os
import sys
import zipfile
from pathlib import Path

import pytest

from pipeline.parsing.worker import Task
from tests.parsing.readings import limits

CANARY = "KANARYA-5512"
SEEN = "Görünen metin burada durur."
_LIMITS = limits()


def _html(secret):
    return (
        f"<html><head><base href='file:///'><link rel=stylesheet href='{secret}'><meta http-equiv=refresh content='0;url={secret}'></head><body>"
        f"<p>{SEEN}</p><img src='{secret}'><img src='file://{secret}'><img src='../{Path(secret).name}'>"
        f"<iframe src='file://{secret}'></iframe><object data='{secret}'></object><embed src='{secret}'>"
        f"<svg><image xlink:href='file://{secret}'/><use href='{secret}#a'/></svg>"
        "<img src='http://127.0.0.1:9/a.png'><script src='http://127.0.0.1:9/a.js'></script></body></html>"
    ).encode()


def _markdown(secret):
    return (
        f"# Başlık\n\n{SEEN}\n\n![a]({secret})\n\n![b](file://{secret})\n\n{{{{#include {secret}}}}}\n\n!include {secret}\n\n"
        f"<img src='{secret}'>\n\n```{{include}} {secret}\n```\n"
    ).encode()


def _docx(secret):
    from docx import Document

    buffer, out = io.BytesIO(), io.BytesIO()
    document = Document()
    document.add_paragraph(SEEN)
    document.save(buffer)
    with zipfile.ZipFile(buffer) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "word/_rels/document.xml.rels":
                kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
                links = "".join(
                    f'<Relationship Id="x{n}" Type="{kind}/{what}" Target="{where}" TargetMode="External"/>'
                    for n, (what, where) in enumerate(
                        [
                            ("image", f"file://{secret}"),
                            ("attachedTemplate", "http://127.0.0.1:9/t.dotm"),
                            ("oleObject", f"file://{secret}"),
                            ("frame", f"file://{secret}"),
                            ("subDocument", f"file://{secret}"),
                        ]
                    )
                )
                content = content.replace(b"</Relationships>", links.encode() + b"</Relationships>")
            if name == "word/document.xml":
                drawing = (
                    '<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">'
                    '<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData>'
                    '<a:blip r:link="x0" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"/>'
                    "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
                    f'<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>INCLUDETEXT "{secret}"</w:instrText></w:r>'
                    '<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
                )
                content = content.replace(b"</w:body>", drawing.encode() + b"</w:body>")
            target.writestr(name, content)
    return out.getvalue()


def _entity(secret):
    return f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file://{secret}">]>'


def _archive(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def _odt(secret):
    space = "urn:oasis:names:tc:opendocument:xmlns"
    body = (
        f'{_entity(secret)}<office:document-content xmlns:office="{space}:office:1.0" xmlns:text="{space}:text:1.0">'
        f"<office:body><office:text><text:p>{SEEN} &x;</text:p></office:text></office:body></office:document-content>"
    )
    return _archive({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": body,
                     "META-INF/manifest.xml": "<manifest/>"})  # fmt: skip


def _epub(secret):
    chapter = f'{_entity(secret)}<html xmlns="http://www.w3.org/1999/xhtml"><body><p>{SEEN} &x;</p><img src="file://{secret}"/></body></html>'
    return _archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
            '<rootfile full-path="a.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
            "a.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest>'
            f'<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/><item id="b" href="../../../..{secret}" media-type="application/xhtml+xml"/>'
            '</manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
            "a.xhtml": chapter,
        }
    )


def _mail(secret):
    return (
        "Subject: Konu\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
        + _html(secret).decode()
        + f'\r\n--b\r\nContent-Type: message/external-body; access-type=local-file; name="{secret}"\r\n\r\nContent-Type: text/plain\r\n\r\n\r\n'
        f'--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename="../../..{secret}"\r\n\r\nEk.\r\n--b--\r\n'
    ).encode()


FILES = {"html": _html, "md": _markdown, "docx": _docx, "odt": _odt, "epub": _epub, "eml": _mail}


def _watched(tasks, pipe):
    """Do tasks in this process and tell what it opens; a main function of a process."""
    from pipeline.parsing.confinement import hide_unused
    from pipeline.parsing.worker import done

    hide_unused()
    seen = []

    def hook(event, args):
        if event == "open" and isinstance(args[0], str | bytes):
            seen.append((event, os.fsdecode(args[0])))
        elif event.startswith(
            (
                "socket.connect",
                "socket.getaddrinfo",
                "subprocess",
                "os.system",
                "os.exec",
                "os.posix_spawn",
                "os.fork",
            )
        ):
            seen.append((event, repr(args)))

    sys.addaudithook(hook)
    answers = [done(task, _LIMITS, lambda page, of: None) for task in tasks]
    pipe.send(([a if isinstance(a, list) else [{"error": a.message, "blocks": []}] for a in answers], seen))


@pytest.mark.slow
def test_what_a_file_points_to_is_never_opened(tmp_path):
    secret = tmp_path / "kanarya.txt"
    secret.write_text(CANARY)
    folder = tmp_path / "source"
    folder.mkdir()
    tasks = []
    for key, (ending, write) in enumerate(FILES.items()):
        path = folder / f"a.{ending}"
        path.write_bytes(write(str(secret)))
        tasks.append(Task(key, str(path), "", hashlib.sha256(path.read_bytes()).hexdigest()))
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_watched, args=(tasks, theirs))
    process.start()
    assert ours.poll(120)
    answers, seen = ours.recv()
    process.join(60)
    assert CANARY not in str(answers)
    opened = {name for event, name in seen if event == "open"}
    assert str(secret) not in opened
    # The standard library asks `uname` what machine this is, when a reader is loaded.
    assert [(event, what) for event, what in seen if event != "open" and "'uname'" not in what] == []
    text = {
        ending: " ".join(block["text"] for row in rows for block in row["blocks"])
        for ending, rows in zip(FILES, answers, strict=True)
    }
    assert all(SEEN in text[ending] for ending in ("html", "md", "docx", "eml")), text
    assert SEEN in text["epub"] or "define" in str(answers[list(FILES).index("epub")])
    assert "define" in answers[list(FILES).index("odt")][0]["error"]
