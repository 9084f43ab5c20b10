"""Clusters: no chaining, the canonical by policy, independent of order."""

import datetime as dt
import itertools
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.config import ConfigError, DedupConfig, parse_config
from pipeline.dedup.bands import band_rows
from pipeline.dedup.clusters import cluster
from pipeline.dedup.stage import signatures
from pipeline.tables.schemas import BANDS, CLUSTERS

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def chunks(texts):
    return pl.DataFrame(
        [
            {
                "chunk_id": name,
                "doc_id": f"doc-{name}",
                "version_id": "v",
                "text": text,
                "kind": "prose",
                "language": "en",
                "input_hash": "i",
            }
            for name, text in texts.items()
        ],
        schema=dict.fromkeys(
            ("chunk_id", "doc_id", "version_id", "text", "kind", "language", "input_hash"), pl.String
        ),
    )


def policy(names, **rows):
    usual = {
        "authority": 50,
        "superseded": False,
        "effective_date": None,
        "modified_at": dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
        "low_confidence": False,
        "quality": 1.0,
        "language": "en",
        "media_type": "application/pdf",
    }
    return pl.DataFrame(
        [
            usual
            | {
                "chunk_id": name,
                "doc_id": f"doc-{name}",
            }
            | rows.get(name, {})
            for name in names
        ],
        schema={
            "chunk_id": pl.String,
            "doc_id": pl.String,
            "authority": pl.Int16,
            "superseded": pl.Boolean,
            "effective_date": pl.Date,
            "modified_at": pl.Datetime("us", "UTC"),
            "low_confidence": pl.Boolean,
            "quality": pl.Float64,
            "media_type": pl.String,
            "language": pl.String,
        },
    )


def clustering(marks, rules, config, standing=None):
    made = cluster(lambda columns: [marks.select(columns)], rules, config, standing, None)
    CLUSTERS.pandera.validate(made.clusters)
    BANDS.pandera.validate(made.bands)
    return made


def clusters(marks, rules, config):
    return clustering(marks, rules, config).clusters


def canonical(texts, config=None, **rows):
    """{chunk: (canonical, kind)} of what is in a cluster."""
    config = config or DedupConfig()
    found = clusters(signatures(chunks(texts), config), policy(texts, **rows), config)
    return {row["chunk_id"]: (row["canonical_chunk_id"], row["kind"]) for row in found.iter_rows(named=True)}


def chain():
    """A, B, C: Jaccard of word 3-shingles 0.833 between neighbours, 0.692 between A and C."""
    a = [f"kelime{n}" for n in range(200)]
    b, c = a.copy(), a.copy()
    for place in range(6):
        b[3 + 32 * place] = f"bfark{place}"
    c = b.copy()
    for place in range(6):
        c[19 + 32 * place] = f"cfark{place}"
    return {"A": " ".join(a), "B": " ".join(b), "C": " ".join(c)}


def test_no_chain():
    texts = chain()
    config = DedupConfig(permutations=1024)
    assert canonical(texts, config) == {"A": ("A", "canonical"), "B": ("A", "near")}
    # When the middle one is the best source, both hang on it; each is itself similar to it.
    assert canonical(texts, config, B={"authority": 90}) == {
        "A": ("B", "near"),
        "B": ("B", "canonical"),
        "C": ("B", "near"),
    }


@pytest.mark.parametrize("order", list(itertools.permutations("ABC")))
def test_the_order_of_rows_does_not_count(order):
    texts = chain()
    assert canonical({name: texts[name] for name in order}, DedupConfig(permutations=1024)) == canonical(
        texts, DedupConfig(permutations=1024)
    )


def test_one_by_one_equals_all_at_once():
    texts = chain()
    config = DedupConfig(permutations=1024)
    together = signatures(chunks(texts), config)
    apart = pl.concat([signatures(chunks({name: texts[name]}), config) for name in "CAB"])
    assert clusters(apart, policy("BCA"), config).equals(clusters(together, policy("ABC"), config))


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"authority": 60, "superseded": True}, {"authority": 50}),
        ({"superseded": False}, {"superseded": True, "effective_date": dt.date(2027, 1, 1)}),
        ({"effective_date": dt.date(2026, 1, 1)}, {"effective_date": dt.date(2023, 1, 1)}),
        ({"effective_date": dt.date(2023, 1, 1)}, {"effective_date": None}),
        ({"modified_at": dt.datetime(2026, 2, 1, tzinfo=dt.UTC)}, {}),
        ({}, {"low_confidence": True, "media_type": WORD}),
        ({"media_type": WORD}, {"media_type": "application/pdf"}),
        ({"media_type": "application/x-new"}, {"media_type": "image/png"}),
    ],
)
def test_the_policy_elects(better, worse):
    text = "Bu metin iki yerde aynen durur."
    for names in (("A", "B"), ("B", "A")):
        found = canonical(dict.fromkeys("AB", text), **{names[0]: better, names[1]: worse})
        assert found == {names[0]: (names[0], "canonical"), names[1]: (names[0], "exact")}


