"""Further documents of a large estate: the mixture of the core, each with a text of its own."""

from collections.abc import Callable
from datetime import date, timedelta

import numpy as np

from pipeline.sample.bank import Bank
from pipeline.sample.contracts import contract, slug, written_date
from pipeline.sample.document import (
    Block,
    Document,
    Grid,
    Heading,
    Items,
    Look,
    Para,
    Raw,
    Scan,
    sections,
)
from pipeline.sample.regulations import EDITIONS, Regulation
from pipeline.sample.texts.bank_de import BANK as GERMAN
from pipeline.sample.texts.bank_en import BANK as ENGLISH
from pipeline.sample.texts.bank_tr import BANK as TURKISH
from pipeline.sample.texts.names import CLIENTS, PEOPLE, TOWNS

BANKS: tuple[Bank, ...] = (TURKISH, GERMAN, ENGLISH)
# One round of 25 further documents. A regulation takes three: its editions.
ROUND: tuple[str, ...] = (
    *("regulation",) * 3, *("contract",) * 7, *("memo",) * 6, *("page",) * 4, *("chat",) * 2, "mail", "workbook", "scan",
)  # fmt: skip
# Scans are the only slow kind. Beyond this number (an estate of 10,000) their turn is a memo's.
MAX_SCANS = 400
_FIRST_DAY = date(2022, 1, 3)


def further(index: int, seed: int) -> Document:
    """The `index`-th document beyond the core (0, 1, …): a function of its arguments alone."""
    turn, place = divmod(index, len(ROUND))
    kind = ROUND[place]
    if kind == "regulation":
        return _regulation(turn, np.random.default_rng([seed, 2, turn])).documents()[place % len(EDITIONS)]
    rng = np.random.default_rng([seed, 3, index])
    bank = BANKS[(turn + place) % len(BANKS)]
    if kind == "scan" and turn >= MAX_SCANS:
        kind = "memo"
    return _MAKERS[kind](bank, index, rng)


class _Slots:
    """Fills slots: department and thing stay the same in a document, the others change from sentence to sentence.

    `date` is that of the document; the days that it mentions follow within two months.
    """

    def __init__(self, bank: Bank, rng: np.random.Generator) -> None:
        self.bank = bank
        self.rng = rng
        self.date = _FIRST_DAY + timedelta(days=int(rng.integers(1_640)))
        self.fixed = {"dept": str(rng.choice(bank.departments)), "thing": str(rng.choice(bank.things))}

    def day(self) -> date:
        return self.date + timedelta(days=int(self.rng.integers(60)))

    def fill(self, text: str, **more: str) -> str:
        values = {
            "person": str(self.rng.choice(PEOPLE[self.bank.lang])),
            "day": written_date(self.day(), self.bank.lang),
            "room": f"{self.rng.integers(1, 6)}.{self.rng.integers(1, 40):02d}",
            "n": str(int(self.rng.integers(12, 98))),
            "m": str(int(self.rng.integers(2, 12))),
        }
        filled = text.format_map({**values, **self.fixed, **more})
        # A slot may open a sentence; Turkish i has a capital of its own.
        first = "İ" if self.bank.lang == "tr" and filled[0] == "i" else filled[0].upper()
        return first + filled[1:]

    def some(self, bank: tuple[str, ...], count: int) -> list[str]:
        """Distinct sentences in the order of the bank, in which turns of a conversation follow one another."""
        chosen = sorted(self.rng.choice(len(bank), size=count, replace=False))
        return [self.fill(bank[int(at)]) for at in chosen]


def _prose(slots: _Slots) -> tuple[Block, ...]:
    bank = slots.bank
    events = slots.some(bank.events, 5)
    return (
        Para(slots.some(bank.openers, 1)[0]),
        Heading(bank.headings[1]),
        Para(" ".join(events[:3])),
        Para(" ".join(events[3:])),
        Heading(bank.headings[2]),
        Items(tuple(slots.some(bank.measures, 3))),
        Para(slots.some(bank.closers, 1)[0]),
    )


