"""OpenDocument spreadsheets: the text that each cell stores as shown, one page per visible sheet."""

import io
import zipfile
from collections.abc import Iterator
from typing import Any, Final

from pipeline.parsing.errors import CORRUPT, ENCRYPTED, TOO_LARGE, ParseError, first_line
from pipeline.parsing.readers.sheets import MAX_CELLS, Sheet, pages_of
from pipeline.parsing.tree import Page

ENGINE: Final = "opendocument"
_SPACE: Final = "urn:oasis:names:tc:opendocument:xmlns:"
_TABLE: Final = f"{{{_SPACE}table:1.0}}"
_TEXT: Final = f"{{{_SPACE}text:1.0}}"
_OFFICE: Final = f"{{{_SPACE}office:1.0}}"
_STYLE: Final = f"{{{_SPACE}style:1.0}}"
_COLUMNS: Final = 16_384  # of a sheet
_VALUES: Final = ("string-value", "date-value", "time-value", "boolean-value", "value")


def read_opensheet(data: bytes, hidden: str = "skip") -> list[Page]:
    """Pages of an .ods file: each sheet with its name as heading, its regions as tables and its comments as footnotes.

    Args:
        data: the bytes, already checked by `guards`.
        hidden: `skip` leaves hidden sheets, rows and columns out; `read` reads them like others.

    Raises:
        ParseError: corrupt, encrypted or too_large.
    """
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if "META-INF/manifest.xml" in archive.namelist() and b"encryption-data" in archive.read(
                "META-INF/manifest.xml"
            ):
                raise ParseError(ENCRYPTED)
            root = etree.fromstring(archive.read("content.xml"), parser)
    except (KeyError, zipfile.BadZipFile, etree.XMLSyntaxError, OSError, ValueError) as error:
        raise ParseError(CORRUPT, f"({first_line(error)})") from error
    concealed = _concealing_styles(root)
    tables = list(root.iterfind(f"{_OFFICE}body/{_OFFICE}spreadsheet/{_TABLE}table"))
    away = [t for t in tables if t.get(f"{_TABLE}style-name") in concealed and hidden == "skip"]
    sheets = (_read(table, hidden) for table in tables if table not in away)
    return pages_of(sheets, [table.get(f"{_TABLE}name", "") for table in away], ENGINE)


def _concealing_styles(root: Any) -> set[str]:
    """Names of the styles whose sheets are hidden."""
    return {
        style.get(f"{_STYLE}name")
        for style in root.iter(f"{_STYLE}style")
        for properties in style.iterfind(f"{_STYLE}table-properties")
        if properties.get(f"{_TABLE}display") == "false"
    }


def _read(table: Any, hidden: str) -> Sheet:
    sheet = Sheet(table.get(f"{_TABLE}name", ""))
    if hidden == "skip":
        sheet.columns = _hidden_columns(table)
    count = 0
    row = 0
    for line in _lines(table, "table-row"):
        times = int(line.get(f"{_TABLE}number-rows-repeated") or 1)
        cells = list(_cells(line))
        if hidden == "skip" and line.get(f"{_TABLE}visibility") in ("collapse", "filter"):
            # A run of hidden rows may reach to the sheet's end: those beyond the last filled row are of no account.
            sheet.rows |= set(range(row + 1, row + 1 + min(times, MAX_CELLS)))
        for number in range(row + 1, row + 1 + times) if cells else ():
            count += len(cells)
            if count > MAX_CELLS:
                raise ParseError(TOO_LARGE, f"(sheet {sheet.name}: more than {MAX_CELLS} cells)")
            for column, cell, text, note in cells:
                sheet.put((number, column), text, note)
                height = int(cell.get(f"{_TABLE}number-rows-spanned") or 1)
                width = int(cell.get(f"{_TABLE}number-columns-spanned") or 1)
                if height > 1 or width > 1:
                    sheet.merged.append((number, number + height - 1, column, column + width - 1))
        row += times
    return sheet


def _lines(table: Any, name: str) -> Iterator[Any]:
    """Rows or columns of a table, those in groups and headers included, those of tables inside its cells not."""
    for child in table:
        if child.tag == f"{_TABLE}{name}":
            yield child
        elif child.tag in (
            f"{_TABLE}{name}s",
            f"{_TABLE}table-header-rows",
            f"{_TABLE}table-header-columns",
            f"{_TABLE}{name}-group",
        ):
            yield from _lines(child, name)


def _hidden_columns(table: Any) -> set[int]:
    hidden: set[int] = set()
    number = 0
    for column in _lines(table, "table-column"):
        times = int(column.get(f"{_TABLE}number-columns-repeated") or 1)
        if column.get(f"{_TABLE}visibility") in ("collapse", "filter"):
            hidden |= set(range(number + 1, number + 1 + times))
        number += times
    return hidden


def _cells(line: Any) -> Iterator[tuple[int, Any, str, str]]:
    """Column, element, text and comment of the filled cells of a row."""
    column = 0
    for cell in line:
        if cell.tag not in (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
            continue
        times = int(cell.get(f"{_TABLE}number-columns-repeated") or 1)
        note = " ".join(
            _words(p) for remark in cell.iterfind(f"{_OFFICE}annotation") for p in remark.iter(f"{_TEXT}p")
        )
        text = _shown(cell) if cell.tag == f"{_TABLE}table-cell" else ""
        if text or note:
            for number in range(column + 1, column + 1 + min(times, _COLUMNS)):
                yield number, cell, text, note
        column += times


def _shown(cell: Any) -> str:
    """The paragraphs of a cell; of one that stores a value alone, the value."""
    paragraphs = [_words(child) for child in cell if child.tag in (f"{_TEXT}p", f"{_TEXT}h")]
    paragraphs += [
        _words(p) for child in cell if child.tag == f"{_TEXT}list" for p in child.iter(f"{_TEXT}p")
    ]
    text = "\n".join(paragraphs)
    return text or next((value for name in _VALUES if (value := cell.get(f"{_OFFICE}{name}"))), "")


def _words(element: Any) -> str:
    """Text of a paragraph, with its spaces, tabs and line breaks, without comments."""
    parts = [element.text or ""]
    for child in element:
        if child.tag == f"{_TEXT}s":
            parts.append(" " * min(int(child.get(f"{_TEXT}c") or 1), 100))
        elif child.tag in (f"{_TEXT}tab", f"{_TEXT}line-break"):
            parts.append(" ")
        elif child.tag != f"{_OFFICE}annotation" and isinstance(child.tag, str):
            parts.append(_words(child))
        parts.append(child.tail or "")
    return "".join(parts)
