"""Plain text, chat transcripts, CSV and JSON."""

import contextlib
import csv
import io
import itertools
import json
import re
from collections.abc import Iterator
from typing import Any, Final

from pipeline.parsing.errors import CORRUPT, ParseError
from pipeline.parsing.grids import header_rows
from pipeline.parsing.headings import names_itself
from pipeline.parsing.repair import join_lines
from pipeline.parsing.tree import Block, Page, table

ENGINE: Final = "text"
_SEPARATORS: Final = (";", ",", "\t", "|")
_NONE: Final = "\x1f"  # separates nothing: a file of one column
_NAMED: Final = re.compile(r"\s*sep=(.)[ ]*\r?\n", re.IGNORECASE)
_BULLET: Final = re.compile(r"^(\s*)(?:[-*•–·▪◦]\s+|(\(?(?:\d{1,3}|[a-zçğıöşü]|[ivx]{1,5})[.)])\s+)(\S.*)$")
_STAMP: Final = (
    r"(?:\d{4}-\d\d-\d\d[ T,]*|\d{1,2}[./]\d{1,2}[./]\d{2,4}[ ,]*)?\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?"
)
_NAME: Final = r"[^\W\d_][\w .'’-]{0,38}?"
_TURN: Final = re.compile(
    rf"^(?:\[?(?P<stamp>{_STAMP})\]?(?: ?[-–—|])?\s+)?(?P<name>{_NAME})(?: ?[\[(](?P<late>{_STAMP})[\])])?:\s+(?P<text>\S.*)$"
)
_HEAD: Final = re.compile(rf"^(?P<name>{_NAME})(?:,? ?\t?| {{2,}}|  *)(?P<stamp>{_STAMP})$")
_MARKS: Final = dict.fromkeys(map(ord, "\u200e\u200f\u202a\u202b\u202c"), None) | {0x202F: " ", 0xA0: " "}
_NAMES: Final = ("title", "name", "heading", "subject", "başlık", "titel")
_RULE: Final = re.compile(r"^[=\-_~*]{3,}$")


