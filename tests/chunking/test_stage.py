"""The stage as a whole: fingerprint, empty input, hashes."""

from pathlib import Path

import polars as pl

from pipeline.chunking.context import embedded_text
from pipeline.chunking.stage import chunk_documents, chunking_fingerprint
from pipeline.config import ChunkingConfig, parse_config
from pipeline.tables.fingerprint import fingerprint
from pipeline.tables.schemas import CHUNKS, GATED_PAGES, SECTIONS


def config(*collections, **chunking):
    listed = [{"name": name, "source": name, "languages": languages} for name, languages in collections]
    return parse_config({"collections": listed, "chunking": chunking}, base=Path())


def test_the_fingerprint_moves_with_what_counts(build):
    words = build.words()
    base = config(("a", ["tr"]))
    same = chunking_fingerprint(base, words)
    assert chunking_fingerprint(config(("a", ["tr"])), build.words()) == same
    others = [
        chunking_fingerprint(config(("a", ["tr"]), max_tokens=200), words),
        chunking_fingerprint(base, build.words(limit=99)),
        chunking_fingerprint(base, build.characters()),
    ]
    assert len({same, *others}) == 4
    # A collection more moves no other one.
    assert chunking_fingerprint(config(("a", ["tr"]), ("b", ["de"])), words) == same


def test_no_documents_and_documents_without_pages(build):
    documents = pl.DataFrame(
        {name: ["x"] for name in ("doc_id", "version_id", "collection", "document_class", "chunk_input_hash")}
    )
    for frame in (documents, documents.clear()):
        sections, chunks = chunk_documents(
            frame,
            GATED_PAGES.empty(),
            ChunkingConfig(),
            build.words(),
            {},
            descriptions=None,
            sentences=None,
            embed=None,
        )
        SECTIONS.pandera.validate(sections)
        CHUNKS.pandera.validate(chunks)
        assert sections.is_empty()
        assert chunks.is_empty()


def test_hashes_say_what_they_hash(build):
    blocks = [build.block("heading", "A"), build.block("paragraph", "Text.", ["A"])]
    sections, chunks = build.cut([build.page(blocks)])
    chunk = chunks[0]
    assert chunk["chunk_hash"] == fingerprint(chunk["text"])
    assert chunk["embed_hash"] == fingerprint(embedded_text(chunk["context"], chunk["text"]))
    assert chunk["input_hash"] == sections[0]["input_hash"] == "in-d"
    assert chunk["section_id"] == sections[0]["section_id"]
