"""What the first rows of a table are: names of columns, or values already."""

import re
from collections.abc import Sequence
from typing import Final

_NUMERIC: Final = re.compile(r"^[-+−–(]?[€$₺£]?\s?\d[\d.,:/'’\s%-]*(?:%|€|₺|TL|EUR|USD|kg|m|bar|\))?$")


def is_numeric(cell: str) -> bool:
    """Whether a cell holds a number, an amount, a date or a time."""
    return bool(_NUMERIC.match(cell.strip()))


def header_rows(rows: Sequence[Sequence[str]], bold: Sequence[bool] = ()) -> int:
    """Number of leading rows that name the columns; 0 if the table starts with values.

    Args:
        rows: cells, every row equally long.
        bold: whether each row is set in bold; empty if unknown.
    """
    count = evident_header_rows(rows, bold)
    if count or len(rows) < 2:
        return count
    first = [cell.strip() for cell in rows[0]]
    named = all(first) and len(set(first)) == len(first) and not any(is_numeric(cell) for cell in first)
    return int(named and all(len(cell) <= 60 for cell in first))


def evident_header_rows(rows: Sequence[Sequence[str]], bold: Sequence[bool] = ()) -> int:
    """Like `header_rows`, but only where bold type or a contrast of words over numbers proves it."""
    if len(rows) < 2:
        return 0
    if bold and bold[0] and not all(bold):
        return next((number for number, heavy in enumerate(bold) if not heavy), 0)
    if any(is_numeric(cell) for cell in rows[0]):
        return 0
    for column, head in enumerate(rows[0]):
        below = [row[column] for row in rows[1:] if row[column].strip()]
        if head.strip() and len(below) >= 2 and sum(map(is_numeric, below)) >= 0.7 * len(below):
            return 1
    return 0
