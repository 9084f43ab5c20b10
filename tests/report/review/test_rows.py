"""What can be reviewed, and that what is shown of a page is its own."""

from tests.report.review.review_rows import content, document, entry, gated, parsed, reviewable

FAILED = {"status": "failed", "reason": "corrupt", "error": "It is damaged.", "source": "none", "engine": ""}


def test_pages_of_the_gate_and_pages_that_failed():
    pages = reviewable(
        [document("a"), document("b", document_class="letter")],
        [parsed("a", 1), parsed("a", 2), parsed("a", 3, **FAILED), parsed("b", 0, **FAILED)],
        [gated("a", 1), gated("a", 2, route="reject", quality=0.2)],
    )
    shown = pages.select("doc_id", "page_no", "route", "band", "quality", "last_page", "reading").rows()
    assert [row[:4] for row in shown] == [
        ("a", 1, "pass", "0.95–1.00"), ("a", 2, "reject", "under 0.50"), ("a", 3, "failed", "failed"),
        ("b", 0, "failed", "failed"),
    ]  # fmt: skip
    assert [row[4] is None for row in shown] == [False, False, True, True]
    assert [row[5:] for row in shown] == [(3, "gated"), (3, "gated"), (3, "parsed"), (0, "parsed")]


def test_a_page_that_waits_for_the_gate_and_one_of_no_document_are_left_out():
    assert reviewable([document("a")], [parsed("a", 1)], []).is_empty()
    assert reviewable([document("x")], [parsed("a", 1)], [gated("a", 1)]).is_empty()


def test_the_worst_come_first_then_document_by_document():
    rows = content(
        [document("b"), document("a")],
        [parsed("a", 1), parsed("a", 2), parsed("b", 1)],
        [gated("a", 1), gated("a", 2, quality=0.6, route="flag"), gated("b", 1)],
    )
    assert [(row["doc_id"], row["page_no"]) for row in rows] == [("a", 2), ("a", 1), ("b", 1)]


def test_a_page_brings_its_entry_in_the_register():
    rows = content(
        [document("a"), document("b")],
        [parsed("a", 0, **FAILED), parsed("b", 1)],
        [gated("b", 1)],
        (entry("a"), entry("b", 1, status="resolved", detail="was bad")),
    )
    assert [(row["doc_id"], row["detail"], row["action"]) for row in rows] == [
        ("a", "It is damaged.", "unreadable"), ("b", None, None),
    ]  # fmt: skip
    assert rows[0]["blocks"] is None
