"""The words of a chunk as they are compared: the same for two copies that differ in case, spacing or punctuation only."""

from typing import Final

import polars as pl

from pipeline.tables import columns as c

# Runs of letters and digits; a minus sign before a digit; signs that change what a sentence says. Other marks do not count.
_WORD: Final = r"[\p{L}\p{M}\p{N}]+|[-−]\p{N}[\p{L}\p{M}\p{N}]*|[\p{Sc}%‰°§<>≤≥=≠≈±+×÷]"
# Inside words and without meaning: soft hyphen, zero-width space, byte order mark, pdfium's mark of a broken line.
_INVISIBLE: Final = "[\u00ad\u200b\ufeff\ufffe]"


def words_expr(text: str = c.TEXT, language: str = c.LANGUAGE) -> pl.Expr:
    """Words of each text, in order, as a list of strings.

    NFC, lower case by the rules of the language (`pipeline.language.casing.lower`, here over a whole column), ß as ss,
    without punctuation.

    Args:
        text: column of texts.
        language: column of "tr", "de", "en", "und".
    """
    composed = pl.col(text).str.normalize("NFC").str.replace_all(_INVISIBLE, "")
    turkish = composed.str.replace_many(["I", "İ"], ["ı", "i"])
    other = composed.str.replace_all("İ", "i", literal=True)
    cased = pl.when(pl.col(language) == "tr").then(turkish).otherwise(other).str.to_lowercase()
    return cased.str.replace_many(["i\u0307", "ß"], ["i", "ss"]).str.extract_all(_WORD)
