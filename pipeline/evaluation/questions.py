"""Gold questions: what is asked, by whom, and which words of which document answer it."""

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from pipeline.config import UNKNOWN, UserError
from pipeline.evaluation.relevance import letters
from pipeline.retrieval.query import Query, QueryError, parse_query

_KEYS: Final = ("id", "query", "lang", "kind", "weight", "tabular", "gold", "forbidden", "groups", "as_of")
_GOLD_KEYS: Final = ("document", "quote", "section")  # a section is for people who read the file


class QuestionError(UserError):
    """A file of gold questions cannot be used. The message is one line: file, line, field, and what is allowed."""


@dataclass(frozen=True)
class Gold:
    """Words of a document. Of a forbidden one the quote may be empty: no part of the document may be shown.

    Attributes:
        document: "<collection>/<path>", the path below the source, its end, or the external id. Without a sidecar that is
            the path at first sight.
        quote: the words, as they stand there.
    """

    document: str
    quote: str

    @property
    def address(self) -> str:
        """The document as it is compared: NFC, without a leading "./" and slashes at its ends."""
        return _address(self.document)

    def names(self, collection: str, uri: str, external_id: str) -> bool:
        """Whether it speaks of the document with this address; of a renamed one its first path still counts."""
        paths = (f"/{_address(collection)}/{_address(name)}" for name in (uri, external_id))
        return any(path.endswith(f"/{self.address}") for path in paths)


@dataclass(frozen=True)
class Question:
    """One gold question.

    Attributes:
        gold: passages that answer it; any one of them is enough. Empty only if `forbidden` is not.
        forbidden: passages that the asker must not be shown.
        weight: how much it counts in means, greater than 0.
        lang: language of the question.
        kind: what sort of question it is, free text.
        tabular: whether the answer stands in a table.
    """

    id: str
    query: Query
    gold: tuple[Gold, ...]
    forbidden: tuple[Gold, ...] = ()
    lang: str = UNKNOWN
    kind: str = "fact"
    weight: float = 1.0
    tabular: bool = False


def load_questions(path: str | Path) -> tuple[Question, ...]:
    """Read gold questions, JSON Lines: one object a line; empty lines are skipped.

    Raises:
        QuestionError: the file cannot be read, a line is not a question, or an id occurs twice.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
    except FileNotFoundError:
        raise QuestionError(f"{path}: no such file of gold questions") from None
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionError(f"{path}: {error}") from None
    questions: dict[str, Question] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            question = parse_question(json.loads(line))
        except (json.JSONDecodeError, RecursionError) as error:
            raise QuestionError(f"{path}, line {number}: not JSON: {error}") from None
        except (QuestionError, QueryError) as error:
            raise QuestionError(f"{path}, line {number}: {error}") from None
        if question.id in questions:
            raise QuestionError(f"{path}, line {number}: id: {question.id!r} occurs twice")
        questions[question.id] = question
    return tuple(questions.values())


def parse_question(raw: object) -> Question:
    """A question from a JSON object.

    Raises:
        QuestionError, QueryError: a key is not known, one is missing, or a value is not allowed.
    """
    fields = _fields(raw, _KEYS, "the line")
    for key in ("id", "query"):
        if key not in fields:
            raise QuestionError(f"{key}: is required")
    gold = _passages(fields, "gold", quote_required=True)
    forbidden = _passages(fields, "forbidden", quote_required=False)
    if not gold and not forbidden:
        raise QuestionError("gold: give at least one passage (or a forbidden one)")
    weight = fields.get("weight", 1.0)
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight < float("inf"):
        raise QuestionError(f"weight: {weight!r} is not a number greater than 0")
    kind = _text(fields, "kind", "fact")
    tabular = fields.get("tabular", kind.startswith("tab"))
    if not isinstance(tabular, bool):
        raise QuestionError(f"tabular: {tabular!r} is not true or false")
    asked = {key: fields[key] for key in ("query", "groups", "as_of") if fields.get(key) is not None}
    return Question(
        id=_text(fields, "id", ""),
        query=parse_query(asked),
        gold=gold,
        forbidden=forbidden,
        lang=_text(fields, "lang", UNKNOWN),
        kind=kind,
        weight=float(weight),
        tabular=tabular,
    )


def _passages(fields: Mapping[str, Any], key: str, *, quote_required: bool) -> tuple[Gold, ...]:
    entries: Any = fields.get(key, [])
    if not isinstance(entries, list):
        raise QuestionError(f"{key}: must be a list of objects with document and quote")
    passages: list[Gold] = []
    for at, entry in enumerate(cast("list[object]", entries)):
        where = f"{key}[{at}]"
        passage = _fields(entry, _GOLD_KEYS, where)
        if "document" not in passage:
            raise QuestionError(f"{where}.document: is required")
        quote = passage.get("quote", "")
        if not isinstance(quote, str) or (quote_required and not letters(quote)):
            raise QuestionError(f"{where}.quote: {quote!r} has no letter or digit that could be found")
        passages.append(Gold(_text(passage, "document", ""), quote))
    return tuple(passages)


def _fields(raw: object, allowed: tuple[str, ...], where: str) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise QuestionError(f"{where}: must be an object with the keys {', '.join(allowed)}")
    fields = cast("dict[str, Any]", raw)
    unknown = sorted(set(fields) - set(allowed))
    if unknown:
        raise QuestionError(f"{where}: {unknown[0]}: unknown key; allowed: {', '.join(allowed)}")
    return fields


def _text(fields: Mapping[str, Any], key: str, default: str) -> str:
    value = fields.get(key, default)
    if not isinstance(value, str) or not value.strip():
        raise QuestionError(f"{key}: {value!r} is not text")
    return value


def _address(text: str) -> str:
    return unicodedata.normalize("NFC", text).removeprefix("./").strip("/")
