"""Where sentences end in Turkish, German and English text.

Rules over each end mark: what stands before it (an abbreviation, an ordinal, an initial, a list marker) and what
follows (a capital, a number, a word that is capitalised only at the start of a sentence). Where a mark was forgotten,
such a word alone begins a sentence. Every look from a mark is bounded: time grows with the text, whatever is in it.
Data: `abbreviations.py`.
"""

import re
from bisect import bisect_right
from functools import lru_cache
from typing import Final, NamedTuple

from pipeline.config import UNKNOWN
from pipeline.language.abbreviations import BINDING, CLOSING, NUMBERED, OTHERS, STARTERS, TITLES, UNSURE
from pipeline.language.casing import lower
from pipeline.language.lemmas import known

Span = tuple[int, int]

LONGEST_TOKEN: Final = 64  # characters that are looked at before a mark
LONGEST_QUOTATION: Final = 300  # a longer one is text of its own: its sentences part

_QUOTES: Final = "\"'`„“”‚‘’«»‹›"
_LOWER: Final = "a-zß-öø-ÿğış"
_UPPER: Final = "A-ZÀ-ÖØ-ÞĞİŞ"
_ENDS: Final = ".!?…。！？"
_FACE: Final = r"-?[()DPp]++(?!\w)"
# Every place starts with one of few characters, which is what makes the search fast; what they mean follows them:
# an end mark with the quotes, brackets and smiley that close on it, before white space; a smiley; a line that stands
# apart; or white space between a word in lower case and one with a capital.
_MARK: Final = re.compile(
    rf"[{_ENDS}\s:;=](?:"
    rf"(?<=[{_ENDS}])(?<![{_ENDS}][{_ENDS}])[{_ENDS}]*+(?P<close>[{_QUOTES})\]]*+(?:[^\S\n]{{0,2}}[:;=]{_FACE})?)(?=\s|$)"
    rf"|(?<=\s[:;=])(?P<face>{_FACE})(?=\s+[{_UPPER}])"
    r"|(?<=\s)(?<!\s\s)(?P<gap>(?:(?<=\n)|[^\S\n]*+\n)[^\S\n]*+(?:\n\s*+"
    r"|(?=(?:[-–•*▪·]|\(?(?:\d{1,3}|[a-zçğıöşü]{1,2}|[ivx]{1,5})[.)])[^\S\n])))"
    rf"|(?:(?<=[{_LOWER}]{{2}}\s)|(?<=[{_LOWER}][{_QUOTES})]\s))(?P<bare>\s*+)(?=[{_UPPER}][{_LOWER}]++(?:['’][{_LOWER}]++)?\s))"
)
_BEFORE: Final = re.compile(rf"[^\s(\[{{{_QUOTES}/]*$")
_NEXT: Final = re.compile(rf"\s*+[{_QUOTES}(\[–—-]*+\s*+(?P<word>[^\W\d_]+|\d+|\S)?")
_LAST_WORD: Final = re.compile(rf"(\S*?)[{_QUOTES})]*$")
_TWO_WORDS: Final = re.compile(r"(\w+)\S*\s+(\S)")
_LIST_MARKER: Final = re.compile(r"[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[^\W\d_]|[ivxlcIVXLC]{1,6})[.)]*$")
_NUMBER_POINT: Final = re.compile(r"\d{1,3}\.\s")
_ORDINAL: Final = re.compile(r"(?:\d{1,3}|[IVXLCDM]{2,6})(?:[-–/](?:\d{1,3}|[IVXLCDM]{1,6}))?$")
_ACRONYM: Final = re.compile(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}$")
_LETTERED: Final = re.compile(r"\d+[a-z]$")  # "Absatz 2a."
# A number after one of these is a count, not an ordinal: "§ 5 Abs. 2." may end a sentence, and so may "Nummer 1 und 2."
_CITED: Final = re.compile(
    r"(?:§+|\b(?:Abs|Nr|Art|Ziff|Rn|Kap|No|Nos|md|Madde|Absatz|Absatzes|Absätze|Nummer|Nummern|Artikel|Satz|Satzes|Sätze"
    r"|page|Seite|Seiten|Anlage|Tabelle|Abbildung)\.?)\s*(?:\d{1,3}[a-z]?\s*(?:und|oder|bis|,|-|–)\s*)?$"
)
# Quotations within a sentence: it goes on in lower case behind them.
_QUOTATION: Final = re.compile(
    rf"(?:(?<!\S)\"(?=\S)[^\"\n]{{1,{LONGEST_QUOTATION}}}\"|“[^”“\n]{{1,{LONGEST_QUOTATION}}}”|„[^“”„\n]{{1,{LONGEST_QUOTATION}}}[“”]"
    rf"|«[^»«\n]{{1,{LONGEST_QUOTATION}}}»)(?=,?\s[{_LOWER}])"
)


class _Rules(NamedTuple):
    titles: frozenset[str]
    numbered: frozenset[str]
    closing: frozenset[str]
    others: frozenset[str]
    starters: frozenset[str]
    binding: frozenset[str]
    beginnings: frozenset[str]


