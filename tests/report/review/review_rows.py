"""Rows of the tables as the review reads them, made of text."""

from datetime import UTC, datetime
from typing import Any

import polars as pl

from pipeline.report.review import rows as r
from pipeline.tables.schemas import BLOCK, DOCUMENTS, GATED_PAGES, PAGE_EXCEPTIONS, PARSED_PAGES, Table

SEEN = datetime(2026, 11, 30, tzinfo=UTC)
SCORES = {field.name: None for field in GATED_PAGES.schema["scores"].fields}
PARSE_SCORES = {field.name: None for field in PARSED_PAGES.schema["scores"].fields}


def empty(dtype: pl.DataType) -> Any:
    """Something that a column of this type may hold."""
    if isinstance(dtype, pl.List):
        return []
    if dtype == pl.String:
        return ""
    if dtype == pl.Boolean:
        return False
    return 0 if dtype.is_numeric() else None


def filled(table: Table, **values: Any) -> dict[str, Any]:
    """A row of a table; columns that the test does not care about hold nothing."""
    return {
        name: None if name in table.nullable else empty(dtype) for name, dtype in table.schema.items()
    } | values


def document(name: str = "d", **values: Any) -> dict[str, Any]:
    return filled(
        DOCUMENTS, doc_id=name, version_id="v", collection="docs", uri=f"{name}.pdf", title=name, document_class="policy",
        acl_groups=["public"], modified_at=SEEN, first_seen=SEEN, last_seen=SEEN, status="live",
    ) | values  # fmt: skip


def parsed(name: str = "d", number: int = 1, **values: Any) -> dict[str, Any]:
    return filled(
        PARSED_PAGES, doc_id=name, version_id="v", page_no=number, width=595.0, height=842.0, source="native",
        scores=PARSE_SCORES, engine="geometry", status="ok", input_hash="parsed",
    ) | values  # fmt: skip


def gated(name: str = "d", number: int = 1, **values: Any) -> dict[str, Any]:
    return filled(
        GATED_PAGES, doc_id=name, version_id="v", page_no=number, source="native", engine="geometry", language="de",
        scores=SCORES, quality=0.99, route="pass", input_hash="gated",
    ) | values  # fmt: skip


def block(text: str = "", kind: str = "paragraph", **values: Any) -> dict[str, Any]:
    row = {field.name: empty(field.dtype) for field in BLOCK.fields}  # type: ignore[arg-type]
    return row | {"block_id": "1.1", "kind": kind, "text": text} | values


def reviewable(documents: list[Any], pages: list[Any], decided: list[Any]) -> pl.DataFrame:
    return r.reviewable(
        DOCUMENTS.frame(documents).select(r.OF_DOCUMENTS),
        PARSED_PAGES.frame(pages).select(r.OF_PARSED),
        GATED_PAGES.frame(decided).select(r.OF_GATED),
    )


def content(documents: list[Any], pages: list[Any], decided: list[Any], register: tuple[Any, ...] = ()) -> list[Any]:  # fmt: skip
    """Rows of `with_content` as dictionaries, of all pages."""
    return r.with_content(
        r.in_reading_order(reviewable(documents, pages, decided)),
        PARSED_PAGES.frame(pages),
        GATED_PAGES.frame(decided),
        PAGE_EXCEPTIONS.frame(register),
    ).to_dicts()


def entry(name: str = "d", number: int = 0, **values: Any) -> dict[str, Any]:
    return filled(
        PAGE_EXCEPTIONS, doc_id=name, version_id="v", page_no=number, collection="docs", uri=f"{name}.pdf", stage="parse",
        reason="corrupt", detail="It is damaged.", action="unreadable", status="open", first_seen=SEEN, last_seen=SEEN,
    ) | values  # fmt: skip
