"""What kind of file the bytes are, and the one dispatch from kind to reader."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from pipeline.parsing import guards
from pipeline.parsing.cutouts import Wanted, cut_out
from pipeline.parsing.encodings import decode
from pipeline.parsing.errors import CHANGED, CORRUPT, ENCRYPTED, UNREADABLE, UNSUPPORTED, ParseError
from pipeline.parsing.tree import Page

_KINDS: Final = {
    "pdf": (".pdf",),
    "image": (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp"),
    "docx": (".docx", ".docm", ".dotx"),
    "xlsx": (".xlsx", ".xlsm"),
    "pptx": (".pptx", ".pptm", ".ppsx"),
    "odt": (".odt",),
    "ods": (".ods",),
    "odp": (".odp",),
    "epub": (".epub",),
    "html": (".html", ".htm", ".xhtml"),
    "markdown": (".md", ".markdown"),
    "csv": (".csv", ".tsv"),
    "text": (".txt", ".text", ".log"),
    "json": (".json",),
    "eml": (".eml",),
    "msg": (".msg",),
    "doc": (".doc", ".dot"),
    "rtf": (".rtf",),
}
_BY_SUFFIX: Final = {suffix: kind for kind, suffixes in _KINDS.items() for suffix in suffixes}
_BY_MEDIA_TYPE: Final = {
    "application/pdf": "pdf", "text/html": "html", "application/xhtml+xml": "html", "text/markdown": "markdown",
    "text/csv": "csv", "text/plain": "text", "application/json": "json", "message/rfc822": "eml",
    "application/vnd.ms-outlook": "msg", "application/msword": "doc", "application/rtf": "rtf", "text/rtf": "rtf",
    "application/epub+zip": "epub", "image/png": "image", "image/jpeg": "image", "image/tiff": "image",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
}  # fmt: skip
SUPPORTED_SUFFIXES: Final = frozenset(_BY_SUFFIX)
"""File name endings that have a reader, lower case, with the dot."""

_WORDS: Final = ("html", "markdown", "csv", "text", "json", "eml")
_IMAGES: Final = (b"\x89PNG", b"\xff\xd8\xff", b"II*\x00", b"MM\x00*", b"BM")
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_WORD: Final = ("doc", "rtf", "msg")
_DEPTH: Final = 3  # e-mails attached to e-mails
_ARCHIVES: Final = ("docx", "xlsx", "pptx", "odt", "ods", "odp", "epub")


def kind_of(name: str, media_type: str, head: bytes) -> str:
    """The kind of a file: by its first bytes where they are clear, else by its ending, else by its media type.

    Args:
        name: file name or path.
        media_type: as the source states it; may be empty.
        head: the first bytes, 1024 suffice.

    Raises:
        ParseError: unsupported, or encrypted for an office file in an encrypted container.
    """
    named = _BY_SUFFIX.get(Path(name).suffix.lower()) or _BY_MEDIA_TYPE.get(media_type)
    if b"%PDF-" in head:
        return "pdf"
    if named == "pdf" or named is None:
        if head.startswith(_IMAGES):
            return "image"
        if named is None:
            raise ParseError(UNSUPPORTED, f"({Path(name).suffix.lower() or 'no file name ending'})")
        if head:
            raise ParseError(CORRUPT, "(no PDF header)")
    if named in _WORD:
        return _word(named, head)
    if named in _ARCHIVES and head.startswith(_OLE):
        raise ParseError(ENCRYPTED, "(an office file inside an encrypted container)")
    if named in _ARCHIVES and not head.startswith(b"PK"):
        raise ParseError(CORRUPT, f"(not a {named} archive)")
    return named


def _word(named: str, head: bytes) -> str:
    """What a file called .doc, .rtf or .msg is: programs give the old name to newer formats, too."""
    if head.startswith(b"{\\rtf"):
        return "rtf"
    if head.startswith(b"PK") and named == "doc":
        return "docx"
    if head.startswith(_OLE) and named != "rtf":
        return named
    raise ParseError(CORRUPT, f"(not a {named} file)")


def read_document(
    location: str,
    media_type: str,
    *,
    max_pages: int,
    ocr: str,
    layout: str = "auto",
    artifacts: str = "",
    passwords: Sequence[str] = (),
    sha256: str | None = None,
    hidden_sheets: str = "skip",
) -> list[Page]:
    """Pages of one file. Runs inside a worker process.

    Args:
        location: path of the file.
        media_type: as the source states it; may be empty.
        max_pages: pages beyond are not read.
        ocr: engine for scanned pages: `rapidocr` or `tesseract`.
        layout: who finds the regions of a page: `auto`, `geometry`, `model` or `docling`.
        artifacts: folder with docling's models, for `docling`; empty: the bundled engines.
        passwords: tried in turn on an encrypted file.
        sha256: of the bytes that are meant; None: whatever bytes are there.
        hidden_sheets: `skip` or `read` what a spreadsheet hides.

    Raises:
        ParseError: the file cannot be read, or holds other bytes than are meant; every other exception means the same and is classified by the caller.
    """
    engines = Engines(max_pages, ocr, layout, tuple(passwords), hidden_sheets, artifacts)
    return read_bytes(location, media_type, read_file(location, sha256), engines)


def cut_out_of(
    location: str, media_type: str, wanted: Sequence[Wanted], *, passwords: Sequence[str] = (), sha256: str
) -> list[dict[str, Any]]:
    """Images of figures of one file: see `cutouts.cut_out`; other arguments and errors as those of `read_document`."""
    data = read_file(location, sha256)
    return cut_out(kind_of(location, media_type, data[:1024]), data, wanted, passwords)


def read_file(location: str, sha256: str | None) -> bytes:
    """The bytes of a file.

    Args:
        location: path of the file.
        sha256: of the bytes that are meant; None: whatever bytes are there.

    Raises:
        ParseError: unreadable, too_large, or changed: it holds other bytes than are meant.
    """
    path = Path(location)
    try:
        guards.check_size(path.stat().st_size)
        data = path.read_bytes()
    except OSError as error:
        raise ParseError(UNREADABLE, f"({error.strerror})") from error
    if sha256 is not None and hashlib.sha256(data).hexdigest() != sha256:
        raise ParseError(CHANGED)
    return data


@dataclass(frozen=True)
class Engines:
    """How a file is read. Field meanings: see `read_document`."""

    max_pages: int
    ocr: str
    layout: str
    passwords: tuple[str, ...]
    hidden_sheets: str = "skip"
    artifacts: str = ""


def read_bytes(name: str, media_type: str, data: bytes, engines: Engines, depth: int = 0) -> list[Page]:
    """Pages of a file in memory: a document, or what is attached to one (`depth` levels down)."""
    if not data:
        return []
    kind = kind_of(name, media_type, data[:1024])
    if kind in ("pdf", "image"):
        return _paged(kind, data, engines)
    if kind in _WORDS:
        guards.check_text(data)
    if kind in ("eml", "msg"):
        return _mail(kind, data, engines, depth)[: engines.max_pages]
    if kind in _SHEETS:
        return _SHEETS[kind](data, engines.hidden_sheets)[: engines.max_pages]
    return _READERS[kind](data)[: engines.max_pages]


def _paged(kind: str, data: bytes, engines: Engines) -> list[Page]:
    if engines.layout == "docling":
        from pipeline.parsing.readers.docling_pages import read_with_docling

        return read_with_docling(
            data,
            image=kind == "image",
            max_pages=engines.max_pages,
            ocr=engines.ocr,
            artifacts=engines.artifacts,
            passwords=engines.passwords,
        )
    if kind == "pdf":
        from pipeline.parsing.readers.pdf import read_pdf

        return read_pdf(
            data,
            max_pages=engines.max_pages,
            ocr=engines.ocr,
            layout=engines.layout,
            passwords=engines.passwords,
        )
    from pipeline.parsing.readers.pictures import read_picture

    return read_picture(data, max_pages=engines.max_pages, ocr=engines.ocr, layout=engines.layout)


def _mail(kind: str, data: bytes, engines: Engines, depth: int) -> list[Page]:
    from pipeline.parsing.readers.attachments import with_attachments
    from pipeline.parsing.readers.office import as_mail

    mail = as_mail(data) if kind == "msg" else data
    pages = _eml(mail)
    if depth >= _DEPTH:
        return pages
    return with_attachments(
        pages, mail, lambda name, media, inner: read_bytes(name, media, inner, engines, depth + 1)
    )


def for_docling(kind: str, data: bytes) -> tuple[str, bytes]:
    """A file name and the bytes as docling is to see them: checked, and without what it would stumble over or follow.

    Raises:
        ParseError: see `guards`.
    """
    if kind in _ARCHIVES:
        guards.check_archive(data)
    if kind == "docx":
        from pipeline.parsing.readers.docx_parts import prepare

        return "document.docx", prepare(data)[0]
    if kind == "epub":
        from pipeline.parsing.readers.epub_parts import with_images

        return "document.epub", with_images(data)
    if kind in ("html", "markdown"):
        from pipeline.parsing.readers.markup import markdown_to_html, plain_html

        return "document.html", plain_html(data) if kind == "html" else markdown_to_html(data)
    return f"document.{kind}", data


def _by_docling(kind: str, data: bytes) -> list[Page]:
    from pipeline.parsing.readers.office import convert

    return convert(*for_docling(kind, data))


def _docx(data: bytes) -> list[Page]:
    from pipeline.parsing.readers.docx_parts import prepare
    from pipeline.parsing.readers.office import convert

    guards.check_archive(data)
    plain, notes = prepare(data)
    pages = convert("document.docx", plain)
    if not notes:
        return pages
    last = pages[-1]
    return [
        *pages[:-1],
        replace(last, blocks=(*last.blocks, *notes)),
    ]


def _xlsx(data: bytes, hidden: str) -> list[Page]:
    from pipeline.parsing.readers.workbook import read_workbook

    guards.check_archive(data)
    return read_workbook(data, hidden)


def _ods(data: bytes, hidden: str) -> list[Page]:
    from pipeline.parsing.readers.opensheet import read_opensheet

    guards.check_archive(data)
    return read_opensheet(data, hidden)


def _eml(data: bytes) -> list[Page]:
    from pipeline.parsing.readers.office import convert

    text, encoding = decode(data)
    wide = encoding.startswith(("utf-16", "utf-32", "utf-8-sig"))
    return convert("document.eml", text.encode() if wide else data)


def _text(data: bytes) -> list[Page]:
    from pipeline.parsing.readers.plain import read_text

    return read_text(decode(data)[0])


def _csv(data: bytes) -> list[Page]:
    from pipeline.parsing.readers.plain import read_csv

    return read_csv(decode(data)[0])


def _json(data: bytes) -> list[Page]:
    from pipeline.parsing.readers.plain import read_json

    return read_json(decode(data)[0])


_READERS: Final = {
    **{
        kind: (lambda data, kind=kind: _by_docling(kind, data))
        for kind in ("pptx", "odt", "odp", "epub", "doc", "rtf", "html", "markdown")
    },
    "docx": _docx,
    "text": _text,
    "csv": _csv,
    "json": _json,
}
_SHEETS: Final = {"xlsx": _xlsx, "ods": _ods}
