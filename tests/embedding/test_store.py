"""Embeddings as rows: computed once, reused ever after."""

import polars as pl
import pytest

from pipeline.embedding.encoders import Encoder, load_encoder
from pipeline.embedding.sources import EncoderError
from pipeline.embedding.store import embed, embedding_fingerprint
from pipeline.tables.lake import validate
from pipeline.tables.schemas import embeddings

TABLE = embeddings("use_multilingual", 512)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_encoder("use-multilingual")


def _strings(*texts: str) -> pl.DataFrame:
    return pl.DataFrame(
        {"embed_hash": [f"hash of {text}" for text in texts], "text": list(texts)},
        schema={"embed_hash": pl.String, "text": pl.String},
    )


def test_one_row_per_distinct_string(encoder: Encoder) -> None:
    rows, computed, reused = embed(_strings("b", "a", "b"), TABLE.empty(), encoder, batch_size=2)
    validate(TABLE, "p", rows)
    assert rows["embed_hash"].to_list() == ["hash of a", "hash of b"]
    assert rows["encoder"].unique().to_list() == [encoder.fingerprint]
    assert (computed, reused) == (2, 0)


def test_an_increment_equals_a_computation_from_nothing(encoder: Encoder) -> None:
    first, _, _ = embed(_strings("eins", "zwei", "drei"), TABLE.empty(), encoder, batch_size=2)
    wanted = _strings("iki", "drei", "zwei", "üç")
    grown, computed, reused = embed(wanted, first, encoder, batch_size=2)
    assert (computed, reused) == (2, 2)
    assert grown.equals(embed(wanted, TABLE.empty(), encoder, batch_size=64)[0])


def test_vectors_of_another_encoder_are_not_used(encoder: Encoder) -> None:
    rows, _, _ = embed(_strings("a"), TABLE.empty(), encoder, batch_size=2)
    other = rows.with_columns(pl.lit("another").alias("encoder"))
    assert embed(_strings("a"), other, encoder, batch_size=2)[1:] == (1, 0)
    shorter = embeddings("x", 8).empty()
    assert embed(_strings("a"), shorter, encoder, batch_size=2)[1:] == (1, 0)


def test_known_needs_hash_and_vector_only(encoder: Encoder) -> None:
    rows, _, _ = embed(_strings("a"), TABLE.empty(), encoder, batch_size=2)
    again, computed, reused = embed(_strings("a"), rows.drop("encoder"), encoder, batch_size=2)
    assert (computed, reused) == (0, 1)
    assert again.equals(rows)


def test_nothing_asked_nothing_loaded() -> None:
    fresh = load_encoder("use-multilingual")
    rows, computed, reused = embed(_strings(), TABLE.empty(), fresh, batch_size=2)
    assert (rows.height, computed, reused) == (0, 0, 0)
    assert rows.schema == TABLE.schema
    assert "model" not in vars(fresh)


def test_a_string_over_the_limit_is_named_by_its_hash(encoder: Encoder) -> None:
    strings = pl.DataFrame({"embed_hash": ["good", "bad"], "text": ["x", "y " * 600]})
    with pytest.raises(EncoderError, match="use-multilingual: bad: longer than the model's limit"):
        embed(strings, TABLE.empty(), encoder, batch_size=2)


def test_the_fingerprint_follows_the_encoder(encoder: Encoder) -> None:
    assert embedding_fingerprint(encoder) != embedding_fingerprint(load_encoder("e5-small"))
