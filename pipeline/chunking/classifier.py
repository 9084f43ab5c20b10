"""The class of a document that nobody declared, from the words of its first page, in Turkish, German and English.

Each cue is a word or a form that documents of a class carry on their first page and others seldom do. The class with the most
cues wins; how far it leads, and on how many cues, is the confidence.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pipeline.chunking.blocks import read_blocks
from pipeline.chunking.sections import Section, build_sections
from pipeline.config import UNDECLARED, UNKNOWN
from pipeline.language.casing import lower
from pipeline.tables import columns as c

SURE: Final = 0.55  # below it the document stays undeclared
FIRST_PAGE: Final = 3000  # characters

# The first cue of a class is its name: in a title or heading it counts twice.
_CUES: Final[Mapping[str, tuple[str, ...]]] = {
    "regulation": (
        r"\b(?:\w*gesetz(?:buch|es)?|\w*verordnung|\w*satzung|\w*ordnung|kanunu?|yönetmeli[kğ]i?|tüzü[kğ]ü?|regulation|statute|ordinance|act)\b",
        r"^\s*(?:madde|§)\s*1\b", r"\b(?:geltungsbereich|anwendungsbereich|amaç ve kapsam|kapsam|scope of application)\b",
        r"\b(?:ausfertigungsdatum|resm[iî] gazete|official journal|federal register|bundesgesetzblatt|bgbl)",
        r"\b(?:in kraft|yürürlü[kğ]\w*|enters? into force|shall enter)\b", r"\babs(?:atz|\.)\s*\d|\bfıkra\w*|\bparagraph \d",
        r"(?:^\s*(?:madde|§|artikel|article)\s*\d[\s\S]*?){3}", r"\b(?:bu (?:kanun|yönetmeli[kğ]|tüzü[kğ])|diese[sr]? (?:gesetz|verordnung|satzung|ordnung)|this (?:act|regulation))",
        r"\(değişik\s?:|\(ek\s?:|\b(?:nci|ncı|ncü|ncu|inci|ıncı|üncü|uncu) madde",
    ),
    "contract": (
        r"\b(?:\w*vertrag|sözleşmesi|agreement|contract)\b",
        r"\b(?:by and between|entered into (?:as of|on|by)|made (?:as of|on|by))\b|\bzwischen\b[^.]{3,200}\b(?:nachfolgend|im folgenden|\w*vertrag|vereinbarung)\b|\barasında\b[^.]{0,80}\b(?:sözleşme|imzalan|akdedil|düzenlen)",
        r"\b(?:auftragnehmer|auftraggeber|mieter|vermieter|vertragspartei\w*|taraflar\w*|kiracı|kiraya veren|yüklenici|parties|lessee|lessor|hereinafter|nachfolgend|bundan böyle)\b",
        r"\b(?:kündigung\w*|laufzeit|fesih|feshi|termination|term of this)\b", r"\b(?:witnesseth|now, therefore|in witness whereof|unterschrift|imza\w*)\b", r"\b(?:gerichtsstand|governing law|yetkili mahkeme\w*)\b",
        r"\((?:the |collectively,? the |der |die |das )?[\"“„‟][^\"”“\n]{2,40}[\"”“]\)|\bhere(?:by|in|of|to|under)\b",
    ),
    "policy": (
        r"\b(?:\w*richtlinie\w*|dienstanweisung|betriebsvereinbarung|politika\w*|yönerge\w*|prosedür\w*|policy|guidelines?|code of conduct)\b",
        r"\b(?:mitarbeiter\w*|beschäftigte\w*|çalışan\w*|personel|employees?|staff)\b", r"\b(?:verantwortlich\w*|sorumlu\w*|responsible|responsibilit\w+)\b",
        r"\b(?:gültig ab|geçerlilik|applies to|gilt für)\b",
    ),
    "financial_report": (
        r"\b(?:jahresabschluss|geschäftsbericht|quartalsbericht|\w*bilanz|haushaltsplan|finansal (?:rapor|tablo)\w*|faaliyet raporu|bilanço|bütçe\w*|annual report|balance sheet|financial statements?|budget|10-k|form 10-q)\b",
        r"\b(?:umsatz\w*|ebit\w*|gewinn|hasılat|kâr|revenues?|net (?:income|sales|loss)|earnings|profit)\b", r"\b(?:mio\.?|millionen|milyon|million|crores?)\b.{0,20}(?:€|euro|tl|usd|\$|rupees)|(?:€|\$|₺)\s*\d[\d.,]*\s*(?:mio|million|milyon)",
        r"\b(?:geschäftsjahr|hesap dönemi|fiscal year|quarter ended|year ended|for the year)\b", r"\b(?:vorjahr|önceki yıl|prior year|previous year)\b",
        r"\b(?:eigenkapital|rückstellung\w*|özkaynak\w*|deferred tax|stockholders|shareholders|dividends?|amortization|expenditures?)\b",
    ),
    "manual": (
        r"\b(?:bedienungsanleitung|betriebsanleitung|betriebsanweisung|\w*handbuch|kullanım kılavuzu|kılavuz\w*|el kitabı|user guide|manual|handbook|operating instructions)\b",
        r"\b(?:warnung|achtung|vorsicht|gefahr|uyarı|dikkat|warning|caution|danger)\b", r"\b(?:wartung\w*|inbetriebnahme|montage|bakım|kurulum|maintenance|installation|commissioning|troubleshooting)\b",
        r"\b(?:schritt|adım|step)\s*\d", r"\b(?:schrauben?|ventil\w*|pumpe\w*|vana|pompa\w*|valve|pump|switch|schalter|bolts?|bearings?)\b",
    ),
    "web_page": (r"\b(?:impressum|site map|sitemap)\b", r"\b(?:cookies?|datenschutzerklärung|gizlilik politikası|privacy policy|newsletter)\b", r"https?://|\bwww\.", r"\b(?:startseite|anasayfa|home|menu|menü)\b.{0,40}\b(?:kontakt|iletişim|contact)\b"),
    "memo": (
        r"\b(?:memo|memorandum|aktennotiz|vermerk|hausmitteilung|bilgi notu|iç yazışma)\b", r"^\s*(?:von|an|betreff|kimden|kime|konu|from|to|subject|re)\s*:", r"^\s*(?:datum|tarih|date)\s*:", r"\b(?:zur kenntnis|bilginize|for your information|fyi)\b",
    ),
    "transcript": (
        r"\b(?:\w*protokoll|transkript|tutanak|tutanağı|transcript|minutes|deposition|interview|vernehmung)\b", r"^\s*\[?\d{1,2}:\d{2}(?::\d{2})?\]?", r"\b(?:teilnehmer|anwesend|katılımcı\w*|attendees|participants)\b",
        r"(?:^\s*(?:(?:mr|mrs|ms|dr|the|frau|herr|sayın|bay|bayan)\.?\s\w+|q|a)\s?[:.]\s[\s\S]{0,400}?){3}",
    ),
    "letter": (
        r"\b(?:anschreiben|mektup|mektubu)\b", r"\b(?:sehr geehrte[rn]?|sayın|dear (?:sir|mr|ms|mrs|madam|\w+))\b", r"\b(?:mit freundlichen grüßen|saygılarımla|saygılarımızla|yours (?:sincerely|faithfully)|kind regards|best regards)\b", r"\b(?:ihr schreiben vom|yazınız|your letter)\b",
    ),
    "form": (r"\b(?:\w*antrag|formular|başvuru formu|formu|application form|form)\b", r"_{4,}|\.{8,}|…{4,}", r"[☐☑□■]|\[ \]", r"\b(?:bitte ankreuzen|vorname|geburtsdatum|adı soyadı|doğum tarihi|t\.?c\.? kimlik|first name|date of birth|please (?:tick|complete))\b"),
}  # fmt: skip
_COMPILED: Final = {
    name: tuple(re.compile(cue, re.MULTILINE) for cue in cues) for name, cues in _CUES.items()
}
_SPEAKERS: Final = 4  # turns on the first page from which it is a dialogue
_LEAST: Final = 2  # cues; one alone says nothing
_NAMED: Final = 2  # the name of a class in a title or heading counts so often
_SHOWN: Final = 60  # characters of a cue in a reason
_DOUBT: Final = 2  # as if another class had two cues more: few cues are little evidence


@dataclass(frozen=True)
class Guess:
    """The class of a document.

    Attributes:
        document_class: one of the classes of the configuration.
        confidence: 0 to 1; 1 for what was declared.
        reason: in words, for a person.
    """

    document_class: str
    confidence: float
    reason: str


def class_of(declared: str, pages: Iterable[Mapping[str, Any]]) -> Guess:
    """The class that decides how a document is cut: what was declared, else what its first page shows.

    Args:
        declared: by a sidecar or the kind of file; UNDECLARED for nothing.
        pages: rows of `gated_pages` of the document (page_no, route, blank, blocks), in any order; the first ones with text
            are read.
    """
    if declared != UNDECLARED:
        return Guess(declared, 1.0, "declared, or known from the kind of file")
    read: list[Mapping[str, Any]] = []
    length = 0
    for page in sorted(pages, key=lambda row: row[c.PAGE_NO]):
        if page[c.ROUTE] == "reject" or page[c.BLANK]:
            continue
        read.append(page)
        length += sum(len(block["text"]) for block in page[c.BLOCKS])
        if length >= FIRST_PAGE:
            break
    guess = classify(*_first_page(build_sections(read_blocks(read))))
    if guess.confidence >= SURE or guess.document_class == UNDECLARED:
        return guess
    return Guess(UNDECLARED, guess.confidence, f"not sure enough of {guess.document_class}: {guess.reason}")


def classify(headings: Iterable[str], text: str, turns: int = 0) -> Guess:
    """The most likely class of a first page.

    Args:
        headings: title and headings.
        text: the page, at most `FIRST_PAGE` characters of which are read.
        turns: how many of its paragraphs are turns of speakers.
    """
    names, page = (_plain(part) for part in ("\n".join(headings), text[:FIRST_PAGE]))
    found: dict[str, tuple[int, list[str]]] = {}
    for name, cues in _COMPILED.items():
        hits = [
            (match, weight)
            for number, cue in enumerate(cues)
            for match, weight in [_first(cue, names, page, _NAMED if number == 0 else 1)]
            if match
        ]
        found[name] = sum(weight for _, weight in hits), [" ".join(match.split()) for match, _ in hits]
    if turns >= _SPEAKERS:
        score, words = found["transcript"]
        found["transcript"] = score + 3, [f"{turns} turns of speakers", *words]
    (best, (score, words)), (_, (second, _)) = sorted(found.items(), key=lambda item: (-item[1][0], item[0]))[
        :2
    ]
    if score < _LEAST:
        return Guess(UNDECLARED, 0.0, "no class shows on the first page")
    return Guess(
        best,
        round(score / (score + second + _DOUBT), 2),
        "the first page says " + ", ".join(f"“{word}”" for word in words),
    )


def _first(cue: re.Pattern[str], names: str, page: str, in_names: int) -> tuple[str, int]:
    for text, weight in ((names, in_names), (page, 1)):
        match = cue.search(text)
        if match:
            return match.group()[:_SHOWN], weight
    return "", 0


def _plain(text: str) -> str:
    return lower(text, UNKNOWN)


def _first_page(sections: Sequence[Section]) -> tuple[list[str], str, int]:
    headings: dict[str, None] = {}
    texts: list[str] = []
    turns = length = 0
    for section in sections:
        headings |= dict.fromkeys(section.path)
        texts.append(section.text[:FIRST_PAGE])
        turns += sum(item.kind == "turn" for part in section.parts for item in part.items)
        length += len(section.text)
        if length >= FIRST_PAGE:
            break
    return list(headings), "\n".join(texts), turns
