"""Embeddings as rows: every distinct string is embedded once in the life of the estate."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from pipeline.embedding.encoders import Encoder, Refusal
from pipeline.embedding.journal import VectorJournal
from pipeline.embedding.progress import Progress
from pipeline.tables import columns as c
from pipeline.tables.duration import Pace
from pipeline.tables.fingerprint import stage_fingerprint
from pipeline.tables.schemas import embeddings
from pipeline.tables.vectors import searchable

CODE_VERSION: Final = "1"
CALLED: Final = "called"


def embedding_fingerprint(encoder: Encoder) -> str:
    """The stage's fingerprint for one encoder."""
    return stage_fingerprint("embeddings", CODE_VERSION, (encoder.fingerprint,))


def embed(
    strings: pl.DataFrame,
    known: pl.DataFrame,
    encoder: Encoder,
    *,
    batch_size: int,
    journal: Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    refused: dict[str, Refusal] | None = None,
) -> tuple[pl.DataFrame, int, int]:
    """Rows of the encoder's table for the strings; only those that are not known are computed.

    Args:
        strings: embed_hash and text (exactly what is embedded), in any order, repetitions allowed; and `called`, if errors
            shall call a string otherwise than by its hash.
        known: embed_hash and vector, and encoder if rows of other encoders may be among them: those are not used, nor are
            vectors that are zero or not finite.
        encoder: the model.
        batch_size: strings encoded at once on a GPU.
        journal: a file that keeps vectors as they are computed; those that an earlier, killed call left in it count as
            known. It is for the caller to remove once the rows are published.
        progress: called now and then with how far it is.
        refused: strings that cannot be embedded are added here by their embed_hash, and have no row; None: they are errors.

    Returns:
        One row per distinct embed_hash, sorted by it; how many were computed; how many were reused.

    Raises:
        EncoderError: without `refused`, a string cannot be embedded; it is named by `called`, else by its embed_hash.
        OSError: the journal cannot be written.
    """
    table = embeddings(encoder.slug, encoder.dims)
    called = CALLED if CALLED in strings.columns else c.EMBED_HASH
    wanted = (
        strings.select(c.EMBED_HASH, c.TEXT, pl.col(called).alias(CALLED))
        .unique(c.EMBED_HASH, keep="first", maintain_order=True)
        .sort(c.EMBED_HASH)
    )
    reused = _usable(known, encoder).join(wanted, on=c.EMBED_HASH, how="semi")
    missing = wanted.join(reused, on=c.EMBED_HASH, how="anti").sort(c.EMBED_HASH)
    with VectorJournal.open(journal, encoder) if journal and missing.height else nullcontext() as kept:
        if kept is not None:
            left = kept.rows().join(missing, on=c.EMBED_HASH, how="semi").unique(c.EMBED_HASH, keep="any")
            reused = pl.concat([reused, left])
            missing = missing.join(left, on=c.EMBED_HASH, how="anti").sort(c.EMBED_HASH)
        computed = _computed(missing, encoder, batch_size, kept, progress=progress, refused=refused)
    rows = (
        pl.concat([reused, computed])
        .with_columns(pl.lit(encoder.fingerprint).alias(c.ENCODER))
        .select(table.schema.names())
        .sort(c.EMBED_HASH)
    )
    return rows, computed.height, reused.height


def _usable(known: pl.DataFrame, encoder: Encoder) -> pl.DataFrame:
    """embed_hash and vector of those known rows that are this encoder's and can be searched, each string once."""
    vector = embeddings(encoder.slug, encoder.dims).schema[c.VECTOR]
    usable = known.filter(pl.col(c.ENCODER) == encoder.fingerprint) if c.ENCODER in known.columns else known
    if usable.schema[c.VECTOR] != vector:
        usable = usable.clear().with_columns(pl.col(c.VECTOR).cast(vector))
    if usable.height:
        usable = usable.filter(pl.Series(searchable(usable[c.VECTOR].to_numpy())))
    return usable.select(c.EMBED_HASH, c.VECTOR).unique(c.EMBED_HASH, keep="any")


def _computed(
    missing: pl.DataFrame,
    encoder: Encoder,
    batch_size: int,
    journal: VectorJournal | None,
    *,
    progress: Callable[[Progress], None] | None,
    refused: dict[str, Refusal] | None,
) -> pl.DataFrame:
    """embed_hash and vector of the strings, each step written down and told as it is done."""
    hashes: list[str] = missing[c.EMBED_HASH].to_list()
    texts: list[str] = missing[c.TEXT].to_list()
    vectors = np.empty((len(hashes), encoder.dims), np.float32)
    encoded = np.zeros(len(hashes), np.bool_)
    unfit: dict[int, Refusal] | None = None if refused is None else {}
    called: list[str] = missing[CALLED].to_list()
    pace, done = Pace(), 0
    for step in encoder.encode_in_steps(texts, batch_size=batch_size, names=called, refused=unfit):
        vectors[step.places] = step.vectors
        encoded[step.places] = True
        if journal is not None:
            journal.add([hashes[place] for place in step.places], step.vectors)
        done += len(step.places)
        if progress is not None:
            progress(Progress(done, len(hashes), pace.left(step.share)))
    if refused is not None and unfit:
        refused |= {hashes[place]: why for place, why in unfit.items()}
    vector = embeddings(encoder.slug, encoder.dims).schema[c.VECTOR]
    return pl.DataFrame(
        {c.EMBED_HASH: pl.Series(hashes, dtype=pl.String), c.VECTOR: pl.Series(vectors, dtype=vector)}
    ).filter(pl.Series(encoded))
