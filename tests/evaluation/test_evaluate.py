import json
from datetime import date
from typing import Any

import polars as pl
import pytest

from pipeline.config import EvaluationConfig, RetrievalConfig
from pipeline.evaluation.evaluate import evaluate
from pipeline.evaluation.metrics import METRICS
from pipeline.evaluation.questions import Gold, Question
from pipeline.evaluation.verdict import verdict
from pipeline.retrieval.query import Query
from pipeline.retrieval.search import Searcher

CONFIG = EvaluationConfig(max_recall_loss=0.02)
DOCUMENTS = pl.DataFrame(
    {
        "doc_id": ["d-leave", "d-pay", "d-old"],
        "collection": ["hr", "hr", "hr"],
        "uri": ["a/leave.md", "pay.md", "a/old.md"],
        "external_id": ["L1", "pay.md", "old"],
        "document_class": ["policy", "memo", "policy"],
        "acl_groups": [["public"], ["board"], ["public"]],
    }
)
ROWS = [
    {"chunk_id": "leave", "doc_id": "d-leave", "collection": "hr", "uri": "a/leave.md", "external_id": "L1",
     "document_class": "policy", "text": "The annual leave of every employee is thirty days.", "valid_from": date(2025, 1, 1)},
    {"chunk_id": "old", "doc_id": "d-old", "collection": "hr", "uri": "a/old.md", "external_id": "old",
     "document_class": "policy", "text": "The annual leave of every employee is twenty days.", "valid_to": date(2025, 1, 1)},
    {"chunk_id": "pay", "doc_id": "d-pay", "collection": "hr", "uri": "pay.md", "document_class": "memo",
     "text": "The salary of the chief executive is secret.", "acl_groups": ["board"]},
]  # fmt: skip
QUESTIONS = (
    Question("new", Query("How many days of annual leave?", as_of=date(2026, 1, 1)), (Gold("leave.md", "is thirty days"),),
             lang="en", kind="fact"),
    Question("old", Query("How many days of annual leave?", as_of=date(2020, 1, 1)), (Gold("hr/a/old.md", "is twenty days"),),
             lang="en", kind="as_of", weight=2),
    Question("pay", Query("Wie hoch ist die salary des chief executive?", groups=("board",)), (Gold("pay.md", "salary of the chief executive"),),
             lang="de", kind="fact"),
    Question("denied", Query("What is the salary of the chief executive?"), (), (Gold("pay.md", ""),), lang="en", kind="access"),
)  # fmt: skip


@pytest.fixture
def searcher(make_table: Any, encoder: Any) -> Searcher:
    return Searcher(
        make_table(ROWS),
        {"words": encoder},
        RetrievalConfig(),
        build="rows@1",
        today=lambda: date(2026, 6, 1),
    )


def test_a_real_index_is_measured_overall_and_by_slice(searcher: Searcher) -> None:
    measured = evaluate(searcher, QUESTIONS, CONFIG, DOCUMENTS)
    printed = json.loads(json.dumps(measured.as_json()))
    assert list(printed) == ["build", "questions", "overall", "slices", "failures"]
    assert (printed["build"], printed["questions"], printed["failures"]) == ("rows@1", 4, [])
    assert list(printed["overall"]) == [*METRICS, "leaks"]
    assert (printed["overall"]["recall@1"], printed["overall"]["leaks"]) == (1, 0)
    slices = {
        name: {value: cell["questions"] for value, cell in cells.items()}
        for name, cells in printed["slices"].items()
    }
    assert slices == {
        "lang": {"de": 1, "en": 3},
        "pair": {"de>en": 1, "en>en": 2, "en>none": 1},
        "kind": {"access": 1, "as_of": 1, "fact": 2},
        "class": {"memo": 2, "policy": 2},
        "tabular": {"no": 4},
    }


def test_a_question_that_finds_nothing_is_a_failure_with_what_it_got(searcher: Searcher) -> None:
    missing = Question(
        "x", Query("annual leave"), (Gold("leave.md", "every employee is ninety days"),), weight=4
    )
    measured = evaluate(searcher, [*QUESTIONS, missing], CONFIG, DOCUMENTS)
    assert measured.overall["recall@5"] == pytest.approx(4 / 8)
    [failure] = measured.as_json()["failures"]
    assert (failure["id"], failure["query"]) == ("x", "annual leave")
    assert failure["expected"] == [{"document": "leave.md", "quote": "every employee is ninety days"}]
    assert failure["got"][0]["uri"] == "a/leave.md"
    assert 0 < failure["got"][0]["covered"] < 0.95


def test_the_documents_table_finds_a_leak_that_the_index_hides(searcher: Searcher) -> None:
    closed = DOCUMENTS.with_columns(acl_groups=pl.lit(["board"]).cast(pl.List(pl.String)))
    assert evaluate(searcher, QUESTIONS, CONFIG, DOCUMENTS).overall["leaks"] == 0
    measured = evaluate(searcher, QUESTIONS, CONFIG, closed)
    assert measured.overall["leaks"] == 3
    assert {judged.question.id for judged in measured.failures} == {"new", "old", "denied"}
    decided = verdict(measured, None, CONFIG)
    assert not decided.promote
    assert "3 questions showed what the asker may not see (new, old, denied)" in decided.reason


def test_without_questions_nothing_is_measured(searcher: Searcher) -> None:
    measured = evaluate(searcher, [], CONFIG, DOCUMENTS)
    assert measured.overall["recall@5"] is None
    assert verdict(measured, None, CONFIG).promote
    assert "no gold questions" in verdict(measured, measured, CONFIG).reason
