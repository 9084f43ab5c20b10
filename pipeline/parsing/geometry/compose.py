"""From rows in reading order to blocks: paragraphs, headings, lists, footnotes."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Final

from pipeline.parsing.geometry.ink import Box, Word
from pipeline.parsing.geometry.layout import Row, enclose, is_bold, is_italic, size_of
from pipeline.parsing.headings import numbering
from pipeline.parsing.repair import join_lines
from pipeline.parsing.tree import Block, is_caption

Column = list[Row]

_SYMBOL: Final = re.compile(r"^[•▪◦‣■●○*·–—\-\uf0b7\uf0a7]$")
_SYMBOL_GLUED: Final = re.compile(r"^[•▪◦‣■●○]\s*")
_COUNTER: Final = re.compile(r"^(?:\d{1,3}[.)]|\([a-zçğıöşü]{1,4}\)|[a-zçğıöşü][.)]|[ivx]{1,5}[.)])$")
_CLAUSE: Final = re.compile(r"^\(\d{1,3}[a-z]?\)$")
_LEADER: Final = re.compile(r"(?:\.\s?){4,}\s*\S{0,6}$")
_DOTS: Final = re.compile(r"\s*(?:\.\s?){5,}")  # the dots that lead to a page number say nothing
_ENDS: Final = re.compile(r"[.!?:;…][\"'»”’)\]]*$")
_ADDRESS: Final = re.compile(r"\w[.@]\w+\.\w|\w\.\w{2,}/|://|^www\.|@")
_NOTE: Final = re.compile(r"^(?:\d{1,3}|[*∗†‡]{1,3})[.)]?$")

_COVER: Final = 30  # words of text; a page with fewer under several display lines is a cover
_DISPLAY: Final = 18.0  # points


@dataclass
class _Paragraph:
    rows: list[Row]
    kind: str = "paragraph"
    mark: str = ""
    level: int = 0
    edge: float = 0.0
    words: list[Word] = field(default_factory=list[Word])

    def add(self, row: Row) -> None:
        self.rows.append(row)
        self.words += [word for item in row for word in item.words]

    @property
    def lines(self) -> list[str]:
        return [_text(row) for row in self.rows]

    @property
    def box(self) -> Box:
        return enclose(item for row in self.rows for item in row)


@dataclass(frozen=True)
class _Style:
    """What makes headings of one rank look alike."""

    size: float
    bold: bool
    division: int


def compose(
    pages: Sequence[Sequence[Column]], heights: Sequence[float], titles: Sequence[Sequence[Box]] = ()
) -> list[list[Block]]:
    """Blocks of each page of a document.

    Args:
        pages: for each page its columns in reading order, each a list of rows; a row with a table or figure has one item.
        heights: of the pages, in points.
        titles: for each page the places where a layout model saw headings; empty if none was asked.
    """
    body = size_of(
        word for page in pages for column in page for row in column for item in row for word in item.words
    )
    drafts: list[list[_Paragraph | Block]] = []  # of a page only its blocks and headings stay in memory
    for number, (page, height) in enumerate(zip(pages, heights, strict=True)):
        seen = titles[number] if titles else ()
        parts: list[_Paragraph | Block] = []
        for column in page:
            parts = _joined(parts, _paragraphs(column))
        parts = [
            _classified(part, body, height, seen) if isinstance(part, _Paragraph) else part for part in parts
        ]
        _calm(parts, body)
        drafts.append(
            [
                part if isinstance(part, Block) or part.kind == "heading" else _block(part, {})
                for part in parts
            ]
        )
    levels = _levels(drafts, body)
    return [
        [_block(part, levels) if isinstance(part, _Paragraph) else part for part in parts] for parts in drafts
    ]


def _text(row: Row) -> str:
    return _DOTS.sub(" ", " ".join(item.text for item in row))


def _is_led(row: Row) -> bool:
    """Whether dots lead to a page number: a line of a table of contents."""
    return bool(_LEADER.search(" ".join(item.text for item in row)))


def _paragraphs(column: Column) -> list[_Paragraph | Block]:
    """Split a column into paragraphs, list items and things."""
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
    parts: list[_Paragraph | Block] = []
    current: _Paragraph | None = None
    indents: list[float] = []
    for row in column:
        block = row[0].block
        if block is not None:
            parts.append(block)
            current = None
            continue
        kind, mark = _marker(row)
        if current is None or _starts(current, row, kind, usual=usual, left=left, right=right):
            current = _Paragraph([], kind, mark)
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
    if (_SYMBOL.match(first) and not alone) or _SYMBOL_GLUED.match(first):
        return "list_item", first
    if _COUNTER.match(first) and not alone:
        return "list_item", first
    return "paragraph", first if _CLAUSE.match(first) else ""


def _starts(current: _Paragraph, row: Row, kind: str, *, usual: float, left: float, right: float) -> bool:  # noqa: PLR0911 - a list of reasons
    """Whether a row starts a new paragraph rather than going on with the current one."""
    above = current.rows[-1]
    words = [word for item in row for word in item.words]
    size, before = size_of(words), size_of(word for item in above for word in item.words)
    step = _top(row) - _top(above)
    if step <= 0 or step > max(usual * 1.3 + 1, 1.35 * max(_height(above), min(size, before))):
        return True
    # Lines of a display title may differ a little in size; lines of text do not.
    if abs(size - before) > max(0.6, (0.07 if before < _DISPLAY else 0.12) * before) or is_bold(
        words
    ) != is_bold(w for i in above for w in i.words):
        return True
    text = _text(above)
    ended = bool(_ENDS.search(text))
    if _is_led(above) or _is_run_in(current, row):
        return True
    if _NOTE.match(words[0].text) and words[0].size < 0.8 * size:
        return True
    symbol = kind == "list_item" and not _COUNTER.match(words[0].text)
    if symbol or _CLAUSE.match(words[0].text):
        return True
    if kind == "list_item" and (
        ended or text.endswith((",", "und", "oder", "ve", "veya", "and", "or")) or current.kind == kind
    ):
        return True
    if numbering(_text(row)) and ended:
        return True
    short = above[-1].x1 < right - 0.2 * (right - left)
    indented = (
        row[0].x0 > current.edge + 0.8 * size
        and row[0].x0 > above[0].x0 + 0.8 * size
        and current.kind != "list_item"
    )
    return ended and (short or indented)


def _is_run_in(current: _Paragraph, row: Row) -> bool:
    """Whether one line all in italics stands above upright text: a heading without space below it."""
    above = current.rows[0]
    short = above[-1].x1 - above[0].x0 < 0.8 * (row[-1].x1 - row[0].x0)
    return (
        len(current.rows) == 1
        and short
        and is_italic(current.words)
        and not is_italic(w for i in row for w in i.words)
    )


def _joined(parts: list[_Paragraph | Block], more: list[_Paragraph | Block]) -> list[_Paragraph | Block]:
    """Both lists; a paragraph that ends one column in the middle of a sentence goes on in the next."""
    position = next((n for n in range(len(parts) - 1, -1, -1) if not _is_note(parts[n])), None)
    if position is not None and more:
        last, first = parts[position], more[0]
        if (
            isinstance(last, _Paragraph)
            and isinstance(first, _Paragraph)
            and first.kind == "paragraph"
            and not first.mark
        ):
            text, following = last.lines[-1], first.lines[0]
            open_end = not _ENDS.search(text) and len(last.rows) > 1
            if (
                open_end
                and (following[:1].islower() or text.endswith("-"))
                and size_of(last.words) == size_of(first.words)
            ):
                for row in first.rows:
                    last.add(row)
                return parts + more[1:]
    return parts + more


def _is_note(part: _Paragraph | Block) -> bool:
    return (
        isinstance(part, _Paragraph)
        and bool(_NOTE.match(part.words[0].text))
        and part.words[0].size < size_of(part.words)
    )


def _classified(paragraph: _Paragraph, body: float, height: float, titles: Sequence[Box]) -> _Paragraph:
    size = size_of(paragraph.words)
    text = join_lines(paragraph.lines)
    first = paragraph.words[0]
    low = paragraph.box[1] > 0.5 * height and size <= 0.93 * body
    if low and _NOTE.match(first.text) and len(paragraph.words) > 2:
        paragraph.kind, paragraph.mark = "footnote", first.text.rstrip(".)")
    elif any(map(_is_led, paragraph.rows)):  # a table of contents names headings and has none
        paragraph.kind, paragraph.mark, paragraph.level = "list_item", "", max(paragraph.level, 1)
    elif is_caption(text):
        paragraph.kind = "caption"
    elif _is_heading(paragraph, text, size, body) or _is_seen(paragraph, text, titles):
        paragraph.kind = "heading"
    return paragraph


def _calm(parts: Sequence[_Paragraph | Block], body: float) -> None:
    """On a page that is all display, a cover, only the largest lines and those that stand over text are headings."""
    written = [part for part in parts if isinstance(part, _Paragraph)]
    headings = [part for part in written if part.kind == "heading"]
    text = [part for part in written if part.kind != "heading" and size_of(part.words) <= 1.2 * body]
    if len(headings) < 3 or sum(len(part.words) for part in text) > _COVER:
        return
    largest = max(size_of(heading.words) for heading in headings)
    for heading, below in zip(written, [*written[1:], None], strict=True):
        over_text = any(below is part for part in text) or numbering(join_lines(heading.lines))
        if heading.kind == "heading" and size_of(heading.words) < 0.88 * largest and not over_text:
            heading.kind = "paragraph"


def _is_seen(paragraph: _Paragraph, text: str, titles: Sequence[Box]) -> bool:
    """Whether a short paragraph stands where a layout model saw a heading."""
    if paragraph.kind != "paragraph" or len(paragraph.rows) > 3 or text.endswith((".", ",", ";")):
        return False
    x0, y0, x1, y1 = paragraph.box
    for title in titles:
        width, height = min(x1, title[2]) - max(x0, title[0]), min(y1, title[3]) - max(y0, title[1])
        union = (x1 - x0) * (y1 - y0) + (title[2] - title[0]) * (title[3] - title[1]) - width * height
        if width > 0 and height > 0 and width * height > 0.5 * union:
            return True
    return False


def _is_heading(paragraph: _Paragraph, text: str, size: float, body: float) -> bool:
    numbered = numbering(text)
    if not _may_head(paragraph, text, size, body) or (
        paragraph.kind == "list_item"
        and (numbered is None or not (is_bold(paragraph.words) or size > 1.1 * body))
    ):
        return False
    n_words = len(text.split())
    ends = text.endswith((".", ";", ",")) and not (numbered and n_words <= 4)
    if size >= 1.12 * body:
        return not ends or size >= 1.4 * body
    if is_bold(paragraph.words) and size >= 0.93 * body:
        return len(paragraph.rows) <= 2 and n_words <= 16 and not ends and not text.endswith(":")
    if is_italic(paragraph.words) and size >= 0.97 * body and paragraph.kind == "paragraph":
        return len(paragraph.rows) == 1 and n_words <= 10 and text[0].isupper() and text[-1].isalnum()
    return False


def _may_head(paragraph: _Paragraph, text: str, size: float, body: float) -> bool:
    """Whether the words may be a heading, however they are set."""
    words = text.split()
    if sum(map(str.isalpha, text)) < 2 or len(words) > 30 or len(paragraph.rows) > 4:
        return False
    if text[0].islower() and size < 1.5 * body and not numbering(text):
        return False
    return not any(map(_is_led, paragraph.rows)) and not (len(words) == 1 and _ADDRESS.search(text))


def _style(paragraph: _Paragraph) -> _Style:
    found = numbering(join_lines(paragraph.lines))
    return _Style(size_of(paragraph.words), is_bold(paragraph.words), min(found.rank, 6) if found else 6)


def _levels(drafts: list[list[_Paragraph | Block]], body: float) -> dict[int, int]:
    """Level of each heading by identity: 0 for the title, then by size, weight and division; decimals go deeper by their depth."""
    headings = [
        part for parts in drafts for part in parts if isinstance(part, _Paragraph) and part.kind == "heading"
    ]
    levels: dict[int, int] = {}
    title = _title(drafts, headings, body)
    styles = Counter(_style(heading) for heading in headings if heading is not title)
    ranked = sorted(styles, key=lambda style: (-style.size, not style.bold, style.division))
    decimal_base: int | None = None
    for heading in headings:
        if heading is title:
            levels[id(heading)] = 0
            continue
        level = min(ranked.index(_style(heading)) + 1, 6)
        found = numbering(join_lines(heading.lines))
        if found and found.rank > 10:
            depth = found.rank - 11
            decimal_base = max(level - depth, 1) if decimal_base is None else decimal_base
            level = min(decimal_base + depth, 9)
        levels[id(heading)] = level
    return levels


def _title(
    drafts: list[list[_Paragraph | Block]], headings: list[_Paragraph], body: float
) -> _Paragraph | None:
    """The largest heading of the document, if it stands on the first page with text and no other is as large."""
    if not headings:
        return None
    largest = max(size_of(heading.words) for heading in headings)
    top = [heading for heading in headings if size_of(heading.words) >= largest - 0.5]
    first = next((parts for parts in drafts if parts), [])
    if len(top) > 1 or largest < 1.2 * body or not any(part is top[0] for part in first):
        return None
    return top[0]


def _block(paragraph: _Paragraph, levels: dict[int, int]) -> Block:
    lines = paragraph.lines
    if paragraph.kind == "footnote":
        lines = [lines[0].removeprefix(paragraph.words[0].text).strip(), *lines[1:]]
        return Block("footnote", join_lines(lines), bbox=paragraph.box, anchor=paragraph.mark)
    if paragraph.kind == "heading":
        level = levels[id(paragraph)]
        return Block("title" if level == 0 else "heading", join_lines(lines), level=level, bbox=paragraph.box)
    if paragraph.kind == "list_item" and paragraph.mark and not _COUNTER.match(paragraph.mark):
        first = (
            lines[0].removeprefix(paragraph.mark)
            if _SYMBOL.match(paragraph.mark)
            else _SYMBOL_GLUED.sub("", lines[0])
        )
        lines = [first.strip(), *lines[1:]]
    return Block(paragraph.kind, join_lines(lines), level=paragraph.level, bbox=paragraph.box)
