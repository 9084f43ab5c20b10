"""The live build is asked again only where a candidate seems to lose against what was measured of it."""

import json

import pytest

import pipeline.evaluation.evaluate as evaluating
from pipeline.index.pointer import read_pointer
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
def measured(monkeypatch) -> list[str]:
    """Names of the builds that were asked."""
    asked: list[str] = []
    evaluate = evaluating.evaluate

    def counted(searcher, *rest):
        asked.append(searcher.build)
        return evaluate(searcher, *rest)

    monkeypatch.setattr(evaluating, "evaluate", counted)
    return asked


def test_a_candidate_that_loses_nothing_is_asked_alone(project, measured):
    project.run()
    first = read_pointer(project.workspace().index_root).current
    assert measured == [first.name]
    assert first.evaluation["ranks"] == {"fichte": 1, "tanne": 1}
    project.write("eibe.txt", "Die Eibe steht im Tal.")
    report = project.run()
    second = read_pointer(project.workspace().index_root).current
    assert measured == [first.name, second.name]
    assert report.index["promoted"]
    assert "against the live build +0.000" in report.index["reason"]
    assert second.evaluation["against"] == first.name


def test_what_seems_lost_is_asked_of_both(project, measured):
    project.run()
    first = read_pointer(project.workspace().index_root).current
    project.write("tanne.txt", "Hier stand ein anderer Baum.")
    report = project.run()
    assert sorted(measured[1:]) == sorted({first.name, f"{report.index['table']}@{report.index['version']}"})
    second = read_pointer(project.workspace().index_root).current
    assert second.evaluation["withdrawn"] == ["tanne"]  # somebody took the answer out: no build can find it
    assert report.index["promoted"]


def test_other_questions_are_asked_of_both(project, measured):
    project.run()
    questions = project.folder / "questions.jsonl"
    questions.write_text(questions.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    project.write("eibe.txt", "Die Eibe steht im Tal.")
    assert project.run().index["promoted"]
    assert len(measured) == 3
