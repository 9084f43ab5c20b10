"""The words of a chunk as they are compared: the same for two copies that differ in case, spacing or punctuation only."""

from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.config import UNKNOWN
from pipeline.dedup.shingles import string_hashes
from pipeline.tables import columns as c

# Runs of letters and digits; a minus sign before a digit; signs that change what a sentence says. Other marks do not count.
_WORD: Final = r"[\p{L}\p{M}\p{N}]+|[-−]\p{N}[\p{L}\p{M}\p{N}]*|[\p{Sc}%‰°§<>≤≥=≠≈±+×÷]"
# Inside words and without meaning: soft hyphen, zero-width space, byte order mark, pdfium's mark of a broken line.
_INVISIBLE: Final = "[\u00ad\u200b\ufeff\ufffe]"
# Lines among others that number a page and say nothing else, should the parser have left one in the text. A bare number is none: it may be
# the answer.
_PAGE_LINE: Final = (
    r"(?mi)^[ \t]*(?:[-–—][ \t]*\d{1,4}[ \t]*[-–—]"
    r"|(?:seite|sayfa|page)[ \t]*\d{1,4}(?:[ \t]*(?:/|von|of)[ \t]*\d{1,4})?)[ \t]*$"
)
# What is not certain to be in form NFC: below U+0300 nothing combines, and dashes, quotes and € stay as they are.
_UNSURE: Final = "[^\u0000-\u02ff\u2010-\u2026\u20ac]"


def words_expr() -> pl.Expr:
    """Words of each text (columns text, language: "tr", "de", "en", "und"), in order, as a list of strings.

    NFC, lower case by the rules of the language (`pipeline.language.casing.lower`, here over a whole column), ß as ss,
    without punctuation. A blank always parts words, and what is on its two sides does not count for each other.
    """
    plain = pl.col(c.TEXT)
    # Normalising is slow, and few texts need it.
    normal = pl.when(plain.str.contains(_UNSURE)).then(plain).str.normalize("NFC")
    composed = pl.coalesce(normal, plain).str.replace_all(_INVISIBLE, "")
    turkish = composed.str.replace_many(["I", "İ"], ["ı", "i"])
    other = composed.str.replace_all("İ", "i", literal=True)
    cased = pl.when(pl.col(c.LANGUAGE) == "tr").then(turkish).otherwise(other).str.to_lowercase()
    return (
        cased.str.replace_all("i\u0307+", "i").str.replace_all("ß", "ss", literal=True).str.extract_all(_WORD)
    )


def hashed_words(chunks: pl.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Hashes of the words of each chunk: those of `words_expr`, without lines that number a page.

    Texts are taken apart at blanks, and of the pieces each different one is normalised and hashed once: a chunk in a
    thousand brings a new one.

    Args:
        chunks: text, language, and kind: in tables every line counts.

    Returns:
        (lengths, hashes): int64 (rows,), words of each chunk, and uint64 (words,), one chunk after the other.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pl.col(c.TEXT)
    lines = pl.when((pl.col(c.KIND) != "table") & text.str.contains("\n", literal=True)).then(text)
    without = lines.str.replace_all(_PAGE_LINE, "")
    texts = chunks.select(pl.coalesce(without, text)).to_series()
    pieces: Any = pc.split_pattern(  # pyright: ignore[reportAttributeAccessIssue]
        texts.to_arrow().cast(pa.large_string()), " "
    )
    coded = pieces.flatten().dictionary_encode()
    distinct = pl.Series(c.TEXT, coded.dictionary, dtype=pl.String)
    codes = coded.indices.to_numpy()
    ends = pieces.offsets.to_numpy()
    turkish = (chunks[c.LANGUAGE] == "tr").to_numpy()
    languages = (UNKNOWN, "tr") if turkish.any() else (UNKNOWN,)
    if len(languages) > 1:
        # Turkish casing is another: a piece of a Turkish text is another piece.
        codes = codes + np.repeat(np.where(turkish, len(distinct), 0), np.diff(ends))
    words = pl.concat(
        pl.DataFrame({c.TEXT: distinct}).with_columns(pl.lit(language).alias(c.LANGUAGE)).select(words_expr())
        for language in languages
    ).to_series()
    counts = words.list.len().to_numpy().astype(np.int64)
    starts = np.cumsum(counts) - counts
    each = counts[codes]
    before = np.r_[0, np.cumsum(each)]
    lengths = np.diff(before[ends])
    hashes = string_hashes(words.explode(empty_as_null=False))
    # Most pieces are one word; the further words of the others are put behind their first.
    values = np.repeat(np.r_[hashes, np.uint64(0)][starts][codes], each)
    several = np.flatnonzero(each > 1)
    for place in range(1, int(counts.max(initial=0))):
        several = several[each[several] > place]
        values[before[several] + place] = hashes[starts[codes[several]] + place]
    return lengths, values
