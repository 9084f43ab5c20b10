"""Rows of the tables that the gate reads, made of text."""

from datetime import UTC, date, datetime

import polars as pl

from pipeline.gate.pages import gate_pages
from pipeline.tables import columns as c
from pipeline.tables.schemas import DOCUMENTS, PARSED_PAGES

NOW = datetime(2026, 3, 1, 2, tzinfo=UTC)


def documents(*names, **changes):
    row = {
        c.VERSION_ID: "v1", c.COLLECTION: "hr", c.EXTERNAL_ID: "e", c.TITLE: "t", c.DOC_TYPE: "", c.DOCUMENT_CLASS: "policy",
        c.AUTHORITY: 50, c.VERSION_LABEL: "", c.SUPERSEDES: [], c.ACL_GROUPS: ["public"], c.MODIFIED_AT: NOW, c.BYTES: 1,
        c.MEDIA_TYPE: "application/pdf", c.METADATA_HASH: "m", c.STATUS: "live", c.FIRST_SEEN: NOW, c.LAST_SEEN: NOW,
    } | changes  # fmt: skip
    return DOCUMENTS.frame([{**row, c.DOC_ID: name, c.URI: f"{name}.pdf"} for name in names])


def gated_alone(pages, rows, config, languages):
    """The pages, gated without a second pass."""
    return gate_pages(pages, rows, config, languages, engine="rapidocr", engines=(), reread=None)


def block(text, kind="paragraph"):
    return {
        "block_id": "1.1", "kind": kind, "level": 0, "text": text, "section_path": [], "bbox": [], "rows": [], "header_rows": 0,
        "row_pages": [], "spans": [], "caption": "", "anchor": "",
    }  # fmt: skip


def page(text="", *, doc="a", number=1, confidence=None, source=None, kind="paragraph", **changes):
    """A parsed page; with a confidence it is a scanned one."""
    blocks = [block(line, kind) for line in text.split("\n")] if text or kind == "figure" else []
    return {
        c.DOC_ID: doc, c.VERSION_ID: "v1", c.PAGE_NO: number, c.WIDTH: 595.0, c.HEIGHT: 842.0, c.ROTATION: 0,
        c.SOURCE: source or ("native" if confidence is None else "ocr"), c.BLOCKS: blocks, c.FURNITURE: [], c.REPAIRS: [],
        c.SCORES: {"parse": None, "layout": None, "table": None, "ocr": confidence}, c.ENGINE: "rapidocr", c.ENGINE_REASON: "text layer" if confidence is None else "scan", c.STATUS: "ok",
        c.REASON: "", c.ERROR: "", c.INPUT_HASH: "parsed",
    } | changes  # fmt: skip


def failed(reason, *, doc="a", number=0, error="why"):
    return page(
        doc=doc, number=number, source="none", **{c.STATUS: "failed", c.REASON: reason, c.ERROR: error}
    )


def parsed(*pages):
    return PARSED_PAGES.frame(pages).with_columns(pl.lit("gate-1").alias("gate_input_hash"))


DATE = date(2019, 5, 1)
