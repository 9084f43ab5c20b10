"""Questions that no index could answer, because the estate does not hold what they ask for."""

import polars as pl

from pipeline.evaluation.absent import absent
from pipeline.evaluation.questions import Gold, Question
from pipeline.retrieval.query import Query

DOCUMENTS = pl.DataFrame(
    {
        "doc_id": ["1", "2"],
        "collection": ["hr", "hr"],
        "uri": ["leave.md", "pay.md"],
        "external_id": ["L", "P"],
    }
)
SECTIONS = pl.DataFrame(
    {"doc_id": ["1", "1"], "ordinal": [1, 0], "text": ["ends on a Friday.", "The leave of thirty days"]}
)


def question(name: str, *gold: Gold) -> Question:
    return Question(name, Query("?"), gold)


def test_a_wrong_name_and_a_wrong_quote_are_told_apart() -> None:
    asked = [
        question("good", Gold("leave.md", "leave of thirty days ends on a Friday")),
        question("one of two", Gold("gone.md", "x"), Gold("L", "ends on a Friday")),
        question("name", Gold("gone.md", "thirty days"), Gold("away.md", "thirty days")),
        question("quote", Gold("leave.md", "leave of ninety weeks and four days")),
        question("empty", Gold("pay.md", "anything")),
        question("nothing asked"),
    ]
    assert absent(asked, DOCUMENTS, SECTIONS) == {
        "name": "no document is called away.md or gone.md",
        "quote": "the quote stands nowhere in leave.md",
        "empty": "the quote stands nowhere in pay.md",
    }
