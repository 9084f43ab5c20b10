"""The citation: from a pick and its row to a result that says where it stands, with what stands beside a table."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pipeline.config import RetrievalConfig
from pipeline.retrieval.answer import Edition, Place, Result
from pipeline.retrieval.filters import one_of
from pipeline.retrieval.legs import beside
from pipeline.retrieval.selection import Pick
from pipeline.tables import columns as c

if TYPE_CHECKING:
    from lancedb.table import Table

TABLE: Final = "table"
CITED: Final = (
    c.DOC_ID, c.URI, c.TITLE, c.SECTION_PATH, c.PAGES, c.EFFECTIVE_DATE, c.LANGUAGE, c.KIND, c.LOW_CONFIDENCE, c.TEXT,
    c.PARENT_TEXT, c.COLLECTION, c.EXTERNAL_ID, c.DOCUMENT_CLASS, c.VERSION_LABEL, c.SUPERSEDED_BY, c.ARTICLE,
    c.ACL_GROUPS, c.TOKEN_COUNT, c.PARENT_TOKENS, c.SECTION_ID, c.ORDINAL, c.VALID_FROM, c.DATE_SOURCE,
)  # fmt: skip


def neighbours(
    table: "Table",
    picks: Sequence[Pick],
    rows: Mapping[str, Mapping[str, Any]],
    *,
    where: str,
    config: RetrievalConfig,
) -> dict[str, tuple[str, ...]]:
    """What stands right before and after each table whose section is not given, by chunk id.

    A table alone often lacks what it is about: the sentence that introduces it, the rows of its next part. Neighbours
    are of the same section and share the answer's token budget with the sections, in the order of the results.

    Args:
        table: the index rows.
        picks: best first.
        rows: columns `CITED` of the picks, by chunk id.
        where: what the asker may see and is in force.
        config: the budget.
    """
    tables = [
        rows[pick.candidate.chunk_id]
        for pick in picks
        if not pick.with_parent and rows[pick.candidate.chunk_id][c.KIND] == TABLE
    ]
    if not tables:
        return {}
    sections = one_of(c.SECTION_ID, (row[c.SECTION_ID] for row in tables))
    ordinals = sorted({row[c.ORDINAL] + step for row in tables for step in (-1, 1)})
    found = beside(
        table, where=f"{where} AND {sections} AND {c.ORDINAL} IN ({', '.join(map(str, ordinals))})"
    )
    budget = config.token_budget - sum(
        rows[pick.candidate.chunk_id][c.PARENT_TOKENS] for pick in picks if pick.with_parent
    )
    chosen: dict[str, tuple[str, ...]] = {}
    for row in tables:
        texts: list[str] = []
        for step in (-1, 1):
            text, tokens = found.get((row[c.SECTION_ID], row[c.ORDINAL] + step), ("", 0))
            if text and tokens <= budget:
                budget -= tokens
                texts.append(text)
        chosen[row[c.CHUNK_ID]] = tuple(texts)
    return chosen


def cited(
    rank: int,
    pick: Pick,
    row: Mapping[str, Any],
    *,
    also_in: tuple[Place, ...],
    newer: Mapping[str, Edition],
    around: tuple[str, ...],
) -> Result:
    """The result of a pick: `row` has its columns `CITED`; `newer` holds editions by document id."""
    by_itself = row.get(c.DATE_SOURCE) == "document"
    return Result(
        rank=rank,
        score=pick.score,
        chunk_id=pick.candidate.chunk_id,
        doc_id=row[c.DOC_ID],
        uri=row[c.URI],
        title=row[c.TITLE],
        section_path=tuple(row[c.SECTION_PATH] or ()),
        pages=tuple(row[c.PAGES] or ()),
        effective_date=row[c.VALID_FROM] if by_itself else row[c.EFFECTIVE_DATE],
        date_source="document" if by_itself else "metadata" if row[c.EFFECTIVE_DATE] else None,
        language=row[c.LANGUAGE],
        kind=row[c.KIND],
        low_confidence=row[c.LOW_CONFIDENCE],
        text=row[c.TEXT],
        parent_text=row[c.PARENT_TEXT] if pick.with_parent else None,
        also_in=also_in,
        collection=row[c.COLLECTION],
        external_id=row[c.EXTERNAL_ID],
        document_class=row[c.DOCUMENT_CLASS],
        version_label=row[c.VERSION_LABEL],
        newer=newer.get(row[c.SUPERSEDED_BY]),
        neighbours=around,
        article=row[c.ARTICLE],
        acl_groups=tuple(row[c.ACL_GROUPS]),
        tokens=row[c.PARENT_TOKENS if pick.with_parent else c.TOKEN_COUNT],
    )
