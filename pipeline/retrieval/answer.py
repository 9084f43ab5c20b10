"""The answer: results with a citation that a person can check, and its JSON, which is a contract."""

from dataclasses import dataclass
from datetime import date
from typing import Any


@dataclass(frozen=True)
class Place:
    """Another document that has (almost) the same text, and that the asker may see."""

    doc_id: str
    uri: str
    title: str
    collection: str
    external_id: str


@dataclass(frozen=True)
class Edition:
    """The edition that replaces the one which answered, and that the asker may see."""

    uri: str
    title: str
    version_label: str
    effective_date: date | None

    def as_json(self) -> dict[str, Any]:
        """As a part of a result's JSON."""
        return {
            "uri": self.uri,
            "title": self.title,
            "version_label": self.version_label,
            "effective_date": self.effective_date.isoformat() if self.effective_date else None,
        }


@dataclass(frozen=True)
class Result:
    """One result. The fields after `neighbours` serve evaluation and applications and are not part of the JSON.

    Attributes:
        rank: from 1.
        score: fused score, greater than 0; comparable within one answer only.
        text: of the chunk.
        parent_text: of its section; null when the section is too long, or the answer's token budget is spent.
        also_in: other places of the same text, without this document, most authoritative first, 20 at most.
        effective_date: of the edition that answered; null: nobody says it.
        date_source: who says it: "metadata"; "document": it was read on the document's first page.
        version_label: of the edition that answered, as its metadata say; empty: they say nothing.
        newer: the edition that replaces it, if the asker may see that: he asked about the past, or it is to come.
        neighbours: of a table whose section is not given: the chunks right before and after it, while the budget lasts.
        tokens: of what the reader gets: `parent_text` if there is one, else `text`.
    """

    rank: int
    score: float
    chunk_id: str
    doc_id: str
    uri: str
    title: str
    section_path: tuple[str, ...]
    pages: tuple[int, ...]
    effective_date: date | None
    date_source: str | None
    language: str
    kind: str
    low_confidence: bool
    text: str
    parent_text: str | None
    also_in: tuple[Place, ...]
    collection: str
    version_label: str
    newer: Edition | None
    neighbours: tuple[str, ...]
    external_id: str
    document_class: str
    article: str | None
    acl_groups: tuple[str, ...]
    tokens: int

    @property
    def shown(self) -> str:
        """What the reader gets to read: the section, or the chunk where the section is not given."""
        return self.text if self.parent_text is None else self.parent_text

    def as_json(self) -> dict[str, Any]:
        """The result as `kesit search --json` prints it."""
        return {
            "rank": self.rank,
            # Digits, not decimals: with high boosts a score is near 0, yet above it.
            "score": float(f"{self.score:.6g}"),
            "chunk_id": self.chunk_id,
            "doc_id": self.doc_id,
            "uri": self.uri,
            "title": self.title,
            "section_path": list(self.section_path),
            "pages": list(self.pages),
            "effective_date": self.effective_date.isoformat() if self.effective_date else None,
            "date_source": self.date_source,
            "language": self.language,
            "kind": self.kind,
            "low_confidence": self.low_confidence,
            "text": self.text,
            "parent_text": self.parent_text,
            "also_in": [{"uri": place.uri, "title": place.title} for place in self.also_in],
            "collection": self.collection,
            "version_label": self.version_label,
            "newer": self.newer.as_json() if self.newer else None,
            "neighbours": list(self.neighbours),
        }


@dataclass(frozen=True)
class Answer:
    """The results of one query, best first, with the day and the groups that they were chosen for."""

    query: str
    as_of: date
    groups: tuple[str, ...]
    build: str
    results: tuple[Result, ...]

    def as_json(self) -> dict[str, Any]:
        """The answer as `kesit search --json` prints it."""
        return {
            "query": self.query,
            "as_of": self.as_of.isoformat(),
            "groups": list(self.groups),
            "build": self.build,
            "results": [result.as_json() for result in self.results],
        }
