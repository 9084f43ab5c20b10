from math import log2
from typing import Any

import pytest

from pipeline.evaluation.metrics import METRICS, judge, leaks, means, redundancy
from pipeline.evaluation.questions import Gold, Question
from pipeline.retrieval.answer import Place, Result
from pipeline.retrieval.query import Query

QUOTE = "leave is twenty days"


def result(rank: int, text: str, doc: str = "a", **changes: Any) -> Result:
    values: dict[str, Any] = {
        "rank": rank, "score": 1 / rank, "chunk_id": f"c{rank}", "doc_id": doc, "uri": f"{doc}.md", "title": doc,
        "section_path": (), "pages": (1,), "effective_date": None, "date_source": None, "language": "en", "kind": "prose",
        "low_confidence": False, "text": text, "parent_text": None, "also_in": (), "collection": "hr",
        "external_id": f"id-{doc}", "document_class": "policy", "version_label": "", "newer": None, "neighbours": (),
        "article": None, "acl_groups": ("public",), "tokens": 400,
    }  # fmt: skip
    return Result(**(values | changes))


def question(
    *gold: Gold, weight: float = 1.0, groups: tuple[str, ...] = (), forbidden: tuple[Gold, ...] = ()
) -> Question:
    return Question("q", Query("How long is leave?", groups=groups), gold, forbidden, weight=weight)


GOLD = Gold("hr/a.md", QUOTE)


def test_the_metrics_of_a_question_answered_at_rank_three() -> None:
    results = [
        result(1, "Nothing."),
        result(2, f"The {QUOTE}.", doc="b"),
        result(3, f"The {QUOTE}."),
        result(4, QUOTE),
    ]
    values = judge(question(GOLD), results).values
    assert values == pytest.approx(
        {
            "recall@1": 0, "recall@5": 1, "recall@10": 1, "mrr": 1 / 3, "precision@1": 0, "recall@1000tok": 0,
            "recall@2000tok": 1, "ndcg@10": 1 / log2(4), "context_recall@5": 1, "redundancy@5": 0.5,
        }
    )  # fmt: skip
    assert tuple(values) == METRICS


def test_ranks_beyond_the_cut_do_not_count() -> None:
    results = [result(rank, "Nothing.") for rank in range(1, 6)] + [result(6, QUOTE)]
    values = judge(question(GOLD), results).values
    assert (values["recall@5"], values["recall@10"], values["mrr"]) == (0, 1, pytest.approx(1 / 6))
    assert values["context_recall@5"] == 0
    late = judge(
        question(GOLD), [result(rank, "Nothing.") for rank in range(1, 11)] + [result(11, QUOTE)]
    ).values
    assert (late["recall@10"], late["ndcg@10"], late["mrr"]) == (0, 0, pytest.approx(1 / 11))


def test_no_results_are_no_answer() -> None:
    assert set(judge(question(GOLD), []).values.values()) == {0}


def test_any_gold_passage_is_enough_and_the_section_counts_as_read() -> None:
    gold = (Gold("z.md", "something else"), GOLD)
    shown = result(1, "The leave is", parent_text=f"Before. The {QUOTE}. After.")
    assert judge(question(*gold), [shown]).values["recall@1"] == 1
    assert judge(question(*gold), [result(1, "The leave is")]).values["recall@1"] == 0


def test_a_near_duplicate_that_names_the_gold_document_answers() -> None:
    copy = result(1, QUOTE, doc="copy", also_in=(Place("a", "a.md", "A", "hr", "id-a"),))
    assert judge(question(GOLD), [copy]).values["recall@1"] == 1
    assert judge(question(GOLD), [result(1, QUOTE, doc="copy")]).values["recall@1"] == 0
    assert judge(question(Gold("id-a", QUOTE)), [copy]).values["recall@1"] == 1


def test_two_halves_give_context_but_no_relevant_result() -> None:
    gold = Gold("a.md", "leave is twenty days of every calendar year")
    halves = [result(1, "All leave is twenty days o"), result(2, "f every calendar year, no more")]
    values = judge(question(gold), halves).values
    assert values["recall@5"] == 0
    assert values["context_recall@5"] == pytest.approx(1)


def test_redundancy_is_the_share_of_repeated_shingles() -> None:
    assert redundancy(["a b c d e f", "a b c d e f"]) == 0.5
    assert redundancy(["a b c d e f", "x b c d e f"]) == 0.25
    assert redundancy(["a b c", "a b c"]) == 0
    assert redundancy([]) == 0


def test_means_are_weighted_and_leave_out_questions_without_gold() -> None:
    hit, miss = judge(question(GOLD, weight=3), [result(1, QUOTE)]), judge(question(GOLD), [])
    denied = judge(question(forbidden=(Gold("b.md", ""),)), [result(1, "x", doc="b")])
    measured = means([hit, miss, denied])
    assert (measured["recall@5"], measured["leaks"], measured["questions"]) == (0.75, 1, 3)
    assert means([denied])["recall@5"] is None


def test_leaks_are_found_by_the_rows_by_the_documents_and_by_forbidden_passages() -> None:
    asked = question(
        GOLD, groups=("hr",), forbidden=(Gold("secret.md", ""), Gold("b.md", "salary of the board"))
    )
    fine = [result(1, "x", acl_groups=("hr", "board")), result(2, "y", doc="b")]
    assert leaks(asked, fine, {"a": frozenset({"hr"}), "b": frozenset({"public"})}) == []
    assert len(leaks(asked, [result(1, "x", acl_groups=("board",))], None)) == 1
    assert len(leaks(asked, [result(1, "x", acl_groups=())], None)) == 1
    assert len(leaks(asked, fine, {"a": frozenset({"board"}), "b": frozenset({"public"})})) == 1
    assert len(leaks(asked, fine, {"a": frozenset({"hr"})})) == 1  # b does not exist any more
    assert len(leaks(asked, [result(1, "x", doc="secret")], None)) == 1
    assert len(leaks(asked, [result(1, "The salary  of the Board is", doc="b")], None)) == 1
    named = result(
        1, "x", also_in=(Place("s", "secret.md", "S", "hr", "id"), Place("c", "c.md", "C", "hr", "c"))
    )
    assert len(leaks(asked, [named], None)) == 1
    assert (
        len(
            leaks(asked, [named], {"a": frozenset({"hr"}), "s": frozenset({"hr"}), "c": frozenset({"board"})})
        )
        == 2
    )
