"""Excel workbooks: the values a reader sees, one page per visible sheet."""

import datetime as dt
import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any, Final

from pipeline.parsing.errors import CORRUPT, TOO_LARGE, ParseError, first_line
from pipeline.parsing.grids import header_rows
from pipeline.parsing.tree import Block, Page, table

ENGINE: Final = "openpyxl"
MAX_CELLS: Final = 5_000_000
_DECIMALS: Final = re.compile(r"0([.,])(0+)")


def read_workbook(data: bytes) -> list[Page]:
    """Pages of an .xlsx file: each visible sheet with its name as heading and its regions as tables.

    Hidden sheets are left out and named among the furniture of the first page. A formula without a stored value is shown
    as the formula itself and counted among the furniture of its sheet.

    Args:
        data: the bytes, already checked by `guards`.

    Raises:
        ParseError: corrupt or too_large.
    """
    import openpyxl

    try:
        shown = openpyxl.load_workbook(io.BytesIO(data), data_only=True, keep_links=False)
        written = openpyxl.load_workbook(io.BytesIO(data), keep_links=False)
    except (
        KeyError,
        ValueError,
        TypeError,
        AttributeError,
        IndexError,
        zipfile.BadZipFile,
        SyntaxError,
        OSError,
    ) as error:
        raise ParseError(CORRUPT, f"({first_line(error)})") from error
    hidden = [sheet.title for sheet in shown.worksheets if sheet.sheet_state != "visible"]
    pages: list[Page] = []
    for sheet in shown.worksheets:
        if sheet.sheet_state != "visible":
            continue
        blocks, missing = _sheet(sheet, written[sheet.title])
        notes = [f"hidden sheet left out: {title}" for title in hidden] if not pages else []
        if missing:
            notes.append(f"formulas without a stored value, shown as formulas: {missing}")
        heading = (Block("heading", sheet.title, level=1),) if blocks else ()
        pages.append(Page(len(pages) + 1, (*heading, *blocks), engine=ENGINE, furniture=tuple(notes)))
    return pages


def _sheet(shown: Any, written: Any) -> tuple[list[Block], int]:
    cells: dict[tuple[int, int], str] = {}
    missing = 0
    if len(shown._cells) > MAX_CELLS:  # noqa: SLF001 - the only access that does not walk a million empty rows
        raise ParseError(TOO_LARGE, f"(sheet {shown.title}: {len(shown._cells)} cells)")  # noqa: SLF001
    for place, cell in shown._cells.items():  # noqa: SLF001
        text = display(cell.value, cell.number_format)
        if cell.value is None:
            formula = written.cell(*place).value
            if formula is not None:
                text, missing = str(getattr(formula, "text", formula)), missing + 1
        if text.strip():
            cells[place] = text
    last = max((row for row, _ in cells), default=0)
    for merged in shown.merged_cells.ranges:
        value = cells.get((merged.min_row, merged.min_col))
        if value is None or merged.max_col - merged.min_col > 200:
            continue
        for row in range(merged.min_row, min(merged.max_row, last) + 1):
            for column in range(merged.min_col, merged.max_col + 1):
                cells[row, column] = value
    return [block for region in _regions(cells) for block in _region(region)], missing


def _regions(cells: dict[tuple[int, int], str]) -> Iterator[list[list[str]]]:
    """Runs of rows without an empty row between them, as dense grids."""
    rows: dict[int, dict[int, str]] = {}
    for (row, column), text in cells.items():
        rows.setdefault(row, {})[column] = text
    run: list[dict[int, str]] = []
    previous = None
    for number in sorted(rows):
        if previous is not None and number > previous + 1:
            yield _dense(run)
            run = []
        run.append(rows[number])
        previous = number
    if run:
        yield _dense(run)


def _dense(run: list[dict[int, str]]) -> list[list[str]]:
    columns = sorted({column for row in run for column in row})
    return [[row.get(column, "") for column in columns] for row in run]


def _region(grid: list[list[str]]) -> Iterator[Block]:
    """A table; rows above it that hold one text only are its caption; a lone cell is a paragraph."""
    titles: list[str] = []
    while len(grid) > 1 and len(grid[0]) > 1 and len({cell for cell in grid[0] if cell}) == 1:
        titles.append(next(cell for cell in grid[0] if cell))
        grid = grid[1:]
    if len(grid) == 1 and sum(map(bool, grid[0])) == 1:
        titles.append(next(cell for cell in grid[0] if cell))
        yield from (Block("paragraph", title) for title in titles)
        return
    block = table(grid, header_rows(grid), " ".join(titles))
    if block is not None:
        yield block


def display(value: object, number_format: str) -> str:
    """A value as the sheet shows it: dates as ISO dates, percentages, fixed decimals; everything else as stored.

    Args:
        value: what openpyxl gives: str, int, float, bool, date, datetime, time, timedelta or None.
        number_format: the cell's format code, such as `0.00` or `#,##0.00 €`.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat(" ", "minutes")
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, int | float):
        return _number(value, number_format)
    return str(value)


def _number(value: float, code: str) -> str:
    shown = code.partition(";")[0]
    decimals = _DECIMALS.search(shown)
    places = len(decimals.group(2)) if decimals else None
    if "%" in shown:
        return f"{value * 100:.{places or 0}f}%"
    if re.fullmatch(r"0{2,}", shown):
        return f"{round(value):0{len(shown)}d}"
    if places is not None and "E" not in shown:
        return f"{value:.{places}f}"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.12g}"
    return str(value)
