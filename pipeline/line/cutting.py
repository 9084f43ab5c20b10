"""Cutting documents, and the strings that their chunks are embedded as: for the tables, and for a build of other settings."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from pipeline.config import ChunkingConfig
from pipeline.estate.identity import UNREAD_VERSION
from pipeline.line.figures import descriptions, figure_settings
from pipeline.line.stage import expected_languages
from pipeline.line.workspace import Workspace
from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from pipeline.tables.fingerprint import fingerprint

if TYPE_CHECKING:
    from pipeline.embedding.encoders import Encoder


@dataclass(frozen=True)
class Material:
    """What the chunks of a partition are made from.

    Attributes:
        documents: rows of `documents` with hashes of what else decides their chunks: read (of their pages), seen (of their figures),
            way (of the settings); and asks_context.
        gated: rows of `gated_pages`.
        told: what was written of figures, as `descriptions` gives it.
    """

    documents: pl.DataFrame
    gated: pl.DataFrame
    told: pl.DataFrame


def readable_documents(workspace: Workspace, partition: str) -> pl.DataFrame:
    """The documents of a partition whose bytes are known; the others are in the register only."""
    return workspace.lake.read(s.DOCUMENTS, partition).filter(pl.col(c.VERSION_ID) != UNREAD_VERSION)


def read_material(workspace: Workspace, partition: str) -> Material:
    """What the chunks of a partition are made from, but for what a language model says of them."""
    from pipeline.chunking.stage import ways_of_cutting

    gated = workspace.lake.read(s.GATED_PAGES, partition)
    # The chosen attempt: a second look that broke off is made again although the input of the gate did not move.
    read = gated.group_by(c.VERSION_KEY).agg(
        pl.concat_str(c.INPUT_HASH, pl.lit(":"), c.CHOSEN_ATTEMPT, pl.lit(":"), c.ROUTE)
        .sort_by(c.PAGE_NO)
        .str.join(",")
        .alias("read")
    )
    told = descriptions(workspace, partition)
    seen = told.group_by(c.VERSION_KEY).agg(
        pl.concat_str(c.IMAGE_HASH, pl.lit(":"), c.DESCRIPTION).str.join("\n").alias("seen")
    )
    documents = readable_documents(workspace, partition).join(read, on=c.VERSION_KEY)
    # Other settings for one class of documents cut only these again.
    ways = ways_of_cutting(documents, gated, workspace.config.chunking)
    documents = documents.join(seen, on=c.VERSION_KEY, how="left").join(ways, on=c.VERSION_KEY)
    return Material(documents, gated, told)


def cut(
    workspace: Workspace,
    documents: pl.DataFrame,
    gated: pl.DataFrame,
    *,
    told: pl.DataFrame,
    config: ChunkingConfig,
    encoders: Sequence["Encoder"],
    sentences: pl.DataFrame | None = None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows of `sections` and `chunks` of some documents.

    Args:
        workspace: whose languages are expected.
        documents: rows of `documents` with their input_hash.
        gated: rows of `gated_pages`; those of other documents are left aside.
        told: what was written of their figures, as `descriptions` gives it.
        config: sizes and strategies.
        encoders: that read the strings. The first one is asked where the meaning of sentences decides.
        sentences: by which a language model places their chunks: chunk_id and sentence; others are left aside.
    """
    from pipeline.chunking.stage import CHUNK_INPUT_HASH, chunk_documents
    from pipeline.embedding.encoders import TokenCounter
    from pipeline.embedding.sentences import SentenceVectors

    kept = workspace.private_folder / ".work" / "sentences.sqlite"
    return chunk_documents(
        documents.rename({c.INPUT_HASH: CHUNK_INPUT_HASH}),
        gated.join(documents, on=c.VERSION_KEY, how="semi"),
        config,
        TokenCounter(encoders),
        workspace.languages,
        descriptions=told,
        sentences=None if sentences is None else dict(sentences.select(c.CHUNK_ID, c.SENTENCE).iter_rows()),
        embed=SentenceVectors(encoders[0], kept, workspace.say),
    )


def cutting_fingerprint(workspace: Workspace, partition: str) -> str:
    """Hash of what decides how every document of a partition is cut, whatever its class."""
    from pipeline.chunking.stage import code_fingerprint

    return fingerprint(code_fingerprint(workspace.counter), expected_languages(workspace, partition))


def chunk_fingerprint(workspace: Workspace) -> str:
    """Hash of what decides how documents are cut, besides their collection's languages."""
    from pipeline.chunking.stage import chunking_fingerprint

    return chunking_fingerprint(workspace.config, workspace.counter)


def cutting_observes(workspace: Workspace, partition: str) -> str:
    """What of the settings decides how a partition is cut and is in no fingerprint of the stage."""
    return f"{expected_languages(workspace, partition)} {figure_settings(workspace)}"


def embedded_strings(chunks: pl.DataFrame, documents: pl.DataFrame) -> pl.DataFrame:
    """embed_hash and text of the string of each chunk, and what it is `called`: by document and page.

    Args:
        chunks: rows of `chunks`.
        documents: rows of `documents`.
    """
    from pipeline.chunking.context import embedded_text_expr
    from pipeline.embedding.store import CALLED

    uris = documents.select(*c.VERSION_KEY, c.URI)
    page = pl.col(c.PAGES).list.first().cast(pl.String).fill_null("?")
    return chunks.join(uris, on=c.VERSION_KEY, how="left", maintain_order="left").select(
        c.EMBED_HASH,
        embedded_text_expr().alias(c.TEXT),
        pl.format("{} page {}", pl.col(c.URI).fill_null(pl.col(c.DOC_ID)), page).alias(CALLED),
    )
