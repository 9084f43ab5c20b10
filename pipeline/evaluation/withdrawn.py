"""Gold questions whose answer was taken out of the estate: no build can be blamed for not finding it.

Somebody closes a document, deletes it, or edits the quoted sentence away. A build that follows must not stay back for
that. A quote that a build lost although its document is what it was is another matter, and counts.
"""

from collections.abc import Mapping, Sequence
from datetime import date

import polars as pl

from pipeline.evaluation.absent import holds, reader
from pipeline.evaluation.questions import Gold, Question
from pipeline.retrieval.filters import groups_of
from pipeline.tables import columns as c


def withdrawn(
    questions: Sequence[Question],
    documents: pl.DataFrame,
    sections: pl.DataFrame,
    built: Mapping[str, frozenset[str]],
    today: date,
) -> frozenset[str]:
    """Ids of the questions none of whose gold passages can be asked of the estate any more.

    A passage is out when its document is gone, when the asker may not read it or it is not in force on his day, or when
    the document changed since the build that is compared with and no longer holds the quote.

    Args:
        questions: gold questions.
        documents: table `documents` of the whole estate as it is now, valid_from as in the index.
        sections: table `sections` of the whole estate.
        built: the versions that the older build holds, by doc_id.
        today: what no `as_of` means.
    """
    rows = documents.select(
        *c.VERSION_KEY, c.COLLECTION, c.URI, c.EXTERNAL_ID, c.ACL_GROUPS, c.VALID_FROM, c.VALID_TO
    ).to_dicts()
    text_of = reader(sections)

    def stands(gold: Gold, question: Question) -> bool:
        day = question.query.as_of or today
        groups = set(groups_of(question.query))
        for row in rows:
            if not gold.names(row[c.COLLECTION], row[c.URI], row[c.EXTERNAL_ID]):
                continue
            readable = not groups.isdisjoint(row[c.ACL_GROUPS])
            in_force = (row[c.VALID_FROM] is None or row[c.VALID_FROM] <= day) and (
                row[c.VALID_TO] is None or day < row[c.VALID_TO]
            )
            unchanged = row[c.VERSION_ID] in built.get(row[c.DOC_ID], frozenset())
            if readable and in_force and (unchanged or holds(text_of(row[c.DOC_ID]), gold.quote)):
                return True
        return False

    return frozenset(
        question.id
        for question in questions
        if question.gold and not any(stands(gold, question) for gold in question.gold)
    )
