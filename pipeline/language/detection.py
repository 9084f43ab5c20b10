"""Which language a text is in: tr, de, en, or und when there is too little evidence.

Three kinds of evidence are added: the letters (lingua, limited to the candidates), how many words its dictionary knows, and
how many are the small words that hold its sentences together. Words with a capital are names as often as not, and names
are of no language: they count by their letters only. Each kind errs on other texts; figures are in docs/benchmarks.md.
"""

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from pipeline.config import LANGUAGES, UNKNOWN
from pipeline.language.abbreviations import BINDING, STARTERS
from pipeline.language.casing import lower
from pipeline.language.lemmas import known

if TYPE_CHECKING:
    from lingua import LanguageDetector


MIN_WORDS: Final = 3  # one or two words are as often a name as a language
MIN_LETTERS: Final = 10
MAX_CHARACTERS: Final = 2000  # more changes no answer and costs time
MAX_WORDS: Final = 60  # that are looked up

# What the evidence weighs, in natural logarithms of odds; fitted to fragments of parallel text in four spellings.
KNOWN_SHARE: Final = 8.0  # all words known against none
SMALL_WORD: Final = 2.0
LEAST_LETTERS: Final = 1e-4  # letters alone exclude no language
MIN_LEAD: Final = (
    1.5  # of the best candidate before the next; below, the text is as likely mixed or of neither
)
# Share of known words below which a text is in another language. Turkish may be typed without its letters, and few of its
# words are known then.
MIN_KNOWN: Final = {"tr": 0.0, "de": 0.45, "en": 0.45}

_SMALL_WORDS: Final = {
    "tr": "mi mı mu mü kadar daha çok olan olarak olduğu göre"
}  # that neither begin nor bind
_WORD: Final = re.compile(r"(?<![\w@./-])[^\W\d_]{2,}(?![\w@])")


def detect(texts: Sequence[str], candidates: Sequence[str] = LANGUAGES) -> list[str]:
    """The language of each text. The same text has the same answer always; texts do not influence one another.

    Args:
        texts: any texts; empty ones are und.
        candidates: the languages to choose from, of "tr", "de", "en"; their order does not matter.

    Returns:
        One of the candidates or "und" for each text.

    Raises:
        ValueError: no candidate, or one that is not known.
    """
    chosen = tuple(sorted(set(candidates)))
    if not chosen or not set(chosen) <= set(LANGUAGES):
        raise ValueError(f"candidates {list(candidates)}: give some of {', '.join(LANGUAGES)}")
    return [_detect(text, chosen) for text in texts]


def _detect(text: str, candidates: tuple[str, ...]) -> str:
    # Codes, numbers and addresses say nothing about the language of the words around them.
    words = _WORD.findall(text[: 2 * MAX_CHARACTERS])
    if len(words) < MIN_WORDS or sum(map(len, words)) < MIN_LETTERS:
        return UNKNOWN
    if len(candidates) == 1:
        return candidates[0]
    values = _detector(candidates).compute_language_confidence_values(" ".join(words)[:MAX_CHARACTERS])
    letters = {entry.language.iso_code_639_1.name.lower(): entry.value for entry in values}
    if not any(letters.values()):
        return UNKNOWN
    plain = [word for word in words[:MAX_WORDS] if word[0].islower()] or words[:MAX_WORDS]
    scores: list[tuple[float, str, float]] = []
    for language in candidates:
        share, small = _evidence(plain, language)
        score = math.log(letters[language] + LEAST_LETTERS) + KNOWN_SHARE * share + SMALL_WORD * small
        scores.append((score, language, share))
    (second, *_), (best, language, share) = sorted(scores)[-2:]
    return language if best - second >= MIN_LEAD and share >= MIN_KNOWN[language] else UNKNOWN


def _evidence(words: Sequence[str], language: str) -> tuple[float, int]:
    """The share of words that the dictionary of a language knows, and the number of its small words."""
    lowered = [lower(word, language) for word in words]
    share = sum(bool(known(word, language)) for word in lowered) / len(lowered)
    return share, sum(word in _small_words(language) for word in lowered)


@lru_cache(maxsize=4)
def _small_words(language: str) -> frozenset[str]:
    return frozenset(f"{STARTERS[language]} {BINDING[language]} {_SMALL_WORDS.get(language, '')}".split())


@lru_cache(maxsize=8)
def _detector(candidates: tuple[str, ...]) -> "LanguageDetector":
    from lingua import IsoCode639_1, LanguageDetectorBuilder

    codes = [getattr(IsoCode639_1, candidate.upper()) for candidate in candidates]
    return LanguageDetectorBuilder.from_iso_codes_639_1(*codes).build()
