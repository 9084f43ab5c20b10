"""Vectors are found in whatever partition they lie, and the estate is looked through once in a run."""

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest

from pipeline.line.known_vectors import KnownVectors
from pipeline.tables.lake import Lake
from pipeline.tables.schemas import Table, embeddings

TABLE = embeddings("demo", 4)


class CountingLake(Lake):
    """A lake that counts what is read of it."""

    def __init__(self, root: str) -> None:
        super().__init__(root)
        self.reads: Counter[str] = Counter()

    def read(self, table: Table, partition: str | None = None, columns: Any = None) -> pl.DataFrame:
        self.reads["hashes" if columns else "vectors"] += 1
        return super().read(table, partition, columns)


class Holder:
    """What is asked of a workspace."""

    def __init__(self, root: str) -> None:
        self.lake = CountingLake(root)


def _rows(*names: str) -> pl.DataFrame:
    vectors = np.asarray([[len(name), *name.encode()[:3].ljust(3, b"x")] for name in names], np.float32)
    return pl.DataFrame(
        {"embed_hash": list(names), "encoder": ["e"] * len(names), "vector": vectors.reshape(-1, 4)},
        schema=TABLE.schema,
    )


def _wanted(*names: str) -> pl.DataFrame:
    return pl.DataFrame({"embed_hash": list(names)}, schema={"embed_hash": pl.String})


@pytest.fixture
def holder(tmp_path) -> Holder:
    return Holder(str(tmp_path))


def _found(known: KnownVectors, partition: str, *names: str) -> list[str]:
    return sorted(known.rows(partition, _wanted(*names))["embed_hash"])


def test_strings_of_other_partitions_are_found_and_read_once_each(holder) -> None:
    holder.lake.publish(TABLE, "p.0", _rows("one", "two"), "i")
    holder.lake.publish(TABLE, "p.1", _rows("two", "three"), "i")
    known = KnownVectors(holder.lake, TABLE)
    rows = known.rows("p.2", _wanted("two", "three", "four"))
    assert rows.sort("embed_hash").equals(_rows("three", "two"))


def test_what_this_run_embeds_is_known_to_the_partitions_after_it(holder) -> None:
    known = KnownVectors(holder.lake, TABLE)
    assert _found(known, "p.0", "one") == []
    holder.lake.publish(TABLE, "p.0", _rows("one"), "i")
    assert _found(known, "p.1", "one", "two") == ["one"]


def test_what_was_promised_and_never_published_is_not_found(holder) -> None:
    known = KnownVectors(holder.lake, TABLE)
    assert _found(known, "p.0", "one") == []
    assert _found(known, "p.1", "one") == []


def test_a_string_that_left_one_partition_is_found_in_another(holder) -> None:
    for name in ("p.0", "p.1"):
        holder.lake.publish(TABLE, name, _rows("one"), "i")
    known = KnownVectors(holder.lake, TABLE)
    assert _found(known, "p.2", "one", "new") == ["one"]
    holder.lake.publish(TABLE, "p.0", _rows(), "i")
    assert _found(known, "p.3", "one") == ["one"]


def test_the_estate_is_looked_through_once_however_many_partitions_it_has(holder) -> None:
    partitions = [f"p.{n}" for n in range(12)]
    for name in partitions:
        holder.lake.publish(TABLE, name, _rows(f"old {name}"), "i")
    holder.lake.reads.clear()
    known = KnownVectors(holder.lake, TABLE)
    for name in partitions:
        assert _found(known, name, f"old {name}", f"new {name}") == [f"old {name}"]
    assert holder.lake.reads == {"hashes": 12, "vectors": 12}
