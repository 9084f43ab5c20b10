"""What differs between near-duplicates: names, sums, dates. A template in ninety folders is not ninety copies."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

from pipeline.config import UNKNOWN
from pipeline.language.casing import lower
from pipeline.language.lemmas import known

Kind = Literal["date", "sum", "number", "name", "text"]

_MONTHS: Final = frozenset((
    "ocak", "şubat", "mart", "nisan", "mayıs", "haziran", "temmuz", "ağustos", "eylül", "ekim", "kasım",
    "aralık", "januar", "jänner", "februar", "märz", "april", "mai", "juni", "juli", "august", "september",
    "oktober", "november", "dezember", "january", "february", "march", "may", "june", "july", "october",
    "december",
))  # fmt: skip
_CURRENCY: Final = frozenset((
    "€", "$", "£", "₺", "eur", "usd", "gbp", "chf", "try", "tl", "euro", "euros", "lira", "dollar", "dollars",
    "pfund", "pounds", "franken",
))  # fmt: skip
# Forms of companies and titles: what they stand in or behind is a name.
_OF_NAMES: Final = frozenset((
    "gmbh", "mbh", "ag", "kg", "ohg", "gbr", "ug", "se", "e.v", "ltd", "plc", "inc", "llc", "llp", "corp",
    "a.ş", "aş", "a.s", "ltd.şti", "şti", "herr", "frau", "dr", "prof", "bay", "bayan", "sayın", "mr", "mrs",
    "ms",
))  # fmt: skip
_DATE: Final = re.compile(r"\b(?:\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})|\d{4}-\d{2}-\d{2})\b")
_TELLING: Final[tuple[Kind, ...]] = ("date", "sum", "number")
_EDGES: Final = " \t.,;:!?()[]\"'„“”‚‘’«»–—-"
_SENTENCE_END: Final = (".", "!", "?", ":")


@dataclass(frozen=True)
class Difference:
    """A place in which a copy differs from its canonical.

    Attributes:
        kind: date, sum, number, name, or text for anything else.
        canonical: what the canonical says there; "" for nothing.
        copy: what the copy says there; "" for nothing.
    """

    kind: Kind
    canonical: str
    copy: str


def differences(canonical: str, copy: str, language: str) -> list[Difference]:
    """The places in which two texts differ in words, in order; case and punctuation at the edges of words do not count.

    Args:
        canonical: text of the canonical chunk.
        copy: text of its near-duplicate.
        language: "tr", "de", "en" or "und": decides casing and what is a name.
    """
    ours, theirs = canonical.split(), copy.split()
    matcher = SequenceMatcher(None, _keys(ours, language), _keys(theirs, language), autojunk=False)
    found: list[Difference] = []
    for action, a, b, x, y in matcher.get_opcodes():
        if action != "equal":
            sides: list[Kind] = []
            if b > a:
                sides.append(_kind(ours, a, b, language))
            if y > x:
                sides.append(_kind(theirs, x, y, language))
            found.append(Difference(_widest(sides), _span(ours, a, b), _span(theirs, x, y)))
    return [each for each in found if each.canonical or each.copy]


def _keys(words: Sequence[str], language: str) -> list[str]:
    return [lower(word.strip(_EDGES), language) for word in words]


def _span(words: Sequence[str], start: int, end: int) -> str:
    return " ".join(words[start:end]).strip(_EDGES)


def _widest(sides: Sequence[Kind]) -> Kind:
    """The kind of a difference from what its sides are: a sum for a number is one in sums, a name for a word is wording."""
    for kind in _TELLING:
        if kind in sides:
            return kind
    return "name" if all(side == "name" for side in sides) else "text"


def _kind(words: Sequence[str], start: int, end: int, language: str) -> Kind:
    """What words[start:end] are, seen with the words beside them."""
    inside = [stripped for word in words[start:end] if (stripped := word.strip(_EDGES))]
    beside = [word.strip(_EDGES) for word in (*words[max(start - 1, 0) : start], *words[end : end + 1])]
    digits: bool = any(char.isdigit() for word in inside for char in word)
    month = _any_of(inside, _MONTHS, language) and (digits or any(word.isdigit() for word in beside))
    month = month or (digits and _any_of(beside, _MONTHS, language))
    opens = start == 0 or words[start - 1].endswith(_SENTENCE_END)
    named = (*inside, *(word.strip(_EDGES) for word in words[max(start - 1, 0) : start]))
    kinds: tuple[tuple[bool, Kind], ...] = (
        (month or _DATE.search(" ".join(inside)) is not None, "date"),
        (digits and _any_of((*inside, *beside), _CURRENCY, language), "sum"),
        (digits, "number"),
        (_any_of(named, _OF_NAMES, language) or _is_name(inside, language, opens=opens), "name"),
    )
    for holds, kind in kinds:
        if holds:
            return kind
    return "text"


def _any_of(words: Sequence[str], known_words: frozenset[str], language: str) -> bool:
    return any(
        lower(word, language) in known_words or (word[:1] in known_words or word[-1:] in known_words)
        for word in words
        if word
    )


def _is_name(words: Sequence[str], language: str, *, opens: bool) -> bool:
    """All with a capital; and where a capital says little, one at least that is in no dictionary."""
    if not words or not all(word[0].isupper() for word in words):
        return False
    if language == UNKNOWN:
        return not opens
    if language == "de" or (opens and len(words) == 1):
        return any(not known(word, language) and not known(lower(word, language), language) for word in words)
    return True
