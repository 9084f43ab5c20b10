"""A small estate as frames, and index rows made of it."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import polars as pl
import pytest

from pipeline.index.rows import completed, index_rows
from pipeline.tables.schemas import CHUNKS, CLUSTERS, DOCUMENTS, SECTIONS

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
DIMS = 8

Estate = Mapping[str, pl.DataFrame]


def _estate(texts: Mapping[str, Sequence[str]], groups: Mapping[str, list[str]]) -> dict[str, pl.DataFrame]:
    documents = [
        {
            "doc_id": doc, "version_id": "v1", "collection": "demo", "uri": f"{doc}.md", "external_id": doc,
            "title": f"Titel {doc}", "doc_type": "policy", "document_class": "prose", "authority": 50,
            "effective_date": None, "expiry_date": None, "version_label": "", "supersedes": [],
            "superseded_by": None, "valid_from": dt.date(2020, 1, 1), "valid_to": None,
            "acl_groups": groups.get(doc, ["public"]), "language_hint": None, "modified_at": NOW, "bytes": 1,
            "media_type": "text/markdown", "metadata_hash": "m", "status": "live", "error": None,
            "first_seen": NOW, "last_seen": NOW,
        }
        for doc in texts
    ]  # fmt: skip
    sections = [
        {
            "section_id": f"section-{doc}", "doc_id": doc, "version_id": "v1", "ordinal": 0, "path": ["Kapitel"],
            "level": 1, "text": "\n".join(paragraphs), "token_count": 10 * len(paragraphs), "pages": [1],
            "input_hash": "i",
        }
        for doc, paragraphs in texts.items()
    ]  # fmt: skip
    chunks = [
        {
            "chunk_id": f"{doc}-{n}", "doc_id": doc, "version_id": "v1", "section_id": f"section-{doc}",
            "ordinal": n, "kind": "prose", "strategy": "structure", "text": text, "context": "", "token_count": 10,
            "section_path": ["Kapitel", "Fristen"], "article": None, "pages": [1], "span_start": 0,
            "span_end": len(text), "language": "de", "low_confidence": False, "chunk_hash": text,
            "embed_hash": f"hash of {text}", "input_hash": "i",
        }
        for doc, paragraphs in texts.items()
        for n, text in enumerate(paragraphs)
    ]  # fmt: skip
    return {
        "documents": DOCUMENTS.frame(documents),
        "sections": SECTIONS.frame(sections),
        "chunks": CHUNKS.frame(chunks),
        "clusters": CLUSTERS.empty(),
    }


def vectors_of(chunks: pl.DataFrame) -> pl.DataFrame:
    """A unit vector for each distinct string, a function of the string alone."""
    hashes = chunks["embed_hash"].unique().sort().to_list()
    seeds = [sum(text.encode()) for text in hashes]
    vectors = np.asarray([np.random.default_rng(seed).normal(size=DIMS) for seed in seeds], np.float32)
    vectors = vectors.reshape(-1, DIMS)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return pl.DataFrame(
        {
            "embed_hash": pl.Series(hashes, dtype=pl.String),
            "vector": pl.Series(vectors, dtype=pl.Array(pl.Float32, DIMS)),
        }
    )


@pytest.fixture
def estate() -> Callable[..., dict[str, pl.DataFrame]]:
    """From texts by document, and access groups by document, to the tables of the lake."""

    def make(
        texts: Mapping[str, Sequence[str]], groups: Mapping[str, list[str]] | None = None
    ) -> dict[str, pl.DataFrame]:
        return _estate(texts, groups or {})

    return make


@pytest.fixture
def make_rows() -> Callable[..., pl.DataFrame]:
    """From texts by document, and access groups by document, to index rows."""

    def make(
        texts: Mapping[str, Sequence[str]], groups: Mapping[str, list[str]] | None = None
    ) -> pl.DataFrame:
        tables = _estate(texts, groups or {})
        return completed(index_rows(**tables, parent_tokens=800), {"demo": vectors_of(tables["chunks"])})

    return make


@pytest.fixture
def vectors() -> Callable[[pl.DataFrame], pl.DataFrame]:
    """From chunks to their embeddings."""
    return vectors_of
