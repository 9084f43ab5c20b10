"""From the rows of a column to its paragraphs, list items and things: where one ends and the next begins."""

import re
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Final

from pipeline.parsing.geometry.ink import Box, Word
from pipeline.parsing.geometry.layout import Row, enclose, is_bold, is_italic, size_of
from pipeline.parsing.headings import numbering
from pipeline.parsing.repair import join_lines
from pipeline.parsing.tree import Block

Column = list[Row]

SYMBOL: Final = re.compile(r"^[•▪◦‣■●○*·–—\-\uf0b7\uf0a7]$")
SYMBOL_GLUED: Final = re.compile(r"^[•▪◦‣■●○]\s*")
COUNTER: Final = re.compile(r"^(?:\d{1,3}[.)]|\([a-zçğıöşü]{1,4}\)|[a-zçğıöşü][.)]|[ivx]{1,5}[.)])$")
ENDS: Final = re.compile(r"[.!?:;…][\"'»”’)\]]*$")
NOTE: Final = re.compile(r"^(?:\d{1,3}|[*∗†‡]{1,3})[.)]?$")
DISPLAY: Final = 18.0  # points
_CLAUSE: Final = re.compile(r"^\(\d{1,3}[a-z]?\)$")
_OPEN_LIST: Final = (",", "und", "oder", "ve", "veya", "and", "or")
_LEADER: Final = re.compile(r"(?:\.\s?){4,}\s*\S{0,6}$")
_DOTS: Final = re.compile(r"\s*(?:\.\s?){5,}")  # the dots that lead to a page number say nothing


@dataclass
class Paragraph:
    """Rows that belong together, and what they are.

    `left` and `right` bound the column that they stand in; `scale` is what a page that was shrunk to fit must be multiplied
    with; `capitals` tells a heading that only its capitals make one.
    """

    rows: list[Row]
    kind: str = "paragraph"
    mark: str = ""
    level: int = 0
    edge: float = 0.0
    left: float = 0.0
    right: float = 0.0
    scale: float = 1.0
    capitals: bool = False
    words: list[Word] = field(default_factory=list[Word])

    def add(self, row: Row) -> None:
        """Put a row at the end."""
        self.rows.append(row)
        self.words += [word for item in row for word in item.words]

    @property
    def lines(self) -> list[str]:
        """The text of each row."""
        return [text_of(row) for row in self.rows]

    @property
    def text(self) -> str:
        """The text in one line."""
        return join_lines(self.lines)

    @property
    def size(self) -> float:
        """The font size of most characters, in points."""
        return size_of(self.words)

    @property
    def box(self) -> Box:
        """Left, top, right, bottom."""
        return enclose(item for row in self.rows for item in row)


def text_of(row: Row) -> str:
    """The text of a row, without the dots that lead to a page number."""
    return _DOTS.sub(" ", " ".join(item.text for item in row))


def is_led(row: Row) -> bool:
    """Whether dots lead to a page number: a line of a table of contents."""
    return bool(_LEADER.search(" ".join(item.text for item in row)))


def paragraphs(column: Column) -> list[Paragraph | Block]:
    """A column as paragraphs, list items and things, in their order.

    List items nest by their indents; a paragraph that starts no further right than the outermost item ends the list.
    """
    lines = [row for row in column if row[0].block is None]
    if not lines:
        return [row[0].block for row in column if row[0].block is not None]
    right = max(item.x1 for row in lines for item in row)
    left = min(row[0].x0 for row in lines)
    steps = [
        _top(after) - _top(before)
        for before, after in pairwise(lines)
        if 0 < _top(after) - _top(before) < 3 * _height(before)
    ]
    usual = median(steps) if steps else 0.0
    parts: list[Paragraph | Block] = []
    current: Paragraph | None = None
    indents: list[float] = []
    for row in column:
        block = row[0].block
        if block is not None:
            parts.append(block)
            current = None
            continue
        kind, mark = _marker(row)
        if current is None or _starts(current, row, kind, usual=usual, left=left, right=right):
            current = Paragraph([], kind, mark, left=left, right=right)
            if kind != "list_item" and indents and row[0].x0 <= indents[0] + 4:
                indents.clear()
            if kind == "list_item":
                while indents and indents[-1] > row[0].x0 + 4:
                    indents.pop()
                if not indents or indents[-1] < row[0].x0 - 4:
                    indents.append(row[0].x0)
                current.level = len(indents)
            current.edge = row[0].x0
            parts.append(current)
        current.add(row)
    return parts


def _top(row: Row) -> float:
    """Base line of a row: steadier than its top, and that of its largest letters: marks and small numbers stand higher."""
    words = row[0].words
    largest = max(word.size for word in words)
    return next(word.y1 for word in words if word.size == largest)


def _height(row: Row) -> float:
    return max(item.y1 - item.y0 for item in row)


def _marker(row: Row) -> tuple[str, str]:
    """Kind of the paragraph that a row would start, and its mark."""
    first = row[0].words[0].text
    alone = len(row) == 1 and len(row[0].words) == 1
    if (SYMBOL.match(first) and not alone) or SYMBOL_GLUED.match(first):
        return "list_item", first
    if COUNTER.match(first) and not alone:
        return "list_item", first
    return "paragraph", first if _CLAUSE.match(first) else ""


def _starts(current: Paragraph, row: Row, kind: str, *, usual: float, left: float, right: float) -> bool:  # noqa: PLR0911 - a list of reasons
    """Whether a row starts a new paragraph rather than going on with the current one."""
    above = current.rows[-1]
    words = [word for item in row for word in item.words]
    size, before = size_of(words), size_of(word for item in above for word in item.words)
    step = _top(row) - _top(above)
    if step <= 0 or step > max(usual * 1.3 + 1, 1.35 * max(_height(above), min(size, before))):
        return True
    # Lines of a display title may differ a little in size; lines of text do not.
    if abs(size - before) > max(0.6, (0.07 if before < DISPLAY else 0.12) * before) or is_bold(
        words
    ) != is_bold(w for i in above for w in i.words):
        return True
    text = text_of(above)
    ended = bool(ENDS.search(text))
    if is_led(above) or _is_run_in(current, row):
        return True
    if NOTE.match(words[0].text) and words[0].size < 0.8 * size:
        return True
    symbol = kind == "list_item" and not COUNTER.match(words[0].text)
    if symbol or _CLAUSE.match(words[0].text):
        return True
    if kind == "list_item" and (
        ended or current.kind == kind or text.endswith(_OPEN_LIST) or (is_bold(words) and text.isupper())
    ):
        return True
    if numbering(text_of(row)) and ended:
        return True
    short = above[-1].x1 < right - 0.2 * (right - left)
    indented = (
        row[0].x0 > current.edge + 0.8 * size
        and row[0].x0 > above[0].x0 + 0.8 * size
        and current.kind != "list_item"
    )
    return ended and (short or indented)


def _is_run_in(current: Paragraph, row: Row) -> bool:
    """Whether one line all in italics stands above upright text: a heading without space below it."""
    above = current.rows[0]
    short = above[-1].x1 - above[0].x0 < 0.8 * (row[-1].x1 - row[0].x0)
    return (
        len(current.rows) == 1
        and short
        and is_italic(current.words)
        and not is_italic(w for i in row for w in i.words)
    )
