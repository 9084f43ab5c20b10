"""Where sentences end in Turkish, German and English text.

Rules over each end mark: what stands before it (an abbreviation, an ordinal, an initial, a list marker) and what
follows (a capital, a number, a word that is capitalised only at the start of a sentence). Data: `abbreviations.py`.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from pipeline.language.abbreviations import CLOSING, NUMBERED, OTHERS, STARTERS, TITLES
from pipeline.language.casing import lower

Span = tuple[int, int]

_QUOTES: Final = "\"'„“”‚‘’«»‹›"
# An end mark with the quotes and brackets that close on it, before white space; or a line that stands apart.
_MARK: Final = re.compile(
    rf"(?P<end>[.!?…]+|[。！？]+)(?P<close>[{_QUOTES})\]]*)(?=\s|$)"
    r"|(?P<gap>[^\S\n]*\n[^\S\n]*(?:\n\s*|(?=(?:[-–•*▪·]|\(?(?:\d{1,3}|[a-zçğıöşü]{1,2}|[ivx]{1,5})[.)])[^\S\n])))"
)
_BEFORE: Final = re.compile(rf"[^\s(\[{{{_QUOTES}/]*$")
_NEXT: Final = re.compile(rf"\s*[{_QUOTES}(\[–—-]*\s*(?P<word>[^\W\d_]+|\d+|\S)?")
_LIST_MARKER: Final = re.compile(r"[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[^\W\d_]|[ivxlcIVXLC]{1,6})[.)]*$")
_NUMBER_POINT: Final = re.compile(r"\d{1,3}\.\s")
_ORDINAL: Final = re.compile(r"(?:\d{1,3}|[IVXLCDM]{2,6})(?:[-–/](?:\d{1,3}|[IVXLCDM]{1,6}))?$")
_ACRONYM: Final = re.compile(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}$")
# A number after one of these is a count, not an ordinal: "§ 5 Abs. 2." may end a sentence.
_CITED: Final = re.compile(
    r"(?:§+|\b(?:Abs|Nr|Art|Ziff|Rn|Kap|No|Nos|md|Madde|Absatz|Nummer|Artikel|page|Seite)\.?)\s*$"
)


class _Rules(NamedTuple):
    titles: frozenset[str]
    numbered: frozenset[str]
    closing: frozenset[str]
    others: frozenset[str]
    starters: frozenset[str]


def sentence_spans(text: str, language: str) -> list[Span]:
    """Spans of the sentences of a text, in order, not overlapping.

    Outside the spans there is white space only; a span neither begins nor ends with it. Dates, ordinals, decimal and
    thousands points, initials and abbreviations end no sentence; list items and paragraphs do.

    Args:
        text: any text. Offsets are in code points.
        language: "tr", "de", "en"; with "und" the abbreviations of all three count.

    Returns:
        (start, end) of each sentence, end exclusive; empty for a text of white space.
    """
    rules = _rules(language)
    spans: list[Span] = []
    start = _skip_space(text, 0)
    for mark in _MARK.finditer(text):
        gap = mark["gap"] is not None
        cut = mark.start() if gap else mark.end()
        if cut <= start or not (
            _parts(text, start, mark) if gap else _ends(text, start, mark, language, rules)
        ):
            continue
        spans.append((start, cut))
        start = _skip_space(text, cut)
    end = len(text.rstrip())
    if start < end:
        spans.append((start, end))
    return spans


def _parts(text: str, start: int, mark: re.Match[str]) -> bool:
    """Whether a line break parts sentences; one before "3. Juni" is a wrapped line if nothing says that items are listed."""
    if mark["gap"].count("\n") > 1 or not _NUMBER_POINT.match(text, mark.end()):
        return True
    return text[mark.start() - 1] in ".!?…:;,)" or bool(_NUMBER_POINT.match(text, start))


def _ends(text: str, start: int, mark: re.Match[str], language: str, rules: _Rules) -> bool:
    """Whether the mark ends the sentence that began at `start`."""
    following = _NEXT.match(text, mark.end())
    word = (following["word"] or "") if following else ""
    before = _BEFORE.search(text, start, mark.start())
    if not word or word[0].islower() or mark["end"] != "." or before is None or not before[0]:
        return not (word and word[0].islower())
    if text[start : before.start()].strip("([ ") == "" and _LIST_MARKER.match(before[0]):
        return False  # "1. Der Arbeitgeber …": the marker belongs to its item
    starts = lower(word, language) in rules.starters
    if ")" in mark["close"] and (text[start] != "(" or _is_short(before[0], language, rules)):
        return starts and not _is_short(before[0], language, rules)  # an aside within the sentence
    if _ORDINAL.match(before[0]):
        return _number_ends(text[start : before.start()], word, language, starts=starts)
    return _word_ends(before[0], word, language, rules, starts=starts)


def _number_ends(head: str, word: str, language: str, *, starts: bool) -> bool:
    """Whether "head 3. word" ends at the point: German and Turkish write ordinals so."""
    if language == "en":
        return not word[0].isdigit()
    if _CITED.search(head):
        return not word[0].isdigit()
    return starts


def _word_ends(token: str, word: str, language: str, rules: _Rules, *, starts: bool) -> bool:
    """Whether "token. word" ends at the point."""
    key = _key(token, language)
    if key in rules.titles:
        return False
    if word[0].isdigit() and (key in rules.numbered or key in rules.others or len(key) == 1):
        return False
    if key in rules.closing and key not in rules.others:
        return True
    if _is_short(token, language, rules):
        return starts
    return True


def _key(token: str, language: str) -> str:
    """A token as it stands in the lists: "md" for "5728-63md"."""
    return lower(token, language).rpartition("-")[2].lstrip("0123456789")


def _is_short(token: str, language: str, rules: _Rules) -> bool:
    """Whether the token is an abbreviation, an initial or an acronym with points."""
    key = _key(token, language)
    return (
        (len(key) == 1 and key.isalpha())
        or key in rules.others
        or key in rules.titles
        or bool(_ACRONYM.match(token))
        or (language in {"de", "und"} and key.endswith("str") and len(key) > 3)
    )


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


@lru_cache(maxsize=4)
def _rules(language: str) -> _Rules:
    chosen = (language,) if language in STARTERS else tuple(STARTERS)
    tables = (TITLES, NUMBERED, CLOSING, OTHERS, STARTERS)
    return _Rules(*(frozenset(" ".join(table[name] for name in chosen).split()) for table in tables))
