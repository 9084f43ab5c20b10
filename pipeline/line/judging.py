"""Judging a build with the gold questions, and keeping what was found with the build."""

from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from pipeline.config import ConfigError
from pipeline.line.searching import find_build, searcher_for
from pipeline.line.workspace import Workspace
from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from pipeline.tables.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.evaluation.comparison import Comparison
    from pipeline.evaluation.evaluate import Evaluation
    from pipeline.evaluation.questions import Question
    from pipeline.index.pointer import Build, Pointer


def questions_of(workspace: Workspace, path: Path | None = None) -> tuple["Question", ...]:
    """The questions in `path`, else those of the configuration; none when it names none.

    Raises:
        QuestionError: the file is missing or wrong.
    """
    from pipeline.evaluation.questions import load_questions

    if path is not None:
        return load_questions(path)
    configured = workspace.config.evaluation.questions
    return load_questions(workspace.config.resolve(configured)) if configured else ()


def evaluate_live(workspace: Workspace, path: Path | None = None) -> "Evaluation":
    """Measure the live index with the questions in `path`, else with those of the configuration.

    Raises:
        ConfigError: there are no questions.
        NoIndexYetError: nothing has gone live.
    """
    from pipeline.evaluation.absent import absent
    from pipeline.evaluation.evaluate import evaluate
    from pipeline.index.pointer import read_pointer

    questions = _some_questions(workspace, path)
    build = read_pointer(workspace.index_root).current
    documents = workspace.read(s.DOCUMENTS)
    measured = evaluate(searcher_for(workspace, build), questions, workspace.config.evaluation, documents)
    sections = workspace.read(s.SECTIONS, [c.DOC_ID, c.ORDINAL, c.TEXT])
    missed = [judged.question for judged in measured.failures]
    return replace(measured, absent=absent(missed, documents, sections))


def compare_builds(workspace: Workspace, before: str, after: str, path: Path | None = None) -> "Comparison":
    """Ask two builds the same questions: those in `path`, else those of the configuration.

    Args:
        workspace: whose index.
        before: `table@version`, as `kesit builds` shows it, or a state that one build has: `live`, `candidate`.
        after: the same for the build that is compared with it.
        path: a file of gold questions.

    Raises:
        ConfigError: there are no questions, or no such build.
        IndexMissingError: a build is no longer there.
    """
    from pipeline.evaluation.comparison import compare
    from pipeline.evaluation.evaluate import evaluate

    builds = [find_build(workspace, name) for name in (before, after)]
    questions = _some_questions(workspace, path)
    documents = workspace.read(s.DOCUMENTS)
    settings = workspace.config.evaluation
    first, second = (
        evaluate(searcher_for(workspace, build), questions, settings, documents) for build in builds
    )
    return compare(first, second)


def _some_questions(workspace: Workspace, path: Path | None) -> tuple["Question", ...]:
    questions = questions_of(workspace, path)
    if not questions:
        raise ConfigError(
            f"{path}: holds no gold question"
            if path
            else "evaluation.questions: no gold questions are configured; give a file with --questions"
        )
    return questions


def newest_judged(workspace: Workspace) -> bool:
    """Whether the newest build was judged with today's questions and rules."""
    from pipeline.index.pointer import newest_build

    return judged(newest_build(workspace.index_root), workspace)


def judged(build: "Build | None", workspace: Workspace) -> bool:
    """Whether there is a build, and it was judged with today's questions and rules."""
    return build is not None and (build.evaluation or {}).get("inputs") == _inputs(workspace)


def judge(workspace: Workspace) -> "Build":
    """Judge the candidate against the live build; without a candidate, measure the live build if the rules changed.

    What was found is kept with the build, so that a build is judged once for the same questions and rules.

    Raises:
        NoIndexYetError: there is neither.
        QuestionError: the questions cannot be read.
    """
    from pipeline.index.pointer import (
        find_pointer,
        keep_evaluation,
        read_candidate,
        read_pointer,
        write_candidate,
    )

    root = workspace.index_root
    candidate = read_candidate(root)
    build = candidate or read_pointer(root).current
    if judged(build, workspace):
        return build
    if candidate:
        pointer = find_pointer(root)
        build = judge_against(workspace, candidate, pointer.current if pointer else None)
        write_candidate(root, build)
        return build
    build = judge_against(workspace, build, None)
    again = {"promote": True, "reason": "is live; measured anew, because questions or rules changed"}
    build = build.model_copy(update={"evaluation": (build.evaluation or {}) | again})
    keep_evaluation(root, build)
    return build


