"""Embeddings as rows: every distinct string is embedded once in the life of the estate."""

from typing import Final

import polars as pl

from pipeline.embedding.encoders import Encoder, Progress
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import stage_fingerprint
from pipeline.tables.schemas import embeddings

CODE_VERSION: Final = "1"


def embedding_fingerprint(encoder: Encoder) -> str:
    """The stage's fingerprint for one encoder."""
    return stage_fingerprint("embeddings", CODE_VERSION, (encoder.fingerprint,))


def embed(
    strings: pl.DataFrame,
    known: pl.DataFrame,
    encoder: Encoder,
    *,
    batch_size: int,
    progress: Progress | None = None,
) -> tuple[pl.DataFrame, int, int]:
    """Rows of the encoder's table for the strings; only those that are not known are computed.

    Args:
        strings: embed_hash and text (exactly what is embedded), in any order, repetitions allowed.
        known: embed_hash and vector, and encoder if rows of other encoders may be among them: those are not used.
        encoder: the model.
        batch_size: strings encoded at once on a GPU.
        progress: called with how many are done and how many are to be computed.

    Returns:
        One row per distinct embed_hash, sorted by it; how many were computed; how many were reused.

    Raises:
        EncoderError: a string cannot be embedded; it is named by its embed_hash.
    """
    table = embeddings(encoder.slug, encoder.dims)
    vector = table.schema[c.VECTOR]
    wanted = strings.select(c.EMBED_HASH, c.TEXT).unique(c.EMBED_HASH, keep="any").sort(c.EMBED_HASH)
    usable = known.filter(pl.col(c.ENCODER) == encoder.fingerprint) if c.ENCODER in known.columns else known
    if usable.schema[c.VECTOR] != vector:
        usable = usable.clear().with_columns(pl.col(c.VECTOR).cast(vector))
    reused = wanted.select(c.EMBED_HASH).join(
        usable.select(c.EMBED_HASH, c.VECTOR).unique(c.EMBED_HASH, keep="any"), on=c.EMBED_HASH, how="inner"
    )
    missing = wanted.join(reused, on=c.EMBED_HASH, how="anti").sort(c.EMBED_HASH)
    hashes = missing[c.EMBED_HASH].to_list()
    vectors = encoder.encode_passages(
        missing[c.TEXT].to_list(), batch_size=batch_size, names=hashes, progress=progress
    )
    computed = pl.DataFrame(
        {c.EMBED_HASH: pl.Series(hashes, dtype=pl.String), c.VECTOR: pl.Series(vectors, dtype=vector)}
    )
    rows = (
        pl.concat([reused, computed])
        .with_columns(pl.lit(encoder.fingerprint).alias(c.ENCODER))
        .select(table.schema.names())
        .sort(c.EMBED_HASH)
    )
    return rows, computed.height, reused.height
