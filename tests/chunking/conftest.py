"""Documents made of blocks, and honest counters, for the tests of chunking."""

import functools
import re

import polars as pl
import pytest

from pipeline.chunking.stage import chunk_documents
from pipeline.config import ChunkingConfig
from pipeline.tables.schemas import CHUNKS, GATED_PAGES, SECTIONS


class WordCounter:
    """A token is a word or a mark of punctuation; two special tokens. Words over 6 letters cost one more for each 6."""

    name = "words"

    def __init__(self, limit=10_000):
        self.limit = limit

    def count(self, texts):
        return [2 + sum(-(-len(word) // 6) for word in re.findall(r"\w+|[^\w\s]", text)) for text in texts]


class CharCounter:
    """A token is a character, white space too; one special token."""

    name = "characters"

    def __init__(self, limit=10_000):
        self.limit = limit

    def count(self, texts):
        return [1 + len(text) for text in texts]


def block(kind, text="", path=(), **more):
    rows = [list(row) for row in more.get("rows", [])]
    return {
        "block_id": "1.1",
        "kind": kind,
        "level": more.get("level", 0),
        "text": text or "\n".join("\t".join(row) for row in rows),
        "section_path": list(path),
        "bbox": [],
        "rows": rows,
        "header_rows": more.get("header_rows", 0),
        "row_pages": more.get("row_pages"),  # None: those of the block's own page
        "spans": [],
        "caption": more.get("caption", ""),
        "anchor": "",
        "image_hash": more.get("image_hash", ""),
    }


def gated_page(blocks, number=1, route="pass", doc="d", blank=False):
    return {
        "doc_id": doc,
        "version_id": "v",
        "page_no": number,
        "source": "native",
        "engine": "e",
        "language": "und",
        "scores": None,
        "quality": 1.0,
        "route": route,
        "blank": blank,
        "attempts": [],
        "chosen_attempt": 0,
        "blocks": [
            one if one["row_pages"] is not None else one | {"row_pages": [number] * len(one["rows"])}
            for one in blocks
        ],
        "input_hash": "h",
    }


def cut(pages, counter=None, *, docs=("d",), languages=None, embed=None, document_class="other", **config):
    """(sections, chunks) as lists of dictionaries in document order, checked against the schemas."""
    gated = pl.DataFrame(pages, schema=GATED_PAGES.schema)
    documents = pl.DataFrame(
        [
            {
                "doc_id": doc,
                "version_id": "v",
                "collection": "c",
                "document_class": document_class,
                "chunk_input_hash": f"in-{doc}",
            }
            for doc in docs
        ]
    )
    sections, chunks = chunk_documents(
        documents,
        gated,
        ChunkingConfig(**config),
        counter or WordCounter(),
        languages or {},
        descriptions=None,
        sentences=None,
        embed=embed,
    )
    SECTIONS.pandera.validate(sections)
    CHUNKS.pandera.validate(chunks)
    return sections.sort("doc_id", "ordinal").to_dicts(), chunks.sort("doc_id", "ordinal").to_dicts()


@functools.cache
def real_encoder():
    from pathlib import Path

    from pipeline.embedding.encoders import Encoder
    from pipeline.embedding.sources import find_source

    return Encoder("use-multilingual", find_source("use-multilingual", Path()))


class RealCounter:
    """The packaged encoder's own tokenizer."""

    name = "use-multilingual"

    def __init__(self, limit=10_000):
        self.limit = limit

    def count(self, texts):
        return real_encoder().count(texts)


class Build:
    """What tests build with."""

    block = staticmethod(block)
    page = staticmethod(gated_page)
    cut = staticmethod(cut)
    words = WordCounter
    characters = CharCounter
    real = RealCounter


@pytest.fixture(scope="session")
def build():
    return Build
