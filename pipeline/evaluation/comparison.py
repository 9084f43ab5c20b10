"""Two builds asked the same questions: what one gains on the other, with an interval, and on which questions."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import comb
from typing import Any, Final

import numpy as np

from pipeline.evaluation.evaluate import RECALL, Evaluation
from pipeline.evaluation.metrics import METRICS, Judgement

OVERALL: Final = "overall"
SAMPLES: Final = 4000
_LEVEL: Final = 0.95
_SEED: Final = 7


@dataclass(frozen=True)
class Difference:
    """A metric of both builds over the questions that both were asked.

    Attributes:
        questions: how many.
        before: weighted mean of the first build, 0 to 1.
        after: weighted mean of the second.
        change: after minus before.
        low: lower end of the 95 % interval of the change.
        high: its upper end.
        won: questions on which the second build is better.
        lost: questions on which it is worse.
    """

    questions: int
    before: float
    after: float
    change: float
    low: float
    high: float
    won: int
    lost: int


@dataclass(frozen=True)
class Moved:
    """A question that the two builds answer differently: the rank of its answer in each, None where it was not found."""

    id: str
    query: str
    before: int | None
    after: int | None


@dataclass(frozen=True)
class Comparison:
    """The second build against the first.

    Attributes:
        before: name of the first build.
        after: name of the second.
        slices: "overall" and each slice of the evaluation → value → metric → difference.
        won: questions whose answer stands higher in the second build.
        lost: those whose answer stands lower, or is gone.
    """

    before: str
    after: str
    slices: Mapping[str, Mapping[str, Mapping[str, Difference]]]
    won: tuple[Moved, ...]
    lost: tuple[Moved, ...]

    @property
    def recall(self) -> Difference | None:
        """recall@5 over all common questions; None when there are none."""
        return self.slices[OVERALL].get(OVERALL, {}).get(RECALL)

    def as_json(self) -> dict[str, Any]:
        """Plain dictionaries, lists and numbers, as `kesit eval --compare --json` prints them."""
        return asdict(self)


Pair = tuple[Judgement, Judgement]


def compare(
    before: Evaluation,
    after: Evaluation,
    *,
    without: Collection[str] = (),
    metrics: Sequence[str] = METRICS,
) -> Comparison:
    """Compare two builds on the questions with gold that both were asked.

    Args:
        before: measures of the first build.
        after: measures of the second, whose slices are used.
        without: ids of questions that are left out.
        metrics: which metrics.
    """
    earlier = {judged.question: judged for judged in before.judgements if judged.values}
    pairs = {
        judged.question.id: (earlier[judged.question], judged)
        for judged in after.judgements
        if judged.values and judged.question in earlier and judged.question.id not in without
    }
    members = {OVERALL: {OVERALL: frozenset(pairs)}, **after.members}
    slices = {
        name: {
            value: {
                metric: _difference([pairs[each] for each in sorted(chosen)], metric) for metric in metrics
            }
            for value, ids in values.items()
            if (chosen := ids & pairs.keys())
        }
        for name, values in members.items()
    }
    moved = list(_moved(pairs.values()))
    return Comparison(
        before=before.build,
        after=after.build,
        slices=slices,
        won=tuple(each for each in moved if _rank(each.after) < _rank(each.before)),
        lost=tuple(each for each in moved if _rank(each.after) > _rank(each.before)),
    )


def interval(changes: Sequence[float], weights: Sequence[float]) -> tuple[float, float]:
    """95 % interval of a weighted mean by the bootstrap: percentiles of the mean over questions drawn with replacement.

    Deterministic. Of one value the interval is that value. (Efron, Tibshirani: An Introduction to the Bootstrap, 1993, ch. 13.)

    Args:
        changes: one per question.
        weights: positive, of the same length; at least one.
    """
    values, weight = np.asarray(changes, np.float64), np.asarray(weights, np.float64)
    drawn = np.random.default_rng(_SEED).integers(0, values.size, (SAMPLES, values.size))
    means = (values * weight)[drawn].sum(axis=1) / weight[drawn].sum(axis=1)
    low, high = np.quantile(means, ((1 - _LEVEL) / 2, (1 + _LEVEL) / 2))
    return float(low), float(high)


def sign_test(won: int, lost: int) -> float:
    """Probability (0 to 1) of at least so many losses among won + lost fair coin tosses; 1 when there are none."""
    total = won + lost
    return sum(comb(total, losses) for losses in range(lost, total + 1)) / 2**total


def _difference(pairs: Sequence[Pair], metric: str) -> Difference:
    weights = [old.question.weight for old, _ in pairs]
    olds = [old.values[metric] for old, _ in pairs]
    news = [new.values[metric] for _, new in pairs]
    changes = [new - old for old, new in zip(olds, news, strict=True)]
    before, after, change = (float(np.average(values, weights=weights)) for values in (olds, news, changes))
    low, high = interval(changes, weights)
    return Difference(
        questions=len(pairs),
        before=before,
        after=after,
        change=change,
        low=low,
        high=high,
        won=sum(change > 0 for change in changes),
        lost=sum(change < 0 for change in changes),
    )


def _moved(pairs: Collection[Pair]) -> Iterator[Moved]:
    for old, new in sorted(pairs, key=lambda pair: pair[0].question.id):
        question = old.question
        yield Moved(question.id, question.query.text, old.rank, new.rank)


def _rank(rank: int | None) -> float:
    return float("inf") if rank is None else rank
