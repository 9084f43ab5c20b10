"""Index rows of the tests' own, in a real LanceDB table, and an encoder that needs no model."""

import hashlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from pipeline.language.analysis import search_text

DIMS = 64
DEFAULTS: dict[str, Any] = {
    "chunk_id": None, "doc_id": None, "version_id": "v1", "collection": "estate", "uri": None, "external_id": None,
    "title": "A title", "doc_type": "memo", "document_class": "prose", "authority": 50, "effective_date": None,
    "expiry_date": None, "valid_from": None, "valid_to": None, "version_label": "", "superseded_by": None,
    "acl_groups": ["public"], "modified_at": datetime(2026, 1, 1, tzinfo=UTC), "section_id": None,
    "section_path": ["Part"], "article": None, "ordinal": 0, "kind": "prose", "strategy": "structure", "text": "",
    "context": "", "parent_text": None, "parent_tokens": 0, "token_count": 20, "pages": [1], "language": "en",
    "low_confidence": False, "cluster_id": None, "canonical_chunk_id": None, "search_text": None, "row_hash": "h",
}  # fmt: skip
TEXT, DAY, TEXTS = pa.string(), pa.date32(), pa.list_(pa.string())
SCHEMA = pa.schema(
    {
        **dict.fromkeys(DEFAULTS, TEXT),
        "authority": pa.int16(), "effective_date": DAY, "expiry_date": DAY, "valid_from": DAY, "valid_to": DAY,
        "acl_groups": TEXTS, "modified_at": pa.timestamp("us", "UTC"), "section_path": TEXTS, "ordinal": pa.int32(),
        "parent_tokens": pa.int32(), "token_count": pa.int32(), "pages": pa.list_(pa.int32()),
        "low_confidence": pa.bool_(), "vector_words": pa.list_(pa.float32(), DIMS),
    }
)  # fmt: skip


class WordEncoder:
    """Texts that share words are near to one another: each word has a fixed random direction."""

    def encode_queries(self, texts: Sequence[str]) -> np.ndarray:
        vectors = np.stack(
            [sum((self._word(word) for word in text.lower().split()), np.zeros(DIMS)) for text in texts]
        )
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    @staticmethod
    def _word(word: str) -> np.ndarray:
        seed = int.from_bytes(hashlib.sha256(word.strip(".,?!").encode()).digest()[:8], "big")
        return np.random.default_rng(seed).normal(size=DIMS)


@pytest.fixture(scope="session")
def encoder() -> WordEncoder:
    return WordEncoder()


@pytest.fixture
def make_table(tmp_path: Path, encoder: WordEncoder) -> Callable[..., Any]:
    """Build a table from partial rows: `make_table([{"chunk_id": "a", "text": "…"}])`."""
    import lancedb
    from lancedb.index import FTS

    db = lancedb.connect(tmp_path / "lance")

    def make(rows: list[dict[str, Any]], *, encode: Any = encoder.encode_queries) -> Any:
        full = [DEFAULTS | row for row in rows]
        for row in full:
            row["doc_id"] = row["doc_id"] or f"doc-{row['chunk_id']}"
            row["uri"] = row["uri"] or f"{row['doc_id']}.md"
            row["external_id"] = row["external_id"] or row["uri"]
            row["section_id"] = row["section_id"] or f"section-{row['chunk_id']}"
            if row["search_text"] is None:
                [row["search_text"]] = search_text([row["text"]], [row["language"]])
        vectors = encode([row["text"] for row in full]) if full else np.empty((0, DIMS), np.float32)
        schema = SCHEMA.set(
            SCHEMA.get_field_index("vector_words"),
            pa.field("vector_words", pa.list_(pa.float32(), vectors.shape[1])),
        )
        data = pa.Table.from_pylist(
            [row | {"vector_words": vector.tolist()} for row, vector in zip(full, vectors, strict=True)],
            schema,
        )
        table = db.create_table(f"t{len(db.list_tables().tables)}", data)
        tokenizer = FTS(
            base_tokenizer="whitespace",
            lower_case=False,
            stem=False,
            remove_stop_words=False,
            ascii_folding=False,
        )
        table.create_index("search_text", config=tokenizer)
        table.checkout(table.version)
        return table

    return make
