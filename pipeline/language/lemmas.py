"""Dictionary look-ups: lemmas and known words of Turkish, German and English (simplemma, in its low-memory form).

All functions take words in lower case (`casing.lower`) and are remembered: a corpus repeats its words.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Final

from pipeline.language.casing import lower

if TYPE_CHECKING:
    from simplemma.strategies import DefaultStrategy

LONGEST: Final = 40  # longer strings are no words; looking them up by rules would take quadratic time

_MAX_CHOICES: Final = 8  # places in a word where a spelling may vary: at most 256 look-ups, once per word
_GERMAN_SPELLINGS: Final = (("ae", "ä"), ("oe", "ö"), ("ue", "ü"), ("ss", "ß"))
_TURKISH_SPELLINGS: Final = (("c", "ç"), ("g", "ğ"), ("i", "ı"), ("o", "ö"), ("s", "ş"), ("u", "ü"))
_HARMONY: Final = {
    "a": "ı",
    "â": "ı",
    "î": "i",
    "û": "u",
    "ı": "ı",
    "o": "u",
    "u": "u",
    "e": "i",
    "i": "i",
    "ö": "ü",
    "ü": "ü",
}
_TITLE: Final = re.compile(r"(?:er|or|ent|ant|ist)in$")
_LIGHT_VERBS: Final = ("edil", "ettir", "et")


@lru_cache(maxsize=2**17)
def known(word: str, language: str) -> tuple[str, ...]:
    """Lemmas that the dictionary gives for a word, as a noun and otherwise, as spelt there; empty if it has none."""
    if len(word) > LONGEST:
        return ()
    entries = dictionary(language)
    found = (entries.get(word), entries.get(capitalised(word, language)))
    return tuple(dict.fromkeys(lemma for lemma in found if lemma))


@lru_cache(maxsize=2**17)
def recognised(word: str, language: str, *, plain: bool = False) -> tuple[str, ...]:
    """Lemmas that the dictionary gives for a word or for another spelling of it, in lower case, best first.

    German words are also looked up with ß for ss and umlauts for ae, oe, ue, and of a woman's title the man's is given
    too ("Mieterin", "Mieter"); of an English noun in -ing the verb ("filing", "file"). For a Turkish verb made of a noun that
    lost its vowel ("feshet" of "fesih") the noun is given too.

    Args:
        word: in lower case.
        language: "tr", "de" or "en".
        plain: the text was typed without Turkish letters, so "sozlesmesi" may stand for "sözleşmesi".
    """
    found = [*known(word, language)]
    if language == "de":
        found += [
            lemma for spelling in _spellings(word, _GERMAN_SPELLINGS) for lemma in known(spelling, "de")
        ]
    if language == "tr" and plain and not found:
        found += [
            lemma for spelling in _spellings(word, _TURKISH_SPELLINGS) for lemma in known(spelling, "tr")
        ]
    lowered = [lower(lemma, language) for lemma in found]
    further = _nouns_of_light_verbs(lowered) if language == "tr" else []
    if language == "en":
        further = [verb for lemma in lowered for verb in _verb_of_gerund(lemma)]
    if language == "de":
        further = [lemma[:-2] for lemma in lowered if _TITLE.search(lemma) and known(lemma[:-2], "de")]
    return tuple(dict.fromkeys(lowered + further))


@lru_cache(maxsize=2**16)
def guessed(word: str, language: str) -> tuple[str, ...]:
    """The lemma that the language's rules make of a word which its dictionary lacks, in lower case; empty if none."""
    lemma = _strategy().get_lemma(word, language) if len(word) <= LONGEST else None
    lowered = [lower(lemma, language)] if lemma else []
    return tuple(lowered + (_nouns_of_light_verbs(lowered) if language == "tr" else []))


def capitalised(word: str, language: str) -> str:
    """The word with a capital first letter: İ for a Turkish i."""
    return ("İ" if language == "tr" and word[:1] == "i" else word[:1].upper()) + word[1:]


@lru_cache(maxsize=16)
def dictionary(language: str) -> Mapping[str, str]:
    """Word form to lemma, for any language of simplemma. About 15 MB a language; a plain dictionary takes ten times that and saves little time."""
    # The one that simplemma's own strategy asks: opening a dictionary takes half a second.
    from simplemma.strategies.dictionaries import LOW_MEMORY_DICTIONARY_FACTORY

    return LOW_MEMORY_DICTIONARY_FACTORY.get_dictionary(language)


@lru_cache(maxsize=1)
def _strategy() -> "DefaultStrategy":
    from simplemma.strategies import DefaultStrategy

    return DefaultStrategy(low_memory=True)


def _spellings(word: str, pairs: tuple[tuple[str, str], ...]) -> Iterator[str]:
    """The other spellings of a word: each place where a pair matches, as it is or replaced. None for too many places."""
    pieces: list[tuple[str, ...]] = []
    position = 0
    while position < len(word):
        match = next((pair for pair in pairs if word.startswith(pair[0], position)), None)
        pieces.append(match or (word[position],))
        position += len(match[0]) if match else 1
    places = sum(len(piece) > 1 for piece in pieces)
    if 0 < places <= _MAX_CHOICES:
        choices = product(*pieces)
        next(choices)  # the word itself
        yield from ("".join(choice) for choice in choices)


def _verb_of_gerund(lemma: str) -> tuple[str, ...]:
    """File for filing, set for setting, where the dictionary has the noun only; empty if there is no such verb."""
    stem = lemma.removesuffix("ing")
    if stem == lemma or len(stem) < 3:
        return ()
    forms = (stem[:-1], stem) if stem[-1] == stem[-2] else (stem + "e", stem)
    return next(((form,) for form in forms if form in known(form, "en")), ())


def _nouns_of_light_verbs(verbs: list[str]) -> list[str]:
    """Fesih for feshet: the accusative of the noun has the verb's stem, and the stem alone is no word."""
    return [noun for verb in verbs for noun in _noun_of_light_verb(verb)]


def _noun_of_light_verb(lemma: str) -> tuple[str, ...]:
    for verb in _LIGHT_VERBS:
        stem = lemma.removesuffix(verb)
        vowel = next((_HARMONY[char] for char in reversed(stem) if char in _HARMONY), "")
        if len(stem) >= 3 and stem != lemma and vowel and not known(stem, "tr"):
            forms = dict.fromkeys((stem + vowel, stem + "i"))
            return tuple(noun for form in forms for noun in known(form, "tr") if noun != form)
    return ()
