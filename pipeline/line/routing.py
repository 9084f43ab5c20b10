"""How documents are cut: the settings of every class, and for one document why it is of its class."""

from collections.abc import Iterable
from typing import Any

import polars as pl

from pipeline.chunking.classifier import class_of
from pipeline.config import Config
from pipeline.estate.classes import CLASSES
from pipeline.estate.finding import UnknownDocumentError, find_document
from pipeline.line.workspace import Workspace
from pipeline.tables import columns as c
from pipeline.tables import schemas as s


def routing_table(config: Config) -> list[dict[str, Any]]:
    """The settings of each class of documents: class, own (whether it has settings of its own) and what holds."""
    return [
        {"class": name, "own": name in config.chunking.classes}
        | config.chunking.of(name).model_dump(exclude={"classes"})
        for name in CLASSES
    ]


def explain(workspace: Workspace, name: str) -> dict[str, Any]:
    """Why a document is cut as it is, and into what.

    Args:
        workspace: whose lake.
        name: doc_id, path below the source, or collection/path.

    Returns:
        document, class, confidence (0 to 1), reason, settings, and chunks: number, mean and longest by strategy and kind.

    Raises:
        UnknownDocumentError: nothing is called so, or several documents are.
    """
    row = find_document(workspace.read(s.DOCUMENTS), name)
    if row is None:
        raise UnknownDocumentError(f"{name!r} is no document of the estate")
    pages = workspace.read(s.GATED_PAGES).filter(doc_id=row[c.DOC_ID], version_id=row[c.VERSION_ID])
    guess = class_of(row[c.DOCUMENT_CLASS], pages.iter_rows(named=True))
    chunks = workspace.read(s.CHUNKS, [c.DOC_ID, c.STRATEGY, c.KIND, c.TOKEN_COUNT]).filter(
        doc_id=row[c.DOC_ID]
    )
    return {
        "document": f"{row[c.COLLECTION]}/{row[c.URI]}",
        "class": guess.document_class,
        "confidence": guess.confidence,
        "reason": guess.reason,
        "settings": workspace.config.chunking.of(guess.document_class).model_dump(exclude={"classes"}),
        "chunks": chunks.group_by(c.STRATEGY, c.KIND)
        .agg(
            pl.len().alias("chunks"),
            pl.col(c.TOKEN_COUNT).mean().round(1).alias("mean_tokens"),
            pl.col(c.TOKEN_COUNT).max().alias("most_tokens"),
        )
        .sort(c.STRATEGY, c.KIND)
        .to_dicts(),
    }


def table_lines(rows: Iterable[dict[str, Any]]) -> Iterable[str]:
    """A line for each class; a star where it has settings of its own."""
    yield f"{'class':18} {'prose by':12} {'floor':>5} {'ceiling':>7} {'overlap':>7} prefix"
    for row in rows:
        prefix = "section path" if row["prefix"] else "none"
        star = "*" if row["own"] else ""
        yield (
            f"{row['class'] + star:18} {row['strategy']:12} {row['min_tokens']:5} {row['max_tokens']:7} {row['overlap']:7} {prefix}"
        )
    yield "tables by table, dialogues by transcript, in every class; * has settings of its own"


def explanation_lines(found: dict[str, Any]) -> Iterable[str]:
    """What `explain` found, for a person."""
    settings = found["settings"]
    yield f"{found['document']}: {found['class']} (confidence {found['confidence']:.2f}): {found['reason']}"
    yield f"  prose by {settings['strategy']}, {settings['min_tokens']} to {settings['max_tokens']} tokens, overlap {settings['overlap']}"
    for row in found["chunks"]:
        yield f"  {row['chunks']} chunks of {row['kind']} by {row['strategy']}: {row['mean_tokens']} tokens on average, {row['most_tokens']} at most"
    if not found["chunks"]:
        yield "  no chunks"
