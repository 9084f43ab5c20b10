"""The analyser of full-text search: from text to the tokens that are indexed, and from a query to those looked up.

A word gives its form without diacritics, so that any spelling of it meets any other, and its lemmas with and without
them, so that inflected forms meet; a German compound gives its parts too. Language only decides which dictionary is asked
first: a form without diacritics is there whatever language a text was taken for. Numbers and codes stay whole.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from pipeline.config import LANGUAGES, UNKNOWN
from pipeline.language.casing import DOT_ABOVE, fold, lower
from pipeline.language.compounds import parts
from pipeline.language.lemmas import LONGEST, guessed, known, recognised

ANALYSER_VERSION: Final = "2"  # raise it whenever the tokens of some text change: the index is then rebuilt

# A code or number (with a digit, joined by - . , / : _ +), or a word, with what apostrophes and hyphens join to it.
_TOKEN: Final = re.compile(
    r"(?P<section>§+)\s*(?P<number>\d+\w*)"
    r"|(?P<code>(?:[^\W_]+[-.,/:_+])*[^\W_]*\d[^\W_]*(?:[-.,/:_+][^\W_]+)*)"
    r"|(?P<word>[^\W\d_]+(?:['’ʼ-][^\W\d_]+)*)"
)
_APOSTROPHE: Final = re.compile(r"['’ʼ]")
_SEPARATOR: Final = re.compile(r"[-.,/:_+]")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*(?:[.,]\d{1,2})?$")
_DECIMAL: Final = re.compile(r"\d+,\d+$")
_DROPPED: Final = str.maketrans(
    "", "", "\u00ad\u200b\u200c\u200d\u2060\ufeff"
)  # soft hyphens, zero-width characters
_TURKISH_LETTERS: Final = frozenset("çğışöüÇĞİŞÖÜ")
_CLITICS: Final = frozenset(
    {"s", "t", "d", "ll", "re", "ve", "m", "n", "in", "da", "de", "nin", "dan", "den", "ya", "ye"}
)
_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def analyse(text: str, language: str) -> list[str]:
    """Search tokens of a text, in its order; every token is without white space and in lower case.

    The form of the input (NFC, NFD), its case and soft hyphens make no difference.

    Args:
        text: any text, or a query.
        language: "tr", "de", "en", or "und": then every dictionary is asked.
    """
    return [token for _, tokens in analysed(text, language) for token in tokens]


def analysed(text: str, language: str) -> list[tuple[str, tuple[str, ...]]]:
    """The words, numbers and codes of a text as they stand there, each with its tokens; otherwise as `analyse`."""
    composed, plain = _composed(text), typed_plainly(text)
    found: list[tuple[str, tuple[str, ...]]] = []
    for match in _TOKEN.finditer(composed):
        if match["word"]:
            tokens = _word(match["word"], language, plain)
        elif match["code"]:
            tokens = _code(match["code"])
        else:
            number = fold(match["number"])
            tokens = ("§" + number, number)
        found.append((match[0], tokens))
    return found


def typed_plainly(text: str) -> bool:
    """Whether a text has no Turkish letters: its words may have been typed without them."""
    return _TURKISH_LETTERS.isdisjoint(_composed(text))


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text.translate(_DROPPED)).replace("i" + DOT_ABOVE, "i")


def headwords(word: str, language: str, *, plain: bool) -> frozenset[str]:
    """What a dictionary may have a word under: itself and its lemmas, without diacritics and without what compounds consist of.

    Args:
        word: as it stands in a text.
        language: "tr", "de" or "en".
        plain: as `typed_plainly` says of the text.
    """
    base, *endings = _APOSTROPHE.split(word)
    known_by = base if endings and _grammar(base, endings, language) else word
    lowered = lower(known_by, language)
    return frozenset((fold(known_by), *map(fold, _lemmas(lowered, language, plain))))


def search_text(texts: Sequence[str], languages: Sequence[str]) -> list[str]:
    """The tokens of each text separated by spaces: what a whitespace-tokenised full-text index is given.

    Args:
        texts: any texts.
        languages: the language of each, "tr", "de", "en" or "und".

    Raises:
        ValueError: the two differ in length.
    """
    return [" ".join(analyse(text, language)) for text, language in zip(texts, languages, strict=True)]


@lru_cache(maxsize=2**17)
def _word(word: str, language: str, plain: bool) -> tuple[str, ...]:
    """Tokens of a word as it stands in the text, hyphens and apostrophes included."""
    if "-" in word:
        pieces = [piece for piece in word.split("-") if piece]
        joined = fold("".join(pieces), language)
        return _distinct((joined, *(token for piece in pieces for token in _word(piece, language, plain))))
    base, *endings = _APOSTROPHE.split(word)
    if endings:
        pieces = [base] if _grammar(base, endings, language) else [base, *endings]
        return _distinct(token for piece in pieces for token in _word(piece, language, plain))
    return _forms(lower(word, language), fold(word), language, plain)


def _grammar(base: str, endings: Sequence[str], language: str) -> bool:
    """Whether what follows an apostrophe is an ending: "İzmir'de", "company's"; "O'Brien" is two words."""
    return len(base) > 1 and (language == "tr" or endings[-1].lower() in _CLITICS)


@lru_cache(maxsize=2**17)
def _forms(word: str, folded: str, language: str, plain: bool) -> tuple[str, ...]:
    """Tokens of a word in lower case."""
    if len(word) > LONGEST:
        return (folded,)
    found = _lemmas(word, language, plain)
    compound = (
        [part for lemma in (word, *found) for part in parts(lemma)] if language in {"de", UNKNOWN} else []
    )
    kept = found or (word,)
    variants = [form.replace("ß", "ss") for form in kept]
    if language in {"de", UNKNOWN} and not known(word, "de"):
        variants.append(word.translate(_UMLAUTS).replace("ß", "ss"))  # Müller meets Mueller
    return _distinct((folded, *variants, *map(fold, kept), *map(fold, compound)))


def _lemmas(word: str, language: str, plain: bool) -> tuple[str, ...]:
    """Lemmas in the word's language; of a word that it does not know, or with no language, in all that know it."""
    own = recognised(word, language, plain=plain) if language in LANGUAGES else ()
    others = _distinct(
        lemma for other in LANGUAGES for lemma in recognised(word, other, plain=plain and language == UNKNOWN)
    )
    return own or others or (guessed(word, language) if language in LANGUAGES else ())


@lru_cache(maxsize=2**16)
def _code(code: str) -> tuple[str, ...]:
    """Tokens of a number or code: whole, its parts, and a number also as it is written elsewhere."""
    whole = fold(code)
    if _THOUSANDS.match(whole):
        head, comma, decimals = whole.rpartition(_SEPARATOR.findall(whole)[-1])
        fraction = len(decimals) != 3
        digits = _SEPARATOR.sub("", head) + (f".{decimals}" if fraction else decimals) if comma else whole
        return _distinct((whole, digits))
    if _DECIMAL.match(whole):
        return (whole, whole.replace(",", "."))
    pieces = [piece for piece in _SEPARATOR.split(whole) if piece]
    if len(pieces) == 1:
        return (whole,)
    if all(piece.isdigit() for piece in pieces):  # a date, a clause number: its long parts only (the year)
        return _distinct((whole, *(piece for piece in pieces if len(piece) >= 4)))
    return _distinct((whole, "".join(pieces), *pieces))


def _distinct(tokens: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(token for token in tokens if token))
