"""Regulations with numbered articles, in editions that supersede one another."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from pipeline.sample.document import Block, Document, Heading, Lang, Look, Para, Question, ask

EDITIONS: tuple[tuple[str, date], ...] = (
    ("2019", date(2019, 3, 1)),
    ("2023", date(2023, 1, 1)),
    ("2026", date(2026, 1, 1)),
)
LATEST = len(EDITIONS) - 1
_LABEL = {"tr": "{year} sürümü", "de": "Fassung {year}", "en": "{year} edition"}
_ARTICLE = {"tr": "Madde {number} – {title}", "de": "§ {number} {title}", "en": "Article {number} – {title}"}
_FIRM = {"tr": "Poyraz Makine A.Ş.", "de": "Poyraz Maschinenbau GmbH", "en": "Poyraz Controls Ltd"}


@dataclass(frozen=True)
class Regulation:
    """A regulation and what differs between its editions.

    Attributes:
        code: stem of the external ids, e.g. `REG-TR-01`.
        articles: (title, paragraph, paragraph, …); `{name}` stands for a value of the edition.
        values: name to its value in each edition, oldest first.
        added: articles that only the latest edition has, at the end.
    """

    code: str
    slug: str
    lang: Lang
    title: str
    suffix: str
    articles: tuple[tuple[str, ...], ...]
    values: Mapping[str, tuple[str, str, str]]
    added: tuple[tuple[str, ...], ...] = ()
    meta: Mapping[str, object] = field(default_factory=dict[str, object])

    def fill(self, text: str, edition: int = LATEST) -> str:
        """`text` with the values of an edition in place of their names."""
        return text.format_map({name: each[edition] for name, each in self.values.items()})

    def article(self, number: int, edition: int = LATEST) -> tuple[str, ...]:
        """Heading and paragraphs of an article as an edition has them; numbers start at 1."""
        title, *paragraphs = self._articles(edition)[number - 1]
        heading = _ARTICLE[self.lang].format(number=number, title=title)
        return (heading, *(self.fill(text, edition) for text in paragraphs))

    def path(self, edition: int = LATEST) -> str:
        """Where the document of an edition lies in the estate."""
        return f"regulations/{self.lang}/{self.slug}-{EDITIONS[edition][0]}{self.suffix}"

    def documents(self) -> tuple[Document, ...]:
        """One document for each edition, oldest first."""
        return tuple(self._document(edition) for edition in range(len(EDITIONS)))

    def _articles(self, edition: int) -> tuple[tuple[str, ...], ...]:
        return self.articles + self.added if edition == LATEST else self.articles

    def _document(self, edition: int) -> Document:
        year, effective = EDITIONS[edition]
        label = _LABEL[self.lang].format(year=year)
        blocks: list[Block] = [Para(f"{_FIRM[self.lang]} · {label}")]
        for number in range(1, len(self._articles(edition)) + 1):
            heading, *paragraphs = self.article(number, edition)
            blocks += [Heading(heading), *(Para(text) for text in paragraphs)]
        meta: dict[str, object] = {
            "external_id": f"{self.code}-{year}",
            "doc_type": "regulation",
            "version_label": year,
            "effective_date": effective,
            **self.meta,
        }
        if edition:
            meta["supersedes"] = [f"{self.code}-{EDITIONS[edition - 1][0]}"]
        return Document(
            path=self.path(edition),
            lang=self.lang,
            title=self.title,
            blocks=tuple(blocks),
            meta=meta,
            look=Look(header=self.title, footer=f"{self.code} · {label}", serif=True),
        )


def edition_on(day: date | None) -> int:
    """The edition in force on a day; None: the latest."""
    if day is None:
        return LATEST
    return max(index for index, (_, effective) in enumerate(EDITIONS) if effective <= day)


def ask_regulation(
    regulation: Regulation,
    lang: Lang,
    kind: str,
    query: str,
    quote: str,
    *,
    as_of: date | None = None,
    weight: int = 1,
    also: tuple[str, ...] = (),
) -> Question:
    """A question on the edition in force at `as_of`; `also`: other documents that quote the same words."""
    edition = edition_on(as_of)
    paths = (regulation.path(edition), *also)
    return ask(lang, kind, query, paths, regulation.fill(quote, edition), as_of=as_of, weight=weight)