def sentence_spans(text: str, language: str) -> list[Span]:
    """Spans of the sentences of a text, in order, not overlapping.

    Outside the spans there is white space only; a span neither begins nor ends with it. Dates, ordinals, decimal and
    thousands points, initials and abbreviations end no sentence, nor does what stands in a quotation that its sentence
    goes on after; list items and paragraphs do. Takes time in proportion to the text.

    Args:
        text: any text. Offsets are in code points.
        language: "tr", "de", "en"; with "und" the abbreviations of all three count.

    Returns:
        (start, end) of each sentence, end exclusive; empty for a text of white space.
    """
    rules = _rules(language)
    quoted = [match.span() for match in _QUOTATION.finditer(text)]
    opened = [start for start, _ in quoted]
    spans: list[Span] = []
    start = _skip_space(text, 0)
    for mark in _MARK.finditer(text):
        kind = mark.lastgroup
        cut = mark.end() if kind in {"close", "face"} else mark.start()
        if cut <= start:
            continue
        if kind == "gap":
            ends = _parts(text, start, mark)
        elif kind == "bare":
            ends = _begins(text, mark, language, rules)
        else:
            ends = kind == "face" or _ends(text, start, mark, language, rules)
        if not ends or (kind != "gap" and _inside(cut, quoted, opened)):
            continue
        spans.append((start, cut))
        start = _skip_space(text, cut)
    end = len(text.rstrip())
    if start < end:
        spans.append((start, end))
    return spans


def _inside(cut: int, quoted: list[Span], opened: list[int]) -> bool:
    """Whether a place is within one of the quotations."""
    place = bisect_right(opened, cut) - 1
    return place >= 0 and cut <= quoted[place][1]


def _parts(text: str, start: int, mark: re.Match[str]) -> bool:
    """Whether a line break parts sentences; one before "3. Juni" is a wrapped line if nothing says that items are listed."""
    if text.count("\n", mark.start(), mark.end()) > 1 or not _NUMBER_POINT.match(text, mark.end()):
        return True
    return text[mark.start() - 1] in ".!?…:;,)" or bool(_NUMBER_POINT.match(text, start))


def _begins(text: str, mark: re.Match[str], language: str, rules: _Rules) -> bool:
    """Whether a sentence begins with the capital after this space though no mark stands before it.

    That is so of a word that is written in lower case within a sentence, unless it begins a name or title ("in The
    Hague"): then a capital follows or stands before it, which says nothing in German, or the word before needs it.
    """
    words = _TWO_WORDS.match(text, mark.end())
    if words is None or lower(words[1], language) not in rules.beginnings:
        return False
    before = _LAST_WORD.search(text, max(0, mark.start() - LONGEST_TOKEN), mark.start())
    word = before[1] if before else ""
    if lower(word, language) in rules.binding:
        return False
    return (
        (words[2].islower() or language == "de")
        if word[:1].islower()
        else words[2].islower() and language == "de"
    )


def _ends(text: str, start: int, mark: re.Match[str], language: str, rules: _Rules) -> bool:
    """Whether the mark ends the sentence that began at `start`."""
    following = _NEXT.match(text, mark.end())
    word = (following["word"] or "") if following else ""
    place = mark.start()
    while place > start and text[place - 1].isspace() and mark.start() - place < 2:
        place -= 1  # "5763/1 md ."
    before = _BEFORE.search(text, max(start, place - LONGEST_TOKEN), place)
    token = before[0] if before else ""
    end = text[mark.start() : mark.start("close")]
    if word and word[0].islower():
        return not mark["close"] and _ends_word(token, end, language, rules)
    if not word or end != "." or before is None or not token or _is_ending(text, before.start()):
        return True
    if (
        before.start() - start <= 2
        and text[start : before.start()].strip("([ ") == ""
        and _LIST_MARKER.match(token)
    ):
        return False  # "1. Der Arbeitgeber …": the marker belongs to its item
    starts = lower(word, language) in rules.starters
    if ")" in mark["close"] and (text[start] != "(" or _is_short(token, language, rules)):
        return starts and not _is_short(token, language, rules)  # an aside within the sentence
    if _ORDINAL.match(token) or _LETTERED.match(token):
        head = text[max(start, before.start() - LONGEST_TOKEN) : before.start()]
        return _number_ends(head, word, language, starts=starts)
    return _word_ends(token, word, language, rules, starts=starts)


def _is_ending(text: str, start: int) -> bool:
    """Whether what starts here is the grammatical ending of a word or number, behind an apostrophe."""
    return start >= 2 and text[start - 1] in "'’" and text[start - 2].isalnum()


def _ends_word(token: str, end: str, language: str, rules: _Rules) -> bool:
    """Whether a sentence ends at the mark though the next word is in lower case: people write so where nobody corrects.

    The word before it must be one of the language and long, so that it is no abbreviation; only English has no other
    use of "?" and "!" there.
    """
    if end != "." and (end not in {"?", "!"} or language != "en"):
        return False
    key = lower(token, language)
    if (
        len(token) < (4 if language == "de" else 3)
        or not token.isalpha()
        or _is_short(token, language, rules)
    ):
        return False
    if key in rules.closing or key in rules.numbered or (language != "de" and not token[0].islower()):
        return False
    return language != UNKNOWN and bool(known(key, language))


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
        or (language in {"de", UNKNOWN} and key.endswith("str") and len(key) > 3)
    )


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


@lru_cache(maxsize=4)
def _rules(language: str) -> _Rules:
    chosen = (language,) if language in STARTERS else tuple(STARTERS)
    tables = (TITLES, NUMBERED, CLOSING, OTHERS, STARTERS, BINDING, UNSURE)
    *sets, unsure = (frozenset(" ".join(table[name] for name in chosen).split()) for table in tables)
    return _Rules(*sets, beginnings=sets[4] - unsure if language in STARTERS else frozenset())
