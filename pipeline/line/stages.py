"""The partitioned stages, in order: documents → pages → gated pages → figure descriptions → contexts → chunks → signatures, embeddings.

Longer than 400 lines: what each stage of a partition makes, and the list of them, side by side.
"""

from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Final

import polars as pl

from pipeline.estate.identity import partitions_of
from pipeline.estate.media import suffix_of
from pipeline.estate.scan import CHANGE_KINDS
from pipeline.estate.versions import with_read_pages
from pipeline.line.contexts import CONTEXTS, sentences_of
from pipeline.line.cutting import (
    chunk_fingerprint,
    cut,
    cutting_fingerprint,
    cutting_observes,
    embedded_strings,
    read_material,
    readable_documents,
)
from pipeline.line.fetching import with_local_copies
from pipeline.line.figures import FIGURE_DESCRIPTIONS
from pipeline.line.listing import keep_cursor
from pipeline.line.policy import tell_progress
from pipeline.line.scans import guard_deletes
from pipeline.line.second_pass import BROKEN_OFF, limits_that_broke, read_pages_again
from pipeline.line.stage import (
    Made,
    Stage,
    Tables,
    expected_languages,
    input_hashes,
    is_fresh,
    previous_frames,
)
from pipeline.line.versions import keep_versions, kept_versions, sweep_versions, unsettled
from pipeline.line.workspace import Workspace
from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from pipeline.tables.fingerprint import fingerprint
from pipeline.tables.incremental import advance
from pipeline.tables.lake import content_digest

if TYPE_CHECKING:
    from pipeline.embedding.encoders import Refusal


def _documents(workspace: Workspace, partition: str) -> Made:
    # Here, because every way of running comes through here: the command line, the schedule, a click in the UI.
    scan = guard_deletes(workspace, workspace.collection_of(partition).name)
    keep_versions(workspace, partition)
    kinds = dict(scan.changes.filter(pl.col("partition") == partition)["kind"].value_counts().iter_rows())
    return Made(
        frames={s.DOCUMENTS.name: scan.partition(partition)},
        counts={kind: kinds.get(kind, 0) for kind in CHANGE_KINDS},
    )


def _settle_documents(workspace: Workspace, partition: str) -> None:
    sweep_versions(workspace, partition)
    keep_place(workspace, workspace.collection_of(partition).name)


def keep_place(workspace: Workspace, collection: str) -> None:
    """Remember how far the feed of a scanned collection was followed, once all that the scan found is published.

    After a run that left documents for later it is not remembered: the feed must tell of them once more.
    """
    cursor, options = workspace.cursors.get(collection), workspace.options
    if cursor is None or options.since is not None or options.limit is not None:
        return
    partitions = partitions_of(workspace.config.collection(collection))
    if all(is_fresh(workspace, DOCUMENTS, name) for name in partitions):
        keep_cursor(workspace.lake, collection, cursor)


def _scanned(workspace: Workspace, partition: str) -> str:
    """Hash of what the scan found: of everything but the instant of the scan."""
    found = workspace.scan(workspace.collection_of(partition).name).partition(partition)
    digest = content_digest(replace(s.DOCUMENTS, stamps=frozenset({c.LAST_SEEN})), found)
    left = unsettled(workspace, partition)
    return fingerprint(digest, left) if left else digest


def _previous_pages(workspace: Workspace, table: s.Table, partition: str) -> dict[str, pl.DataFrame]:
    """The published rows of a table of pages, those of texts that became an earlier edition under their new id, too."""
    pages = previous_frames(workspace, (table,), partition)[table.name]
    return {table.name: with_read_pages(pages, kept_versions(workspace, partition), table)}


