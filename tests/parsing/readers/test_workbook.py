import datetime as dt
import io

import openpyxl

from pipeline.parsing.readers.workbook import display, read_workbook
from pipeline.parsing.tree import finish


def _saved(book):
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def test_sheets_are_pages_with_shown_values():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Ölçüm"
    sheet.append(["Preise 2026"])
    sheet.append(["Artikel", "Preis", "Gültig ab"])
    sheet.append(["Vana", 1.2, dt.date(2026, 3, 1)])
    sheet["B3"].number_format = "0.00"
    sheet.cell(1_048_576, 1).number_format = "0.00"  # a formatted cell far below must cost nothing
    sheet.merge_cells("A1:C1")
    hidden = book.create_sheet("Gizli")
    hidden.append(["geheim"])
    hidden.sheet_state = "hidden"
    formula = book.create_sheet("Formül")
    formula.append(["a", "b"])
    formula.append([1, "=A2*2"])
    rows = finish(read_workbook(_saved(book)))
    assert [row["page_no"] for row in rows] == [1, 2]
    heading, grid = rows[0]["blocks"]
    assert (heading["kind"], heading["text"]) == ("heading", "Ölçüm")
    assert grid["rows"] == [["Artikel", "Preis", "Gültig ab"], ["Vana", "1.20", "2026-03-01"]]
    assert (grid["header_rows"], grid["caption"]) == (1, "Preise 2026")
    assert rows[0]["furniture"] == ["hidden sheet left out: Gizli"]
    assert rows[1]["blocks"][1]["rows"][1] == ["1", "=A2*2"]
    assert "1" in rows[1]["furniture"][0]


def test_values_are_shown_as_the_sheet_shows_them():
    assert display(0.125, "0.0%") == "12.5%"
    assert display(7, "000") == "007"
    assert display(12500, "General") == "12500"
    assert display(0.1 + 0.2, "General") == "0.3"
    assert display(dt.datetime(2026, 1, 2, 8, 30), "") == "2026-01-02 08:30"
    assert display(True, "General") == "TRUE"
    assert display(None, "General") == ""