def judge_against(workspace: Workspace, build: "Build", other: "Build | None") -> "Build":
    """The build with its evaluation: whether it may take the place of the other one, and why. Writes nothing.

    Args:
        workspace: whose questions, rules and documents.
        build: it is measured.
        other: what is live, if anything is; it is measured only where that is needed.

    Raises:
        QuestionError: the questions cannot be read.
    """
    from pipeline.evaluation.evaluate import evaluate
    from pipeline.evaluation.verdict import verdict

    settings = workspace.config.evaluation
    questions = questions_of(workspace)
    if other and _answers_like(workspace, build, other, questions):
        return build.model_copy(update={"evaluation": _handed_on(other) | {"build": build.name}})
    documents = workspace.read(s.DOCUMENTS)
    measured = evaluate(searcher_for(workspace, build), questions, settings, documents)
    live, gone = None, frozenset[str]()
    if other and other.name != build.name:
        live = _as_judged(workspace, other, questions)
        if live is None or _loses(measured, live):
            live = _asked_today(workspace, other, questions, live, measured)
            gone = _withdrawn(workspace, other, questions) if live else gone
    decision = verdict(measured, live, settings, gone)
    evaluation: dict[str, Any] = {
        "inputs": _inputs(workspace),
        "build": build.name,
        "day": _today(workspace).isoformat(),
        "promote": decision.promote,
        "reason": decision.reason,
        "questions": measured.questions,
        "withdrawn": sorted(gone),
        "ranks": {each.question.id: each.rank for each in measured.judgements if each.values},
        **_against(decision.comparison),
        **measured.overall,
        "by_language": {name: dict(values) for name, values in measured.slices["lang"].items()},
        "by_kind": {name: dict(values) for name, values in measured.slices["kind"].items()},
    }
    return build.model_copy(update={"evaluation": evaluation})


def _answers_like(
    workspace: Workspace, candidate: "Build", live: "Build", questions: tuple["Question", ...]
) -> bool:
    """Whether a candidate must answer as the live build did when it was judged by these questions and rules.

    It must when the rows are the same, but for addresses of documents that no question calls by them.
    """
    from pipeline.index.alike import renamed_only

    kept = live.evaluation or {}
    if not questions or kept.get("leaks") or not _stands(workspace, live):
        return False
    renamed = renamed_only(workspace.index_root, live, candidate)
    return renamed is not None and not any(
        passage.names(each.collection, each.before, each.external_id)
        != passage.names(each.collection, each.after, each.external_id)
        for each in renamed
        for question in questions
        for passage in (*question.gold, *question.forbidden)
    )


def _handed_on(live: "Build") -> dict[str, Any]:
    """The evaluation of a build that answers like the live one, which was asked."""
    kept = live.evaluation or {}
    compared = ("against", "change", "won", "lost")
    return {key: value for key, value in kept.items() if key not in compared} | {
        "promote": True,
        "reason": f"goes live: it answers as the live build, {live.name}, did when that was judged; no row of it differs in"
        " more than an address",
        "withdrawn": [],
    }


def _against(comparison: "Comparison | None") -> dict[str, Any]:
    """What a build keeps of its comparison with the build that was live."""
    if comparison is None or comparison.recall is None:
        return {}
    return {
        "against": comparison.before,
        "change": asdict(comparison.recall),
        "won": [each.id for each in comparison.won],
        "lost": [each.id for each in comparison.lost],
    }


def kept_back(candidate: "Build", pointer: "Pointer | None") -> str:
    """Why a judged candidate does not go live, in a sentence; "" when it does."""
    evaluation = candidate.evaluation or {}
    if not evaluation.get("promote", False):
        return str(evaluation.get("reason", "it was not judged"))
    if pointer is not None and pointer.holds(candidate):
        return "stays back: a person went back from this build; `kesit rollback` to it makes it live again"
    return ""


def _as_judged(workspace: Workspace, live: "Build", questions: tuple["Question", ...]) -> "Evaluation | None":
    """The live build as it was measured when it was judged, by these questions and rules; None: it was not."""
    from pipeline.evaluation.evaluate import RECALL, Evaluation
    from pipeline.evaluation.metrics import Judgement

    kept = live.evaluation or {}
    ranks: Mapping[str, int | None] = kept.get("ranks", {})
    same = set(ranks) == {each.id for each in questions if each.gold}
    if not (same and _stands(workspace, live)) or _days_turned(workspace, live):
        return None
    found = ((question, ranks[question.id]) for question in questions if question.gold)
    judgements = tuple(
        Judgement(question, (), {RECALL: float(_among_five(rank))}, (), (), rank) for question, rank in found
    )
    return Evaluation(live.name, len(questions), overall={}, slices={}, judgements=judgements, members={})


def _stands(workspace: Workspace, live: "Build") -> bool:
    """Whether the live build was judged by these questions and rules, and as it is now: a deletion, or other access, makes a version of it."""
    kept = live.evaluation or {}
    return kept.get("inputs") == _inputs(workspace) and kept.get("build") == live.name


