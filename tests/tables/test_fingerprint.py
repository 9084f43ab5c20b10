from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.config import ChunkingConfig
from pipeline.tables.fingerprint import fingerprint, stage_fingerprint

PART = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=3)
    | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=6,
)


def shape(part):
    """What a part is to `fingerprint`: its type and value."""
    if isinstance(part, list | tuple):
        return ("list", tuple(shape(p) for p in part))
    return (type(part).__name__, repr(part))


@settings(max_examples=60, deadline=None)
@given(st.lists(PART, max_size=4), st.lists(PART, max_size=4))
def test_equal_hashes_mean_equal_parts(left, right):
    assert (fingerprint(*left) == fingerprint(*right)) == (shape(left) == shape(right))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (("ab", "c"), ("a", "bc")),
        (("a", ""), ("a",)),
        ((1,), ("1",)),
        ((1,), (True,)),
        ((1,), (1.0,)),
        ((None,), ("",)),
        ((None,), ("None",)),
        ((b"a",), ("a",)),
        ((("a", "b"),), ("a", "b")),
        (((),), ()),
        ((("a",),), ("a",)),
        (("a", ("b",)), (("a", "b"),)),
        ((fingerprint("a"),), (("a",),)),
    ],
)
def test_part_boundaries_and_types_count(left, right):
    assert fingerprint(*left) != fingerprint(*right)


def test_known_value():
    # Ids of documents are made with it: a changed algorithm would rename every document of every estate.
    assert fingerprint("document", "contracts", "Ölçüm/a.pdf") == "6d9d701510a1c5a81603a72e977a25f3"


def test_lists_tuples_and_generators_are_one_part():
    assert fingerprint(["a", "b"]) == fingerprint(("a", "b")) == fingerprint(x for x in "ab")


def test_numpy_floats_are_floats():
    assert fingerprint(np.float64(0.1)) == fingerprint(0.1)


@pytest.mark.parametrize("part", [{"a", "b"}, {"a": 1}, date(2026, 1, 1), object()])
def test_parts_without_an_order_or_an_encoding_are_refused(part):
    with pytest.raises(TypeError):
        fingerprint(part)


def test_a_lone_surrogate_is_hashed():
    assert fingerprint("\udcff") != fingerprint("\udcfe")


def test_stage_fingerprint_moves_with_each_of_its_parts():
    made = {
        stage_fingerprint("chunks", "1", ChunkingConfig()),
        stage_fingerprint("chunks", "2", ChunkingConfig()),
        stage_fingerprint("pages", "1", ChunkingConfig()),
        stage_fingerprint("chunks", "1", ChunkingConfig(max_tokens=321)),
        stage_fingerprint("chunks", "1"),
        stage_fingerprint("chunks", "1", ["a"]),
    }
    assert len(made) == 6
    assert stage_fingerprint("chunks", "1", ChunkingConfig()) == stage_fingerprint(
        "chunks", "1", ChunkingConfig()
    )
