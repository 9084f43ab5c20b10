"""What a page's text says about itself: the measures that the quality of a page is made of.

None of them knows what the page should say; each looks for one way in which text goes wrong: unknown words (misread
letters, wrong font maps), characters that no one types (glyph numbers, broken encodings), words fallen into letters, lines
read twice.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pipeline.language.casing import lower
from pipeline.language.compounds import parts
from pipeline.language.lemmas import known

MIN_WORDS: Final = 8  # below, a share of known words is chance
MIN_LINES: Final = 8  # below, a repeated line is chance
FOREIGN_BELOW: Final = 0.70  # a page with fewer known words may be one of another language …
FOREIGN_ABOVE: Final = 0.05  # … but any two European languages share some words …
FOREIGN_SHARE: Final = 0.50  # … if that language knows so many
_FOREIGN: Final = ("fr", "es", "it", "nl", "la")

_MOST_OFTEN: Final = 3  # a column may say "pcs" in every row: more times say nothing more about the page
_GLUED: Final = 28  # a longer unknown word is a line that lost its spaces, and counts as the words in it
_TYPICAL: Final = 7
_BROKEN_WEIGHT: Final = 4  # a broken letter breaks its word
_LONG_RUN: Final = 60
_LAST_LATIN: Final = 0x024F
_MIN_LETTERS: Final = 3  # two letters are in some dictionary whatever they are
_MAX_CHARACTERS: Final = 20_000  # a sheet of a workbook is one page; its beginning speaks for it

_WORD: Final = re.compile(r"(?<![\w@./\\-])[^\W\d_]+(?![\w@\\]|[./-]\w)")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_SINGLE: Final = re.compile(r"(?<!\S)[^\W\d_](?![\w'’.)\]:&/-])")
# What a PDF reader prints for glyphs that its font does not map to characters.
_GLYPH: Final = re.compile(
    r"\(cid:\d+\)|/?\bglyph<[^>]*>|/?\bg(?:lyph)?\d{1,4}(?:/g(?:lyph)?\d{1,4})+", re.IGNORECASE
)
# UTF-8 read as a Windows code page: "Ã¼" for ü, "Ä±" for ı, "â€™" for an apostrophe.
_TWICE_DECODED: Final = re.compile(
    r"[ÂÃÄÅ][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u2122]|â€."
)
_LEGITIMATE: Final = frozenset("°©®™§¶†‡←→↑↓⇒✓✔✗✘☐☑☒■□▪▫●○◦►▶◄▲▼★☆¨´¸`^~|")
# ı, ş, ğ, İ of a Turkish code page read as a western one.
_MISREAD: Final = frozenset("ýþðÝÞÐ")
_PRINTABLE: Final = frozenset({"L", "N", "P", "Z", "M"})
_VOWELS: Final = frozenset("aeiouyäöüıâîûáéíóúàèìòùêôëïæœøå")
_UNSPEAKABLE: Final = re.compile(rf"[^{''.join(sorted(_VOWELS))}]{{7}}")


@dataclass(frozen=True)
class PageScores:
    """The measures of one page; see `GATED_PAGES` for the columns they become.

    Attributes:
        known_words: share, 0 to 1, of the words known in the page's language; None for fewer than `MIN_WORDS`.
        symbols: share, 0 to 1, of the characters (white space left out) that no one types; a wrongly decoded letter
            counts as four.
        single_letters: share, 0 to 1, of the words that are one letter; 0 for fewer than `MIN_WORDS`.
        repeated_lines: share, 0 to 1, of the lines that repeat another; 0 for fewer than `MIN_LINES`.
        foreign: the words that make `known_words` low are known in another European language.
        characters: letters and digits on the page.
        broken: share as of `symbols`, but of the characters that nobody can have written, whatever the text is: decoded
            wrongly, replaced, or without a meaning.
    """

    known_words: float | None
    symbols: float
    single_letters: float
    repeated_lines: float
    foreign: bool
    characters: int
    broken: float = 0.0


def score_text(text: str, languages: Sequence[str]) -> PageScores:
    """Measure a page.

    Args:
        text: the page's text, one line per line or block.
        languages: in which a word may be known: the page's language, or all expected ones when that is unknown. Of
            several the one that knows most words counts.
    """
    text = unicodedata.normalize("NFC", text[:_MAX_CHARACTERS])
    clean, decoded = _replace_broken(text)
    words = _WORD.findall(clean)
    if _has_lost_spaces(clean):
        words = _LETTERS.findall(clean)
    long_words = [word for word in words if len(word) >= _MIN_LETTERS]
    share = max((_known_share(long_words, language) for language in languages), key=_rank, default=None)
    return PageScores(
        known_words=share,
        symbols=_share(clean, decoded, _is_odd),
        single_letters=len(_SINGLE.findall(clean)) / len(words) if len(words) >= MIN_WORDS else 0.0,
        repeated_lines=_repeated_share(text),
        foreign=share is not None
        and share < FOREIGN_BELOW
        and (_is_other_script(long_words) or (share > FOREIGN_ABOVE and _is_foreign(long_words))),
        characters=sum(map(str.isalnum, clean)),
        # Not of the clean text: "G12/G13" may be a glyph number in a PDF, elsewhere it is a part number.
        broken=_share(*_TWICE_DECODED.subn("\ufffd", text), _is_broken),
    )


def _replace_broken(text: str) -> tuple[str, int]:
    """The text with U+FFFD for each glyph number and twice decoded letter, and how many of the latter there were."""
    return _TWICE_DECODED.subn("\ufffd", _GLYPH.sub("\ufffd", text))


def _has_lost_spaces(text: str) -> bool:
    """Whether most of the text is in runs too long for any word or address."""
    return 2 * sum(len(run) for run in text.split() if len(run) > _LONG_RUN) > len(text)


def _known_share(words: Sequence[str], language: str) -> float | None:
    """Share of known words. Unknown ones that may be names or acronyms do not count."""
    recognised = counted = 0
    for word, occurrences in Counter(words).items():
        times = min(occurrences, _MOST_OFTEN)
        if _is_known(lower(word, language), language):
            recognised += times
            counted += times
        elif len(word) > _GLUED:
            counted += times * len(word) // _TYPICAL
        elif not _may_be_name(word):
            counted += times
    return recognised / counted if counted >= MIN_WORDS else None


def _rank(share: float | None) -> float:
    return -1.0 if share is None else share


def _is_foreign(words: Sequence[str]) -> bool:
    """Whether the words are those of a European language that the estate does not expect."""
    return any(_rank(_known_share(words, language)) >= FOREIGN_SHARE for language in _FOREIGN)


def _is_other_script(words: Sequence[str]) -> bool:
    """Whether most of the words are not in Latin letters: no dictionary here knows them."""
    return (
        sum(ord(word[0]) > _LAST_LATIN and not "\u1e00" <= word[0] <= "\u1eff" for word in words)
        > len(words) / 2
    )


@lru_cache(maxsize=2**17)
def _is_known(word: str, language: str) -> bool:
    if known(word, language):
        return True
    return language == "de" and bool(parts(word))


@lru_cache(maxsize=2**16)
def _may_be_name(word: str) -> bool:
    """Whether an unknown word may be a name or an acronym: with its capitals, of letters that can be spoken."""
    if not word[0].isupper() or not _MISREAD.isdisjoint(word):
        return False
    if word.isupper() and len(word) <= 5:
        return True
    spoken = word.lower()
    vowels = sum(char in _VOWELS for char in spoken)
    return word[1:].islower() and 0.15 <= vowels / len(spoken) <= 0.85 and not _UNSPEAKABLE.search(spoken)


def _share(text: str, decoded: int, is_bad: Callable[[str], bool]) -> float:
    """Share of bad characters; `decoded` of the U+FFFD in the text and the misread letters weigh more."""
    counts = Counter(text)
    total = sum(times for char, times in counts.items() if not char.isspace())
    bad = sum(times for char, times in counts.items() if is_bad(char))
    broken = decoded + sum(counts[char] for char in _MISREAD)
    return min(1.0, (bad + (_BROKEN_WEIGHT - 1) * broken) / total) if total else 0.0


@lru_cache(maxsize=2**14)
def _is_odd(char: str) -> bool:
    if char.isspace() or char in _LEGITIMATE:
        return False
    category = unicodedata.category(char)
    if char in _MISREAD or char == "\ufffd":
        return True
    return category[0] not in _PRINTABLE and category not in {"Sc", "Sm", "Cf"}


def _is_broken(char: str) -> bool:
    """Whether a character is odd and no symbol either: control characters, private and unassigned ones, misread letters."""
    return (_is_odd(char) and unicodedata.category(char) != "So") or char == "\ufffd"


def _repeated_share(text: str) -> float:
    lines = [line for raw in text.splitlines() if sum(map(str.isalpha, line := raw.strip())) >= 4]
    if len(lines) < MIN_LINES:
        return 0.0
    return 1 - len(set(lines)) / len(lines)
