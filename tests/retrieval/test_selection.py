"""What becomes of near-duplicates, sections, and many hits of one document."""

from typing import Any

from pipeline.retrieval.query import Query
from pipeline.retrieval.search import Searcher
from tests.retrieval.searching import CONFIG, TODAY, ids, searcher


def copies(**groups: str) -> list[dict[str, Any]]:
    return [
        {"chunk_id": name, "doc_id": f"d-{name}", "uri": f"{name}.md", "title": name.upper(), "acl_groups": [group],
         "text": "Each party may terminate with a notice of six weeks.", "cluster_id": "k", "canonical_chunk_id": "canon"}
        for name, group in groups.items()
    ]  # fmt: skip


def test_copies_collapse_to_the_canonical_and_name_the_others(make_table: Any, encoder: Any) -> None:
    rows = copies(a="public", canon="hr", b="legal", z="public")
    rows[-1] |= {"external_id": "z.md", "uri": "0.md"}  # was renamed, and keeps its place
    query = Query("terminate with notice", groups=("hr",))
    [result] = searcher(make_table(rows), encoder).search(query).results
    assert result.chunk_id == "canon"
    assert [(place.uri, place.title) for place in result.also_in] == [("a.md", "A"), ("0.md", "Z")]


def test_who_may_not_see_the_canonical_gets_a_copy_and_no_trace_of_it(make_table: Any, encoder: Any) -> None:
    table = make_table(copies(a="public", canon="hr", b="legal", z="public"))
    [result] = searcher(table, encoder).search(Query("terminate with notice")).results
    assert result.chunk_id == "a"
    assert [place.uri for place in result.also_in] == ["z.md"]
    without = make_table(copies(a="public", z="public"))
    assert searcher(without, encoder).search(Query("terminate with notice")).as_json() == (
        searcher(table, encoder).search(Query("terminate with notice")).as_json()
    )


def test_the_copy_that_the_question_names_stands_for_its_cluster(make_table: Any, encoder: Any) -> None:
    rows = copies(canon="public", adler="public", zorn="public")
    for row in rows[1:]:
        row["text"] = f"{row['chunk_id'].title()} GmbH may terminate with a notice of six weeks."
    search = searcher(make_table(rows), encoder)
    assert ids(search.search(Query("When may Zorn GmbH terminate?"))) == ["zorn"]
    assert ids(search.search(Query("When may a party terminate?"))) == ["canon"]


def test_a_huge_cluster_does_not_crowd_out_other_results(make_table: Any, encoder: Any) -> None:
    clause = "The standard clause about liability limits liability."
    rows = [
        {"chunk_id": f"k{at:03}", "text": clause, "cluster_id": "k", "canonical_chunk_id": "k007"}
        for at in range(150)
    ] + [{"chunk_id": f"o{at}", "text": f"Something else entirely, matter {at}"} for at in range(6)]
    answer = searcher(make_table(rows), encoder, candidates=20).search(Query("liability clause", k=5))
    assert ids(answer)[0] == "k007"
    assert len(answer.results) == 5
    assert len(answer.results[0].also_in) == 20


def test_a_section_is_given_once_and_only_within_its_cap(make_table: Any, encoder: Any) -> None:
    table = make_table(
        [
            {"chunk_id": f"{section}{at}", "text": f"annual leave rule {section} {at}", "doc_id": f"d{section}",
             "section_id": section, "parent_text": f"whole {section}", "parent_tokens": tokens}
            for section, tokens in (("short", 300), ("long", 900))
            for at in range(3)
        ]
    )  # fmt: skip
    answer = searcher(table, encoder, parent_tokens=800).search(Query("annual leave rule", k=10))
    shown = [(result.doc_id, result.shown) for result in answer.results]
    assert shown.count(("dshort", "whole short")) == 1
    assert sorted(text for doc_id, text in shown if doc_id == "dlong") == [
        f"annual leave rule long {n}" for n in range(3)
    ]
    assert len(shown) == 4


def test_the_token_budget_bounds_the_sections_not_the_number_of_results(
    make_table: Any, encoder: Any
) -> None:
    table = make_table(
        [
            {
                "chunk_id": f"c{at}",
                "text": f"annual leave rule {at}",
                "parent_text": f"section {at}",
                "parent_tokens": 700,
            }
            for at in range(6)
        ]
    )
    answer = searcher(table, encoder, token_budget=1500).search(Query("annual leave rule", k=6))
    assert [result.parent_text is not None for result in answer.results] == [True, True] + [False] * 4
    assert [result.tokens for result in answer.results] == [700, 700] + [20] * 4


def test_the_cap_per_document_makes_room_and_gives_way_when_nothing_else_is_there(
    make_table: Any, encoder: Any
) -> None:
    rows = [{"chunk_id": f"a{at:02}", "doc_id": "A", "text": f"annual leave rule {at}"} for at in range(40)]
    rows += [
        {"chunk_id": f"b{at}", "doc_id": f"B{at}", "text": f"nothing of the kind {at}"} for at in range(2)
    ]
    search = searcher(make_table(rows), encoder, per_document=3, candidates=10)
    documents = [result.doc_id for result in search.search(Query("annual leave rule", k=5)).results]
    assert sorted(documents) == ["A", "A", "A", "B0", "B1"]
    documents = [result.doc_id for result in search.search(Query("annual leave rule", k=8)).results]
    assert len(documents) == 8
    assert {"B0", "B1"} < set(documents)


def test_a_table_without_its_section_brings_what_stands_beside_it(make_table: Any, encoder: Any) -> None:
    texts = ["Fees by weight:", "weight | fee", "heavier | more", "Elsewhere", "Fees of others"]
    rows = [
        {"chunk_id": f"c{at}", "doc_id": "d", "section_id": "s" if at < 4 else "other", "ordinal": at, "text": text,
         "kind": "table" if "|" in text else "prose", "token_count": 20, "parent_tokens": 5000,
         "acl_groups": ["public"] if at != 2 else ["hr"]}
        for at, text in enumerate(texts)
    ]  # fmt: skip
    table = make_table(rows)
    query = Query("weight fee", k=1, groups=("hr",))
    [result] = searcher(table, encoder).search(query).results
    assert (result.chunk_id, result.neighbours) == ("c1", ("Fees by weight:", "heavier | more"))
    [result] = searcher(table, encoder).search(Query("weight fee", k=1)).results
    assert result.neighbours == ("Fees by weight:",)
    tight = CONFIG.model_copy(update={"token_budget": 30})
    [result] = Searcher(table, {"words": encoder}, tight, today=lambda: TODAY).search(query).results
    assert result.neighbours == ("Fees by weight:",)
    prose = searcher(table, encoder).search(Query("Elsewhere", k=1)).results[0]
    assert (prose.chunk_id, prose.neighbours) == ("c3", ())
