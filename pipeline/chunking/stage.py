"""The stage: from gated pages to the tables `sections` and `chunks`."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import polars as pl

from pipeline.chunking.articles import clause_of_paragraph
from pipeline.chunking.blocks import read_blocks
from pipeline.chunking.classifier import class_of
from pipeline.chunking.context import embedded_text, fields_of
from pipeline.chunking.counter import Ledger, TokenCounter
from pipeline.chunking.plan import Planned, SectionPlan, Task, plan, with_sentence
from pipeline.chunking.routing import strategy_version
from pipeline.chunking.sections import Section, build_sections
from pipeline.chunking.surroundings import with_surroundings
from pipeline.chunking.units import Embed
from pipeline.config import LANGUAGES, UNDECLARED, UNKNOWN, ChunkingConfig, Config
from pipeline.language.detection import detect
from pipeline.language.version import language_version
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import fingerprint, stage_fingerprint
from pipeline.tables.schemas import CHUNKS, SECTIONS

CODE_VERSION: Final = "7"
CHUNK_INPUT_HASH: Final = "chunk_input_hash"
_BATCH_CHARACTERS: Final = 4_000_000  # documents are cut in batches of about this much text, to bound memory

Row = dict[str, Any]


def chunking_fingerprint(config: Config, counter: TokenCounter) -> str:
    """Hash of what decides how documents are cut, besides their collection's languages: code, settings, tokenizer.

    Args:
        config: the whole configuration.
        counter: of the encoder whose limit counts.
    """
    own = (config.chunking.of(name) for name in config.chunking.classes)
    versions = [strategy_version(each.strategy) for each in (config.chunking, *own)]
    settings = config.chunking.model_dump_json(exclude={"warn_under_floor"})
    return fingerprint(code_fingerprint(counter), settings, *versions)


def code_fingerprint(counter: TokenCounter) -> str:
    """Hash of what decides how every document is cut, whatever its class: code, tokenizer, dictionaries."""
    return stage_fingerprint("chunks", CODE_VERSION, (counter.name, counter.limit, language_version()))


def ways_of_cutting(documents: pl.DataFrame, gated: pl.DataFrame, config: ChunkingConfig) -> pl.DataFrame:
    """What of the settings decides how each document is cut: those of its class, and what the line in front says of it.

    Args:
        documents: rows of `documents`.
        gated: rows of `gated_pages` of these versions; only read where the class decides and nobody declared it.
        config: settings.

    Returns:
        doc_id, version_id, way (text), asks_context (whether a language model's sentence belongs in front of its chunks).
    """
    undeclared = (
        documents.filter(pl.col(c.DOCUMENT_CLASS) == UNDECLARED) if config.classes else documents.clear()
    )
    pages = (
        gated.select(*c.VERSION_KEY, c.PAGE_NO, c.ROUTE, c.BLANK, c.BLOCKS)
        .join(undeclared.select(c.VERSION_KEY), on=c.VERSION_KEY, how="semi")
        .partition_by(c.VERSION_KEY, as_dict=True, include_key=False)
    )
    settings: dict[str, tuple[ChunkingConfig, str]] = {}
    ways: list[Row] = []
    for row in documents.iter_rows(named=True):
        found = pages.get((row[c.DOC_ID], row[c.VERSION_ID]))
        name = row[c.DOCUMENT_CLASS]
        if found is not None:
            name = class_of(name, found.iter_rows(named=True)).document_class
        if name not in settings:
            own = config.of(name)
            settings[name] = (
                own,
                own.model_dump_json(exclude={"classes", "warn_under_floor"}) + strategy_version(own.strategy),
            )
        own, text = settings[name]
        ways.append(
            {
                c.DOC_ID: row[c.DOC_ID],
                c.VERSION_ID: row[c.VERSION_ID],
                "way": f"{text} {labels_of(row, own)}",
                "asks_context": own.asks_context,
            }
        )
    schema = {c.DOC_ID: pl.String, c.VERSION_ID: pl.String, "way": pl.String, "asks_context": pl.Boolean}
    return pl.DataFrame(ways, schema=schema)


def labels_of(document: Mapping[str, Any], config: ChunkingConfig) -> tuple[tuple[str, str], ...]:
    """What the line in front of a document's chunks says of it: names and values of the fields that its template asks for."""
    asked = fields_of(config.prefix_template) if config.prefix else set[str]()
    columns = {"title": c.TITLE, "effective_date": c.EFFECTIVE_DATE, "edition": c.VERSION_LABEL}
    return tuple((name, str(document[column] or "")) for name, column in columns.items() if name in asked)


def chunk_documents(
    documents: pl.DataFrame,
    gated: pl.DataFrame,
    config: ChunkingConfig,
    counter: TokenCounter,
    languages: Mapping[str, Sequence[str]],
    *,
    descriptions: pl.DataFrame | None,
    sentences: Mapping[str, str] | None,
    embed: Embed | None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Cut documents into sections and chunks.

    Rejected pages give nothing; chunks with text from a flagged page are of low confidence. The rows of a document
    depend on that document alone.

    Args:
        documents: rows of `documents` (doc_id, version_id, collection, document_class, and what the prefix asks for) with a
            string column `chunk_input_hash`, which becomes the `input_hash` of the rows.
        gated: rows of `gated_pages` of these versions; others are ignored.
        config: sizes in tokens of the encoder.
        counter: the encoder's counter; when there are several encoders, of the one with the lowest limit.
        languages: expected languages by collection; a collection that is not named may have any.
        descriptions: of figures by a vision model: doc_id, version_id, image_hash, description; other documents are ignored.
        sentences: chunk_id → what a language model says of its place in the document; no cut and no chunk_id depends on it.
        embed: vectors of sentences, for the strategy "semantic": float32 (strings, dims), each of length 1.

    Returns:
        Rows of `sections` and of `chunks`.

    Raises:
        ValueError: the encoder's own tokens leave no room for text.
    """
    sections: list[Row] = []
    chunks: list[Row] = []
    place = _Placing(sentences or {}, counter)
    for batch in _batches(documents, gated, languages, _by_version(descriptions), config):
        tasks = [
            Task(
                section,
                read.settings,
                read.languages,
                labels_of(read.row, read.settings),
                read.row.get(c.URI) or read.row[c.DOC_ID],
            )
            for read in batch
            for section in read.sections
        ]
        planned = iter(zip(tasks, plan(tasks, counter, embed), strict=True))
        for read in batch:
            made = [next(planned) for _ in read.sections]
            found = _rows(read, made, place)
            sections.extend(found[0])
            chunks.extend(found[1])
    return SECTIONS.frame(sections), CHUNKS.frame(chunks)


@dataclass(frozen=True)
class _Read:
    row: Row
    settings: ChunkingConfig
    sections: list[Section]
    languages: tuple[str, ...]
    dated: date | None


class _Placing:
    """Puts a language model's sentence in front of the chunks that have one."""

    def __init__(self, sentences: Mapping[str, str], counter: TokenCounter) -> None:
        self._sentences, self._counter, self._ledger = sentences, counter, Ledger(counter)

    def __call__(self, task: Task, chunk_id: str, chunk: Planned) -> Planned:
        sentence = self._sentences.get(chunk_id, "")
        if not (sentence and task.config.asks_context):
            return chunk
        return with_sentence(task, chunk, sentence, self._counter, self._ledger)


_Descriptions = Mapping[tuple[str, str], Mapping[str, str]]


def _by_version(descriptions: pl.DataFrame | None) -> _Descriptions:
    """Descriptions of each version by image hash."""
    found: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    if descriptions is not None:
        for row in descriptions.iter_rows(named=True):
            found[row[c.DOC_ID], row[c.VERSION_ID]][row[c.IMAGE_HASH]] = row[c.DESCRIPTION]
    return found


def _batches(
    documents: pl.DataFrame,
    gated: pl.DataFrame,
    languages: Mapping[str, Sequence[str]],
    descriptions: _Descriptions,
    config: ChunkingConfig,
) -> Iterator[list[_Read]]:
    needed = gated.select(*c.VERSION_KEY, c.PAGE_NO, c.ROUTE, c.BLANK, c.DATE_READ, c.BLOCKS)
    pages = needed.join(documents.select(c.VERSION_KEY), on=c.VERSION_KEY, how="semi").partition_by(
        c.VERSION_KEY, as_dict=True, include_key=False
    )
    batch: list[_Read] = []
    size = 0
    of_class: dict[str, ChunkingConfig] = {}
    for row in documents.sort(c.VERSION_KEY).iter_rows(named=True):
        version = row[c.DOC_ID], row[c.VERSION_ID]
        frame = pages.get(version)
        if frame is None:
            continue
        name = class_of(row[c.DOCUMENT_CLASS], frame.iter_rows(named=True)).document_class
        settings = of_class.setdefault(name, config.of(name))
        blocks = read_blocks(frame.iter_rows(named=True), descriptions.get(version))
        sections = build_sections(with_surroundings(blocks), keyed=settings.tables == "key-value")
        expected = tuple(languages.get(row[c.COLLECTION], LANGUAGES))
        dated = next(iter(frame[c.DATE_READ].drop_nulls()), None)
        batch.append(_Read(row, settings, sections, expected, dated))
        size += sum(len(section.text) for section in sections)
        if size >= _BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _rows(
    read: _Read, made: Sequence[tuple[Task, SectionPlan]], place: _Placing
) -> tuple[list[Row], list[Row]]:
    doc_id, input_hash = read.row[c.DOC_ID], read.row[CHUNK_INPUT_HASH]
    version = {c.DOC_ID: doc_id, c.VERSION_ID: read.row[c.VERSION_ID]}
    languages = iter(
        _languages([chunk.text for _, planned in made for chunk in planned.chunks], read.languages)
    )
    seen: Counter[tuple[str, tuple[str, ...], str]] = Counter()
    sections: list[Row] = []
    chunks: list[Row] = []

    def identity(table: str, text: str, path: tuple[str, ...]) -> str:
        seen[table, path, text] += 1
        return fingerprint(table, doc_id, text, path, seen[table, path, text])

    for task, planned in made:
        section = task.section
        section_id = identity("section", section.text, section.path)
        sections.append(
            version
            | {
                c.SECTION_ID: section_id,
                c.ORDINAL: len(sections),
                c.PATH: list(section.path),
                c.LEVEL: len(section.path),
                c.TEXT: section.text,
                c.TOKEN_COUNT: planned.tokens,
                c.PAGES: sorted({source.page for source in section.sources}),
                c.INPUT_HASH: input_hash,
            }
        )
        for cut in planned.chunks:
            chunk_id = identity("chunk", cut.text, section.path)
            chunk = place(task, chunk_id, cut)
            sources = section.sources_of(chunk.piece.start, chunk.piece.end)
            chunks.append(
                version
                | {
                    c.CHUNK_ID: chunk_id,
                    c.SECTION_ID: section_id,
                    c.ORDINAL: len(chunks),
                    c.KIND: chunk.kind,
                    c.STRATEGY: chunk.strategy,
                    c.TEXT: chunk.text,
                    c.CONTEXT: chunk.context,
                    c.TOKEN_COUNT: chunk.tokens,
                    c.SECTION_PATH: list(section.path),
                    c.ARTICLE: section.article or clause_of_paragraph(chunk.text),
                    c.PAGES: sorted({source.page for source in sources}),
                    c.SPAN_START: chunk.piece.start,
                    c.SPAN_END: chunk.piece.end,
                    c.LANGUAGE: next(languages),
                    c.LOW_CONFIDENCE: any(source.flagged for source in sources),
                    c.CHUNK_HASH: fingerprint(chunk.text),
                    c.EMBED_HASH: fingerprint(embedded_text(chunk.context, chunk.text)),
                    c.DATE_READ: read.dated,
                    c.INPUT_HASH: input_hash,
                }
            )
    return sections, chunks


def _languages(texts: Sequence[str], expected: Sequence[str]) -> list[str]:
    """The language of each chunk; one that says too little (a row of numbers) has the language of most of the document."""
    found = detect(texts, expected)
    weights: Counter[str] = Counter()
    for language, text in zip(found, texts, strict=True):
        if language != UNKNOWN:
            weights[language] += len(text)
    usual = min(weights, key=lambda language: (-weights[language], language)) if weights else UNKNOWN
    return [usual if language == UNKNOWN else language for language in found]