def read_text(text: str) -> list[Page]:
    """One page of a plain text: a chat transcript if most of its lines are turns, else headings, lists and paragraphs."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n").split("\n")
    blocks = _turns(lines) or list(_paragraphs(lines))
    return [Page(1, tuple(blocks), engine=ENGINE)]


def _turns(lines: list[str]) -> list[Block]:
    """Turns of a transcript, or nothing if the text is none. A line that starts no turn goes on with the turn before it.

    The time of a turn is kept as its anchor, so that the text stays "speaker: text".
    """
    # Messengers put marks of direction and narrow spaces around names and times.
    filled = _said([text for line in lines if (text := line.translate(_MARKS).strip())])
    found = [_TURN.match(line) for line in filled]
    turns = [match for match in found if match]
    speakers = {match["name"] for match in turns}
    if len(turns) < 3 or len(turns) < 0.5 * len(filled) or len(speakers) > max(2, len(turns) // 2):
        return []
    blocks: list[Block] = []
    for line, match in zip(filled, found, strict=True):
        if match:
            stamp = match["stamp"] or match["late"] or ""
            blocks.append(Block("turn", f"{match['name']}: {match['text']}", anchor=stamp))
        elif blocks and blocks[-1].kind == "turn":
            last = blocks.pop()
            blocks.append(Block("turn", f"{last.text} {line}", anchor=last.anchor))
        else:
            blocks.append(
                Block("title" if not blocks and len(line) <= 100 else "paragraph", line.lstrip("# "))
            )
    return blocks


def _said(lines: list[str]) -> list[str]:
    """Lines in which a speaker and a time that stand above what is said (as Teams writes it) stand in front of it."""
    heads = [_HEAD.match(line) for line in lines]
    if sum(map(bool, heads)) < 3 or 3 * sum(map(bool, heads)) < len(lines):
        return lines
    joined: list[str] = []
    head = ""
    for line, match in zip(lines, heads, strict=True):
        if match:
            head = f"{match['stamp']} {match['name']}: "
        else:
            joined.append(head + line)
            head = ""
    return joined


def _paragraphs(lines: list[str]) -> Iterator[Block]:
    paragraph: list[str] = []
    for number, raw in enumerate(lines):
        line = raw.strip().lstrip("\ufeff")
        bullet = _BULLET.match(raw.expandtabs(4))
        if _RULE.match(line) and len(paragraph) == 1:
            yield Block("heading", paragraph[0], level=1 if line[0] == "=" else 2)
            paragraph = []
        elif not line or _RULE.match(line):
            yield from _paragraph(paragraph)
            paragraph = []
        elif bullet:
            yield from _paragraph(paragraph)
            paragraph = [raw]
        elif names_itself(line) and not paragraph and not _goes_on(lines, number):
            yield Block("paragraph", line)  # the tree decides whether it is a heading
        else:
            paragraph.append(raw)
    yield from _paragraph(paragraph)


def _goes_on(lines: list[str], number: int) -> bool:
    """Whether the next line continues this one in lower case: then it is a sentence that was wrapped."""
    following = lines[number + 1].strip() if number + 1 < len(lines) else ""
    return following[:1].islower()


def _paragraph(lines: list[str]) -> Iterator[Block]:
    if not lines:
        return
    bullet = _BULLET.match(lines[0].expandtabs(4))
    if bullet:
        indent, mark, first = bullet.groups()
        text = join_lines([first, *lines[1:]])
        yield Block("list_item", f"{mark} {text}" if mark else text, level=1 + len(indent) // 2)
    else:
        yield Block("paragraph", join_lines(lines))


def read_csv(text: str) -> list[Page]:
    """One page with one table. The separator is the one that cuts most rows into the same number of fields.

    Lines above the table that hold one field are its caption. A quotation mark that is never closed is a character like
    others.

    Raises:
        ParseError: corrupt, when a field is too long to be one.
    """
    text = text.lstrip("\ufeff")
    named = _NAMED.match(text)
    separator = named.group(1) if named else _separator(text)
    rows = [
        row for row in _fields(text[named.end() :] if named else text, separator) if any(map(str.strip, row))
    ]
    width = max(map(len, rows), default=0)
    titles: list[str] = []
    while width > 1 and len(rows) > 1 and sum(map(bool, map(str.strip, rows[0]))) == 1:
        titles.append(" ".join(filter(None, map(str.strip, rows.pop(0)))))
    padded = [row + [""] * (width - len(row)) for row in rows]
    block = table(padded, header_rows(padded), "\n".join(titles))
    return [Page(1, (block,) if block else (), engine=ENGINE)]


def _fields(text: str, separator: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        open_ended = "unexpected end of data" in str(error) or "field limit" in str(error)
    quoting: Any = csv.QUOTE_NONE if open_ended else csv.QUOTE_MINIMAL
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, quoting=quoting))
    except csv.Error as error:
        raise ParseError(CORRUPT, f"(not a table: {error})") from None


def _separator(text: str) -> str:
    best, score = _NONE, 0.0
    for separator in _SEPARATORS:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        widths: list[int] = []
        with contextlib.suppress(csv.Error):
            widths.extend(len(row) for row in itertools.islice(rows, 200) if row)
        usual = max(set(widths), key=lambda width: (widths.count(width), width), default=1)
        agreement = widths.count(usual) / max(len(widths), 1)
        if usual > 1 and agreement * (1 + usual / 100) > score:
            best, score = separator, agreement * (1 + usual / 100)
    return best


def read_json(text: str) -> list[Page]:
    """One page that reads like a document: keys of objects as headings, lists of flat objects as tables, long texts as paragraphs.

    Raises:
        ParseError: corrupt, when the text is not JSON.
    """
    try:
        value = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise ParseError(CORRUPT, f"(not JSON: {error})") from None
    return [Page(1, tuple(_render(value, 1)), engine=ENGINE)]


def _render(value: Any, level: int) -> Iterator[Block]:
    if isinstance(value, dict):
        yield from _object(value, level)
    elif isinstance(value, list):
        yield from _list(value, level)
    elif value is not None and str(value).strip():
        yield Block("paragraph", str(value))


def _object(value: dict[str, Any], level: int) -> Iterator[Block]:
    """Title first, then long texts, then the short values in one line, then what is nested.

    A text that another one starts with is left out: it is an extract.
    """
    scalars = {
        key: item
        for key, item in value.items()
        if not isinstance(item, dict | list) and item not in (None, "")
    }
    texts = [item for item in scalars.values() if isinstance(item, str)]
    extracts = {
        text
        for text in texts
        for other in texts
        if len(text) > 20 and other != text and text in other[: len(text) + 60]
    }
    name = next((str(scalars[key]) for key in _NAMES if key in scalars), "")
    if 0 < len(name) <= 120 and name not in extracts:
        yield Block("title" if level == 1 else "heading", name, level=0 if level == 1 else min(level, 9))
    rest = {key: item for key, item in scalars.items() if item not in extracts and str(item) != name}
    long = {
        key: item for key, item in rest.items() if isinstance(item, str) and len(item) > 60 and " " in item
    }
    for text in long.values():
        yield from (Block("paragraph", part) for part in text.split("\n\n"))
    short = [f"{key}: {item}" for key, item in rest.items() if key not in long]
    if short:
        yield Block("paragraph", "; ".join(short))
    for key, item in value.items():
        if isinstance(item, dict | list) and item:
            yield Block("heading", key, level=min(level, 9))
            yield from _render(item, level + 1)


def _list(value: list[Any], level: int) -> Iterator[Block]:
    if len(value) > 1 and all(isinstance(item, dict) and item and _flat(item) for item in value):
        keys = list(dict.fromkeys(key for item in value for key in item))
        block = table([keys, *([_cell(item.get(key)) for key in keys] for item in value)], 1)
        if block is not None:
            yield block
        return
    for item in value:
        if isinstance(item, dict | list):
            yield from _render(item, level + 1)
        elif item is not None and str(item).strip():
            yield Block("list_item", str(item), level=1)


def _flat(item: dict[str, Any]) -> bool:
    return all(not isinstance(part, dict | list) and len(str(part)) <= 60 for part in item.values())


def _cell(value: Any) -> str:
    return "" if value is None else str(value)
