"""The default estate, written once, and a reader of each format that has nothing of ours in it."""

import email
import email.policy
import re
import tomllib
import unicodedata
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pipeline.sample.estate import EstateSummary, write_estate
from pipeline.sample.mixture import documents

SCANS = "scans"


@pytest.fixture(scope="session")
def summary(tmp_path_factory) -> EstateSummary:
    return write_estate(tmp_path_factory.mktemp("sample"))


@pytest.fixture(scope="session")
def texts(summary) -> dict[str, str]:
    """Path in the estate to the text that a correct reader finds there, normalised."""
    truth = {document.path: document.text() for document in documents(80, 7)}
    found = {}
    for path in files(summary.estate):
        name = path.relative_to(summary.estate).as_posix()
        found[name] = normalised(truth[name] if name.startswith(f"{SCANS}/") else read(path))
    return found


def files(estate: Path) -> list[Path]:
    """The documents: everything but metadata."""
    return sorted(
        path
        for path in estate.rglob("*")
        if path.is_file() and not path.name.endswith(".meta.toml") and path.name != "_defaults.toml"
    )


def metadata(estate: Path, path: Path) -> dict:
    """What sidecar and folder defaults say of a document, the nearest first."""
    fields: dict = {}
    for folder in reversed([path.parent, *path.parent.parents]):
        defaults = folder / "_defaults.toml"
        if folder.is_relative_to(estate) and defaults.exists():
            fields |= tomllib.loads(defaults.read_text(encoding="utf-8"))
    sidecar = path.with_name(path.name + ".meta.toml")
    return fields | (tomllib.loads(sidecar.read_text(encoding="utf-8")) if sidecar.exists() else {})


def normalised(text: str) -> str:
    """White space made one space, words divided at the line end joined."""
    text = unicodedata.normalize("NFC", text)
    text = re.sub(r"(?:\ufffe|\u00ad|-)\s*\r?\n\s*(?=[a-zäöüßçğış])|\ufffe|\u00ad", "", text)
    return " ".join(text.split())


def read(path: Path) -> str:
    return _READERS[path.suffix](path)


def _pdf(path: Path) -> str:
    import pypdfium2

    pdf = pypdfium2.PdfDocument(path)
    return "\n".join(page.get_textpage().get_text_range() for page in pdf)


def _docx(path: Path) -> str:
    import docx

    word = docx.Document(str(path))
    cells = (cell.text for table in word.tables for row in table.rows for cell in row.cells)
    return "\n".join([*(paragraph.text for paragraph in word.paragraphs), *cells])


def _xlsx(path: Path) -> str:
    import openpyxl

    book = openpyxl.load_workbook(path)
    return "\n".join(str(value) for sheet in book for row in sheet.values for value in row)


def _pptx(path: Path) -> str:
    import pptx

    lines = []
    for slide in pptx.Presentation(str(path)).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                lines.append(shape.text_frame.text)
            if shape.has_table:
                lines += [cell.text for row in shape.table.rows for cell in row.cells]
    return "\n".join(lines)


def _html(path: Path) -> str:
    pieces: list[str] = []
    parser = HTMLParser()
    parser.handle_data = pieces.append
    parser.feed(path.read_text(encoding="utf-8"))
    return "".join(pieces)


def _eml(path: Path) -> str:
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    return f"{message['From']}\n{message['Subject']}\n{message.get_content()}"


def _plain(path: Path) -> str:
    return path.read_text(encoding="utf-8")


_READERS = {
    ".pdf": _pdf, ".docx": _docx, ".xlsx": _xlsx, ".pptx": _pptx, ".html": _html, ".eml": _eml, ".md": _plain, ".txt": _plain,
}  # fmt: skip


@pytest.fixture(scope="session")
def estate_files(summary) -> list[Path]:
    return files(summary.estate)


@pytest.fixture(scope="session")
def estate_metadata(summary, estate_files) -> dict[str, dict]:
    """Path in the estate to its metadata, with the collection's groups where nothing else says."""
    from pipeline.config import parse_config
    from pipeline.sample.configuration import sample_config

    config = parse_config(tomllib.loads(sample_config()), base=summary.estate)
    found = {}
    for path in estate_files:
        name = path.relative_to(summary.estate).as_posix()
        groups = list(config.collection(name.split("/")[0]).acl_groups)
        found[name] = {"acl_groups": groups} | metadata(summary.estate, path)
    return found


@pytest.fixture(scope="session")
def questions(summary) -> list[dict]:
    import json

    return [
        json.loads(line)
        for line in (summary.estate.parent / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    ]
