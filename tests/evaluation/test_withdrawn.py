"""Which questions can no longer be answered because of what people did to the documents, and which can."""

from datetime import date

import polars as pl
import pytest

from pipeline.evaluation.questions import Gold, Question
from pipeline.evaluation.withdrawn import withdrawn
from pipeline.retrieval.query import Query

QUOTE = "Die Kantine öffnet um elf Uhr."


def document(**changes):
    row = {
        "doc_id": "d", "version_id": "v2", "collection": "c", "uri": "a.txt", "external_id": "a.txt",
        "acl_groups": ["public"], "valid_from": None, "valid_to": None,
    }  # fmt: skip
    schema = {"valid_from": pl.Date, "valid_to": pl.Date}
    return pl.DataFrame([row | changes], schema_overrides=schema)


def out(documents, text=QUOTE, *, built="v1", groups=(), as_of=None):
    question = Question("q", Query("Wann?", groups=groups, as_of=as_of), (Gold("c/a.txt", QUOTE),))
    sections = pl.DataFrame({"doc_id": ["d"], "ordinal": [0], "text": [text]})
    return withdrawn([question], documents, sections, {"d": frozenset({built})}, date(2026, 6, 1)) == {"q"}


def test_what_stands_counts():
    assert not out(document())


def test_a_document_that_is_gone():
    assert out(document().clear())


@pytest.mark.parametrize(("groups", "gone"), [((), True), (("hr",), False)])
def test_a_document_that_was_closed(groups, gone):
    assert out(document(acl_groups=["hr"]), groups=groups) is gone


@pytest.mark.parametrize(("as_of", "gone"), [(None, True), (date(2025, 5, 1), False)])
def test_a_document_that_is_no_longer_in_force(as_of, gone):
    assert out(document(valid_to=date(2026, 1, 1)), as_of=as_of) is gone


def test_a_sentence_that_was_edited_away():
    assert out(document(), "Die Kantine ist geschlossen.")


def test_a_sentence_that_a_build_lost_counts():
    # The document is what it was: the loss is the build's.
    assert not out(document(), "", built="v2")


def test_questions_without_gold_are_never_out():
    question = Question("q", Query("Was?"), (), (Gold("c/a.txt", ""),))
    assert (
        withdrawn(
            [question],
            document(),
            pl.DataFrame(schema={"doc_id": pl.String, "ordinal": pl.Int32, "text": pl.String}),
            {},
            date(2026, 1, 1),
        )
        == frozenset()
    )
