"""The glossary: words for one thing in German, English and Turkish, formal and everyday ones.

Full text finds the words of a question. With the glossary it also finds what another language, or a statute, calls the same.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Final

from pipeline.config import UserError
from pipeline.language.analysis import analysed, headwords, typed_plainly
from pipeline.language.casing import fold, lower
from pipeline.language.function_words import FUNCTION_WORDS
from pipeline.tables.fingerprint import fingerprint

COLUMNS: Final = ("de", "en", "tr")
_ALIKE: Final = 4  # letters that a word and its lemma, or the lemma of another form, begin with
_TOPICAL: Final = 2  # words that a phrase can be told by without its small ones
# Other words that a question looks for, shared evenly by what it names and by languages: a question of 25 words has all that
# the packaged glossary knows, and one of a thousand characters takes a second in place of minutes.
_MOST: Final = 3_000
# Verbs and endings that make a verb or an adverb of a noun: "fesih etmek" is said of a "fesih".
_LIGHT: Final = {
    "de": frozenset({"sich"}),
    "en": frozenset[str](),
    "tr": frozenset({"etmek", "yapmak", "olmak", "olarak", "eden", "olan", "edilmesi", "yapılması"}),
}

Row = Mapping[str, tuple[str, ...]]  # language → words or phrases for one thing
Tokens = tuple[str, ...]
_Place = tuple[str, str, bool]  # language, first letters, whether small words count


class GlossaryError(UserError):
    """A glossary cannot be read. The message names the file, the line and what is wrong."""


@dataclass(frozen=True, slots=True)
class Concept:
    """One thing that a question names.

    Attributes:
        tokens: search tokens of the question's own word, or of its words that stand in the glossary together.
        others: search tokens of each other word for it, by the language of that word.
    """

    tokens: Tokens
    others: Mapping[str, tuple[Tokens, ...]]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A word or phrase, as it is looked up, and the rows that it stands in."""

    words: tuple[str, ...]
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a question."""

    at: int
    tokens: Tokens
    headwords: Mapping[str, frozenset[str]]  # by language
    topical: bool


class Glossary:
    """Rows of words for one thing, looked up by any word of them in any form.

    Args:
        rows: for each language words or phrases, in the forms that a dictionary has.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = tuple(rows)
        self._entries: dict[_Place, Mapping[str, Sequence[_Entry]]] = {}

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all rows."""
        return fingerprint("glossary", [";".join(row[name]) for row in self._rows for name in COLUMNS])

    @cached_property
    def _phrases(self) -> dict[_Place, dict[tuple[str, ...], list[int]]]:
        """The rows of every phrase, by where it is looked up; made for the first question, for a run needs the rows' hash alone."""
        phrases: dict[_Place, dict[tuple[str, ...], list[int]]] = defaultdict(lambda: defaultdict(list))
        for at, row in enumerate(self._rows):
            for language in COLUMNS:
                for phrase in row[language]:
                    words, whole = _looked_up(phrase, language)
                    if words:
                        phrases[language, fold(words[0])[:_ALIKE], whole][words].append(at)
        return phrases

    def concepts(self, text: str, languages: Collection[str]) -> tuple[Concept, ...]:
        """What a question is about, each word of it in one concept; function words only where there is nothing else.

        Of the phrases of the glossary that stand in the question the longest count. What is named again counts once.

        Args:
            text: a question.
            languages: those that it may be in, of "tr", "de", "en"; with several, no word is taken for a function word.
        """
        words = _words(text, languages)
        rows: dict[frozenset[int], set[int]] = {}
        taken: set[int] = set()
        for places, found in sorted(self._found(words), key=lambda found: (-len(found[0]), min(found[0]))):
            if places in rows:
                rows[places].update(found)
            elif taken.isdisjoint(places):
                rows[places] = {*found}
                taken |= places
        rows |= {frozenset([word.at]): set[int]() for word in words if word.topical and word.at not in taken}
        named = {
            (_own([words[place] for place in sorted(places)]), frozenset(rows[places])): None
            for places in sorted(rows, key=min)
        }
        most = max(1, _MOST // (len(COLUMNS) * max(1, len(named))))
        return tuple(Concept(own, self._others(own, found, most)) for own, found in named)

    def _found(self, words: Sequence[_Word]) -> Iterator[tuple[frozenset[int], tuple[int, ...]]]:
        """Where in the question which rows stand."""
        for asked, whole in (([word for word in words if word.topical], False), (words, True)):
            for start, word in enumerate(asked):
                for language, known in word.headwords.items():
                    for beginning in {headword[:_ALIKE] for headword in known}:
                        entries = self._beginning((language, beginning, whole))
                        for entry in {
                            id(each): each for one in known for each in entries.get(one, ())
                        }.values():
                            if _stands(entry.words, asked[start:], language):
                                places = asked[start : start + len(entry.words)]
                                yield frozenset(each.at for each in places), entry.rows

    def _beginning(self, place: _Place) -> Mapping[str, Sequence[_Entry]]:
        """The entries of a place by what a dictionary has their first word under; made when first asked for."""
        if place not in self._phrases:
            return {}
        if place not in self._entries:
            entries: dict[str, list[_Entry]] = defaultdict(list)
            for words, rows in self._phrases[place].items():
                entry = _Entry(words, tuple(rows))
                for headword in headwords(words[0], place[0], plain=False):
                    entries[headword].append(entry)
            self._entries[place] = entries
        return self._entries[place]

    def _others(self, own: Tokens, rows: Collection[int], most: int) -> dict[str, tuple[Tokens, ...]]:
        """Search tokens of the other words in some rows, by language, of each at most so many."""
        others: dict[str, tuple[Tokens, ...]] = {}
        for language in COLUMNS if rows else ():
            phrases = (
                _tokens(phrase, language) for row in sorted(rows) for phrase in self._rows[row][language]
            )
            distinct: dict[Tokens, None] = {}
            for each in phrases:
                if each and not set(own).issuperset(each):
                    distinct[each] = None
                if len(distinct) == most:
                    break
            others[language] = tuple(distinct)
        return others


def all_terms(concepts: Iterable[Concept]) -> frozenset[str]:
    """Every token that a question looks for: its own and those of other words."""
    return frozenset(
        token
        for concept in concepts
        for tokens in (concept.tokens, *(each for phrases in concept.others.values() for each in phrases))
        for token in tokens
    )


def read_glossary(own: Path | None = None) -> Glossary:
    """The glossary of Kesit, and the rows of a file beside it.

    Args:
        own: UTF-8; a row is a line of three cells, German | English | Turkish, with ; between the words of a cell. Empty
            lines and lines that begin with # are skipped.

    Raises:
        GlossaryError: the file cannot be read, or a line has no three cells with a word in each.
    """
    packaged = files("pipeline.language").joinpath("glossary.psv").read_text(encoding="utf-8")
    rows = [*_rows(packaged, "glossary.psv")]
    if own is not None:
        try:
            text = own.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            raise GlossaryError(f"{own}: no such file") from None
        except IsADirectoryError:
            raise GlossaryError(f"{own}: a folder; a glossary is a file") from None
        except UnicodeDecodeError as error:
            raise GlossaryError(f"{own}: not UTF-8, from byte {error.start} on: save it as UTF-8") from None
        except OSError as error:
            raise GlossaryError(f"{own}: {error}") from None
        rows += _rows(text, str(own))
    return Glossary(rows)


def _rows(text: str, name: str) -> Iterator[Row]:
    for number, line in enumerate(unicodedata.normalize("NFC", text).split("\n"), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        cells = [tuple(filter(None, map(str.strip, cell.split(";")))) for cell in line.split("|")]
        if len(cells) != len(COLUMNS) or not all(cells):
            raise GlossaryError(
                f"{name}, line {number}: not three cells like Kaution; Mietsicherheit | deposit | depozito"
            )
        yield dict(zip(COLUMNS, cells, strict=True))


def _words(text: str, languages: Collection[str]) -> list[_Word]:
    """The words of a question. Those are topical that carry more than grammar; where none does, all are."""
    by_language = {language: analysed(text, language) for language in sorted(languages)}
    analysed_words = zip(*by_language.values(), strict=True)
    spoken = [(same[0][0], tokens) for same in analysed_words if (tokens := _distinct(same))]
    plain = typed_plainly(text)
    words = [
        _Word(
            at,
            tokens,
            {language: headwords(word, language, plain=plain) for language in by_language},
            topical=len(by_language) > 1 or all(_topical(word, language) for language in by_language),
        )
        for at, (word, tokens) in enumerate(spoken)
    ]
    return words if any(word.topical for word in words) else [replace(word, topical=True) for word in words]


def _own(words: Sequence[_Word]) -> Tokens:
    """Search tokens of the words of a concept."""
    topical = [word for word in words if word.topical] or words
    return tuple(dict.fromkeys(token for word in topical for token in word.tokens))


def _topical(word: str, language: str) -> bool:
    return lower(word, language) not in FUNCTION_WORDS[language]


def _looked_up(phrase: str, language: str) -> tuple[tuple[str, ...], bool]:
    """The words of a phrase that a question must have, and whether it must have them beside one another, small words and all.

    It must where one word alone would be left: "move out" is not any move, and "make a will" not any making. Small words
    alone are no topic: there is nothing to look up.
    """
    words = tuple(word for word in phrase.split() if word not in _LIGHT[language]) or (phrase,)
    topical = tuple(word for word in words if _topical(word, language))
    whole = 0 < len(topical) < min(len(words), _TOPICAL)
    return (words if whole else topical), whole


def _stands(phrase: Sequence[str], words: Sequence[_Word], language: str) -> bool:
    """Whether the words begin with the phrase, each word in any of its forms."""
    return len(phrase) <= len(words) and all(
        not headwords(one, language, plain=False).isdisjoint(word.headwords[language])
        for one, word in zip(phrase, words, strict=False)
    )


def _tokens(phrase: str, language: str) -> Tokens:
    """What is searched for where a phrase is another word for what is asked; nothing where it is told by small words."""
    words, whole = _looked_up(phrase, language)
    if whole:
        return ()
    return _distinct(analysed(" ".join(words), language))


def _distinct(words: Iterable[tuple[str, Tokens]]) -> Tokens:
    """The search tokens of analysed words as the index has them: without diacritics some letters are nothing, or several words."""
    return tuple(dict.fromkeys(part for _, tokens in words for token in tokens for part in token.split()))
