"""The verdict on a candidate, from judgements that are written down."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from pipeline.config import EvaluationConfig
from pipeline.evaluation.evaluate import Evaluation
from pipeline.evaluation.metrics import Judgement
from pipeline.evaluation.questions import Gold, Question
from pipeline.evaluation.verdict import verdict
from pipeline.retrieval.query import Query

CONFIG = EvaluationConfig(max_recall_loss=0.02)


def evaluation(
    recalls: Sequence[float],
    *,
    weights: Sequence[float] | None = None,
    prefix: str = "q",
    langs: dict[str, range] | None = None,
) -> Evaluation:
    judgements = tuple(
        Judgement(
            Question(f"{prefix}{at}", Query("?"), (Gold("d", "q"),), weight=weights[at] if weights else 1.0),
            (), {"recall@5": recall}, (), (), 1 if recall else None,
        )
        for at, recall in enumerate(recalls)
    )  # fmt: skip
    total = sum(judged.question.weight for judged in judgements)
    mean = sum(judged.values["recall@5"] * judged.question.weight for judged in judgements) / total
    members = {
        "lang": {lang: frozenset(f"{prefix}{at}" for at in chosen) for lang, chosen in (langs or {}).items()}
    }
    slices = {
        "lang": {
            lang: {"recall@5": sum(recalls[at] for at in chosen) / len(chosen), "questions": len(chosen)}
            for lang, chosen in (langs or {}).items()
        }
    }
    return Evaluation("b", len(judgements), {"recall@5": mean, "leaks": 0}, slices, judgements, members)


def test_the_first_build_goes_live_above_the_floor_only() -> None:
    measured = evaluation([1, 0, 0, 0])
    assert verdict(measured, None, CONFIG).promote
    decided = verdict(measured, None, EvaluationConfig(min_recall_at_5=0.3))
    assert not decided.promote
    assert "0.250 of 4 questions is below the floor 0.300" in decided.reason


def test_a_question_without_gold_is_a_check_for_leaks_and_not_one_that_recall_is_of() -> None:
    measured = evaluation([1, 1, 0])
    check = Judgement(Question("leak", Query("?"), ()), (), {}, (), (), None)
    measured = replace(measured, questions=4, judgements=(*measured.judgements, check))
    assert verdict(measured, None, CONFIG).reason.endswith("recall@5 0.667 of 3 questions (and 1 leak check)")


def test_the_loss_is_paired_and_weighted() -> None:
    live = evaluation([1.0] * 100)
    assert verdict(evaluation([1.0] * 98 + [0, 0]), live, CONFIG).promote
    decided = verdict(evaluation([1.0] * 97 + [0, 0, 0]), live, CONFIG)
    assert not decided.promote
    assert "-0.030 [-0.070, +0.000] on 100 questions, 0 won and 3 lost (q97, q98, q99)" in decided.reason
    weights = [1.0] * 99 + [10.0]
    heavy = verdict(
        evaluation([1.0] * 99 + [0], weights=weights), evaluation([1.0] * 100, weights=weights), CONFIG
    )
    assert not heavy.promote


def test_of_few_questions_only_a_clear_loss_counts() -> None:
    live = evaluation([1.0] * 10)
    decided = verdict(evaluation([1.0] * 7 + [0] * 3), live, CONFIG)
    assert decided.promote
    assert "too few questions" in decided.reason
    assert not verdict(evaluation([1.0] * 5 + [0] * 5), live, CONFIG).promote


def test_only_questions_that_both_were_asked_are_compared() -> None:
    other = evaluation([1.0] * 30, prefix="other")
    decided = verdict(evaluation([0.0] * 30), other, CONFIG)
    assert decided.promote
    assert "no question in common" in decided.reason
    changed = replace(other, judgements=other.judgements[:0])
    assert verdict(other, changed, CONFIG).promote


def test_a_floor_of_a_slice_keeps_a_build_back() -> None:
    measured = evaluation([1.0] * 15 + [0.0] * 5, langs={"de": range(10), "tr": range(10, 20)})
    config = EvaluationConfig(floors={"lang=de": 0.9, "lang=tr": 0.6})
    decided = verdict(measured, None, config)
    assert not decided.promote
    assert "recall@5 for lang=tr 0.500 of 10 questions is below the floor 0.600" in decided.reason
    missing = verdict(measured, None, EvaluationConfig(floors={"lang=en": 0.1}))
    assert not missing.promote
    assert "for lang=en, and no question with gold is of that slice" in missing.reason


def test_a_clear_loss_in_one_language_is_not_hidden_by_the_others() -> None:
    langs = {"de": range(80), "tr": range(80, 100)}
    live = evaluation([0.0] * 10 + [1.0] * 90, langs=langs)
    candidate = evaluation([1.0] * 90 + [0.0] * 10, langs=langs)
    decided = verdict(candidate, live, CONFIG)
    assert not decided.promote
    assert "for lang=tr -0.500 on 20 questions, and 0.100 may be lost in a slice" in decided.reason
    assert verdict(candidate, live, EvaluationConfig(max_slice_loss=0.5)).promote
    few = {"de": range(98), "tr": range(98, 100)}
    one = evaluation([1.0] * 99 + [0.0], langs=few)
    assert verdict(one, evaluation([1.0] * 100, langs=few), CONFIG).promote


def test_the_reason_carries_an_interval_and_the_comparison() -> None:
    decided = verdict(evaluation([1.0] * 100), evaluation([1.0] * 95 + [0.0] * 5), CONFIG)
    assert decided.comparison is not None
    recall = decided.comparison.recall
    assert recall is not None
    assert (recall.won, recall.lost, recall.change) == (5, 0, pytest.approx(0.05))
    assert 0 < recall.low < 0.05 < recall.high
    assert f"+0.050 [{recall.low:+.3f}, {recall.high:+.3f}] on 100 questions" in decided.reason
