"""Questions are asked only where an answer can have changed: of the candidate, and of the live build where they differ."""

import json
import time
from datetime import UTC, date, datetime, timedelta

import pytest

import pipeline.evaluation.evaluate as evaluating
from pipeline.index.pointer import read_pointer
from pipeline.line.judging import _withdrawn, questions_of
from pipeline.line.policy import keep_policy
from pipeline.line.stage import update
from pipeline.line.stages import DOCUMENTS
from tests.line.projects import Project

WORDS = {"fichte": "Die Fichte steht am Nordhang.", "tanne": "Die Tanne steht am Westhang."}


@pytest.fixture
def project(tmp_path) -> Project:
    project = Project(tmp_path / "p", evaluation={"questions": "questions.jsonl"})
    for name, text in WORDS.items():
        project.write(f"{name}.txt", text)
    questions = (
        {"id": name, "query": text, "gold": [{"document": f"docs/{name}.txt", "quote": text}]}
        for name, text in WORDS.items()
    )
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    (project.folder / "questions.jsonl").write_text(lines, encoding="utf-8")
    return project


@pytest.fixture
def measured(monkeypatch) -> list[tuple[str, int]]:
    """Names of the builds that were asked, and how many questions."""
    asked: list[tuple[str, int]] = []
    evaluate = evaluating.evaluate

    def counted(searcher, questions, *rest):
        asked.append((searcher.build, len(questions)))
        return evaluate(searcher, questions, *rest)

    monkeypatch.setattr(evaluating, "evaluate", counted)
    return asked


def test_a_candidate_that_loses_nothing_is_asked_alone(project, measured):
    project.run()
    first = read_pointer(project.workspace().index_root).current
    assert measured == [(first.name, 2)]
    assert first.evaluation["ranks"] == {"fichte": 1, "tanne": 1}
    project.write("eibe.txt", "Die Eibe steht im Tal.")
    report = project.run()
    second = read_pointer(project.workspace().index_root).current
    assert measured == [(first.name, 2), (second.name, 2)]
    assert report.index["promoted"]
    assert "against the live build +0.000" in report.index["reason"]
    assert second.evaluation["against"] == first.name


def test_what_seems_lost_is_asked_of_the_live_build_too(project, measured):
    project.run()
    first = read_pointer(project.workspace().index_root).current
    project.write("tanne.txt", "Hier stand ein anderer Baum.")
    report = project.run()
    second = read_pointer(project.workspace().index_root).current
    assert measured[1:] == [(second.name, 2), (first.name, 1)]  # the live one where they differ
    assert second.evaluation["withdrawn"] == ["tanne"]  # somebody took the answer out: no build can find it
    assert report.index["promoted"]


def test_a_document_that_no_question_calls_by_its_address_can_be_renamed_unasked(project, measured):
    project.write("eibe.txt", "Die Eibe steht im Tal.", title="Eibe")
    project.run()
    (first,) = measured
    (project.docs / "eibe.txt").rename(project.docs / "taxus.txt")
    (project.docs / "eibe.txt.meta.toml").rename(project.docs / "taxus.txt.meta.toml")
    report = project.run()
    second = read_pointer(project.workspace().index_root).current
    assert measured == [first]
    assert second.name != first[0]
    assert (report.index["updated"], report.index["promoted"]) == (1, True)
    assert report.index["reason"].startswith(f"goes live: it answers as the live build, {first[0]},")
    assert second.evaluation["ranks"] == {"fichte": 1, "tanne": 1}
    assert project.search("Eibe im Tal", k=1)[0].uri == "taxus.txt"
    project.write("eibe.txt", "Die Eibe steht im Wald.")
    project.run()
    assert len(measured) == 2  # what was handed on is compared with, as if it had been asked


def test_a_live_build_that_is_no_longer_what_was_judged_is_asked(project, measured):
    """Access was opened or closed in what is live, so its evaluation is one of another version."""
    project.run()
    project.write("eibe.txt", "Die Eibe steht im Tal.", acl_groups=["hr"])
    project.run()
    asked = len(measured)
    project.write("eibe.txt", "Die Eibe steht im Tal.", acl_groups=["public"])
    workspace = project.workspace()
    update(workspace, DOCUMENTS, "docs.0")
    keep_policy(workspace)
    assert project.run().index["promoted"]
    assert measured[asked:]


def test_what_came_into_force_since_the_live_build_was_judged_is_asked_again(project, measured, monkeypatch):
    now = project.workspace().now()
    tomorrow = now + timedelta(days=1)
    project.write("tanne.txt", WORDS["tanne"], effective_date=tomorrow.astimezone().date())
    project.run()
    first = read_pointer(project.workspace().index_root).current
    assert first.evaluation["ranks"] == {"fichte": 1, "tanne": None}
    monkeypatch.setattr("pipeline.line.workspace.Workspace.now", lambda _self: tomorrow)
    project.write("eibe.txt", "Die Eibe steht im Tal.")
    project.run()
    assert (first.name, 2) in measured[1:]


def test_what_is_in_force_is_a_matter_of_the_day_on_this_machine(project, monkeypatch):
    """As it is to a search: east of Greenwich a morning is still the evening before in UTC."""
    project.write("tanne.txt", WORDS["tanne"], expiry_date=date(2026, 3, 1))
    project.run()
    monkeypatch.setattr(
        "pipeline.line.workspace.Workspace.now", lambda _self: datetime(2026, 3, 1, 22, tzinfo=UTC)
    )
    workspace = project.workspace()
    live, questions = read_pointer(workspace.index_root).current, questions_of(workspace)
    gone = {}
    for zone in ("Etc/GMT-3", "Etc/GMT+3"):  # three hours east, three hours west
        with monkeypatch.context() as patch:
            patch.setenv("TZ", zone)
            time.tzset()
            gone[zone] = _withdrawn(workspace, live, questions)
    time.tzset()
    assert gone == {"Etc/GMT-3": {"tanne"}, "Etc/GMT+3": frozenset()}


def test_a_rename_that_can_change_an_answer_is_asked(project, measured):
    """By its title, which follows from its name, or as the document that a question names."""
    project.write("eibe.txt", "Die Eibe steht im Tal.", title="Eibe")
    project.run()
    (project.docs / "tanne.txt").rename(project.docs / "nordmann.txt")
    project.run()
    assert len(measured) == 2
    for name in ("eibe.txt", "eibe.txt.meta.toml"):
        (project.docs / name).rename(project.docs / name.replace("eibe", "tanne"))
    project.run()
    assert len(measured) == 3


def test_other_questions_are_asked_of_both(project, measured):
    project.run()
    questions = project.folder / "questions.jsonl"
    questions.write_text(questions.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    project.write("eibe.txt", "Die Eibe steht im Tal.")
    assert project.run().index["promoted"]
    assert len(measured) == 3
