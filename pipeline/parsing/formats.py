"""What kind of file the bytes are, and the one dispatch from kind to reader."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from pipeline.estate.media import MEDIA_TYPES, PACKED_SUFFIXES, suffix_of
from pipeline.parsing import guards
from pipeline.parsing.encodings import decode
from pipeline.parsing.engines import Engines
from pipeline.parsing.errors import CHANGED, CORRUPT, UNREADABLE, UNSUPPORTED, ParseError
from pipeline.parsing.paged import PAGED, in_parts, read_all
from pipeline.parsing.tree import Page

_OFFICE: Final = "application/vnd.openxmlformats-officedocument"
_OPEN: Final = "application/vnd.oasis.opendocument"
_BY_MEDIA_TYPE: Final = {
    "application/pdf": "pdf", "text/html": "html", "application/xhtml+xml": "html", "text/markdown": "markdown",
    "text/csv": "csv", "text/tab-separated-values": "csv", "text/plain": "text", "application/json": "json",
    "text/vtt": "subtitles", "application/x-subrip": "subtitles", "message/rfc822": "eml", "application/vnd.ms-outlook": "msg",
    "application/msword": "doc", "application/rtf": "rtf", "text/rtf": "rtf", "application/epub+zip": "epub",
    "image/png": "image", "image/jpeg": "image", "image/tiff": "image", "image/bmp": "image", "image/webp": "image",
    f"{_OFFICE}.wordprocessingml.document": "docx",
    f"{_OFFICE}.spreadsheetml.sheet": "xlsx",
    f"{_OFFICE}.presentationml.presentation": "pptx",
    f"{_OPEN}.text": "odt", f"{_OPEN}.spreadsheet": "ods", f"{_OPEN}.presentation": "odp",
}  # fmt: skip
_BY_SUFFIX: Final = {
    suffix: _BY_MEDIA_TYPE[media_type]
    for suffix, media_type in MEDIA_TYPES.items()
    if media_type in _BY_MEDIA_TYPE
}

WITHOUT_SHEETS: Final = frozenset(
    suffix for suffix, kind in _BY_SUFFIX.items() if kind not in ("xlsx", "ods", "eml", "msg")
)
"""Endings of files in which no spreadsheet can be; in a mail one may be attached."""

WITHOUT_PICTURES: Final = frozenset(
    suffix for suffix, kind in _BY_SUFFIX.items() if kind in ("text", "markdown", "csv", "json", "subtitles")
)
"""Endings of files in which no picture of a page can be."""

_WORDS: Final = ("html", "markdown", "csv", "text", "json", "subtitles", "eml")
_IMAGES: Final = (b"\x89PNG", b"\xff\xd8\xff", b"II*\x00", b"MM\x00*", b"BM")
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_WORD: Final = ("doc", "rtf", "msg")
LOCKED: Final = "locked"
_DEPTH: Final = 3  # e-mails attached to e-mails
_ARCHIVES: Final = ("docx", "xlsx", "pptx", "odt", "ods", "odp", "epub")


def kind_of(name: str, media_type: str, head: bytes) -> str:
    """The kind of a file: by its first bytes where they are clear, else by its ending, else by its media type.

    Args:
        name: file name or path.
        media_type: as the source states it; may be empty.
        head: the first bytes, 1024 suffice.

    Returns:
        One of the kinds, or `LOCKED`: an office file of today in a container of yesterday, which is how they are encrypted.

    Raises:
        ParseError: unsupported or corrupt.
    """
    suffix = suffix_of(name)
    named = _BY_SUFFIX.get(suffix) or _BY_MEDIA_TYPE.get(media_type)
    if b"%PDF-" in head:
        return "pdf"
    if named == "pdf" or named is None:
        if head.startswith(_IMAGES):
            return "image"
        if named is None:
            packed = "; unpack it and put its files into the folder" if suffix in PACKED_SUFFIXES else ""
            raise ParseError(UNSUPPORTED, f"({suffix or 'no file name ending'}{packed})")
        if head:
            raise ParseError(CORRUPT, "(no PDF header)")
    if named in _WORD:
        return _word(named, head)
    if named in _ARCHIVES and head.startswith(_OLE):
        return LOCKED
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


def read_file(location: str, sha256: str | None = None) -> bytes:
    """The bytes of a file.

    Args:
        location: path of the file.
        sha256: of the bytes that are meant; None: whatever bytes are there.

    Raises:
        ParseError: unreadable, too_large, or changed: the file holds other bytes than are meant.
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


def opened(name: str, media_type: str, data: bytes, passwords: Sequence[str]) -> tuple[str, bytes]:
    """The kind of a file, and its bytes: those inside, if it is an encrypted office file.

    Raises:
        ParseError: unsupported, corrupt or encrypted.
    """
    kind = kind_of(name, media_type, data[:1024])
    if kind != LOCKED:
        return kind, data
    from pipeline.parsing.readers.locked import unlocked

    inside = unlocked(data, passwords)
    return kind_of(name, media_type, inside[:1024]), inside


def read_bytes(name: str, media_type: str, data: bytes, engines: Engines, *, depth: int = 0) -> list[Page]:
    """Pages of a file in memory: a document, or what is attached to one (`depth` levels down)."""
    if not data:
        return []
    kind, data = opened(name, media_type, data, engines.passwords)
    if kind in PAGED:
        return _paged(kind, data, engines)
    if kind in _WORDS:
        guards.check_text(data)
    if kind in ("eml", "msg"):
        return _mail(kind, data, engines, depth)[: engines.max_pages]
    if kind in _SHEETS:
        return _SHEETS[kind](data, engines.hidden_sheets)[: engines.max_pages]
    return _READERS[kind](data)[: engines.max_pages]


def _paged(kind: str, data: bytes, engines: Engines) -> list[Page]:
    if not in_parts(kind, engines):
        from pipeline.parsing.readers.docling_pages import read_with_docling

        return read_with_docling(data, engines, image=kind == "image")
    return read_all(kind, data, engines)


def _mail(kind: str, data: bytes, engines: Engines, depth: int) -> list[Page]:
    from pipeline.parsing.readers.attachments import with_attachments
    from pipeline.parsing.readers.office import as_mail

    mail = as_mail(data) if kind == "msg" else data
    pages = _eml(mail)
    if depth >= _DEPTH:
        return pages
    return with_attachments(
        pages, mail, lambda name, media, inner: read_bytes(name, media, inner, engines, depth=depth + 1)
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


def _rtf(data: bytes) -> list[Page]:
    from pipeline.parsing.readers.office import has_libreoffice
    from pipeline.parsing.readers.rich_text import read_rich_text

    return _by_docling("rtf", data) if has_libreoffice() else read_rich_text(data)


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


def _subtitles(data: bytes) -> list[Page]:
    from pipeline.parsing.readers.subtitles import read_subtitles

    return read_subtitles(decode(data)[0])


def _csv(data: bytes) -> list[Page]:
    from pipeline.parsing.readers.plain import read_csv

    return read_csv(decode(data)[0])


def _json(data: bytes) -> list[Page]:
    from pipeline.parsing.readers.plain import read_json

    return read_json(decode(data)[0])


_READERS: Final = {
    **{
        kind: (lambda data, kind=kind: _by_docling(kind, data))
        for kind in ("pptx", "odt", "odp", "epub", "doc", "html", "markdown")
    },
    "docx": _docx,
    "rtf": _rtf,
    "text": _text,
    "subtitles": _subtitles,
    "csv": _csv,
    "json": _json,
}
_SHEETS: Final = {"xlsx": _xlsx, "ods": _ods}