def _parsed_pages(workspace: Workspace, partition: str) -> Made:
    from pipeline.parsing.errors import RETRIED
    from pipeline.parsing.pages import parse_documents, reading_fingerprint, way_of

    parsing = workspace.config.parsing
    ways = cache(
        lambda ending: way_of(f"x{ending}", parsing)
    )  # not once for each document: it lists folders of models
    locations = workspace.scan(workspace.collection_of(partition).name).locations
    inputs = readable_documents(workspace, partition).select(
        *(*c.VERSION_KEY, c.URI, c.MEDIA_TYPE, c.BYTES, c.ERROR),
        # The name as the file system spells it; what could not be seen is read as it was when it could.
        pl.col(c.URI).replace_strict(locations, default="", return_dtype=pl.String).alias(c.LOCATION),
        # The name's ending decides the reader.
        input_hashes(
            reading_fingerprint(workspace.config),
            c.VERSION_ID,
            c.MEDIA_TYPE,
            pl.col(c.URI).map_elements(lambda uri: ways(suffix_of(uri)), pl.String).alias("way"),
        ),
    )

    def compute(stale: pl.DataFrame) -> dict[str, pl.DataFrame]:
        with with_local_copies(workspace, partition, stale) as files:
            pages = parse_documents(
                files,
                parsing,
                workers=workspace.readers,
                folder=workspace.work_folder(s.PARSED_PAGES.name, partition),
                progress=lambda step: tell_progress(workspace, partition, step.message),
            )
        return {s.PARSED_PAGES.name: pages}

    previous = _previous_pages(workspace, s.PARSED_PAGES, partition)
    made = advance((s.PARSED_PAGES,), previous, inputs, compute, retry=pl.col(c.REASON).is_in(RETRIED))
    pages = made.frames[s.PARSED_PAGES.name]
    kept = pages.join(
        previous[s.PARSED_PAGES.name], on=[*s.PARSED_PAGES.key, c.INPUT_HASH], how="semi"
    ).height
    return Made(made.frames, {"parsed": pages.height - kept, "reused": kept})


def _sweep_pages(workspace: Workspace, partition: str) -> None:
    """Remove the journal of a partition whose pages are published."""
    from shutil import rmtree

    rmtree(workspace.work_folder(s.PARSED_PAGES.name, partition), ignore_errors=True)


def _gated_pages(workspace: Workspace, partition: str) -> Made:
    from pipeline.gate.pages import gate_fingerprint, gate_pages
    from pipeline.gate.register import exceptions
    from pipeline.parsing.ocr import installed_engines

    config = workspace.config
    documents = workspace.lake.read(s.DOCUMENTS, partition)
    parsed = workspace.lake.read(s.PARSED_PAGES, partition)
    stage = fingerprint(gate_fingerprint(config), expected_languages(workspace, partition))
    read = parsed.group_by(c.VERSION_KEY).agg(
        pl.concat_str(c.INPUT_HASH, pl.lit(":"), c.STATUS, pl.lit(":"), c.REASON)
        .sort_by(c.PAGE_NO)
        .str.join(",")
        .alias("read")
    )
    inputs = (
        documents.join(read, on=c.VERSION_KEY)
        .with_columns(
            input_hashes(
                stage,
                "read",
                c.LANGUAGE_HINT,
                pl.col(c.DOCUMENT_CLASS).map_elements(config.gate.of_class, pl.String).alias("limits"),
            )
        )
        .drop("read")
    )

    def compute(stale: pl.DataFrame) -> dict[str, pl.DataFrame]:
        pages = parsed.join(
            stale.select(*c.VERSION_KEY, pl.col(c.INPUT_HASH).alias("gate_input_hash")), on=c.VERSION_KEY
        )
        gated = gate_pages(
            pages,
            stale.drop(c.INPUT_HASH),
            config.gate,
            workspace.languages,
            engine=config.parsing.ocr,
            engines=installed_engines(),
            reread=partial(read_pages_again, workspace, partition, documents),
        )
        return {s.GATED_PAGES.name: gated}

    previous = _previous_pages(workspace, s.GATED_PAGES, partition)
    made = advance((s.GATED_PAGES,), previous, inputs, compute, retry=BROKEN_OFF)
    gated = made.frames[s.GATED_PAGES.name]
    register = exceptions(
        documents, parsed, gated, workspace.lake.current(s.PAGE_EXCEPTIONS, partition), workspace.now()
    )
    return Made(
        {s.PAGE_EXCEPTIONS.name: register, s.GATED_PAGES.name: gated},
        {"computed": made.computed, "kept": made.reused},
    )


