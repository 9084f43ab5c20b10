"""Cutting documents, and the strings that their chunks are embedded as: for the tables, and for a build of other settings."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from pipeline.config import ChunkingConfig
from pipeline.line.workspace import Workspace
from pipeline.tables import columns as c

if TYPE_CHECKING:
    from pipeline.embedding.encoders import Encoder


def cut(
    workspace: Workspace,
    documents: pl.DataFrame,
    gated: pl.DataFrame,
    *,
    told: pl.DataFrame,
    config: ChunkingConfig,
    encoders: Sequence["Encoder"],
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows of `sections` and `chunks` of some documents.

    Args:
        workspace: whose languages are expected.
        documents: rows of `documents` with their input_hash.
        gated: rows of `gated_pages`; those of other documents are left aside.
        told: what was written of their figures, as `descriptions` gives it.
        config: sizes and strategies.
        encoders: that read the strings. The first one is asked where the meaning of sentences decides.
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
        embed=SentenceVectors(encoders[0], kept, workspace.say),
    )


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
