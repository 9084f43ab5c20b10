"""The parsing stage: documents in, one row per page out, and no document can stop the run."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import polars as pl

from pipeline.config import Config, ParsingConfig
from pipeline.estate.faults import unreadable_because
from pipeline.estate.media import suffix_of
from pipeline.estate.source import spelled
from pipeline.language.version import language_version
from pipeline.parsing.again import AgainTask, PageToRead, read_again_task
from pipeline.parsing.artifacts import artifacts_listing, check_artifacts
from pipeline.parsing.engines import engines_of
from pipeline.parsing.errors import NO_CONTENT, UNREADABLE, ParseError
from pipeline.parsing.formats import WITHOUT_PICTURES, WITHOUT_SHEETS
from pipeline.parsing.isolation import Workers, isolated
from pipeline.parsing.journal import Journal
from pipeline.parsing.ocr import check_engine
from pipeline.parsing.passwords import passwords_of
from pipeline.parsing.progress import Clock, ParseProgress
from pipeline.parsing.readers.office import has_libreoffice
from pipeline.parsing.reading import read_documents
from pipeline.parsing.tree import failed
from pipeline.parsing.worker import Limits, Rows, Task, read
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import fingerprint, stage_fingerprint
from pipeline.tables.schemas import PARSED_PAGES

CODE_VERSION: Final = "8"
# Another version of these may read the same bytes otherwise.
_ENGINES: Final = (
    "docling-slim", "msoffcrypto-tool", "openpyxl", "pypdfium2", "rapid-layout", "rapidocr", "striprtf",
)  # fmt: skip
_BY_LIBREOFFICE: Final = (".doc", ".dot", ".rtf")
_BATCH: Final = 200  # rows
_NAME: Final = "name"  # of a document's rows and ranges in the folder: others of its bytes, settings or code have another


def parsing_fingerprint(config: Config) -> str:
    """Hash of the stage: it moves when the same documents would give other rows.

    Limits on time, memory and workers are no part of it: they decide whether a document is read, not what is in it.
    """
    parsing = config.parsing
    return fingerprint(
        reading_fingerprint(config),
        parsing.hidden_sheets,
        parsing.ocr,
        parsing.layout,
        parsing.artifacts_path,
        *artifacts_listing(parsing),
    )


def reading_fingerprint(config: Config) -> str:
    """Hash of what all documents are read by, whatever their format: the code, the engines, the number of pages."""
    parsing = config.parsing
    used = (*_ENGINES, "docling-parse") if parsing.layout == "docling" else _ENGINES
    engines = [f"{name} {version(name)}" for name in used]
    engines.append(language_version())  # dictionaries decide which words lost a space
    return stage_fingerprint("parsing", CODE_VERSION, (parsing.max_pages, *engines))


def way_of(uri: str, parsing: ParsingConfig) -> str:
    """What decides, beside its bytes and what counts for all, how a file is read.

    Its ending, for old formats whether LibreOffice is here, and those settings that its format can be subject to: so a
    setting of spreadsheets reads no contract again.
    """
    suffix = suffix_of(uri)
    way = [suffix]
    if suffix in _BY_LIBREOFFICE and has_libreoffice():
        way.append("libreoffice")
    if suffix not in WITHOUT_SHEETS:
        way.append(parsing.hidden_sheets)
    if suffix not in WITHOUT_PICTURES:
        way += [parsing.ocr, parsing.layout, parsing.artifacts_path, *artifacts_listing(parsing)]
    return " ".join(way)


def limits_of(config: ParsingConfig) -> Limits:
    """What a document may take, by the configuration.

    Raises:
        ConfigError: the OCR engine or docling's models are not installed, or the passwords cannot be read.
    """
    check_engine(config.ocr)
    check_artifacts(config)
    return Limits(
        workers=config.workers,
        timeout_seconds=config.timeout_seconds,
        memory_mb=config.memory_mb,
        documents_per_worker=config.documents_per_worker,
        pages_per_range=config.pages_per_range,
        engines=engines_of(config, passwords_of(config)),
    )


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
    tasks = [AgainTask(key, replace(page, location=spelled(page.location))) for key, page in enumerate(pages)]
    results: dict[int, dict[str, Any] | ParseError] = {}
    if tasks:
        results.update(isolated(read_again_task, tasks, limits_of(config)))
    return [results[key] for key in range(len(pages))]


def parse_documents(
    documents: pl.DataFrame,
    config: ParsingConfig,
    *,
    workers: Workers[Task] | None = None,
    folder: Path | None = None,
    progress: Callable[[ParseProgress], None] | None = None,
) -> pl.DataFrame:
    """Read documents into pages.

    Rows go to a journal on disk as they come. What a killed run left there is not read again.

    Args:
        documents: one row per version: doc_id, version_id (sha256 of the bytes; other bytes are not read), uri,
            media_type, location (path of the file), error (of `documents`), input_hash; all strings. What only has wrong metadata
            is read.
        config: limits and OCR engine.
        workers: who reads, with the limits of `config`; None: workers of its own, which end with it.
        folder: where the journal and the ranges of long documents lie, for nobody else; what is of no use any more is
            removed from it. None: a temporary one.
        progress: called in this process as documents and pages are read.

    Returns:
        Rows of `parsed_pages`, sorted by key, at least one for each version. A document that cannot be read has one row with
        page 0, status failed and its reason. A document that opens but holds no text has such a row beside its empty pages.

    Raises:
        ConfigError: the OCR engine is not installed, or the passwords cannot be read.
        OSError: the folder cannot be written, or workers cannot start.
    """
    records = documents.to_dicts()
    for record in records:
        record[_NAME] = fingerprint(record[c.DOC_ID], record[c.VERSION_ID], record[c.INPUT_HASH])
    with ExitStack() as opened:
        folder = folder or Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="kesit-parsing-")))
        workers = workers or opened.enter_context(Workers(read, limits_of(config)))
        journal = opened.enter_context(Journal.open(folder, {record[_NAME] for record in records}))
        faults: dict[int, ParseError] = {}
        tasks: list[Task] = []
        for key, record in enumerate(records):
            reason = unreadable_because(record[c.ERROR])
            if reason is not None:
                faults[key] = ParseError(UNREADABLE, f"({reason})")
            elif record[_NAME] not in journal:
                location = spelled(record[c.LOCATION])
                tasks.append(
                    Task(key, location, record[c.MEDIA_TYPE] or "", record[c.VERSION_ID], record[_NAME])
                )
        clock = Clock.of([record[c.URI] for record in records], tasks)
        for found in read_documents(tasks, workers, folder):
            if found.error is not None:
                faults[found.key] = found.error
            elif found.rows or found.last:
                journal.add(records[found.key][_NAME], found.rows, last=found.last)
            if progress is not None:
                progress(clock.told(found))
        return _collected(records, faults, journal)


def _collected(
    records: Sequence[dict[str, Any]], faults: Mapping[int, ParseError], journal: Journal
) -> pl.DataFrame:
    """The rows of all documents as one frame; as plain rows only some of them are in memory at a time."""
    frames = [PARSED_PAGES.empty()]
    batch: Rows = []
    for key, record in enumerate(records):
        names = {name: record[name] for name in (*c.VERSION_KEY, c.INPUT_HASH)}
        for rows in _outcome(faults.get(key), journal, record[_NAME]):
            batch += [names | row for row in rows]
            if len(batch) >= _BATCH:
                frames.append(PARSED_PAGES.frame(batch))
                batch = []
    return pl.concat([*frames, PARSED_PAGES.frame(batch)]).sort(PARSED_PAGES.key)


def _outcome(fault: ParseError | None, journal: Journal, name: str) -> Iterator[Rows]:
    if fault is not None:
        yield [failed(fault.reason, fault.message)]
        return
    silent = True
    for rows in journal.rows(name):
        silent = silent and not any(row[c.REASON] or _says_something(row[c.BLOCKS]) for row in rows)
        yield rows
    if silent:
        yield [failed(NO_CONTENT, ParseError(NO_CONTENT).message)]


def _says_something(blocks: Rows) -> bool:
    return any(block["text"] or block["caption"] for block in blocks)