def _chunks(workspace: Workspace, partition: str) -> Made:
    material = read_material(workspace, partition)
    sentences = sentences_of(workspace, partition)
    # Only documents with sentences have them in their hash: it stays what it is where nobody asks for any.
    said = sentences.group_by(c.VERSION_KEY).agg(
        pl.concat_str(c.CHUNK_ID, pl.lit(":"), c.SENTENCE).str.join("\n").alias("said")
    )
    seen = (
        pl.when(pl.col("said").is_null())
        .then("seen")
        .otherwise(pl.concat_str("seen", "said", ignore_nulls=True))
        .alias("seen")
    )
    inputs = material.documents.join(said, on=c.VERSION_KEY, how="left").with_columns(
        input_hashes(cutting_fingerprint(workspace, partition), "read", seen, "way")
    )
    tables = (s.CHUNKS, s.SECTIONS)

    def compute(stale: pl.DataFrame) -> dict[str, pl.DataFrame]:
        sections, chunks = cut(
            workspace,
            stale,
            material.gated,
            told=material.told,
            config=workspace.config.chunking,
            encoders=workspace.encoders,
            sentences=sentences,
        )
        return {s.SECTIONS.name: sections, s.CHUNKS.name: chunks}

    previous = previous_frames(workspace, tables, partition)
    made = advance(tables, previous, inputs, compute)
    before = workspace.lake.current(s.CHUNKS, partition)[c.CHUNK_ID]
    after = made.frames[s.CHUNKS.name][c.CHUNK_ID]
    kept = int(after.is_in(before.implode()).sum())
    return Made(made.frames, {"added": len(after) - kept, "removed": len(before) - kept, "kept": kept})


def _signatures(workspace: Workspace, partition: str) -> Made:
    from pipeline.dedup.stage import signatures, signatures_fingerprint

    stage = signatures_fingerprint(workspace.config)
    chunks = workspace.lake.read(s.CHUNKS, partition)
    inputs = (
        chunks.select(*c.VERSION_KEY, c.INPUT_HASH).unique().with_columns(input_hashes(stage, c.INPUT_HASH))
    )

    def compute(stale: pl.DataFrame) -> dict[str, pl.DataFrame]:
        made = signatures(chunks.join(stale, on=c.VERSION_KEY, how="semi"), workspace.config.dedup)
        return {s.SIGNATURES.name: made.drop(c.INPUT_HASH).join(stale, on=c.VERSION_KEY)}

    previous = previous_frames(workspace, (s.SIGNATURES,), partition)
    made = advance((s.SIGNATURES,), previous, inputs, compute)
    return Made(made.frames, {"computed": made.computed, "kept": made.reused})


def embedding_tables(workspace: Workspace) -> Tables:
    """One table of vectors for each configured encoder."""
    return tuple(s.embeddings(encoder.slug, encoder.dims) for encoder in workspace.encoders)


def _embeddings(workspace: Workspace, partition: str) -> Made:
    from pipeline.embedding.register import chunk_exceptions
    from pipeline.embedding.store import embed

    chunks, documents = workspace.lake.read(s.CHUNKS, partition), workspace.lake.read(s.DOCUMENTS, partition)
    strings = embedded_strings(chunks, documents)
    frames: dict[str, pl.DataFrame] = {}
    refused: dict[str, dict[str, Refusal]] = {}
    computed = reused = 0
    for encoder, table in zip(workspace.encoders, embedding_tables(workspace), strict=True):
        known = workspace.known_vectors(table).rows(partition, strings.select(c.EMBED_HASH).unique())
        frames[table.name], made, kept = embed(
            strings,
            known,
            encoder,
            batch_size=workspace.config.embedding.batch_size,
            journal=workspace.work_folder(EMBEDDINGS.name, partition) / f"{encoder.slug}.journal",
            progress=lambda step: tell_progress(workspace, partition, step.message),
            refused=refused.setdefault(encoder.name, {}),
        )
        computed, reused = computed + made, reused + kept
    before = workspace.lake.current(s.CHUNK_EXCEPTIONS, partition)
    register = chunk_exceptions(chunks, documents, refused, before, workspace.now())
    frames[s.CHUNK_EXCEPTIONS.name] = register
    return Made(frames, {"computed": computed, "reused": reused, "refused": register[c.CHUNK_ID].n_unique()})


def _sweep_vectors(workspace: Workspace, partition: str) -> None:
    """Remove the journals of a partition whose vectors are published."""
    from shutil import rmtree

    rmtree(workspace.work_folder(EMBEDDINGS.name, partition), ignore_errors=True)


def _worth_another_try(workspace: Workspace, partition: str) -> str:
    """The limits of parsing and the passwords, where documents broke them or changed meanwhile; "" where none did.

    Such a partition is stale once more after that run, whenever these change, and when LibreOffice is there for who needs it.
    """
    from pipeline.parsing.errors import RETRIED, UNSUPPORTED
    from pipeline.parsing.passwords import passwords_mark
    from pipeline.parsing.readers.office import has_libreoffice

    reasons = workspace.lake.current(s.PARSED_PAGES, partition, [c.REASON])[c.REASON]
    config, retried = workspace.config.parsing, reasons.is_in(RETRIED).any()
    again = f"{config.model_dump_json()} {passwords_mark(config)}" if retried else ""
    return f"{again} libreoffice" if reasons.eq(UNSUPPORTED).any() and has_libreoffice() else again


