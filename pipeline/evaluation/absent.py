"""Gold passages that the estate does not hold: a mistake in the questions looks like a miss of the index."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache

import polars as pl

from pipeline.evaluation.questions import Gold, Question
from pipeline.evaluation.relevance import cover, covers, letters
from pipeline.tables import columns as c


def absent(questions: Iterable[Question], documents: pl.DataFrame, sections: pl.DataFrame) -> dict[str, str]:
    """Why no gold passage of a question can be found, by the question's id; questions that can be answered are not in it.

    Args:
        questions: gold questions.
        documents: table `documents` of the whole estate (doc_id, collection, uri, external_id).
        sections: table `sections` of the whole estate (doc_id, ordinal, text).
    """
    addresses = documents.select(c.DOC_ID, c.COLLECTION, c.URI, c.EXTERNAL_ID).rows()
    text_of = reader(sections)

    def why(passages: Sequence[Gold]) -> str:
        found = [
            (passage, doc_id)
            for passage in passages
            for doc_id, collection, uri, external_id in addresses
            if passage.names(collection, uri, external_id)
        ]
        if not found:
            return f"no document is called {' or '.join(sorted({passage.document for passage in passages}))}"
        if any(holds(text_of(doc_id), passage.quote) for passage, doc_id in found):
            return ""
        return (
            f"the quote stands nowhere in {' or '.join(sorted({passage.document for passage, _ in found}))}"
        )

    reasons = {question.id: why(question.gold) for question in questions if question.gold}
    return {name: reason for name, reason in reasons.items() if reason}


def reader(sections: pl.DataFrame) -> Callable[[str], str]:
    """From a doc_id to the text of its sections in order; each document is put together once, when first asked for.

    Args:
        sections: table `sections` of the whole estate (doc_id, ordinal, text).
    """

    @cache
    def text_of(doc_id: str) -> str:
        return "\n".join(sections.filter(pl.col(c.DOC_ID) == doc_id).sort(c.ORDINAL)[c.TEXT])

    return text_of


def holds(text: str, quote: str) -> bool:
    """Whether a text holds a quote, layout and mark-up apart."""
    return letters(quote) in letters(text) or covers(quote, cover(quote, text))
