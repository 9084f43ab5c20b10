"""HTML tables made regular: rows that no cell begins in go, and no cell reaches further down than its rows."""

from collections.abc import Iterator
from typing import Any, Final

_GROUPS: Final = ("thead", "tbody", "tfoot")
_MOST: Final = 1000  # columns, as the standard has it


def level_tables(root: Any) -> None:
    """Make every table below an element regular, in place.

    A cell ends with its group of rows, whatever its `rowspan` says, and 0 means that end (HTML standard, 4.9.12). A row in
    which no cell begins shows nothing of its own; readers that count rows lose the last one over it.
    """
    for table in root.iter("table"):
        for rows in _groups(table):
            _level(rows)


def _groups(table: Any) -> Iterator[list[Any]]:
    """The rows of each group of a table; rows beside the groups are one group as long as none comes between."""
    loose: list[Any] = []
    for child in table:
        if child.tag == "tr":
            loose.append(child)
        elif child.tag in _GROUPS:
            yield loose
            loose = []
            yield child.findall("tr")
    yield loose


def _level(rows: list[Any]) -> None:
    cells = [[cell for cell in row if cell.tag in ("td", "th")] for row in rows]
    gone = [not line for line in cells]
    for number, line in enumerate(cells):
        for cell in line:
            height = _span(cell, "rowspan")
            end = len(rows) if height == 0 else min(number + height, len(rows))
            _write(cell, "rowspan", end - number - sum(gone[number:end]))
            _write(cell, "colspan", min(max(_span(cell, "colspan"), 1), _MOST))
    for row, empty in zip(rows, gone, strict=True):
        if empty:
            row.getparent().remove(row)


def _span(cell: Any, name: str) -> int:
    digits = cell.get(name, "1").strip()
    return min(int(digits), 65_534) if digits.isascii() and digits.isdigit() and len(digits) < 9 else 1


def _write(cell: Any, name: str, span: int) -> None:
    if span > 1:
        cell.set(name, str(span))
    else:
        cell.attrib.pop(name, None)
