"""Running headers, footers and page numbers: what stands at the same place of many pages."""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.parsing.geometry.layout import Item, rows_of, size_of
from pipeline.parsing.repair import one_line

_ZONE: Final = 0.13  # of the page's height, at either end
_OUTER_ROWS: Final = 4
_THROUGH: Final = 3  # page numbers that prove a count
_DRIFT: Final = 8.0  # points
_COLUMNS: Final = 3  # pieces of a row that stand over as many below are names of columns
_STEP: Final = 2.6  # of a row's height between the rows of a table
_NUMBER: Final = re.compile(r"(?<![\w-])\d{1,6}(?![\w-])")
_PAGE_NUMBER: Final = re.compile(
    r"^[-–—|\[(\s]*(?:(?:page|seite|sayfa|s\.|p\.)\s*)?\d{1,4}(?:\s*(?:/|von|of|\|)\s*\d{1,4})?[-–—|\])\s]*$",
    re.IGNORECASE,
)
_LONE_NUMBER: Final = re.compile(r"^(?:[A-Z]?\d{1,3}[-–.])?\d{1,4}$")

Row = list[Item]


@dataclass(frozen=True, slots=True)
class Line:
    """A row that may be furniture: positions of its items in the page's list, its words, and where it stands.

    Attributes:
        y: vertical middle in points; of a row that was looked at for its number, the bottom of its first item.
        number: the page number that it may carry, or None.
        far: whether that number stands far from the words.
        display: whether it is set much larger than the text: the number of a chapter, not of a page.
    """

    items: tuple[int, ...]
    text: str
    y: float
    number: int | None = None
    far: bool = False
    display: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """All that furniture needs to know of a page: small, however much lies on it.

    Attributes:
        outer: rows in the zones at the top and bottom.
        ends: the first and the last row, where it stands apart; else None.
        alone: rows at any height that are nothing but a number.
        written: number of items that are text.
    """

    outer: tuple[Line, ...]
    ends: tuple[Line | None, Line | None]
    alone: tuple[Line, ...]
    written: int


def edge_of(items: Sequence[Item], height: float) -> Edge:
    """The rows of a page that may be furniture.

    Args:
        items: what lies on the page.
        height: of the page, in points.
    """
    page = _Rows(items)
    return Edge(
        tuple(_outer(items, height, page)),
        (_apart(items, height, page, bottom=False), _apart(items, height, page, bottom=True)),
        tuple(_alone(items, page)),
        sum(item.block is None for item in items),
    )


class _Rows:
    """Makes lines of the rows of a page."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._place = {id(item): number for number, item in enumerate(items)}
        self._usual = size_of(word for item in items for word in item.words)

    def line(self, row: Row, y: float, number: int | None = None, *, far: bool = False) -> Line:
        """A row as a line."""
        text = one_line(" ".join(item.text for item in row))
        display = size_of(row[0].words) >= 1.6 * self._usual
        return Line(tuple(self._place[id(item)] for item in row), text, y, number, far, display)


def running_rows(edges: Sequence[Edge]) -> list[list[Line]]:
    """The running rows of each page.

    A row near the top or bottom is furniture when the same words stand at the same height on another page and on at least
    30 % of all pages, where a number may only grow as the pages do; when it is nothing but a page number; or when it is the
    outermost row, stands apart, and a page number stands at its end, far from the words or growing from page to page. A
    document that would be left without any row is not touched.
    """
    needed = max(2, math.ceil(0.3 * len(edges)))
    alike = _alike(edges)
    counted = [far + alone for far, alone in zip(_counted(edges), _numbered_through(edges), strict=True)]
    found: list[list[Line]] = []
    for number, edge in enumerate(edges):
        lines = [
            line
            for line in edge.outer
            if (len(edges) > 1 and _PAGE_NUMBER.match(line.text) and not line.display)
            or _pages_with(line, number, alike) >= needed
        ]
        gone = {item for line in lines for item in line.items}
        for line in counted[number]:
            if gone.isdisjoint(line.items):
                lines.append(line)
                gone.update(line.items)
        found.append(lines)
    left = (
        edge.written - len({item for line in lines for item in line.items})
        for edge, lines in zip(edges, found, strict=True)
    )
    return found if any(left) else [[] for _ in edges]


def _counted(edges: Sequence[Edge]) -> list[list[Line]]:
    """For each page its outermost rows that carry the page's number."""
    found: list[list[Line]] = [[] for _ in edges]
    for side in (0, 1):
        lines = [(page, line) for page, edge in enumerate(edges) if (line := edge.ends[side]) is not None]
        for page, line in lines:
            if (
                line.number is not None
                and not line.display
                and (
                    line.far
                    or sum(
                        other.number is not None
                        and abs(other.y - line.y) <= _DRIFT
                        and (other.number - line.number) * (at - page) > 0
                        for at, other in lines
                    )
                    >= max(2, 0.3 * (len(edges) - 1))
                )
            ):
                found[page].append(line)
    return found


