"""The law: after any sequence of changes the clusters and bands are those of a clustering from nothing."""

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.config import DedupConfig
from pipeline.dedup import leaders
from pipeline.dedup.clusters import cluster
from pipeline.dedup.stage import signatures

CONFIG = DedupConfig(threshold=0.7, permutations=64)
BASE = tuple(f"w{n}" for n in range(60))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """So few pairs at once that a dozen texts need many blocks."""
    monkeypatch.setattr(leaders, "_AT_ONCE", 4)


class Estate:
    """Chunks with their policy, and the clustering that was made of them last."""

    def __init__(self):
        self.rows = {}
        self.bands = None

    def put(self, name, edits, authority, day, language="en"):
        words = list(BASE)
        for place, word in edits:
            words[place] = f"x{word}"
        self.rows[name] = {
            "chunk_id": name, "doc_id": name, "version_id": "v", "text": " ".join(words), "kind": "prose",
            "language": language, "input_hash": "i", "authority": authority, "superseded": authority == 20,
            "effective_date": dt.date(2026, 1, 1 + day) if day else None,
            "modified_at": dt.datetime(2026, 1, 1, tzinfo=dt.UTC), "low_confidence": False, "quality": 1.0,
            "media_type": "text/plain",
        }  # fmt: skip

    def cluster(self, standing):
        frame = pl.DataFrame(
            list(self.rows.values()), schema_overrides={"effective_date": pl.Date, "modified_at": pl.Datetime("us", "UTC")}
        )  # fmt: skip
        marks = signatures(frame, CONFIG)
        return cluster(lambda columns: [marks.select(columns)], frame, CONFIG, standing, None)

    def advance(self):
        """Cluster from where the last one stood, and from nothing: the same."""
        made = self.cluster(self.bands)
        anew = self.cluster(None)
        assert made.clusters.equals(anew.clusters)
        assert made.bands.equals(anew.bands)
        self.bands = made.bands
        return made


EDITS = st.lists(st.tuples(st.integers(0, 59), st.integers(0, 2)), max_size=7)
CHANGE = st.tuples(
    st.integers(0, 13), EDITS, st.sampled_from([10, 20, 30]), st.integers(0, 3), st.sampled_from(["en", "tr"]),
    st.sampled_from(["put", "put", "put", "policy", "remove"]),
)  # fmt: skip


@settings(deadline=None, max_examples=25)
@given(st.lists(st.lists(CHANGE, min_size=1, max_size=8), min_size=1, max_size=5))
def test_incremental_equals_from_nothing(rounds):
    estate = Estate()
    estate.put("c00", [], 10, 0)
    for changes in rounds:
        for number, edits, authority, day, language, kind in changes:
            name = f"c{number:02}"
            if kind == "put":
                estate.put(name, edits, authority, day, language)
            elif kind == "policy" and name in estate.rows:
                estate.rows[name]["authority"] = authority
            elif kind == "remove" and len(estate.rows) > 1:
                estate.rows.pop(name, None)
        estate.advance()


@pytest.mark.parametrize("seed", range(4))
def test_long_chains_of_near_copies(seed):
    """Each text is near to those beside it only, so that one change can turn the leaders of a whole chain."""
    rng = np.random.default_rng(seed)
    estate = Estate()
    for number in range(40):
        edits = [(place, number // 5 * 10 + place) for place in range(number % 5, 60, 12)]
        edits += [((3 * step) % 60, 1) for step in range(number)][-8:]
        estate.put(f"c{number:02}", edits, int(rng.integers(3)) * 10, int(rng.integers(3)))
    estate.advance()
    for _ in range(12):
        name = f"c{rng.integers(40):02}"
        if rng.random() < 0.4:
            estate.rows.pop(name, None)
        elif name in estate.rows:
            estate.rows[name]["authority"] = int(rng.integers(5)) * 10
        estate.advance()


def test_nothing_changed_compares_nothing():
    estate = Estate()
    for number in range(6):
        estate.put(f"c{number}", [(number, 1)], 10, 0)
    assert estate.advance().compared > 0
    made = estate.advance()
    assert (made.fresh, made.compared) == (0, 0)
    estate.put("c9", [(40, 2)], 90, 0)
    assert estate.advance().fresh == 1


def test_removing_the_canonical_frees_its_members_and_a_better_one_takes_them():
    estate = Estate()
    estate.put("b", [], 20, 0)
    estate.put("a", [(3, 1), (33, 1)], 10, 0)
    estate.put("c", [(13, 1), (43, 1)], 10, 0)
    heads = lambda made: dict(made.clusters.select("chunk_id", "canonical_chunk_id").iter_rows())  # noqa: E731
    assert heads(estate.advance()) == {"a": "b", "b": "b", "c": "b"}
    held = estate.rows.pop("b")
    assert heads(estate.advance()) == {}  # a and c are not similar to each other
    estate.rows["b"] = held | {"authority": 5}
    assert heads(estate.advance()) == {"a": "a", "b": "a"}
    estate.rows["b"] = held | {"authority": 95}
    made = estate.advance()
    assert heads(made) == {"a": "b", "b": "b", "c": "b"}
    assert made.clusters.filter(chunk_id="a")["reason"].to_list() == ["authority"]
