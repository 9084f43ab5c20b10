from datetime import date
from pathlib import Path

import pytest

from pipeline.evaluation.questions import Gold, Question, QuestionError, load_questions
from pipeline.retrieval.query import Query

GOLD = '"gold": [{"document": "law/bgb.md", "quote": "Die Miete", "section": "§ 535"}]'


def write(folder: Path, *lines: str) -> Path:
    file = folder / "questions.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def test_a_question_has_defaults_and_a_full_one_keeps_its_fields(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        '{"id": "1", "query": "Was?", ' + GOLD + "}",
        "",
        '{"id": "2", "query": "Ne?", "lang": "tr", "kind": "table_value", "weight": 3, "groups": ["hr"],'
        ' "as_of": "2024-01-31", "forbidden": [{"document": "x"}], ' + GOLD + "}",
    )
    gold = (Gold("law/bgb.md", "Die Miete"),)
    assert load_questions(file) == (
        Question("1", Query("Was?"), gold),
        Question(
            "2",
            Query("Ne?", groups=("hr",), as_of=date(2024, 1, 31)),
            gold,
            (Gold("x", ""),),
            "tr",
            "table_value",
            3.0,
            True,
        ),
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("[]", "must be an object"),
        ('{"query": "a", ' + GOLD + "}", "id: is required"),
        ('{"id": "2", ' + GOLD + "}", "query: is required"),
        ('{"id": "1", "query": "a", ' + GOLD + "}", "'1' occurs twice"),
        ('{"id": "2", "query": " ", ' + GOLD + "}", "empty"),
        ('{"id": "2", "query": "a"}', "gold: give at least one"),
        ('{"id": "2", "query": "a", "gold": [{"quote": "b"}]}', r"gold\[0\].document: is required"),
        ('{"id": "2", "query": "a", "gold": [{"document": "d", "quote": "—"}]}', r"gold\[0\].quote"),
        ('{"id": "2", "query": "a", "gold": [{"document": "d", "qoute": "b"}]}', "qoute: unknown key"),
        ('{"id": "2", "query": "a", "weight": 0, ' + GOLD + "}", "weight: 0 is not"),
        ('{"id": "2", "query": "a", "weight": NaN, ' + GOLD + "}", "weight: nan is not"),
        ('{"id": "2", "query": "a", "as_of": "31.1.2024", ' + GOLD + "}", "as_of: '31.1.2024'"),
        ('{"id": "2", "query": "a", "groups": "hr", ' + GOLD + "}", "groups: must be a list"),
        ('{"id": "2", "query": "a", "tabular": "yes", ' + GOLD + "}", "tabular: 'yes'"),
    ],
)
def test_an_error_names_file_line_and_field(tmp_path: Path, line: str, message: str) -> None:
    file = write(tmp_path, '{"id": "1", "query": "a", ' + GOLD + "}", line)
    with pytest.raises(QuestionError, match=f"questions.jsonl, line 2: .*{message}"):
        load_questions(file)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(QuestionError, match="no such file"):
        load_questions(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    ("reference", "named"),
    [("law/current/bgb.md", True), ("current/bgb.md", True), ("bgb.md", True), ("./current/bgb.md", True), ("BGB-1", True),
     ("gb.md", False), ("current", False), ("versions/bgb.md", False), ("bgb", False), ("BGB", False)],
)  # fmt: skip
def test_a_document_is_named_by_path_end_of_path_or_external_id(reference: str, named: bool) -> None:
    assert Gold(reference, "q").names("law", "current/bgb.md", "BGB-1") is named


def test_forms_of_unicode_make_no_difference_to_names() -> None:
    assert Gold("U\u0308bersicht.md", "q").names("law", "a/Übersicht.md", "x")


def test_the_questions_on_german_statutes_load(samples: Path) -> None:
    questions = load_questions(samples / "german_law" / "questions_dev.jsonl")
    assert len(questions) == 40
    assert {question.lang for question in questions} == {"de", "en", "tr"}


def test_a_renamed_document_is_named_by_its_first_path_too() -> None:
    for reference in ("law/current/bgb.md", "current/bgb.md", "law/archive/old.md", "old.md"):
        assert Gold(reference, "q").names("law", "archive/old.md", "current/bgb.md")
    assert not Gold("archive/bgb.md", "q").names("law", "archive/old.md", "current/bgb.md")
    assert not Gold("gb.md", "q").names("law", "archive/old.md", "current/bgb.md")
