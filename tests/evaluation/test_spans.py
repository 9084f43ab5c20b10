"""Measures over characters, against what can be counted by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.evaluation.spans import length, measures, shared, union

spans = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 30), st.integers(0, 30)), max_size=6)


def characters(given_spans):
    return {(document, place) for document, start, end in given_spans for place in range(start, end)}


@given(left=spans, right=spans)
def test_spans_are_sets_of_characters(left, right):
    assert length(union(left)) == len(characters(left))
    assert shared(left, right) == len(characters(left) & characters(right))


def test_one_question_by_hand():
    found = measures(
        ranked=[("a", 100, 200), ("a", 0, 100), ("a", 50, 150), ("b", 0, 100)],
        tokens=[20, 20, 20, 20],
        wanted=[("a", 90, 110)],
        touching=[("a", 100, 200), ("a", 0, 100), ("a", 50, 150)],
        k=2,
        budget=30,
    )
    assert found == {
        "recall": 1.0,
        "precision": 20 / 200,
        "iou": 20 / 200,
        "omega": 20 / 200,
        "recall_at_budget": 0.5,  # of the second passage only the first half is read
        "found": 0.0,  # in no one passage of the two, but both together hold it
        "mrr": 1.0,
    } | {"found": 1.0}


def test_what_is_read_twice_counts_twice():
    found = measures(
        [("a", 0, 10), ("a", 5, 15)], [1, 1], [("a", 5, 10), ("a", 20, 25)], [("a", 0, 10)], k=5, budget=100
    )
    assert (found["recall"], found["precision"]) == (0.5, 5 / 20)
    assert found["iou"] == pytest.approx(5 / (20 + 5))


def test_nothing_found_is_nothing():
    found = measures([("b", 0, 10)], [5], [("a", 0, 10)], [], k=5, budget=100)
    assert set(found.values()) == {0.0}
