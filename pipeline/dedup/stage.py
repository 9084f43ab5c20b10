"""The stage: a signature of each chunk, by which duplicates are found."""

from typing import Final

import polars as pl

from pipeline.config import Config, DedupConfig
from pipeline.dedup.shingles import hash_shingles, minhashes
from pipeline.dedup.words import words_expr
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import fingerprint, stage_fingerprint
from pipeline.tables.schemas import SIGNATURES

CODE_VERSION: Final = "1"
_SLICE: Final = 20_000  # chunks at once, to bound memory


def signatures_fingerprint(config: Config) -> str:
    """Hash of all that decides a signature: code and the settings that it reads. The threshold is none of them."""
    settings = config.dedup
    return stage_fingerprint(
        "signatures",
        CODE_VERSION,
        (settings.permutations, settings.shingle_words, settings.min_shingles, settings.seed),
    )


def signatures(chunks: pl.DataFrame, config: DedupConfig) -> pl.DataFrame:
    """Signatures of chunks. A row depends on its chunk's text and language alone.

    Args:
        chunks: rows of `chunks` (chunk_id, doc_id, version_id, text, language, input_hash).
        config: length of the signature, size of the shingles, seed.

    Returns:
        Rows of `signatures`: `exact_hash` of the normalised text ("" for a text without words, which equals no other),
        `minhash` (empty for fewer than `min_shingles` distinct shingles), `n_shingles` (distinct), and the chunk's
        `input_hash`.
    """
    parts = [_slice(part, config) for part in chunks.iter_slices(_SLICE)] if chunks.height else []
    return pl.concat([SIGNATURES.empty(), *parts]).sort(SIGNATURES.key)


def _slice(chunks: pl.DataFrame, config: DedupConfig) -> pl.DataFrame:
    words = chunks.select(words_expr().alias("words"))["words"]
    exact = [fingerprint(text) if text else "" for text in words.list.join(" ")]
    rows, hashes = hash_shingles(words, config.shingle_words)
    distinct = (
        pl.DataFrame({"row": rows, "hash": hashes})
        .group_by("row")
        .agg(pl.col("hash").n_unique().alias(c.N_SHINGLES))
    )
    found = minhashes(rows, hashes, chunks.height, config.permutations, config.seed)
    return (
        chunks.select(c.CHUNK_ID, c.DOC_ID, c.VERSION_ID, c.INPUT_HASH)
        .with_columns(
            pl.Series(c.EXACT_HASH, exact, dtype=pl.String),
            pl.Series(c.MINHASH, found).cast(pl.List(pl.UInt32)),
            pl.Series("row", range(chunks.height), dtype=pl.Int64),
        )
        .join(distinct, on="row", how="left", maintain_order="left")
        .with_columns(pl.col(c.N_SHINGLES).fill_null(0).cast(pl.Int32))
        .with_columns(
            pl.when(pl.col(c.N_SHINGLES) >= config.min_shingles)
            .then(c.MINHASH)
            .otherwise(pl.lit([], dtype=pl.List(pl.UInt32)))
            .alias(c.MINHASH)
        )
        .select(SIGNATURES.schema.names())
    )