def test_ties_go_to_the_smaller_id():
    assert canonical(dict.fromkeys("CBA", "Aynı metin üç yerde durur.")) == {
        "A": ("A", "canonical"),
        "B": ("A", "exact"),
        "C": ("A", "exact"),
    }


def test_texts_without_words_and_short_texts():
    texts = {
        "A": "—",
        "B": "…",
        "C": "Seite 2",
        "D": "Seite 2.",
        "E": "Siehe dazu Anhang 3",
        "F": "Siehe dazu Anhang 3",
    }
    assert canonical(texts) == {}
    assert canonical(texts, DedupConfig(min_words=4)) == {"E": ("E", "canonical"), "F": ("E", "exact")}
    assert canonical({}) == {}


def test_a_threshold_of_one_means_exact_copies_only():
    texts = chain() | {"D": chain()["A"].replace("kelime", "KELİME")}
    assert canonical(texts, DedupConfig(threshold=1.0, permutations=1024)) == {
        "A": ("A", "canonical"),
        "D": ("A", "exact"),
    }


@pytest.mark.parametrize("wrong", [{"threshold": 0.0}, {"threshold": 1.2}, {"permutations": 1}])
def test_settings_that_cannot_work_are_refused_when_read(wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        parse_config({"collections": [{"name": "a", "source": "s"}], "dedup": wrong}, base=Path())


def test_copies_by_the_thousand_cost_one_comparison():
    base = chain()
    texts = {f"A{n:05}": base["A"] for n in range(3_000)} | {"B": base["B"]}
    config = DedupConfig()
    made = clustering(signatures(chunks(texts), config), policy(texts), config)
    assert (made.compared, made.clusters.height) == (1, 3_001)
    assert made.clusters["canonical_chunk_id"].unique().to_list() == ["A00000"]


def test_bands_let_pairs_at_the_threshold_through():
    for permutations, threshold in ((128, 0.8), (128, 0.5), (16, 0.9), (1024, 0.3)):
        rows = band_rows(permutations, threshold)
        bands, chance = permutations // rows, threshold**rows
        assert 1 - (1 - chance) ** bands - bands * chance * (1 - chance) ** (bands - 1) >= 0.999
    assert band_rows(16, 0.05) == 1


def brute(marks, rules, config):
    """The definition, in plain loops: a chunk joins the first one before it that leads and is similar to it."""
    order = sorted(rules, key=lambda name: (-rules[name].get("authority", 50), name))
    values = {row["chunk_id"]: row for row in marks.iter_rows(named=True)}
    leaders, leader = [], {}
    for name in order:
        mine = values[name]
        for other in leaders:
            theirs = values[other]
            one, two = set(mine["shingles"]), set(theirs["shingles"])
            near = bool(one and two) and len(one & two) / len(one | two) >= config.threshold
            if near or mine["exact_hash"] == theirs["exact_hash"]:
                leader[name] = other
                break
        else:
            leaders.append(name)
            leader[name] = name
    sizes = [*leader.values()]
    return {name: head for name, head in leader.items() if sizes.count(head) > 1}


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_equal_to_the_definition(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    base = [f"w{n}" for n in range(60)]
    texts, rules = {}, {}
    for number in range(data.draw(st.integers(2, 14))):
        words = base.copy()
        for place in rng.choice(60, size=rng.integers(0, 7), replace=False):
            words[place] = f"x{rng.integers(3)}"
        texts[f"c{number:02}"] = " ".join(words)
        rules[f"c{number:02}"] = {"authority": int(rng.integers(3)) * 10}
    # So many bands that no pair is missed.
    config = DedupConfig(permutations=1024, threshold=0.6)
    expected = brute(signatures(chunks(texts), config), rules, config)
    assert {name: head for name, (head, _) in canonical(texts, config, **rules).items()} == expected


def test_news_articles_with_known_pairs(samples):
    folder = samples / "neardup"
    lines = (folder / "articles_1000.train").read_text(encoding="utf-8").splitlines()
    texts = dict(line.split(" ", 1) for line in lines if " " in line)
    truth = {
        tuple(sorted(line.split()))
        for line in (folder / "articles_1000.truth").read_text().splitlines()
        if line
    }
    found = canonical(texts, DedupConfig(threshold=0.5))
    groups = {}
    for name, (head, _) in found.items():
        groups.setdefault(head, []).append(name)
    pairs = {pair for group in groups.values() for pair in itertools.combinations(sorted(group), 2)}
    assert pairs == truth
