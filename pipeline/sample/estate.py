"""Writes the sample estate and its gold questions: the way in."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np

from pipeline.sample.document import Document, Question
from pipeline.sample.markup import html_text, mail_bytes, markdown_text, plain_text
from pipeline.sample.mixture import documents as chosen_documents
from pipeline.sample.mixture import questions as answerable
from pipeline.sample.office import docx_bytes, pptx_bytes, xlsx_bytes
from pipeline.sample.pdf import pdf_bytes
from pipeline.sample.scans import scan_bytes
from pipeline.sample.sidecars import FOLDER_DEFAULTS, sidecar, toml_text

_WRITERS: Mapping[str, Callable[[Document], bytes]] = {
    ".pdf": pdf_bytes,
    ".docx": docx_bytes,
    ".xlsx": xlsx_bytes,
    ".pptx": pptx_bytes,
    ".eml": mail_bytes,
    ".html": lambda document: html_text(document).encode(),
    ".md": lambda document: markdown_text(document).encode(),
    ".txt": lambda document: plain_text(document).encode(),
}


@dataclass(frozen=True)
class EstateSummary:
    """What was written: the folder of the estate, and how much of what."""

    estate: Path
    documents: int
    questions: int
    collections: Mapping[str, int]
    bytes: int


def write_estate(folder: Path, *, documents: int = 80, seed: int = 7) -> EstateSummary:
    """Write `folder/estate/<collection>/…` and `folder/questions.jsonl`.

    The same arguments give the same bytes on any day and machine with the same library versions. Files that are there
    already are overwritten; others are left alone.

    Args:
        folder: is made if missing.
        documents: number of documents, without sidecars; at least 1. Up to 80 or so a subset of the written core.
        seed: of everything that is drawn: contract values, further documents, noise of scans.

    Raises:
        ValueError: `documents` is below 1.
        OSError: a file cannot be written.
    """
    estate = folder / "estate"
    chosen = chosen_documents(documents, seed)
    size = 0
    for path in {(estate / document.path).parent for document in chosen}:
        path.mkdir(parents=True, exist_ok=True)
    for place, fields in FOLDER_DEFAULTS.items():
        (estate / place).mkdir(parents=True, exist_ok=True)
        (estate / place / "_defaults.toml").write_text(toml_text(fields), encoding="utf-8", newline="\n")
    for document in chosen:
        data = document_bytes(document, seed)
        (estate / document.path).write_bytes(data)
        size += len(data)
        text = sidecar(document)
        if text is not None:
            (estate / f"{document.path}.meta.toml").write_text(text, encoding="utf-8", newline="\n")
    asked = answerable({document.path for document in chosen}, seed)
    file = folder / "questions.jsonl"
    lines = (json.dumps(_record(number, question), ensure_ascii=False) + "\n" for number, question in asked)
    file.write_text("".join(lines), encoding="utf-8", newline="\n")
    collections = Counter(document.collection for document in chosen)
    return EstateSummary(estate, len(chosen), len(asked), dict(sorted(collections.items())), size)


def document_bytes(document: Document, seed: int) -> bytes:
    """The bytes of a document in the format that its path's ending names.

    Raises:
        ValueError: an ending that no writer knows.
    """
    if document.scan is not None:
        return scan_bytes(document, np.random.default_rng([seed, crc32(document.path.encode())]))
    if document.suffix not in _WRITERS:
        raise ValueError(
            f"{document.path}: no writer for {document.suffix!r}; there are: {', '.join(_WRITERS)}"
        )
    return _WRITERS[document.suffix](document)


def _record(number: str, question: Question) -> dict[str, object]:
    record: dict[str, object] = {
        "id": number,
        "query": question.query,
        "lang": question.lang,
        "kind": question.kind,
        "weight": question.weight,
        "gold": [{"document": path, "quote": quote} for path, quote in question.gold],
        "groups": list(question.groups),
    }
    if question.as_of is not None:
        record["as_of"] = question.as_of.isoformat()
    if question.forbidden:
        record["forbidden"] = [{"document": path, "quote": quote} for path, quote in question.forbidden]
    return record