def _gate_observes(workspace: Workspace, partition: str) -> str:
    return fingerprint(expected_languages(workspace, partition), limits_that_broke(workspace, partition))


def _parsing_fingerprint(workspace: Workspace) -> str:
    from pipeline.parsing.pages import parsing_fingerprint

    return parsing_fingerprint(workspace.config)


def _gate_fingerprint(workspace: Workspace) -> str:
    from pipeline.gate.pages import gate_fingerprint

    return gate_fingerprint(workspace.config)


def _signature_fingerprint(workspace: Workspace) -> str:
    from pipeline.dedup.stage import signatures_fingerprint

    return signatures_fingerprint(workspace.config)


def _embedding_fingerprint(workspace: Workspace) -> str:
    from pipeline.embedding.store import embedding_fingerprint

    return fingerprint(*(embedding_fingerprint(encoder) for encoder in workspace.encoders))


def _no_settings(name: str) -> str:
    return fingerprint(name, "1")


DOCUMENTS: Final = Stage(
    name="documents",
    description=f"{s.DOCUMENTS.grain} Identity, metadata, access groups, days of validity.",
    reads=lambda _: (),
    writes=lambda _: (s.DOCUMENTS,),
    fingerprint=lambda _: _no_settings("documents"),
    make=_documents,
    needs=(),
    observed=_scanned,
    settle=_settle_documents,
)
PARSED_PAGES: Final = Stage(
    name="parsed_pages",
    description=f"{s.PARSED_PAGES.grain} Blocks in reading order: headings, paragraphs, lists, tables as rows, figures.",
    reads=lambda _: (s.DOCUMENTS,),
    writes=lambda _: (s.PARSED_PAGES,),
    fingerprint=_parsing_fingerprint,
    make=_parsed_pages,
    needs=("documents",),
    observed=_worth_another_try,
    settle=_sweep_pages,
    kinds=("docling", "onnx"),
    pool="parse",
)
GATED_PAGES: Final = Stage(
    name="gated_pages",
    description=f"{s.GATED_PAGES.grain} Also the register of pages and documents that are not in the index.",
    reads=lambda _: (s.DOCUMENTS, s.PARSED_PAGES),
    writes=lambda _: (s.PAGE_EXCEPTIONS, s.GATED_PAGES),
    fingerprint=_gate_fingerprint,
    make=_gated_pages,
    needs=("documents", "parsed_pages"),
    observed=_gate_observes,
    pool="parse",
)
CHUNKS: Final = Stage(
    name="chunks",
    description=f"{s.CHUNKS.grain} Cut where the author cut, within the encoder's token limit; sections beside them.",
    reads=lambda workspace: (
        *(s.DOCUMENTS, s.GATED_PAGES, s.FIGURE_DESCRIPTIONS),
        *((s.CONTEXTS,) if workspace.config.chunking.asks_context_of_some else ()),
    ),
    writes=lambda _: (s.SECTIONS, s.CHUNKS),
    fingerprint=chunk_fingerprint,
    make=_chunks,
    needs=("documents", "gated_pages", "figure_descriptions", "contexts"),
    observed=cutting_observes,
)
SIGNATURES: Final = Stage(
    name="signatures",
    description=f"{s.SIGNATURES.grain} Hash of the normalised text, its shingles, and their MinHash.",
    reads=lambda _: (s.CHUNKS,),
    writes=lambda _: (s.SIGNATURES,),
    fingerprint=_signature_fingerprint,
    make=_signatures,
    needs=("chunks",),
)
EMBEDDINGS: Final = Stage(
    name="embeddings",
    description="One row per distinct embedded string of the partition. Equal text is embedded once in the estate.",
    reads=lambda _: (s.CHUNKS,),
    writes=lambda workspace: (s.CHUNK_EXCEPTIONS, *embedding_tables(workspace)),
    fingerprint=_embedding_fingerprint,
    make=_embeddings,
    needs=("chunks",),
    settle=_sweep_vectors,
    kinds=("sentence-transformers", "torch"),
    pool="embed",
)
PARTITIONED: Final = (
    DOCUMENTS,
    PARSED_PAGES,
    GATED_PAGES,
    FIGURE_DESCRIPTIONS,
    CONTEXTS,
    CHUNKS,
    SIGNATURES,
    EMBEDDINGS,
)
