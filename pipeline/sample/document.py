"""What a sample document and a gold question are, before any file format."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

Lang = Literal["tr", "de", "en"]
SOFT_HYPHEN = "\u00ad"


@dataclass(frozen=True)
class Heading:
    text: str
    level: int = 1


@dataclass(frozen=True)
class Para:
    """A paragraph; `mark` is the footnote mark that stands at its end."""

    text: str
    mark: str = ""


@dataclass(frozen=True)
class Items:
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """A table: the first row names the columns. `sheet` is its worksheet in a workbook."""

    rows: tuple[tuple[str, ...], ...]
    sheet: str = ""
    caption: str = ""


@dataclass(frozen=True)
class Figure:
    """A drawing of `drawings.py` with the caption below it."""

    name: str
    caption: str


@dataclass(frozen=True)
class Footnote:
    """Stands at the foot of the page that it was declared on."""

    mark: str
    text: str


@dataclass(frozen=True)
class PageBreak:
    pass


@dataclass(frozen=True)
class Raw:
    """Text that is written as it is: a chat transcript."""

    text: str


Block = Heading | Para | Items | Grid | Figure | Footnote | PageBreak | Raw


@dataclass(frozen=True)
class Look:
    """How pages are set: running header and footer, number of columns, logo, serif type."""

    header: str = ""
    footer: str = ""
    columns: int = 1
    logo: bool = False
    serif: bool = False


@dataclass(frozen=True)
class Scan:
    """How the pages are turned into images: quality, and quarter turns of the sheet on the glass."""

    quality: Literal["clean", "medium", "poor", "hopeless"]
    quarter_turns: int = 0


@dataclass(frozen=True)
class Document:
    """One file of the estate.

    Attributes:
        path: `<collection>/<path below the collection's source>`; its ending decides the format.
        lang: language of the text.
        title: also the first heading, where the format shows one.
        blocks: the content.
        meta: fields of the sidecar beside title and language; empty and `sidecar` false: none is written.
    """

    path: str
    lang: Lang
    title: str
    blocks: tuple[Block, ...]
    meta: Mapping[str, Any] = field(default_factory=dict[str, Any])
    sidecar: bool = True
    look: Look = Look()
    scan: Scan | None = None

    @property
    def collection(self) -> str:
        return self.path.split("/", 1)[0]

    @property
    def suffix(self) -> str:
        return self.path[self.path.rindex(".") :]

    def text(self) -> str:
        """Everything that a reader sees, without soft hyphens; the truth for scanned pages."""
        parts = [self.title, *(line for block in self.blocks for line in _lines(block))]
        return "\n".join(parts).replace(SOFT_HYPHEN, "")


def _lines(block: Block) -> Sequence[str]:
    match block:
        case Heading(text) | Para(text) | Raw(text) | Footnote(_, text):
            return (text,)
        case Items(texts):
            return texts
        case Grid(rows, _, caption):
            return (*("\t".join(row) for row in rows), caption)
        case Figure(_, caption):
            return (caption,)
        case PageBreak():
            return ()


@dataclass(frozen=True)
class Question:
    """A question with the passages that answer it; any one of `gold` counts.

    Attributes:
        gold: pairs of document path and verbatim quote.
        forbidden: pairs that the asker must never be shown.
        as_of: the date that the question is about; None: now.
    """

    query: str
    lang: Lang
    kind: str
    gold: tuple[tuple[str, str], ...] = ()
    groups: tuple[str, ...] = ("public",)
    as_of: date | None = None
    weight: int = 1
    forbidden: tuple[tuple[str, str], ...] = ()


def ask(
    lang: Lang,
    kind: str,
    query: str,
    where: str | Sequence[str],
    quote: str,
    *,
    groups: tuple[str, ...] = (),
    as_of: date | None = None,
    weight: int = 1,
) -> Question:
    """A question answered by one quote, which stands in one or several documents; `groups` beside public."""
    paths = (where,) if isinstance(where, str) else tuple(where)
    gold = tuple((path, quote) for path in paths)
    return Question(query, lang, kind, gold, ("public", *groups), as_of, weight)


def forbid(lang: Lang, query: str, where: str, quote: str, *, groups: tuple[str, ...] = ()) -> Question:
    """A question of someone who may not read the document that answers it."""
    return Question(query, lang, "forbidden", (), ("public", *groups), forbidden=((where, quote),))


def sections(*parts: tuple[str, ...], level: int = 1) -> tuple[Block, ...]:
    """Blocks from sections given as (heading, paragraph, paragraph, …)."""
    return tuple(
        block
        for heading, *paragraphs in parts
        for block in (Heading(heading, level), *(Para(text) for text in paragraphs))
    )
