"""Comparing two builds: means, intervals and the questions that moved."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.evaluation.comparison import compare, interval, sign_test
from pipeline.evaluation.evaluate import Evaluation
from pipeline.evaluation.metrics import Judgement
from pipeline.evaluation.questions import Gold, Question
from pipeline.retrieval.query import Query


def measured(build: str, ranks: dict[str, int | None]) -> Evaluation:
    judgements = tuple(
        Judgement(
            Question(name, Query(f"{name}?"), (Gold("d", "q"),), lang=name[0]),
            (), {"recall@5": float(rank is not None and rank <= 5), "mrr": 1 / rank if rank else 0.0}, (), (), rank,
        )
        for name, rank in ranks.items()
    )  # fmt: skip
    langs = {name[0] for name in ranks}
    members = {"lang": {lang: frozenset(n for n in ranks if n[0] == lang) for lang in langs}}
    return Evaluation(build, len(judgements), {}, {}, judgements, members)


def test_side_by_side_by_slice_with_the_questions_that_moved() -> None:
    before = measured("t@1", {"a1": 1, "a2": 2, "b1": None, "b2": 7})
    after = measured("t@2", {"a1": 1, "a2": 8, "b1": 3, "c1": 1, "b2": 2})
    found = compare(before, after, metrics=("recall@5", "mrr"))
    overall = found.slices["overall"]["overall"]["recall@5"]
    assert (overall.questions, overall.before, overall.after) == (4, 0.5, 0.75)
    assert (overall.change, overall.won, overall.lost) == (0.25, 2, 1)
    german = found.slices["lang"]["b"]
    assert (german["recall@5"].before, german["recall@5"].after) == (0, 1)
    assert german["mrr"].after == pytest.approx((1 / 3 + 1 / 2) / 2)
    assert [(each.id, each.before, each.after) for each in found.won] == [("b1", None, 3), ("b2", 7, 2)]
    assert [(each.id, each.before, each.after) for each in found.lost] == [("a2", 2, 8)]
    assert "c" not in found.slices["lang"]
    assert json.loads(json.dumps(found.as_json()))["before"] == "t@1"


def test_questions_that_are_left_out_count_for_nothing() -> None:
    found = compare(
        measured("a", {"a1": 1}), measured("b", {"a1": None}), without={"a1"}, metrics=("recall@5",)
    )
    assert found.recall is None
    assert found.lost == ()


def test_the_interval_is_that_of_the_normal_approximation_for_many_questions() -> None:
    changes = np.random.default_rng(3).choice([-1.0, 0.0, 0.0, 1.0], size=400)
    low, high = interval(changes.tolist(), [1.0] * 400)
    error = changes.std() / 20
    assert low == pytest.approx(changes.mean() - 1.96 * error, abs=0.01)
    assert high == pytest.approx(changes.mean() + 1.96 * error, abs=0.01)


@given(st.lists(st.tuples(st.sampled_from([-1.0, 0.0, 1.0]), st.floats(0.1, 10)), min_size=1, max_size=30))
def test_the_interval_lies_within_the_values_and_is_the_same_each_time(
    rows: list[tuple[float, float]],
) -> None:
    changes, weights = [change for change, _ in rows], [weight for _, weight in rows]
    low, high = interval(changes, weights)
    assert min(changes) - 1e-9 <= low <= high <= max(changes) + 1e-9
    assert (low, high) == interval(changes, weights)


def test_the_sign_test_counts_coins() -> None:
    assert sign_test(0, 5) == 1 / 32
    assert sign_test(3, 0) == 1
    assert sign_test(0, 0) == 1
