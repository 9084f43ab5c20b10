"""Embeddings as rows: computed once, reused ever after."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from pipeline.embedding.encoders import Encoder, Refusal, load_encoder
from pipeline.embedding.journal import VectorJournal
from pipeline.embedding.progress import Progress
from pipeline.embedding.sources import EncoderError
from pipeline.embedding.store import embed, embedding_fingerprint
from pipeline.tables.duration import duration
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


def test_what_an_encoder_refuses_stops_nothing_where_that_is_noted(encoder: Encoder) -> None:
    strings = _strings("a", "y " * 600, "b", " ")
    refused: dict[str, Refusal] = {}
    rows, computed, reused = embed(strings, TABLE.empty(), encoder, batch_size=2, refused=refused)
    validate(TABLE, "p", rows)
    assert (rows["embed_hash"].to_list(), computed, reused) == (["hash of a", "hash of b"], 2, 0)
    assert {key: why.reason for key, why in refused.items()} == {
        f"hash of {'y ' * 600}": "too_long",
        "hash of  ": "no_vector",
    }
    nothing: dict[str, Refusal] = {}
    assert embed(strings[3:], TABLE.empty(), encoder, batch_size=2, refused=nothing)[1:] == (0, 0)
    assert len(nothing) == 1


def test_a_known_vector_that_cannot_be_searched_is_computed_anew(encoder: Encoder) -> None:
    rows, _, _ = embed(_strings("a", "b", "c"), TABLE.empty(), encoder, batch_size=2)
    vectors = rows["vector"].to_numpy().copy()
    vectors[0, 3], vectors[1] = np.nan, 0.0
    known = rows.with_columns(pl.Series("vector", vectors, dtype=TABLE.schema["vector"]))
    again, computed, reused = embed(_strings("a", "b", "c"), known, encoder, batch_size=2)
    assert (computed, reused) == (2, 1)
    assert again.equals(rows)


def test_the_fingerprint_follows_the_encoder(encoder: Encoder) -> None:
    assert embedding_fingerprint(encoder) != embedding_fingerprint(load_encoder("e5-small"))


class _KilledError(Exception):
    pass


def _killed_after_the_first_step(strings: pl.DataFrame, encoder: Encoder, journal: Path) -> int:
    """How many strings were embedded before the end."""
    done: list[int] = []

    def stop(progress: Progress) -> None:
        done.append(progress.done)
        raise _KilledError

    with pytest.raises(_KilledError):
        embed(strings, TABLE.empty(), encoder, batch_size=1, journal=journal, progress=stop)
    return done[0]


def test_what_a_killed_run_embedded_is_not_embedded_again(encoder: Encoder, tmp_path: Path) -> None:
    strings = _strings(*(f"Satz {n} über Pumpen" for n in range(20)))
    journal = tmp_path / "deep" / "v.journal"
    assert _killed_after_the_first_step(strings, encoder, journal) == 8
    with journal.open("ab") as file:
        file.write(b"half a record")  # killed while writing
    rows, computed, reused = embed(strings, TABLE.empty(), encoder, batch_size=1, journal=journal)
    assert (computed, reused) == (12, 8)
    assert rows.equals(embed(strings, TABLE.empty(), encoder, batch_size=64)[0])
    # Killed again, before the rows were published.
    assert embed(strings, TABLE.empty(), encoder, batch_size=1, journal=journal)[1:] == (0, 20)


def test_the_journal_gives_only_what_is_wanted(encoder: Encoder, tmp_path: Path) -> None:
    journal = tmp_path / "v.journal"
    _killed_after_the_first_step(_strings(*"abcdefghij"), encoder, journal)
    wanted = _strings("a", "b", "new")
    rows, computed, reused = embed(wanted, TABLE.empty(), encoder, batch_size=1, journal=journal)
    assert computed + reused == 3
    assert rows.equals(embed(wanted, TABLE.empty(), encoder, batch_size=1)[0])


def test_the_journal_of_other_weights_is_thrown_away(encoder: Encoder, tmp_path: Path) -> None:
    journal = tmp_path / "v.journal"
    e5 = load_encoder("e5-small")
    with VectorJournal.open(journal, e5) as other:
        other.add(["hash of a"], np.ones((1, e5.dims), np.float32))
    assert embed(_strings("a"), TABLE.empty(), encoder, batch_size=1, journal=journal)[1:] == (1, 0)


def test_nothing_to_embed_leaves_no_journal(encoder: Encoder, tmp_path: Path) -> None:
    rows, _, _ = embed(_strings("a"), TABLE.empty(), encoder, batch_size=1)
    embed(_strings("a"), rows, encoder, batch_size=1, journal=tmp_path / "v.journal")
    assert list(tmp_path.iterdir()) == []


def test_progress_says_how_far_and_how_long(encoder: Encoder) -> None:
    seen: list[Progress] = []
    embed(_strings(*map(str, range(20))), TABLE.empty(), encoder, batch_size=1, progress=seen.append)
    assert [(step.done, step.total) for step in seen] == [(8, 20), (16, 20), (20, 20)]
    assert seen[-1].seconds_left == 0
    assert seen[-1].message == "embedded 20 of 20 strings"
    assert Progress(512, 2001, 610).message == "embedded 512 of 2,001 strings, 10 min left"
    assert [duration(seconds) for seconds in (9, 90, 3599, 12_000)] == [
        "9 s",
        "2 min",
        "60 min",
        "3 h 20 min",
    ]


def test_an_error_names_a_string_as_the_caller_does(encoder: Encoder) -> None:
    strings = _strings("a", " ").with_columns(called=pl.Series(["a.md page 1", "b.md page 7"]))
    with pytest.raises(EncoderError, match=r"b\.md page 7: nothing to encode"):
        embed(strings, TABLE.empty(), encoder, batch_size=2)
    rows, _, _ = embed(strings[:1], TABLE.empty(), encoder, batch_size=2)
    validate(TABLE, "p", rows)
