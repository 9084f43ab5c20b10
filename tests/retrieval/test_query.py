from datetime import date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.retrieval.query import MAX_CHARACTERS, Query, QueryError, clean, parse_query, read_queries


@pytest.mark.parametrize("text", ["", "   ", "\t\n", "\u200b\u00ad\ufeff", "\x00\x07"])
def test_a_question_without_a_word_is_refused_and_says_so(text: str) -> None:
    with pytest.raises(QueryError, match="empty"):
        Query(text)


@pytest.mark.parametrize(
    "text", ["🙂", "👩‍👩‍👧 ❤️", "x", "?!", '"a" AND -b OR (c*', "'; DROP TABLE x; --", "ı"]
)
def test_odd_questions_are_questions(text: str) -> None:
    assert Query(text).clean


def test_a_question_that_is_too_long_is_refused_with_its_length() -> None:
    with pytest.raises(QueryError, match=f"{MAX_CHARACTERS + 1} characters"):
        Query("a" * (MAX_CHARACTERS + 1))


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ({"groups": "hr"}, "groups"),
        ({"groups": ("hr", " ")}, "groups"),
        ({"groups": (1,)}, "groups"),
        ({"groups": ("\ud800",)}, "groups"),
        ({"collections": None}, "collections"),
        ({"languages": ("fr",)}, "languages"),
        ({"k": 0}, "k"),
        ({"k": 101}, "k"),
        ({"k": True}, "k"),
        ({"as_of": "2026-01-01"}, "as_of"),
        ({"include_low_confidence": "no"}, "include_low_confidence"),
    ],
)
def test_a_value_that_is_not_allowed_is_named(values: dict, names: str) -> None:
    with pytest.raises(QueryError, match=f"^{names}: "):
        Query("question", **values)


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(QueryError, match="Unicode"):
        Query("a\ud83d")


def test_a_moment_counts_as_its_day_and_groups_have_no_order() -> None:
    assert Query("q", as_of=datetime(2026, 5, 4, 13)) == Query("q", as_of=date(2026, 5, 4))
    assert Query("q", groups=["b", "a", "b"]) == Query("q", groups=("a", "b"))


def test_forms_of_unicode_make_no_difference() -> None:
    assert clean("Ku\u0308ndi\u00adgung\u200b  der\x00Miete") == "Kündigung der Miete"


@given(st.text(max_size=200))
def test_any_text_is_a_question_or_a_clear_error(text: str) -> None:
    try:
        cleaned = Query(text).clean
    except QueryError:
        return
    assert cleaned == cleaned.strip() != ""
    assert clean(cleaned) == cleaned


def test_a_json_question_takes_what_it_leaves_out_from_the_defaults() -> None:
    defaults = Query("?", groups=("hr",), k=3)
    assert parse_query({"query": "a", "as_of": "2024-02-29", "k": 7}, defaults) == Query(
        "a", groups=("hr",), as_of=date(2024, 2, 29), k=7
    )


def test_a_file_of_questions_names_the_line_of_an_error(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(
        '\ufeff{"query": "bir"}\n\n{"query": "iki", "id": 2, "groups": ["hr"]}\n', encoding="utf-8"
    )
    assert read_queries(file) == [Query("bir"), Query("iki", groups=("hr",))]
    for line, message in [("{", "not JSON"), ('{"query": "  "}', "empty"), ("[1]", "not an object"),
                          ('{"query": "a", "grups": []}', "grups: unknown key"), ('{"k": 1}', "query: is required"),
                          ('{"query": "a", "as_of": "1.5.2026"}', "not a date like")]:  # fmt: skip
        file.write_text(f'{{"query": "a"}}\n{line}\n', encoding="utf-8")
        with pytest.raises(QueryError, match=f"q.jsonl, line 2: .*{message}"):
            read_queries(file)
    with pytest.raises(QueryError, match="no such file"):
        read_queries(tmp_path / "none.jsonl")