def _numbered_through(edges: Sequence[Edge]) -> list[list[Line]]:
    """For each page the rows that are nothing but a number, where these numbers count through the document.

    Files made of web pages keep the page numbers of the print between their paragraphs, at any height. The longest run of
    numbers that grow by one is taken, if it has three at least, one for every second page, and few more than pages.
    """
    found: list[list[Line]] = [[] for _ in edges]
    chains: dict[int, list[tuple[int, Line]]] = {}  # by the last number: the longest run that ends with it
    for page, edge in enumerate(edges):
        for line in edge.alone:
            number = line.number or 0
            chain = [*chains.get(number - 1, ()), (page, line)]
            if len(chain) > len(chains.get(number, ())):
                chains[number] = chain
    longest = max(chains.values(), key=len, default=[])
    if len(longest) >= max(_THROUGH, len(edges) / 2) and len(longest) <= 1.5 * len(edges) + 1:
        for page, line in longest:
            found[page].append(line)
    return found


def _alone(items: Sequence[Item], page: _Rows) -> Iterator[Line]:
    """Rows that are nothing but a page number in the size of the text."""
    for row in rows_of(items):
        text = row[0].text if len(row) == 1 and row[0].block is None else ""
        if _PAGE_NUMBER.match(text) and (digits := re.findall(r"\d+", text)):
            line = page.line(row, row[0].middle, int(digits[0]))
            if not line.display:
                yield line


def _apart(items: Sequence[Item], height: float, page: _Rows, *, bottom: bool) -> Line | None:
    """The first or last row of a page, if it lies in the outer zone and apart from the row beside it."""
    boxes = [item for item in items if item.block is not None]
    rows = rows_of(item for item in items if item.block is None)
    if len(rows) < 2:
        return None
    row, beside = (rows[-1], rows[-2]) if bottom else (rows[0], rows[1])
    top, end = min(item.y0 for item in row), max(item.y1 for item in row)
    if (end < (1 - _ZONE) * height) if bottom else (top > _ZONE * height):
        return None
    if any((box.y1 > end) if bottom else (box.y0 < top) for box in boxes):
        return None
    gap = top - max(item.y1 for item in beside) if bottom else min(item.y0 for item in beside) - end
    if gap < 0.8 * (end - top):
        return None
    number = _page_number(row)
    return page.line(row, row[0].y1, number, far=number is not None and _is_far(row))


def _page_number(row: Row) -> int | None:
    """The number that a row starts or ends with, if it may be a page's."""
    for word in (row[-1].words[-1], row[0].words[0]):
        if _LONE_NUMBER.match(word.text):
            return int(re.findall(r"\d+", word.text)[-1])
    return None


def _is_far(row: Row) -> bool:
    """Whether the number stands alone: it is the whole row, or a wide gap parts it from the words."""
    if len(row) == 1:
        return len(row[0].words) == 1
    first, last = row[0], row[-1]
    return (
        len(last.words) == 1
        and bool(_LONE_NUMBER.match(last.text))
        and last.x0 - row[-2].x1 > 1.5 * last.words[0].size
    ) or (
        len(first.words) == 1
        and bool(_LONE_NUMBER.match(first.text))
        and row[1].x0 - first.x1 > 1.5 * first.words[0].size
    )


def _outer(items: Sequence[Item], height: float, page: _Rows) -> list[Line]:
    """The outermost rows in the zones at the top and bottom.

    A zone ends with a row that stands apart from the text: what is set tight to the next row belongs to it, and so do
    the names of columns above a table's first row.
    """
    rows = rows_of(item for item in items if item.block is None)
    found: list[Line] = []
    for ordered, sign in ((rows, 1), (rows[::-1], -1)):
        edge = 0.0 if sign > 0 else height
        zone = [row for row in ordered[:_OUTER_ROWS] if sign * (row[0].middle - edge) < _ZONE * height]
        while zone and len(zone) < len(ordered) and _is_bound(zone[-1], ordered[len(zone)]):
            zone.pop()
        found += [page.line(row, row[0].middle) for row in zone]
    return found


def _is_bound(row: Row, following: Row) -> bool:
    gap = max(following[0].y0 - row[0].y1, row[0].y0 - following[0].y1)
    height = row[0].y1 - row[0].y0
    columns = len(row) == len(following) >= _COLUMNS and all(
        one.x0 < two.x1 and two.x0 < one.x1 for one, two in zip(row, following, strict=True)
    )
    return gap < (_STEP if columns else 0.5) * height


Alike = dict[str, list[tuple[int, float, tuple[int, ...]]]]


def _alike(edges: Sequence[Edge]) -> Alike:
    """Outer rows by their words, numbers left out: on which page, at which height, with which numbers."""
    found: Alike = defaultdict(list)
    for page, edge in enumerate(edges):
        for line in edge.outer:
            words, numbers = _worded(line.text)
            found[words].append((page, line.y, numbers))
    return found


def _worded(text: str) -> tuple[str, tuple[int, ...]]:
    return _NUMBER.sub("#", text.casefold()), tuple(map(int, _NUMBER.findall(text)))


def _pages_with(line: Line, number: int, alike: Alike) -> int:
    """Pages on which this row of page `number` stands, itself included."""
    words, counts = _worded(line.text)
    return len(
        {
            page
            for page, y, others in alike[words]
            if abs(line.y - y) <= _DRIFT
            and len(others) == len(counts)
            and all(other - count in (0, page - number) for other, count in zip(others, counts, strict=True))
        }
    )
