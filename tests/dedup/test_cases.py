"""Faults that users reported: chains of near copies, and settings that cannot work."""

import itertools
import json
from pathlib import Path

import polars as pl
import pytest

from pipeline.config import Config, ConfigError, DedupConfig, parse_config
from pipeline.dedup.clusters import cluster
from pipeline.dedup.stage import signatures

CONFIG = DedupConfig()


def frame(texts, order):
    rows = [
        {
            "chunk_id": name, "doc_id": name, "version_id": "v", "text": texts[name], "kind": "prose", "language": "tr",
            "input_hash": "i", "authority": 50, "superseded": False, "effective_date": None, "modified_at": None,
            "low_confidence": False, "quality": None, "media_type": "text/plain",
        }
        for name in order
    ]  # fmt: skip
    dates = {"effective_date": pl.Date, "modified_at": pl.Datetime("us", "UTC"), "quality": pl.Float64}
    return pl.DataFrame(rows, schema_overrides=dates)


def clustered(texts, order, standing=None, config=CONFIG):
    chunks = frame(texts, order)
    marks = signatures(chunks, config)
    return cluster(lambda columns: [marks.select(columns)], chunks, config, standing, None)


@pytest.mark.parametrize("turkish", [2, 3])
def test_a_chain_of_near_copies_has_one_outcome(cases, turkish):
    texts = {name: (cases / "B48" / f"{name}.txt").read_text(encoding="utf-8") for name in "ABC"}
    config = DedupConfig(shingle_words_turkish=turkish)
    expected = clustered(texts, "ABC", config=config)
    assert expected.clusters.select("chunk_id", "canonical_chunk_id", "kind").rows() == [
        ("A", "A", "canonical"), ("B", "A", "near"),
    ]  # fmt: skip
    for order in itertools.permutations("ABC"):
        assert clustered(texts, order, config=config).clusters.equals(expected.clusters)
    for order in ("ABC", "CBA", "BCA"):
        standing = None
        for count in (1, 2, 3):
            made = clustered(texts, order[:count], standing, config)
            standing = made.bands
        assert made.clusters.equals(expected.clusters)
        assert made.bands.equals(expected.bands)


def test_settings_behave_as_wanted(cases):
    renamed = {"num_perm": "permutations"}
    for row in json.loads((cases / "B50" / "configs.json").read_text()):
        want = row.pop("want")
        settings = {renamed.get(key, key): value for key, value in row.items()}
        raw = {"collections": [{"name": "a", "source": "s"}], "dedup": settings}
        if want == "refused":
            with pytest.raises(ConfigError, match=r"dedup\.\w+ = [\d.]+: must be"):
                parse_config(raw, base=Path())
        else:
            config = parse_config(raw, base=Path())
            assert isinstance(config, Config)
            text = {
                "A": "ein Text von so vielen Wörtern, dass er sich mit anderen vergleichen lässt, hier und dort"
            }
            copies = {"A": text["A"], "B": text["A"].replace(",", " –"), "C": text["A"] + " und anderswo"}
            found = clustered(copies, "ABC", config=config.dedup).clusters
            assert {"A", "B"} <= set(found["chunk_id"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"election": []}, r"dedup\.election = \[\]: must not be empty"),
        ({"election": ["authority", "authority"]}, r"must name each criterion once"),
        ({"election": ["size"]}, r"dedup\.election\.0 = 'size': must be 'authority'"),
        ({"min_cosine": 1.5}, r"dedup\.min_cosine = 1\.5: must be less than or equal to 1"),
        ({"seed": -1}, r"dedup\.seed = -1: must be greater"),
    ],
)
def test_other_settings_are_refused_with_key_value_and_what_is_allowed(settings, message):
    with pytest.raises(ConfigError, match=message):
        parse_config({"collections": [{"name": "a", "source": "s"}], "dedup": settings}, base=Path())


def test_the_election_follows_the_configured_order():
    texts = dict.fromkeys("AB", "Dieser Text steht in zwei Dokumenten und wird nur einmal gezeigt.")
    chunks = frame(texts, "AB").with_columns(
        pl.Series("authority", [50, 90]), pl.Series("media_type", ["text/markdown", "application/pdf"])
    )
    for election, head in ((("authority", "format"), "B"), (("format", "authority"), "A")):
        config = DedupConfig(election=election)
        marks = signatures(chunks, config)
        made = cluster(
            lambda columns, marks=marks: [marks.select(columns)], chunks, config, None, None
        ).clusters
        assert made["canonical_chunk_id"].unique().to_list() == [head]
        assert made["reason"].unique().to_list() == [election[0]]


def test_embeddings_can_be_asked_too():
    words = [f"w{n}" for n in range(60)]
    texts = {"A": " ".join(words), "B": " ".join([*words[:-1], "x"]), "C": " ".join(["y", *words[1:]])}
    vectors = {"A": [1.0, 0.0], "B": [0.99, 0.141], "C": [0.8, 0.6]}
    chunks = frame(texts, "ABC").with_columns(pl.col("chunk_id").alias("embed_hash"))
    for least, members in ((0.0, {"A", "B", "C"}), (0.95, {"A", "B"})):
        config = DedupConfig(min_cosine=least)
        marks = signatures(chunks, config)
        found = cluster(
            lambda columns, marks=marks: [marks.select(columns)], chunks, config, None,
            lambda ids: pl.Series([vectors[name] for name in ids], dtype=pl.Array(pl.Float32, 2)).to_numpy(),
        ).clusters  # fmt: skip
        assert set(found["chunk_id"]) == members
