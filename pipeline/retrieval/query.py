"""The question: what is asked, by whom, and as of when. Checked where it is made, so that a search never fails on it."""

import json
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from types import UnionType
from typing import Any, Final, cast

from pipeline.config import LANGUAGES, UNKNOWN, UserError

MAX_CHARACTERS: Final = 1000  # a question; it must fit into every encoder, whose shortest limit is 512 tokens
MAX_RESULTS: Final = 100


class QueryError(UserError):
    """The question cannot be asked. The message is one line and says what to change."""


@dataclass(frozen=True)
class Query:
    """One question to the index.

    Attributes:
        text: the question as it was typed, 1 to 1,000 characters; nothing in it is an operator.
        groups: groups of the asker, apart from "public", to which everybody belongs. None means public only.
        as_of: the day whose law applies; None is today, as the searcher knows it.
        k: how many results, 1 to 100.
        collections: only documents of these; empty: of all.
        classes: only documents of these document classes; empty: of all.
        languages: only chunks in these languages ("tr", "de", "en", "und"); empty: in all.
        include_low_confidence: whether text that the quality gate flagged may answer.

    Raises:
        QueryError: a value is not allowed.
    """

    text: str
    groups: tuple[str, ...] = ()
    as_of: date | None = None
    k: int = 5
    collections: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    include_low_confidence: bool = True

    def __post_init__(self) -> None:
        _check_text(self.text)
        for field in ("groups", "collections", "classes", "languages"):
            object.__setattr__(self, field, _names(field, getattr(self, field)))
        unknown = sorted(set(self.languages) - {*LANGUAGES, UNKNOWN})
        if unknown:
            raise QueryError(f"languages: {unknown[0]!r} is not one of {', '.join((*LANGUAGES, UNKNOWN))}")
        if isinstance(self.as_of, datetime):
            object.__setattr__(self, "as_of", self.as_of.date())
        _check_type("as_of", self.as_of, date | None, "a date")
        _check_type("include_low_confidence", self.include_low_confidence, bool, "true or false")
        if type(self.k) is not int or not 1 <= self.k <= MAX_RESULTS:
            raise QueryError(f"k: {self.k!r} is not a whole number from 1 to {MAX_RESULTS}")

    @property
    def clean(self) -> str:
        """The text that is encoded and analysed: NFC, without invisible characters, single spaces."""
        return clean(self.text)


def clean(text: str) -> str:
    """NFC, controls as spaces, invisible format characters (soft hyphens, zero-width spaces) gone, single spaces."""
    kept = (
        " " if (category := unicodedata.category(char)) == "Cc" else "" if category == "Cf" else char
        for char in unicodedata.normalize("NFC", text)
    )
    return " ".join("".join(kept).split())


def parse_query(raw: object, defaults: Query | None = None) -> Query:
    """A question from a JSON object.

    Args:
        raw: "query" (the text) and, optionally, "groups", "as_of" (YYYY-MM-DD), "k", "collections", "classes",
            "languages", "include_low_confidence"; "id" is allowed and ignored.
        defaults: gives the values of what `raw` leaves out, but for the text.

    Raises:
        QueryError: a key is not known, the text is missing, or a value is not allowed.
    """
    options = ("groups", "as_of", "k", "collections", "classes", "languages", "include_low_confidence")
    if not isinstance(raw, dict):
        raise QueryError('not an object like {"query": "…"}')
    raw = cast("dict[str, Any]", raw)
    unknown = sorted(set(raw) - {"query", "id", *options})
    if unknown:
        raise QueryError(f"{unknown[0]}: unknown key; allowed: query, {', '.join(options)}")
    if "query" not in raw:
        raise QueryError("query: is required")
    values: dict[str, Any] = {name: getattr(defaults, name) for name in options} if defaults else {}
    values |= {name: raw[name] for name in options if name in raw}
    if isinstance(values.get("as_of"), str):
        try:
            values["as_of"] = date.fromisoformat(values["as_of"])
        except ValueError:
            raise QueryError(f"as_of: {values['as_of']!r} is not a date like 2026-01-31") from None
    return Query(text=raw["query"], **values)


def read_queries(path: str | Path, defaults: Query | None = None) -> list[Query]:
    """The questions of a file, JSON Lines: one object a line (see `parse_query`); empty lines are skipped.

    Raises:
        QueryError: the file cannot be read, or a line is no question. The message names file and line.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
    except FileNotFoundError:
        raise QueryError(f"{path}: no such file of questions") from None
    except (OSError, UnicodeDecodeError) as error:
        raise QueryError(f"{path}: {error}") from None
    queries: list[Query] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            queries.append(parse_query(json.loads(line), defaults))
        except (json.JSONDecodeError, RecursionError) as error:
            raise QueryError(f"{path}, line {number}: not JSON: {error}") from None
        except QueryError as error:
            raise QueryError(f"{path}, line {number}: {error}") from None
    return queries


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        raise QueryError("the question must be text")
    if len(text) > MAX_CHARACTERS:
        raise QueryError(
            f"the question has {len(text)} characters, more than {MAX_CHARACTERS}: ask it in fewer words or in parts"
        )
    if any(0xD800 <= ord(char) <= 0xDFFF for char in text):
        raise QueryError("the question is not valid Unicode (half a surrogate pair)")
    if not clean(text):
        raise QueryError("the question is empty: type at least one word")


def _check_type(field: str, value: object, allowed: type | UnionType, wanted: str) -> None:
    if not isinstance(value, allowed):
        raise QueryError(f"{field}: {value!r} is not {wanted}")


def _names(field: str, values: object) -> tuple[str, ...]:
    # A bare string is iterable too: "hr" would become the groups h and r.
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise QueryError(f"{field}: must be a list of names")
    names: list[str] = []
    for name in cast("Iterable[object]", values):
        if not isinstance(name, str) or not name.strip():
            raise QueryError(f"{field}: {name!r} is not a name")
        if any(0xD800 <= ord(char) <= 0xDFFF for char in name):
            raise QueryError(f"{field}: a name is not valid Unicode (half a surrogate pair)")
        names.append(name)
    return tuple(sorted(set(names)))
