"""The verdict: whether a candidate goes live, and why, in a sentence."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.config import EvaluationConfig
from pipeline.evaluation.comparison import Comparison, Difference, compare, sign_test
from pipeline.evaluation.evaluate import RECALL, Evaluation

# Below this number of common questions a mean says little, and only clear losses count.
PAIRED_FROM: Final = 20
CHANCE: Final = 0.05  # probability up to which so many losses are not taken for chance
_SHOWN: Final = 5  # questions that are named
# Slices whose losses are looked at; the others cut the same questions another way.
_WATCHED: Final = ("lang", "kind", "class")


@dataclass(frozen=True)
class Verdict:
    """Whether a candidate goes live, and why, in a sentence; what it was compared by, if there was a live build."""

    promote: bool
    reason: str
    comparison: Comparison | None = None


def verdict(
    candidate: Evaluation,
    live: Evaluation | None,
    config: EvaluationConfig,
    withdrawn: Collection[str] = (),
) -> Verdict:
    """Decide whether the candidate goes live.

    In this order: without questions it does, unjudged. With a leak it does not, nor below a floor: `min_recall_at_5`, or
    that of a slice (`floors`). Without a live build that can be asked it does. Else the questions that both were asked
    decide: the candidate stays back when it loses more than `max_recall_loss` of recall@5, and, of fewer than 20
    questions, only when so many losses are no chance either (one-sided sign test, 5 %). It also stays back when it loses
    more than `max_slice_loss` in a language, kind or class of question and that is no chance (95 % interval below zero; of
    fewer than 20 questions the sign test). A changed set of questions needs no rule: both builds are asked the new set.

    Args:
        candidate: measures of the build that wants to go live.
        live: measures of the build that is live, with the same questions; None: there is none that can be asked.
        config: floors and losses.
        withdrawn: ids of questions whose answer was taken out of the estate (`withdrawn.py`): not compared.
    """
    if candidate.questions == 0:
        return Verdict(promote=True, reason="goes live unjudged: there are no gold questions")
    leaking = [judged.question.id for judged in candidate.judgements if judged.leaks]
    if leaking:
        return Verdict(
            promote=False,
            reason=f"stays back: {_count(len(leaking), 'question')} showed what the asker may not see ({_named(leaking)})",
        )
    recall = candidate.overall[RECALL]
    if recall is None:
        return Verdict(
            promote=True, reason="goes live: nothing leaked, and no question has gold to measure recall by"
        )
    measured = f"recall@5 {recall:.3f} of {_asked(candidate)}"
    comparison = compare(live, candidate, without=withdrawn, metrics=(RECALL,)) if live is not None else None
    below = next(_below_floors(candidate, config), None)
    if below is not None:
        return Verdict(promote=False, reason=f"stays back: {below}", comparison=comparison)
    if comparison is None:
        return Verdict(promote=True, reason=f"goes live, with no build to compare it with: {measured}")
    return _compared(comparison, config, measured)


def _asked(candidate: Evaluation) -> str:
    """How many questions recall is the mean of, and how many have no gold and only look for leaks."""
    measured = sum(bool(judged.values) for judged in candidate.judgements)
    checks = candidate.questions - measured
    return _count(measured, "question") + (f" (and {_count(checks, 'leak check')})" if checks else "")


def _below_floors(candidate: Evaluation, config: EvaluationConfig) -> Iterator[str]:
    """What is below its floor, in words. A floor of a slice that no question is of is not reached."""
    floors = {"": config.min_recall_at_5, **config.floors}
    for name, floor in floors.items():
        part, _, value = name.partition("=")
        metrics = candidate.slices.get(part, {}).get(value, {}) if name else candidate.overall
        recall = metrics.get(RECALL)
        where = f" for {name}" if name else ""
        if recall is None:
            yield f"evaluation.floors has a floor{where}, and no question with gold is of that slice"
        elif recall < floor:
            asked = _count(int(metrics["questions"] or 0), "question") if name else _asked(candidate)
            yield f"recall@5{where} {recall:.3f} of {asked} is below the floor {floor:.3f}"


def _compared(comparison: Comparison, config: EvaluationConfig, measured: str) -> Verdict:
    recall = comparison.recall
    if recall is None:
        reason = f"goes live: {measured}; it has no question in common with the live build"
        return Verdict(promote=True, reason=reason, comparison=comparison)
    lost = _lost(comparison)
    against = (
        f"{measured}; against the live build {recall.change:+.3f} [{recall.low:+.3f}, {recall.high:+.3f}]"
        f" on {_count(recall.questions, 'question')},"
        f" {recall.won} won and {recall.lost} lost{f' ({_named(lost)})' if lost else ''}"
    )
    few = recall.questions < PAIRED_FROM and sign_test(recall.won, recall.lost) > CHANCE
    if -recall.change > config.max_recall_loss and not few:
        reason = f"stays back: {against}; {config.max_recall_loss:.3f} may be lost"
        return Verdict(promote=False, reason=reason, comparison=comparison)
    for name in _WATCHED:
        for value, metrics in comparison.slices.get(name, {}).items():
            part = metrics[RECALL]
            if -part.change > config.max_slice_loss and _clear(part):
                reason = (
                    f"stays back: {against}; for {name}={value} {part.change:+.3f} on"
                    f" {_count(part.questions, 'question')}, and {config.max_slice_loss:.3f} may be lost in a slice"
                )
                return Verdict(promote=False, reason=reason, comparison=comparison)
    loses = -recall.change > config.max_recall_loss
    ending = "; too few questions to call that a loss" if loses else ""
    return Verdict(promote=True, reason=f"goes live: {against}{ending}", comparison=comparison)


def _clear(part: Difference) -> bool:
    """Whether a loss is no chance."""
    if part.questions < PAIRED_FROM:
        return sign_test(part.won, part.lost) <= CHANCE
    return part.high < 0


def _lost(comparison: Comparison) -> list[str]:
    """Questions whose answer left the first five."""
    return [each.id for each in comparison.lost if (each.before or 6) <= 5 and (each.after or 6) > 5]


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _named(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_SHOWN]) + (f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else "")