def _days_turned(workspace: Workspace, live: "Build") -> bool:
    """Whether a document of the live build has come into force, or ceased to be, since it was judged; also when that is not known."""
    from pipeline.index.errors import IndexMissingError
    from pipeline.index.reader import open_build
    from pipeline.index.tables import read_columns

    then, today = date.fromisoformat((live.evaluation or {})["day"]), _today(workspace)
    if then == today:
        return False
    try:
        days = read_columns(open_build(workspace.index_root, live).table, (c.VALID_FROM, c.VALID_TO))
    except IndexMissingError:
        return True
    begun = pl.col(c.VALID_FROM).is_between(then, today, closed="right")
    ended = pl.col(c.VALID_TO).is_between(then, today)
    return not days.filter(begun | ended).is_empty()


def _today(workspace: Workspace) -> date:
    """The day on which a question without a day is asked: that of this machine."""
    return workspace.now().astimezone().date()


def _loses(candidate: "Evaluation", live: "Evaluation") -> bool:
    """Whether a question that the live build answered within five results is not answered so by the candidate.

    Only then the live build is asked, too: what it would answer today (another day, other documents) decides whether that is
    a loss. A candidate that loses nothing needs no such proof.
    """
    ranks = {each.question.id: each.rank for each in candidate.judgements}
    return any(
        _among_five(each.rank) and not _among_five(ranks[each.question.id]) for each in live.judgements
    )


def _among_five(rank: int | None) -> bool:
    return rank is not None and rank <= 5


def _asked_today(
    workspace: Workspace,
    live: "Build",
    questions: tuple["Question", ...],
    known: "Evaluation | None",
    candidate: "Evaluation",
) -> "Evaluation | None":
    """The live build asked once more, or None when it is no longer there.

    It is asked where it was found to do better or worse than the candidate: what it would answer today may be neither. Where
    nothing is known of it, it is asked everything. What is known stands when its encoders are gone, or have other weights.
    """
    from pipeline.embedding.sources import EncoderError
    from pipeline.evaluation.evaluate import evaluate
    from pipeline.index.errors import IndexMissingError
    from pipeline.retrieval.search import IndexMismatchError

    if known is not None:
        ranks = {each.question.id: each.rank for each in candidate.judgements}
        questions = tuple(
            each.question
            for each in known.judgements
            if _among_five(each.rank) != _among_five(ranks[each.question.id])
        )
    try:
        searcher = searcher_for(workspace, live)
    except IndexMissingError:
        return None
    except (EncoderError, IndexMismatchError):
        return known
    asked = evaluate(searcher, questions, workspace.config.evaluation, workspace.read(s.DOCUMENTS))
    if known is None:
        return asked
    today = {each.question: each for each in asked.judgements}
    return replace(known, judgements=tuple(today.get(each.question, each) for each in known.judgements))


def _withdrawn(workspace: Workspace, live: "Build", questions: tuple["Question", ...]) -> frozenset[str]:
    """Questions whose answer was taken out of the estate since the live build."""
    from pipeline.evaluation.withdrawn import withdrawn
    from pipeline.index.reader import open_build
    from pipeline.index.rows import dated
    from pipeline.index.tables import read_columns

    held = read_columns(open_build(workspace.index_root, live).table, c.VERSION_KEY).unique()
    built = {key: frozenset(ids) for key, ids in held.group_by(c.DOC_ID).agg(c.VERSION_ID).iter_rows()}
    sections = workspace.read(s.SECTIONS, [c.DOC_ID, c.ORDINAL, c.TEXT])
    chunks = workspace.read(s.CHUNKS, [*c.VERSION_KEY, c.DATE_READ])
    documents = dated(workspace.read(s.DOCUMENTS), chunks, workspace.dating)
    return withdrawn(questions, documents, sections, built, _today(workspace))


def rules_fingerprint(workspace: Workspace) -> str:
    """Hash of the rules of judging and of the way of searching, and of the code behind both."""
    from pipeline.evaluation.evaluate import CODE_VERSION as EVALUATION
    from pipeline.language.version import language_version
    from pipeline.retrieval.search import CODE_VERSION as RETRIEVAL

    config = workspace.config
    rules = (
        config.evaluation.model_dump_json(),
        config.retrieval.model_dump_json(),
        workspace.glossary.fingerprint,
    )
    return fingerprint(EVALUATION, RETRIEVAL, language_version(), *rules)


def _inputs(workspace: Workspace) -> str:
    """Hash of the rules and the questions."""
    content = b""
    if workspace.config.evaluation.questions:
        try:
            content = Path(workspace.config.resolve(workspace.config.evaluation.questions)).read_bytes()
        except OSError:
            content = b"unreadable"  # judging then says what is wrong
    return fingerprint(rules_fingerprint(workspace), content)
