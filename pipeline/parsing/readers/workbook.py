"""Excel workbooks: the values a reader sees, one page per visible sheet."""

import io
import re
import zipfile
from typing import Any, Final

from pipeline.parsing.errors import CORRUPT, TOO_LARGE, ParseError, first_line
from pipeline.parsing.readers.number_formats import language_of, shown
from pipeline.parsing.readers.sheets import MAX_CELLS, Place, Sheet, pages_of
from pipeline.parsing.tree import Page

ENGINE: Final = "openpyxl"
_FORMULA: Final = re.compile(rb"<(?:\w+:)?f[ >/]")


def read_workbook(data: bytes, hidden: str = "skip") -> list[Page]:
    """Pages of an .xlsx file: each sheet with its name as heading, its regions as tables and its comments as footnotes.

    What is left out, and that a formula without a stored value is shown as the formula, is said among the furniture.

    Args:
        data: the bytes, already checked by `guards`.
        hidden: `skip` leaves hidden sheets, rows and columns out; `read` reads them like others.

    Raises:
        ParseError: corrupt or too_large.
    """
    import openpyxl

    try:
        book = openpyxl.load_workbook(io.BytesIO(data), data_only=True, keep_links=False)
        # Only the formulas themselves need the second reading.
        formulas = openpyxl.load_workbook(io.BytesIO(data), keep_links=False) if _has_formulas(data) else None
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
    language = language_of(book._number_formats)  # pyright: ignore[reportAttributeAccessIssue]  # noqa: SLF001
    left_out = [s.title for s in book.worksheets if s.sheet_state != "visible" and hidden == "skip"]
    sheets = (
        _read(sheet, formulas[sheet.title] if formulas else None, language, hidden)
        for sheet in book.worksheets
        if sheet.title not in left_out
    )
    return pages_of(sheets, left_out, ENGINE)


def _has_formulas(data: bytes) -> bool:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [
            name for name in archive.namelist() if name.startswith("xl/worksheets/") and name.endswith(".xml")
        ]
        return any(_FORMULA.search(archive.read(name)) for name in names)


def _read(sheet: Any, formulas: Any, language: str, hidden: str) -> Sheet:
    # The only access that does not walk a million empty rows.
    stored: dict[Place, Any] = sheet._cells  # noqa: SLF001
    if len(stored) > MAX_CELLS:
        raise ParseError(TOO_LARGE, f"(sheet {sheet.title}: {len(stored)} cells)")
    read = Sheet(sheet.title)
    if hidden == "skip":
        read.rows, read.columns = _hidden(sheet)
    for place, cell in stored.items():
        formula = formulas._cells.get(place) if formulas and cell.value is None else None  # noqa: SLF001
        text = shown(cell.value, cell.number_format, language) if cell.value is not None else ""
        if formula is not None and formula.value is not None:
            text = str(getattr(formula.value, "text", formula.value))
            read.missing += read.shows(place)
        if text or cell.comment:
            read.put(place, text, cell.comment.text if cell.comment else "")
    read.merged = [
        (area.min_row, area.max_row, area.min_col, area.max_col) for area in sheet.merged_cells.ranges
    ]
    return read


def _hidden(sheet: Any) -> tuple[set[int], set[int]]:
    """Rows and columns that a reader does not see."""
    rows = {number for number, row in sheet.row_dimensions.items() if row.hidden}
    columns: set[int] = set()
    for column in sheet.column_dimensions.values():
        if column.hidden and column.min:
            columns |= set(range(column.min, (column.max or column.min) + 1))
    return rows, columns
