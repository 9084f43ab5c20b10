"""The histogram of chunk sizes."""

import polars as pl

from pipeline.chunking.distribution import distribution, outside_the_band, short_share
from pipeline.config import ChunkingConfig


def test_shares_and_bins():
    chunks = pl.DataFrame(
        {
            "document_class": ["other"] * 5,
            "strategy": ["structure"] * 4 + ["table"],
            "kind": ["prose"] * 4 + ["table"],
            "token_count": [5, 39, 40, 400, 100],
        },
        schema_overrides={"token_count": pl.Int32},
    )
    found = distribution(chunks).to_dicts()
    assert [(row["from_tokens"], row["to_tokens"], row["chunks"]) for row in found] == [
        (0, 20, 1), (20, 40, 1), (40, 60, 1), (400, 420, 1), (100, 120, 1),
    ]  # fmt: skip
    assert [row["share"] for row in found] == [0.25] * 4 + [1.0]


def test_no_chunks():
    names = ("document_class", "section_id", "strategy", "kind")
    empty = pl.DataFrame(schema=dict.fromkeys(names, pl.String) | {"token_count": pl.Int32})
    assert distribution(empty).is_empty()
    outside = outside_the_band(empty, ChunkingConfig())
    assert outside.is_empty()
    assert short_share(outside) == 0.0


def test_each_class_has_its_own_band_and_a_whole_section_may_be_short():
    chunks = pl.DataFrame(
        {
            "document_class": ["contract", "contract", "contract", "memo", "other"],
            "section_id": ["a", "a", "b", "c", "d"],
            "strategy": ["structure"] * 5,
            "kind": ["prose"] * 5,
            "token_count": [30, 170, 20, 170, 170],
        },
        schema_overrides={"token_count": pl.Int32},
    )
    config = ChunkingConfig.model_validate(
        {"max_tokens": 200, "min_tokens": 60, "classes": {"contract": {"max_tokens": 160, "min_tokens": 40}}}
    )
    found = outside_the_band(chunks, config)
    assert found.drop("strategy", "kind").rows(named=True) == [
        {"document_class": "contract", "chunks": 3, "over_ceiling": 1, "under_floor": 2, "parts": 2, "short_parts": 1},
        {"document_class": "memo", "chunks": 1, "over_ceiling": 0, "under_floor": 0, "parts": 0, "short_parts": 0},
        {"document_class": "other", "chunks": 1, "over_ceiling": 0, "under_floor": 0, "parts": 0, "short_parts": 0},
    ]  # fmt: skip
    assert short_share(found) == 0.5
