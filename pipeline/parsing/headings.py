"""Headings by their numbering: divisions of statutes and decimal numbers, in Turkish, German and English."""

import re
from dataclasses import dataclass
from typing import Final

_NUMBER: Final = r"(?:\d+[a-z]?|[IVXLC]+|[A-Z])"
_ORDINAL: Final = r"(?:\w*(?:inci|ıncı|uncu|üncü|nci|ncı|ncu|ncü)|BİRİNCİ|İKİNCİ|\w*(?:İNCİ|INCI|UNCU|ÜNCÜ|NCİ|NCI|NCU|NCÜ)|\d+\.|[IVXLC]+\.?)"
_GERMAN: Final = r"(?:Erste[rs]?|Zweite[rs]?|Dritte[rs]?|Vierte[rs]?|Fünfte[rs]?|Sechste[rs]?|Siebte[rs]?|Achte[rs]?|Neunte[rs]?|Zehnte[rs]?|\d+\.)"

_DIVISIONS: Final = tuple(
    (rank, re.compile(pattern))
    for rank, pattern in (
        (1, rf"(?:Buch|Book|BOOK|BUCH) {_NUMBER}\b|{_GERMAN} Buch\b|{_ORDINAL} (?:Kitap|KİTAP)\b"),
        (2, rf"(?:Teil|TEIL|Part|PART) {_NUMBER}\b|{_GERMAN} Teil\b|{_ORDINAL} (?:Kısım|KISIM)\b"),
        (3, rf"(?:Kapitel|KAPITEL|Chapter|CHAPTER|Bölüm|BÖLÜM) {_NUMBER}\b|{_GERMAN} Kapitel\b|{_ORDINAL} (?:Bölüm|BÖLÜM)\b"),
        (4, rf"(?:Abschnitt|ABSCHNITT|Section|SECTION|Ayırım|AYIRIM) {_NUMBER}\b|{_GERMAN} (?:Abschnitt|Titel)\b|{_ORDINAL} (?:Ayırım|AYIRIM)\b"),
        (5, rf"(?:Unterabschnitt|Untertitel) {_NUMBER}\b|{_GERMAN} (?:Unterabschnitt|Untertitel)\b"),
        (6, r"(?:(?:Geçici|GEÇİCİ|Ek|EK) )?(?:Madde|MADDE) \d+(?:/[A-ZÇĞİÖŞÜ])?\b|§+ ?\d+[a-z]?\b|(?:Artikel|ARTIKEL|Article|ARTICLE|Art\.) (?:\d+[a-z]?|[IVXLC]+)\b"),
        (6, r"(?:Anlage|ANLAGE|Anhang|ANHANG|Annex|ANNEX|Appendix|APPENDIX|Schedule|SCHEDULE|EK|Ek)[ -](?:\d+[a-z]?|[IVX]+|[A-Z])\b"),
    )
)  # fmt: skip
# A space may be missing after the number: "1.Defined Terms", "2.2Weekly Updates".
_DECIMAL: Final = re.compile(
    r"(\d{1,3}(?:\.\d{1,2}){0,5})(?:\.? +(?=\D)|\.(?=[A-ZÄÖÜÇĞİŞ][a-zäöüßçğış])|(?<=\.\d)(?=[A-Z][a-z])|(?<=\.\d\d)(?=[A-Z][a-z]))"
)
# "§ 5 Absatz 2 gilt entsprechend" cites; a heading names itself and stops, or goes on with a title.
_CITES: Final = re.compile(
    r"^[,;]|^(?:Abs\.|Absatz|Satz|Nr\.|Nummer|Buchst|Unterabs|gilt|gelten|des|der|und|oder|bis|ist|sind|wird|werden|sowie|"
    r"and|or|of|to|shall|applies|apply|is|are|paragraph|para\.|"
    r"uyarınca|gereğince|hükm|kapsamında|ve|veya|ile|inci|nci|ncı|üncü|uncu|ıncı|'|’)",
)
_RUN_IN: Final = re.compile(
    r"^(?P<mark>(?:(?:Geçici|GEÇİCİ|Ek|EK) )?(?:Madde|MADDE) \d+(?:/[A-ZÇĞİÖŞÜ])?|(?:Article|ARTICLE|Artikel|ARTIKEL) \d+[a-z]?)"
    r" ?[-–—:.]+ ?(?P<body>\S.*)$",
    re.DOTALL,
)
_LONGEST: Final = 120
_TITLE_WORD: Final = r"(?:[A-Z][\w’'-]*|of|and|the|to|for|in|or|on|by|with|&)"
_SECTION: Final = re.compile(
    rf"(?P<mark>(?:Section|SECTION) \d+(?:\.\d+)*)[.:] (?P<title>{_TITLE_WORD}(?:[,;]| {_TITLE_WORD})*)\. (?P<body>[A-Z(“\"].*)",
    re.DOTALL,
)
_TITLE_WORDS: Final = 14


@dataclass(frozen=True)
class Numbering:
    """How a heading is numbered.

    Attributes:
        rank: order of the division, 1 (book) to 6 (article); 10 plus the depth for decimal numbers.
        mark: the number itself: "§ 5", "Madde 12", "3.1.4".
    """

    rank: int
    mark: str


def numbering(text: str) -> Numbering | None:
    """The numbering that a heading's text starts with, or None."""
    for rank, pattern in _DIVISIONS:
        match = pattern.match(text)
        if match:
            return Numbering(rank, match.group(0))
    match = _DECIMAL.match(text)
    if match:
        return Numbering(10 + match.group(1).count(".") + 1, match.group(1))
    return None


def names_itself(text: str) -> Numbering | None:
    """The numbering of a plain paragraph that is a heading by its words alone, or None.

    Such a line is short, starts with a division ("§ 5", "Madde 12", "Article 4", "İKİNCİ BÖLÜM") or a decimal number of two
    parts or more ("3.1 Scope"), does not end like a sentence, and does not go on as a citation does.
    """
    if len(text) > _LONGEST or text.endswith((".", ";", ",", ":")) or "\t" in text:
        return None
    found = numbering(text)
    if found is None:
        return None
    rest = text[len(found.mark) :].lstrip(" .")
    if found.rank > 10:
        return found if found.rank > 11 and rest[:1].isupper() and len(rest.split()) <= 12 else None
    rest = rest.lstrip("-–—: ")
    return None if _CITES.match(rest) or (rest[:1].islower()) else found


def opens(text: str, following: str) -> bool:
    """Whether a short line heads what follows by number: "2. Research Program." before "2.1 The Parties shall …".

    What follows is a sentence: in a table of contents lines of titles follow each other.
    """
    found = numbering(text)
    if found is None or found.rank <= 10 or len(text) > _LONGEST or len(text.split()) > _TITLE_WORDS:
        return False
    if text[-1].isdigit() or not (len(following) > _LONGEST or following.endswith((".", ";", ":"))):
        return False
    first = numbering(following)
    return first is not None and first.mark == f"{found.mark}.1"


def split_run_in(text: str) -> tuple[str, str] | None:
    """("Madde 12", "(1) …") of a paragraph that starts with its article's mark and a dash, else None.

    An English section takes its title along: ("Section 2. Sale of the Shares", "Subject to …").
    """
    match = _RUN_IN.match(text)
    if match:
        return match["mark"], match["body"]
    match = _SECTION.match(text)
    if match and len(match["title"].split()) <= _TITLE_WORDS:
        return f"{match['mark']}. {match['title']}", match["body"]
    return None
