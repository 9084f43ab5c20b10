"""What the first rows of a table are: names of columns, or values already."""

import re
from collections.abc import Sequence
from typing import Final

_NUMERIC: Final = re.compile(r"^[-+−–(]?[€$₺£]?\s?\d[\d.,:/'’\s%-]*(?:%|€|₺|TL|EUR|USD|kg|m|bar|\))?$")

_YEAR: Final = re.compile(r"^(?:19|20)\d\d$")


def is_numeric(cell: str) -> bool:
    """Whether a cell holds a number, an amount, a date or a time."""
    return bool(_NUMERIC.match(cell.strip()))


def header_rows(
    rows: Sequence[Sequence[str]], bold: Sequence[bool] = (), spans: Sequence[tuple[int, int, int, int]] = ()
) -> int:
    """Number of leading rows that name the columns; 0 if the table starts with values.

    Args:
        rows: cells, every row equally long.
        bold: whether each row is set in bold; empty if unknown.
        spans: merged cells: first row, last row, first column, last column.
    """
    count = evident_header_rows(rows, bold)
    if count == 0 and len(rows) >= 2:
        first = [cell.strip() for cell in rows[0]]
        named = all(first) and len(set(first)) == len(first) and not any(map(is_numeric, first))
        count = int((named and all(len(cell) <= 60 for cell in first)) or _is_grouping(rows[0], spans))
    return with_groups(count, rows, spans) if count else 0


def _is_values(row: Sequence[str]) -> bool:
    """Whether numbers fill a row behind its first cell; a year names a column as well."""
    filled = [cell for cell in row[1:] if cell.strip()]
    return 2 * sum(is_numeric(cell) and not _YEAR.match(cell) for cell in filled) > len(filled)


def _is_grouping(first: Sequence[str], spans: Sequence[tuple[int, int, int, int]]) -> bool:
    """Whether a first row groups columns: cells over several of them, and nothing beside but empty cells and such as reach down."""
    over = {
        column
        for top, end, left, right in spans
        if top == end == 0 < right - left < len(first) - 1
        for column in range(left, right + 1)
    }
    down = {column for top, end, left, right in spans if top == 0 < end for column in range(left, right + 1)}
    return bool(over) and not any(cell for column, cell in enumerate(first) if column not in over | down)


def with_groups(count: int, rows: Sequence[Sequence[str]], spans: Sequence[tuple[int, int, int, int]]) -> int:
    """Number of header rows once those are counted that merged cells show to be some: at least `count`.

    A cell of the header that reaches down takes its rows along; one that groups columns has their own names below it. A
    year names a column, other numbers do not.
    """
    grown = True
    while grown:
        header = [span for span in spans if span[0] < count]
        down = max([end + 1 for _, end, _, _ in header], default=count)
        grouping = any(end == count - 1 and left < right for _, end, left, right in header)
        under = rows[count] if count < len(rows) - 1 else ()
        names = (
            grouping and any(under) and not any(is_numeric(cell) and not _YEAR.match(cell) for cell in under)
        )
        reached = max(min(down, len(rows) - 1), count + names)
        grown, count = reached > count, reached
    return count


def evident_header_rows(rows: Sequence[Sequence[str]], bold: Sequence[bool] = ()) -> int:
    """Like `header_rows`, but only where bold type or a contrast of words over numbers proves it."""
    if len(rows) < 2:
        return 0
    if bold and bold[0] and not all(bold):
        lead = zip(range(1, len(rows)), bold[1:], rows[1:], strict=False)
        return next((number for number, heavy, row in lead if not heavy or _is_values(row)), 1)
    if any(is_numeric(cell) for cell in rows[0]):
        return 0
    for column, head in enumerate(rows[0]):
        below = [row[column] for row in rows[1:] if row[column].strip()]
        if head.strip() and len(below) >= 2 and sum(map(is_numeric, below)) >= 0.7 * len(below):
            return 1
    return 0
