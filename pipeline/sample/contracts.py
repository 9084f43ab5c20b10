"""Contracts: one template a language, in many client folders, with only names, sums and dates changed."""

import unicodedata
from dataclasses import dataclass
from datetime import date

import numpy as np

from pipeline.sample.document import Document, Heading, Lang, Look, Para, Question, ask
from pipeline.sample.texts.contract_templates import COURT, FEE, SECTIONS, START, TITLES
from pipeline.sample.texts.names import CLIENTS, MONTHS, PEOPLE, TOWNS

CORE_CLIENTS: tuple[tuple[Lang, int], ...] = (
    ("tr", 0), ("de", 0), ("en", 0), ("tr", 1), ("de", 1), ("en", 1),
    ("tr", 2), ("de", 2), ("en", 2), ("tr", 3), ("de", 3), ("en", 3),
)  # fmt: skip
_LEGAL = ("legal",)
_BANDS: dict[Lang, tuple[int, int]] = {"tr": (20_000, 90_000), "de": (400, 4_000), "en": (300, 3_000)}


@dataclass(frozen=True)
class Contract:
    """A contract and the values that were filled in."""

    document: Document
    client: str
    values: dict[str, str]

    def quote(self, templates: dict[Lang, str]) -> str:
        """One of the template's sentences with the values of this contract."""
        return templates[self.document.lang].format_map(self.values)


def number(value: int, lang: Lang) -> str:
    """An integer with the thousands mark of the language."""
    text = f"{value:,}"
    return text if lang == "en" else text.replace(",", ".")


def written_date(day: date, lang: Lang) -> str:
    """A date as people of the language write it in a letter."""
    month = MONTHS[lang][day.month - 1]
    return f"{day.day}. {month} {day.year}" if lang == "de" else f"{day.day} {month} {day.year}"


def slug(text: str) -> str:
    """The text as a plain file name: lower-case Latin letters, digits and hyphens."""
    plain = text.replace("ı", "i").replace("ß", "ss")
    ascii_only = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode().lower()
    return "-".join("".join(ch if ch.isalnum() else " " for ch in ascii_only).split())


def contract(lang: Lang, client: str, folder: str, rng: np.random.Generator, suffix: str) -> Contract:
    """A contract with a client, drawn from `rng`."""
    low, high = _BANDS[lang]
    fee = int(rng.integers(low, high)) // 10 * 10 + 5
    start = date(2021 + int(rng.integers(5)), 1 + int(rng.integers(12)), 1 + int(rng.integers(28)))
    values = {
        "client": client,
        "town": str(rng.choice(TOWNS[lang])),
        "contact": str(rng.choice(PEOPLE[lang])),
        "number": f"W-{start.year}-{int(rng.integers(1000, 9999))}",
        "units": str(int(rng.integers(4, 60))),
        "months": str(int(rng.choice([12, 24, 36, 48]))),
        "response": str(int(rng.choice([4, 6, 8, 12, 24]))),
        "fee": number(fee, lang),
        "cap": number(fee * 24, lang),
        "start": written_date(start, lang),
    }
    blocks = tuple(
        block
        for heading, text in SECTIONS[lang]
        for block in (Heading(heading), Para(text.format_map(values)))
    )
    document = Document(
        path=f"contracts/{folder}/{slug(TITLES[lang])}{suffix}",
        lang=lang,
        title=f"{TITLES[lang]} – {client}",
        blocks=blocks,
        meta={"doc_type": "contract", "effective_date": start},
        look=Look(footer=f"{values['number']} · {client}", serif=True),
    )
    return Contract(document, client, values)


def core_contracts(seed: int) -> tuple[Contract, ...]:
    """The contracts of every estate."""
    made: list[Contract] = []
    for index, (lang, at) in enumerate(CORE_CLIENTS):
        client = " ".join(CLIENTS[lang][at])
        rng = np.random.default_rng([seed, 1, index])
        made.append(contract(lang, client, slug(client), rng, ".pdf" if index % 3 == 1 else ".docx"))
    return tuple(made)


def contract_questions(contracts: tuple[Contract, ...]) -> tuple[Question, ...]:
    """Questions on the core contracts: sums, terms, and what all of a language share."""
    gediz, saale, avon, camlica, muritz, mendip, ilgaz, elster, *_ = contracts

    def one(lang: Lang, query: str, of: Contract, sentence: dict[Lang, str]) -> Question:
        return ask(lang, "access", query, of.document.path, of.quote(sentence), groups=_LEGAL)

    def shared(lang: Lang, query: str, of: Lang) -> Question:
        paths = [each.document.path for each in contracts if each.document.lang == of]
        return ask(lang, "duplicate", query, paths, COURT[of], groups=_LEGAL)

    return (
        one("tr", "Gediz Tekstil'den bakım için ayda ne kadar alıyoruz?", gediz, FEE),
        one("de", "Wie viel zahlen uns die Saale Papierwerke im Monat für die Wartung?", saale, FEE),
        one("en", "What do we charge Avon Paper Mills every month?", avon, FEE),
        one("tr", "Çamlıca Gıda ile anlaşma ne zaman başladı?", camlica, START),
        one("de", "Seit wann betreuen wir die Müritz Molkerei und wie lange läuft das noch?", muritz, START),
        one("en", "When did the deal with Mendip Quarries begin and how long does it last?", mendip, START),
        one("de", "Was kostet der Servicevertrag mit Ilgaz Kâğıt monatlich?", ilgaz, FEE),
        one("tr", "Elster Chemie'nin aylık bakım ücreti kaç avro?", elster, FEE),
        shared("tr", "Bakım sözleşmelerimizde anlaşmazlık çıkarsa hangi mahkemeye gidilir?", "tr"),
        shared("de", "Vor welchem Gericht klagen wir bei den deutschen Wartungsverträgen?", "de"),
        shared("en", "Which courts decide disputes under our UK service agreements?", "en"),
    )
