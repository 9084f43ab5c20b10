"""Evaluation of one build with gold questions."""

import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

import polars as pl

from pipeline.config import EvaluationConfig
from pipeline.evaluation.metrics import Access, Judgement, judge, means
from pipeline.evaluation.questions import Question
from pipeline.retrieval.answer import Answer
from pipeline.retrieval.query import Query
from pipeline.tables import columns as c

# Raise it when the same answers are judged otherwise: every build is then judged anew.
CODE_VERSION: Final = "3"
_NO_CLASS: Final = "unknown"  # of a passage whose document is not there
RECALL: Final = "recall@5"

Metrics = Mapping[str, float | None]


class Searches(Protocol):
    """What an evaluation asks of a searcher."""

    @property
    def build(self) -> str:
        """Name of the build that answers."""
        ...

    def search_many(self, queries: Sequence[Query], /) -> list[Answer]:
        """The answers, in the order of the questions."""
        ...


@dataclass(frozen=True)
class Evaluation:
    """The measures of one build.

    Attributes:
        overall: each metric (0 to 1, weighted by the questions; None: no question has gold), and "leaks", a count.
        slices: "lang", "pair" (question>quote), "kind", "class", "tabular" → value → metrics with "questions".
        judgements: the answer to each question, for comparison and to read.
        members: ids of the questions of each slice, in the same order.
        absent: why no gold passage of a question can be found, by its id: the estate does not hold it.
    """

    build: str
    questions: int
    overall: Metrics
    slices: Mapping[str, Mapping[str, Metrics]]
    judgements: tuple[Judgement, ...]
    members: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict[str, Any])
    absent: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def failures(self) -> tuple[Judgement, ...]:
        """Questions with gold but no relevant result among five, and those that leaked."""
        return tuple(
            judged for judged in self.judgements if judged.leaks or judged.values.get(RECALL, 1.0) == 0
        )

    def as_json(self) -> dict[str, Any]:
        """The evaluation as `kesit eval --json` prints it."""
        return {
            "build": self.build,
            "questions": self.questions,
            "overall": _rounded(self.overall),
            "slices": {
                name: {value: _rounded(metrics) for value, metrics in values.items()}
                for name, values in self.slices.items()
            },
            "failures": [_failure(judged, self.absent.get(judged.question.id)) for judged in self.failures],
        }


def evaluate(
    searcher: Searches,
    questions: Sequence[Question],
    config: EvaluationConfig,
    documents: pl.DataFrame,
) -> Evaluation:
    """Ask every question, as its asker and on its day, and judge the answers.

    Args:
        searcher: answers from the build to be measured.
        questions: gold questions; with none the metrics are None.
        config: `k`, the number of results asked for.
        documents: every document of the estate, with doc_id, collection, uri, external_id, document_class and
            acl_groups. Leaks are counted against it, not only against the index itself, and the class of a question is
            known even when its document is not found.
    """
    answers = searcher.search_many([replace(question.query, k=config.k) for question in questions])
    access = _access(documents)
    judgements = tuple(
        judge(question, answer.results, access) for question, answer in zip(questions, answers, strict=True)
    )
    overall = means(judgements)
    del overall["questions"]
    groups = _slices(judgements, documents)
    return Evaluation(
        build=searcher.build,
        questions=len(questions),
        overall=overall,
        slices={
            name: {value: means(members) for value, members in sorted(values.items())}
            for name, values in groups.items()
        },
        judgements=judgements,
        members={
            name: {
                value: frozenset(judged.question.id for judged in members)
                for value, members in sorted(values.items())
            }
            for name, values in groups.items()
        },
    )


def _access(documents: pl.DataFrame) -> Access:
    """Groups of each document; of several rows of a document only what all of them allow."""
    access: dict[str, frozenset[str]] = {}
    for doc_id, groups in documents.select(c.DOC_ID, c.ACL_GROUPS).iter_rows():
        access[doc_id] = access.get(doc_id, frozenset(groups or ())) & frozenset(groups or ())
    return access


def _slices(
    judgements: Sequence[Judgement], documents: pl.DataFrame
) -> dict[str, dict[str, list[Judgement]]]:
    languages = _quote_languages(judgements)
    classes = _classes(judgements, documents)
    groups: dict[str, dict[str, list[Judgement]]] = {
        name: defaultdict(list) for name in ("lang", "pair", "kind", "class", "tabular")
    }
    for judged, quoted, document_class in zip(judgements, languages, classes, strict=True):
        question = judged.question
        groups["lang"][question.lang].append(judged)
        groups["pair"][f"{question.lang}>{quoted}"].append(judged)
        groups["kind"][question.kind].append(judged)
        groups["class"][document_class].append(judged)
        groups["tabular"]["yes" if question.tabular else "no"].append(judged)
    return groups


def _quote_languages(judgements: Sequence[Judgement]) -> list[str]:
    """Language of each question's first quote; "none" without gold."""
    from pipeline.language.detection import detect

    quoted = iter(detect([judged.question.gold[0].quote for judged in judgements if judged.question.gold]))
    return [next(quoted) if judged.question.gold else "none" for judged in judgements]


def _classes(judgements: Sequence[Judgement], documents: pl.DataFrame) -> list[str]:
    """Document class of each question's first gold (or forbidden) passage."""
    passages = [(judged.question.gold or judged.question.forbidden)[0] for judged in judgements]
    # The ends of paths by which a document may be called, so that each passage is one look-up.
    by_name: dict[str, str] = {}
    addresses = documents.sort(c.DOC_ID).select(c.COLLECTION, c.URI, c.EXTERNAL_ID, c.DOCUMENT_CLASS)
    for collection, uri, external_id, document_class in addresses.iter_rows():
        for path in (uri, external_id):
            parts = unicodedata.normalize("NFC", f"{collection}/{path}").split("/")
            for name in ("/".join(parts[at:]) for at in range(len(parts))):
                by_name.setdefault(name, document_class)
    return [by_name.get(passage.address, _NO_CLASS) for passage in passages]


def _failure(judged: Judgement, absent: str | None) -> dict[str, Any]:
    question = judged.question
    failure: dict[str, Any] = {
        "id": question.id,
        "query": question.query.text,
        "expected": [{"document": gold.document, "quote": gold.quote} for gold in question.gold],
        "got": [
            {
                "uri": result.uri,
                "section_path": list(result.section_path),
                "pages": list(result.pages),
                "covered": round(share, 3),
            }
            for result, share in list(zip(judged.results, judged.covered, strict=True))[:5]
        ],
    }
    failure |= {"absent": absent} if absent else {}
    return failure | ({"leaks": list(judged.leaks)} if judged.leaks else {})


def _rounded(metrics: Metrics) -> dict[str, float | None]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in metrics.items()}
