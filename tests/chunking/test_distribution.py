"""The histogram of chunk sizes."""

import polars as pl
import pytest

from pipeline.chunking.distribution import distribution, outside_the_band
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
    found = distribution(chunks, ChunkingConfig(min_tokens=30, max_tokens=320)).to_dicts()
    assert [(row["from_tokens"], row["to_tokens"], row["chunks"]) for row in found] == [
        (0, 20, 1), (20, 40, 1), (40, 60, 1), (400, 420, 1), (100, 120, 1),
    ]  # fmt: skip
    prose = [row for row in found if row["kind"] == "prose"]
    assert {(row["share"], row["under_floor"], row["over_ceiling"]) for row in prose} == {(0.25, 0.25, 0.25)}
    assert found[-1]["share"] == pytest.approx(1.0)


def test_no_chunks():
    names = ("document_class", "strategy", "kind")
    empty = pl.DataFrame(schema=dict.fromkeys(names, pl.String) | {"token_count": pl.Int32})
    assert distribution(empty).is_empty()
    assert outside_the_band(empty, ChunkingConfig()).is_empty()


def test_each_class_has_its_own_band():
    chunks = pl.DataFrame(
        {
            "document_class": ["contract", "contract", "memo", "other"],
            "strategy": ["structure"] * 4,
            "kind": ["prose"] * 4,
            "token_count": [30, 170, 170, 170],
        },
        schema_overrides={"token_count": pl.Int32},
    )
    config = ChunkingConfig.model_validate(
        {"max_tokens": 200, "min_tokens": 60, "classes": {"contract": {"max_tokens": 160, "min_tokens": 40}}}
    )
    found = outside_the_band(chunks, config)
    assert found.select("document_class", "under_floor", "over_ceiling").rows() == [
        ("contract", 0.5, 0.5),
        ("memo", 0.0, 0.0),
        ("other", 0.0, 0.0),
    ]
