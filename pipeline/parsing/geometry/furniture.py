"""Running headers, footers and page numbers: what stands at the same place of many pages."""

import math
import re
from collections.abc import Sequence
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


def without_furniture(
    pages: Sequence[Sequence[Item]], heights: Sequence[float]
) -> tuple[list[list[Item]], list[list[str]]]:
    """Items of each page without its running rows, and the texts of those rows.

    A row near the top or bottom is furniture when the same words stand at the same height on another page and on at least
    30 % of all pages, where a number may only grow as the pages do; when it is nothing but a page number; or when it is the
    outermost row, stands apart, and a page number stands at its end, far from the words or growing from page to page. A
    document that would be left without any row is not touched.
    """
    outer = [_outer(items, height) for items, height in zip(pages, heights, strict=True)]
    needed = max(2, math.ceil(0.3 * len(pages)))
    counted = [
        far + alone for far, alone in zip(_counted(pages, heights), _numbered_through(pages), strict=True)
    ]
    kept: list[list[Item]] = []
    texts: list[list[str]] = []
    for number, (items, rows) in enumerate(zip(pages, outer, strict=True)):
        running = [
            (row, text)
            for row, text, y in rows
            if (len(pages) > 1 and _PAGE_NUMBER.match(text) and not _is_display(row, items))
            or _pages_with(text, y, number, outer) >= needed
        ]
        gone = {id(item) for row, _ in running for item in row}
        for row in counted[number]:
            if not any(id(item) in gone for item in row):
                running.append((row, one_line(" ".join(item.text for item in row))))
                gone |= {id(item) for item in row}
        kept.append([item for item in items if id(item) not in gone])
        texts.append([text for _, text in running])
    if not any(item.block is None for items in kept for item in items):
        return [list(items) for items in pages], [[] for _ in pages]
    return kept, texts


def _is_display(row: Row, items: Sequence[Item]) -> bool:
    """Whether a row is set much larger than the text: the number of a chapter, not of a page."""
    usual = size_of(word for item in items for word in item.words)
    return size_of(row[0].words) >= 1.6 * usual


def _counted(pages: Sequence[Sequence[Item]], heights: Sequence[float]) -> list[list[Row]]:
    """For each page its outermost rows that carry the page's number."""
    found: list[list[Row]] = [[] for _ in pages]
    for bottom in (False, True):
        rows = [_apart(items, height, bottom=bottom) for items, height in zip(pages, heights, strict=True)]
        numbers = {page: _page_number(row) for page, row in enumerate(rows) if row is not None}
        for page, row in enumerate(rows):
            number = numbers.get(page)
            if row is None or number is None or _is_display(row, pages[page]):
                continue
            if _is_far(row) or sum(
                other is not None
                and abs(other[0].y1 - row[0].y1) <= _DRIFT
                and numbers[at] is not None
                and (numbers[at] - number) * (at - page) > 0  # pyright: ignore[reportOptionalOperand]
                for at, other in enumerate(rows)
            ) >= max(2, 0.3 * (len(pages) - 1)):
                found[page].append(row)
    return found


def _numbered_through(pages: Sequence[Sequence[Item]]) -> list[list[Row]]:
    """For each page the rows that are nothing but a number, where these numbers count through the document.

    Files made of web pages keep the page numbers of the print between their paragraphs, at any height. The longest run of
    numbers that grow by one is taken, if it has three at least, one for every second page, and few more than pages.
    """
    found: list[list[Row]] = [[] for _ in pages]
    chains: dict[int, list[tuple[int, Row]]] = {}  # by the last number: the longest run that ends with it
    for page, items in enumerate(pages):
        for row in rows_of(items):
            text = row[0].text if len(row) == 1 and row[0].block is None else ""
            if (
                _PAGE_NUMBER.match(text)
                and not _is_display(row, items)
                and (digits := re.findall(r"\d+", text))
            ):
                number = int(digits[0])
                chain = [*chains.get(number - 1, ()), (page, row)]
                if len(chain) > len(chains.get(number, ())):
                    chains[number] = chain
    longest = max(chains.values(), key=len, default=[])
    if len(longest) >= max(_THROUGH, len(pages) / 2) and len(longest) <= 1.5 * len(pages) + 1:
        for page, row in longest:
            found[page].append(row)
    return found


def _apart(items: Sequence[Item], height: float, *, bottom: bool) -> Row | None:
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
    return row if gap >= 0.8 * (end - top) else None


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


def _outer(items: Sequence[Item], height: float) -> list[tuple[Row, str, float]]:
    """The outermost rows in the zones at the top and bottom: row, text, height.

    A zone ends with a row that stands apart from the text: what is set tight to the next row belongs to it, and so do
    the names of columns above a table's first row.
    """
    rows = rows_of(item for item in items if item.block is None)
    found: list[tuple[Row, str, float]] = []
    for ordered, sign in ((rows, 1), (rows[::-1], -1)):
        edge = 0.0 if sign > 0 else height
        zone = [row for row in ordered[:_OUTER_ROWS] if sign * (row[0].middle - edge) < _ZONE * height]
        while zone and len(zone) < len(ordered) and _is_bound(zone[-1], ordered[len(zone)]):
            zone.pop()
        for row in zone:
            text = one_line(" ".join(item.text for item in row))
            found.append((row, text, row[0].middle))
    return found


def _is_bound(row: Row, following: Row) -> bool:
    gap = max(following[0].y0 - row[0].y1, row[0].y0 - following[0].y1)
    height = row[0].y1 - row[0].y0
    columns = len(row) == len(following) >= _COLUMNS and all(
        one.x0 < two.x1 and two.x0 < one.x1 for one, two in zip(row, following, strict=True)
    )
    return gap < (_STEP if columns else 0.5) * height


def _pages_with(text: str, y: float, number: int, outer: Sequence[Sequence[tuple[Row, str, float]]]) -> int:
    """Pages on which this row of page `number` stands, itself included."""
    words, counts = _NUMBER.sub("#", text.casefold()), [int(found) for found in _NUMBER.findall(text)]
    return sum(
        any(
            abs(y - other_y) <= _DRIFT
            and _NUMBER.sub("#", other.casefold()) == words
            and all(
                int(found) - count in (0, page - number)
                for found, count in zip(_NUMBER.findall(other), counts, strict=True)
            )
            for _, other, other_y in rows
        )
        for page, rows in enumerate(outer)
    )
