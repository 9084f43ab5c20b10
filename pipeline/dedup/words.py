"""The words of a chunk as they are compared: the same for two copies that differ in case, spacing or punctuation only."""

from typing import Final

import polars as pl

from pipeline.tables import columns as c

# Runs of letters and digits; a minus sign before a digit; signs that change what a sentence says. Other marks do not count.
_WORD: Final = r"[\p{L}\p{M}\p{N}]+|[-−]\p{N}[\p{L}\p{M}\p{N}]*|[\p{Sc}%‰°§<>≤≥=≠≈±+×÷]"
# Inside words and without meaning: soft hyphen, zero-width space, byte order mark, pdfium's mark of a broken line.
_INVISIBLE: Final = "[\u00ad\u200b\ufeff\ufffe]"
# Lines that number a page and say nothing else, should the parser have left one in the text. A bare number is none: it may be
# the answer.
_PAGE_LINE: Final = (
    r"(?mi)^[ \t]*(?:[-–—][ \t]*\d{1,4}[ \t]*[-–—]"
    r"|(?:seite|sayfa|page)[ \t]*\d{1,4}(?:[ \t]*(?:/|von|of)[ \t]*\d{1,4})?)[ \t]*$"
)
# What is not certain to be in form NFC: below U+0300 nothing combines, and dashes, quotes and € stay as they are.
_UNSURE: Final = "[^\u0000-\u02ff\u2010-\u2026\u20ac]"


def words_expr(text: str = c.TEXT, language: str = c.LANGUAGE, kind: str | None = None) -> pl.Expr:
    """Words of each text, in order, as a list of strings.

    NFC, lower case by the rules of the language (`pipeline.language.casing.lower`, here over a whole column), ß as ss,
    without punctuation and without lines that number a page.

    Args:
        text: column of texts.
        language: column of "tr", "de", "en", "und".
        kind: column of the chunks' kinds; in tables every line counts. None: no text is a table.
    """
    whole = pl.col(text)
    without = whole.str.replace_all(_PAGE_LINE, "")
    plain = without if kind is None else pl.when(pl.col(kind) == "table").then(whole).otherwise(without)
    # Normalising is slow, and few texts need it.
    normal = pl.when(plain.str.contains(_UNSURE)).then(plain).str.normalize("NFC")
    composed = pl.coalesce(normal, plain).str.replace_all(_INVISIBLE, "")
    turkish = composed.str.replace_many(["I", "İ"], ["ı", "i"])
    other = composed.str.replace_all("İ", "i", literal=True)
    cased = pl.when(pl.col(language) == "tr").then(turkish).otherwise(other).str.to_lowercase()
    return cased.str.replace_many(["i\u0307", "ß"], ["i", "ss"]).str.extract_all(_WORD)