def _regulation(turn: int, rng: np.random.Generator) -> Regulation:
    bank = BANKS[turn % len(BANKS)]
    slots = _Slots(bank, rng)
    values: dict[str, tuple[str, str, str]] = {}
    articles: list[tuple[str, ...]] = []
    for place, at in enumerate(sorted(rng.choice(len(bank.articles), size=8, replace=False))):
        title, *paragraphs = bank.articles[int(at)]
        for name, low in (("a", 12), ("b", 2)):
            first, second, third = np.cumsum(rng.integers(low // 2, low, size=3)) + 1
            values[f"{name}{place}"] = (str(first), str(second), str(third))
        numbers = {"a": f"{{a{place}}}", "b": f"{{b{place}}}"}
        articles.append((title, *(slots.fill(text, **numbers) for text in paragraphs)))
    title = bank.regulation_title.format_map(slots.fixed)
    return Regulation(
        code=f"REG-{bank.lang.upper()}-X{turn:05d}",
        slug=f"x{turn:05d}-{slug(slots.fixed['dept'])}",
        lang=bank.lang,
        title=title,
        suffix=(".md", ".html", ".docx", ".pdf")[turn % 4],
        articles=tuple(articles),
        values=values,
    )


def _contract(bank: Bank, index: int, rng: np.random.Generator) -> Document:
    lang = bank.lang
    name, form = CLIENTS[lang][int(rng.integers(len(CLIENTS[lang])))]
    client = f"{name} {rng.choice(TOWNS[lang])} {form}"
    folder = f"{slug(client)}-{index:06d}"
    return contract(lang, client, folder, rng, (".docx", ".docx", ".pdf")[index % 3]).document


def _memo(bank: Bank, index: int, rng: np.random.Generator) -> Document:
    slots = _Slots(bank, rng)
    suffix = (".md", ".docx", ".txt", ".pdf", ".md", ".html")[index % 6]
    # One in ten is for a closed circle; its folder's `_defaults.toml` says so.
    circle = int(rng.integers(30))
    folder = ("hr/", "legal/", "board/")[circle] if circle < 3 else ""
    path = f"memos/{folder}{bank.lang}-{index:06d}{suffix}"
    meta = {"doc_type": "memo", "effective_date": slots.date}
    return Document(path, bank.lang, bank.memo_title.format_map(slots.fixed), _prose(slots), meta)


def _page(bank: Bank, index: int, rng: np.random.Generator) -> Document:
    slots = _Slots(bank, rng)
    events, measures = slots.some(bank.events, 9), slots.some(bank.measures, 6)
    parts = [
        (bank.headings[heading], " ".join(events[n::3]), " ".join(measures[n::3]))
        for n, heading in enumerate((0, 3, 4))
    ]
    path = f"policies/wiki/{bank.lang}-{index:06d}{('.md', '.html')[index % 2]}"
    return Document(path, bank.lang, slots.fill(bank.page_title), sections(*parts), sidecar=False)


def _chat(bank: Bank, index: int, rng: np.random.Generator) -> Document:
    slots = _Slots(bank, rng)
    people = [str(name).split()[0] for name in rng.choice(PEOPLE[bank.lang], size=3, replace=False)]
    minute = int(rng.integers(7 * 60, 15 * 60))
    lines: list[str] = []
    for at, text in enumerate(slots.some(bank.turns, 9)):
        minute += int(rng.integers(1, 9))
        lines.append(f"[{minute // 60:02d}:{minute % 60:02d}] {people[at % 3]}: {text}\n")
    day = slots.date
    path = f"chats/{bank.lang}/{day.isoformat()}-{index:06d}.txt"
    meta = {"doc_type": "chat", "effective_date": day}
    return Document(path, bank.lang, slots.fill(bank.page_title), (Raw("".join(lines)),), meta)


def _mail(bank: Bank, index: int, rng: np.random.Generator) -> Document:
    slots = _Slots(bank, rng)
    sender = str(rng.choice(PEOPLE[bank.lang]))
    texts = [*slots.some(bank.openers, 1), *slots.some(bank.events, 3), *slots.some(bank.closers, 1), sender]
    address = f"From: {sender} <{slug(sender).replace('-', '.')}@poyraz.example>"
    blocks = (Para(address), *(Para(text) for text in texts))
    path = f"chats/mail/{bank.lang}-{index:06d}.eml"
    meta = {"effective_date": slots.date}  # the date of the mail's own header
    return Document(path, bank.lang, slots.fill(bank.page_title), blocks, meta, sidecar=False)


def _workbook(bank: Bank, index: int, rng: np.random.Generator) -> Document:
    slots = _Slots(bank, rng)
    grids: list[Block] = []
    for sheet in ("2025", "2026"):
        things = rng.choice(bank.things, size=12, replace=False)
        rows = tuple(
            (
                str(thing),
                str(rng.choice(bank.departments)),
                str(int(rng.integers(1, 90))),
                str(int(rng.integers(100, 9_000))),
                slots.day().isoformat(),
            )
            for thing in things
        )
        grids.append(Grid((bank.columns, *rows), sheet=sheet))
    path = f"finance/inventory/{bank.lang}-{index:06d}.xlsx"
    return Document(path, bank.lang, slots.fill(bank.page_title), tuple(grids), sidecar=False)


def _scan(bank: Bank, index: int, rng: np.random.Generator) -> Document:
    slots = _Slots(bank, rng)
    quality = ("clean", "clean", "medium", "medium", "poor")[index // len(ROUND) % 5]
    turns = int(rng.integers(1, 4)) if rng.random() < 0.15 else 0
    path = f"scans/archive/{bank.lang}-{index:06d}.pdf"
    title = slots.fill(bank.memo_title)
    look, scan = Look(serif=True), Scan(quality, turns)
    return Document(path, bank.lang, title, _prose(slots), sidecar=False, look=look, scan=scan)


_MAKERS: dict[str, Callable[[Bank, int, np.random.Generator], Document]] = {
    "contract": _contract,
    "memo": _memo,
    "page": _page,
    "chat": _chat,
    "mail": _mail,
    "workbook": _workbook,
    "scan": _scan,
}
