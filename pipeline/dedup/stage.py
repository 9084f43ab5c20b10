"""The stage: a signature of each chunk, by which duplicates are found."""

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.config import Config, DedupConfig
from pipeline.dedup.shingles import distinct_shingles, minhashes, words_sums
from pipeline.dedup.words import hashed_words
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import stage_fingerprint
from pipeline.tables.schemas import SIGNATURES

CODE_VERSION: Final = "2"
_THREADS: Final = 4
_SLICE: Final = 2_000  # chunks at once: little memory, and much of it in the cache


def signatures_fingerprint(config: Config) -> str:
    """Hash of all that decides a signature: code and the settings that it reads. The threshold is none of them."""
    settings = config.dedup
    return stage_fingerprint(
        "signatures",
        CODE_VERSION,
        (
            settings.permutations,
            settings.shingle_words,
            settings.shingle_words_turkish,
            settings.min_words,
            settings.min_shingles,
            settings.seed,
        ),
    )


def signatures(chunks: pl.DataFrame, config: DedupConfig) -> pl.DataFrame:
    """Signatures of chunks. A row depends on its chunk's text, kind and language alone.

    Args:
        chunks: rows of `chunks` (chunk_id, doc_id, version_id, text, kind, language, input_hash).
        config: length of the signature, size of the shingles, least sizes, seed.

    Returns:
        Rows of `signatures`: `exact_hash` of the normalised text ("" for one of fewer than `min_words` words, which equals
        no other), `n_words` and `words_sum`, `minhash` and `shingles` (empty for fewer than `min_shingles` distinct shingles), `n_shingles`
        (distinct), and the chunk's `input_hash`.
    """
    # Almost all of the work is in arrays, where threads do not wait for each other.
    with ThreadPoolExecutor(max_workers=min(os.cpu_count() or 1, _THREADS)) as threads:
        slices = chunks.iter_slices(_SLICE) if chunks.height else ()
        parts = threads.map(lambda part: _slice(part, config), slices)
        return pl.concat([SIGNATURES.empty(), *parts]).sort(SIGNATURES.key)


def shingle_size(language: str, config: DedupConfig) -> int:
    """Words in a shingle of a text in a language.

    A Turkish word holds what takes German and English 1.2 words and more (measured on parallel texts), so the same edit
    changes a larger share of its shingles: they are shorter by one. Length changes nothing: two near copies on two sides
    of a limit would have no shingle in common.
    """
    return config.shingle_words_turkish if language == "tr" else config.shingle_words


def _slice(chunks: pl.DataFrame, config: DedupConfig) -> pl.DataFrame:
    lengths, values = hashed_words(chunks)
    content = values.astype("<u8", copy=False).tobytes()
    ends = (8 * np.cumsum(lengths)).tolist()
    exact = [
        _hash(content[end - 8 * length : end]) if length >= config.min_words else ""
        for end, length in zip(ends, lengths.tolist(), strict=True)
    ]
    languages = chunks[c.LANGUAGE]
    by_language = {language: shingle_size(language, config) for language in languages.unique()}
    sizes = languages.replace_strict(by_language, return_dtype=pl.Int64).to_numpy()
    found, hashes = distinct_shingles(lengths, values, sizes)
    kept = found >= config.min_shingles
    hashes = hashes[np.repeat(kept, found)]
    counts = np.where(kept, found, 0)
    marks = minhashes(counts, hashes, config.permutations, config.seed)
    return (
        chunks.select(c.CHUNK_ID, *c.VERSION_KEY, c.INPUT_HASH)
        .with_columns(
            pl.Series(c.EXACT_HASH, exact, dtype=pl.String),
            pl.Series(c.N_WORDS, lengths, dtype=pl.Int32),
            pl.Series(c.WORDS_SUM, words_sums(lengths, values), dtype=pl.UInt64),
            _lists(c.MINHASH, marks.ravel(), np.where(kept, config.permutations, 0)),
            _lists(c.SHINGLES, hashes, counts),
            pl.Series(c.N_SHINGLES, found, dtype=pl.Int32),
        )
        .select(SIGNATURES.schema.names())
    )


def _hash(words: bytes) -> str:
    """128-bit BLAKE2b (RFC 7693) of the hashes of words in order, as 32 hexadecimal digits."""
    return hashlib.blake2b(words, digest_size=16).hexdigest()


def _lists(name: str, values: NDArray[np.uint32], counts: NDArray[np.int64]) -> pl.Series:
    """A column of lists: as many of the values for each row as its count says."""
    import pyarrow as pa

    offsets = np.r_[0, np.cumsum(counts)]
    lists = pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), pa.array(values))
    return pl.Series(name, lists, dtype=pl.List(pl.UInt32))
