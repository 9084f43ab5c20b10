"""The parsing stage: documents in, one row per page out, and no document can stop the run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

import polars as pl

from pipeline.config import Config, ParsingConfig
from pipeline.estate.source import spelled
from pipeline.language.version import language_version
from pipeline.parsing.again import Reading
from pipeline.parsing.artifacts import artifacts_listing, check_artifacts
from pipeline.parsing.errors import NO_CONTENT, UNREADABLE, ParseError
from pipeline.parsing.isolation import Limits, Rows, Task, read_isolated
from pipeline.parsing.ocr import check_engine
from pipeline.parsing.passwords import passwords_of
from pipeline.parsing.tree import failed
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import stage_fingerprint
from pipeline.tables.schemas import PARSED_PAGES

CODE_VERSION: Final = "8"
# Another version of these may read the same bytes otherwise.
_ENGINES: Final = ("docling-slim", "openpyxl", "pypdfium2", "rapid-layout", "rapidocr")
LOCATION: Final = "location"
"""Column of the input: absolute local path of the file."""

RETRIED: Final = ("encrypted", "timeout", "out_of_memory", "crash", "unreadable", "changed")
"""Reasons that may pass by themselves, or by a password that is configured later: such documents are read again in the next run."""


@dataclass(frozen=True)
class ParseProgress:
    """How far a batch is. Counts are of documents, pages of pages that were read."""

    done: int
    total: int
    pages: int
    failed: int
    uri: str


@dataclass(frozen=True)
class PageToRead:
    """A page that is to be read again: path, media type and sha256 of its file, and how it is read."""

    location: str
    media_type: str
    sha256: str
    reading: Reading


def parsing_fingerprint(config: Config) -> str:
    """Hash of the stage: it moves when the same document would give other rows.

    Limits on time, memory and workers are no part of it: they decide whether a document is read, not what is in it.
    """
    parsing = config.parsing
    used = (*_ENGINES, "docling-parse") if parsing.layout == "docling" else _ENGINES
    engines = [*(f"{name} {version(name)}" for name in used), *artifacts_listing(parsing)]
    engines.append(language_version())  # dictionaries decide which words lost a space
    return stage_fingerprint(
        "parsing",
        CODE_VERSION,
        (
            parsing.ocr,
            parsing.layout,
            parsing.artifacts_path,
            parsing.max_pages,
            parsing.hidden_sheets,
            *engines,
        ),
    )


def parse_documents(
    documents: pl.DataFrame, config: ParsingConfig, *, progress: Callable[[ParseProgress], None] | None = None
) -> pl.DataFrame:
    """Read documents into pages.

    Args:
        documents: one row per version: doc_id, version_id (sha256 of the bytes; other bytes are not read), uri,
            media_type, location (path of the file), error (why the bytes could not be read, or null), input_hash; all strings.
        config: limits and OCR engine.
        progress: called in this process after each document.

    Returns:
        Rows of `parsed_pages`, sorted by key, at least one for each version. A document that cannot be read has one row with
        page 0, status failed and its reason. A document that opens but holds no text has such a row beside its empty pages.

    Raises:
        ConfigError: the OCR engine or docling's models are not installed, or the passwords cannot be read.
    """
    check_engine(config.ocr)
    check_artifacts(config)
    tasks: list[Task] = []
    results: dict[int, Rows | ParseError] = {}
    records = documents.to_dicts()
    for key, record in enumerate(records):
        if record[c.ERROR] is not None:
            results[key] = ParseError(UNREADABLE, f"({record[c.ERROR]})")
        else:
            location = spelled(record[LOCATION])
            tasks.append(Task(key, location, record[c.MEDIA_TYPE] or "", record[c.VERSION_ID]))
    pages = failures = 0
    for key, result in read_isolated(tasks, limits_of(config)):
        results[key] = result
        failures += isinstance(result, ParseError)
        pages += 0 if isinstance(result, ParseError) else len(result)
        if progress is not None:
            progress(ParseProgress(len(results), len(records), pages, failures, records[key][c.URI]))
    rows = [row for key, record in enumerate(records) for row in _rows(record, results[key])]
    return PARSED_PAGES.frame(rows)


def read_again(pages: Sequence[PageToRead], config: ParsingConfig) -> list[dict[str, Any] | ParseError]:
    """Read single pages again, each from its picture in the way that is asked for.

    Args:
        pages: what to read, and how.
        config: limits; those of a document hold for each page.

    Returns:
        For each page its row as in `parsed_pages`, without the columns that name the document, or why there is none.
        `unsupported`: the document's pages have no pictures.

    Raises:
        ConfigError: the passwords cannot be read.
    """
    tasks = [
        Task(key, spelled(page.location), page.media_type, page.sha256, again=page.reading)
        for key, page in enumerate(pages)
    ]
    results: dict[int, dict[str, Any] | ParseError] = {}
    if tasks:
        for key, result in read_isolated(tasks, limits_of(config)):
            results[key] = result if isinstance(result, ParseError) else result[0]
    return [results[key] for key in range(len(pages))]


def limits_of(config: ParsingConfig) -> Limits:
    """What the configuration lets one document take. Raises ConfigError if the passwords cannot be read."""
    return Limits(
        config.workers,
        config.timeout_seconds,
        config.memory_mb,
        config.documents_per_worker,
        config.max_pages,
        config.ocr,
        config.layout,
        passwords_of(config),
        config.hidden_sheets,
        config.artifacts_path,
    )


def _says_something(blocks: Rows) -> bool:
    return any(block["text"] or block["caption"] for block in blocks)


def _rows(record: dict[str, Any], result: Rows | ParseError) -> Rows:
    names = {
        c.DOC_ID: record[c.DOC_ID],
        c.VERSION_ID: record[c.VERSION_ID],
        c.INPUT_HASH: record[c.INPUT_HASH],
    }
    if isinstance(result, ParseError):
        return [names | failed(result.reason, result.message)]
    if not any(row[c.REASON] or _says_something(row[c.BLOCKS]) for row in result):
        result = [failed(NO_CONTENT, ParseError(NO_CONTENT).message), *result]
    return [names | row for row in result]
