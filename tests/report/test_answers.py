from pipeline.report.answers import answer_lines, citation

RESULT = {
    "rank": 1, "title": "Telearbeitsordnung", "section_path": ["Teil A", "§ 3"], "pages": [2, 3],
    "effective_date": "2026-01-01", "date_source": "metadata", "low_confidence": True, "uri": "de/telearbeit.pdf", "text": "wort " * 200,
    "version_label": "", "newer": None, "also_in": [{"uri": "memos/rundschreiben.pdf", "title": "Rundschreiben"}],
}  # fmt: skip


def test_a_citation_says_where_a_person_finds_the_passage():
    assert citation(RESULT) == (
        "Telearbeitsordnung, Teil A › § 3, pages 2–3, in force since 2026-01-01, read with low confidence"
        " (de/telearbeit.pdf)"
    )
    bare = RESULT | {
        "section_path": [],
        "pages": [],
        "effective_date": None,
        "date_source": None,
        "low_confidence": False,
    }
    assert citation(bare) == "Telearbeitsordnung (de/telearbeit.pdf)"
    assert (
        citation(bare | {"version_label": "2019"}) == "Telearbeitsordnung, edition 2019 (de/telearbeit.pdf)"
    )
    assert citation(bare | {"pages": [7]}) == "Telearbeitsordnung, page 7 (de/telearbeit.pdf)"


def test_a_file_without_pages_is_cited_without_them():
    cited = {
        name: citation(RESULT | {"uri": name})
        for name in ("a.md", "a.HTML", "a.docx", "a.odp", "a.pptx", "a.xlsx", "a.tif", "a")
    }
    parts = {name: text.split(", ")[2] for name, text in cited.items()}
    assert parts == {
        "a.md": "in force since 2026-01-01", "a.HTML": "in force since 2026-01-01", "a.docx": "in force since 2026-01-01",
        "a.odp": "in force since 2026-01-01",
        "a.pptx": "slides 2–3", "a.xlsx": "sheets 2–3", "a.tif": "pages 2–3", "a": "pages 2–3",
    }  # fmt: skip


def test_an_answer_is_short_and_names_the_other_places():
    first, *text, last = answer_lines({"results": [RESULT]})
    assert first.startswith("1. Telearbeitsordnung")
    assert len(text) == 4
    assert text[-1].endswith("…")
    assert max(map(len, text)) <= 100
    assert last == "   also in: memos/rundschreiben.pdf"


def test_an_answer_from_an_old_edition_names_the_newer_one():
    newer = {"uri": "de/neu.pdf", "title": "Neu", "version_label": "", "effective_date": "2027-01-01"}
    lines = list(answer_lines({"results": [RESULT | {"newer": newer}]}))
    assert "   newer edition: de/neu.pdf, in force from 2027-01-01" in lines


def test_no_answer_is_said():
    assert list(answer_lines({"results": []})) == ["nothing found that these groups may read"]


def test_a_date_that_was_read_in_the_document_is_marked():
    assert "dated 2026-01-01 (date read from the document)" in citation(RESULT | {"date_source": "document"})
    assert "in force since 2026-01-01" in citation(RESULT)
