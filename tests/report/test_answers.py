from pipeline.report.answers import answer_lines, citation

RESULT = {
    "rank": 1, "title": "Telearbeitsordnung", "section_path": ["Teil A", "§ 3"], "pages": [2, 3],
    "effective_date": "2026-01-01", "low_confidence": True, "uri": "de/telearbeit.pdf", "text": "wort " * 200,
    "also_in": [{"uri": "memos/rundschreiben.pdf", "title": "Rundschreiben"}],
}  # fmt: skip


def test_a_citation_says_where_a_person_finds_the_passage():
    assert citation(RESULT) == (
        "Telearbeitsordnung, Teil A › § 3, pages 2–3, in force since 2026-01-01, read with low confidence"
        " (de/telearbeit.pdf)"
    )
    bare = RESULT | {"section_path": [], "pages": [], "effective_date": None, "low_confidence": False}
    assert citation(bare) == "Telearbeitsordnung (de/telearbeit.pdf)"
    assert citation(bare | {"pages": [7]}) == "Telearbeitsordnung, page 7 (de/telearbeit.pdf)"


def test_an_answer_is_short_and_names_the_other_places():
    first, *text, last = answer_lines({"results": [RESULT]})
    assert first.startswith("1. Telearbeitsordnung")
    assert len(text) == 4
    assert text[-1].endswith("…")
    assert max(map(len, text)) <= 100
    assert last == "   also in: memos/rundschreiben.pdf"


def test_no_answer_is_said():
    assert list(answer_lines({"results": []})) == ["nothing found that these groups may read"]
