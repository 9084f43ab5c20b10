"""The histogram of chunk sizes."""

import polars as pl
import pytest

from pipeline.chunking.distribution import distribution
from pipeline.config import ChunkingConfig


def test_shares_and_bins():
    chunks = pl.DataFrame(
        {
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
    empty = pl.DataFrame(schema={"strategy": pl.String, "kind": pl.String, "token_count": pl.Int32})
    assert distribution(empty).is_empty()
