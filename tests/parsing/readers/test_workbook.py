import datetime as dt
import hashlib
import io

import openpyxl
import polars as pl
import pytest

from pipeline.config import CollectionConfig, Config, ParsingConfig
from pipeline.parsing.pages import parse_documents, parsing_fingerprint
from pipeline.parsing.readers.workbook import read_workbook
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


def _tables(book, **more):
    rows = finish(read_workbook(_saved(book), **more))
    return [block for row in rows for block in row["blocks"] if block["kind"] == "table"], rows


def test_formats_give_the_characters_that_are_seen():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Kod", "Tutar", "Oran", "Tarih"])
    sheet.append([7, 12500, 0.125, dt.date(2026, 3, 1)])
    for place, code in {"A2": "000", "B2": "#,##0.00 [$₺-41F]", "C2": "0.0%", "D2": "dd.mm.yyyy"}.items():
        sheet[place].number_format = code
    sheet.append(["008", "1,20", "12.500", "01.03.2026"])
    (grid,), _ = _tables(book)
    assert grid["rows"][1:] == [
        ["007", "12.500,00 ₺", "12,5%", "01.03.2026"],
        ["008", "1,20", "12.500", "01.03.2026"],
    ]


def test_hidden_rows_columns_and_sheets_follow_the_policy():
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["a", "b", "gizli"], ["1", "2", "s1"], ["3", "4", "s2"], ["5", "6", "s3"]):
        sheet.append(row)
    sheet.column_dimensions["C"].hidden = True
    sheet.row_dimensions[3].hidden = True
    book.create_sheet("Gizli").append(["sır", "2"])
    book["Gizli"].sheet_state = "veryHidden"
    (grid,), rows = _tables(book)
    assert grid["rows"] == [["a", "b"], ["1", "2"], ["5", "6"]]
    assert rows[0]["furniture"] == ["hidden sheet left out: Gizli", "hidden rows and columns left out: 2"]
    (grid, other), rows = _tables(book, hidden="read")
    assert grid["rows"] == [["a", "b", "gizli"], ["1", "2", "s1"], ["3", "4", "s2"], ["5", "6", "s3"]]
    assert (other["rows"], rows[0]["furniture"]) == ([["sır", "2"]], [])


def test_tables_side_by_side_and_below_one_another_are_several():
    book = openpyxl.Workbook()
    sheet = book.active
    for top, left, name in ((1, 1, "A"), (1, 5, "B"), (8, 1, "C")):
        sheet.cell(top, left, f"{name} adı")
        sheet.cell(top, left + 1, f"{name} değeri")
        for row in range(1, 4 if name == "A" else 3):
            sheet.cell(top + row, left, f"{name}{row}")
            sheet.cell(top + row, left + 1, row)
    found, _ = _tables(book)
    assert [grid["rows"][0] for grid in found] == [[f"{n} adı", f"{n} değeri"] for n in "ABC"]
    assert [len(grid["rows"]) for grid in found] == [4, 3, 3]


def test_an_empty_column_inside_a_table_parts_nothing():
    book = openpyxl.Workbook()
    for row in (["Ad", None, "Fiyat", "Adet"], ["Vana", None, 1, 2], ["Conta", None, 3, 4]):
        book.active.append(row)
    (grid,), _ = _tables(book)
    assert grid["rows"] == [["Ad", "Fiyat", "Adet"], ["Vana", "1", "2"], ["Conta", "3", "4"]]


def test_merged_cells_repeat_and_are_known_and_comments_are_footnotes():
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["Bölge", "Debi", None], ["Kuzey", "K-1", 11], [None, "K-2", 12]):
        sheet.append(row)
    sheet.merge_cells("A2:A3")
    sheet.merge_cells("B1:C1")
    sheet["C2"].comment = openpyxl.comments.Comment("Ölçüm şüpheli", "Ayşe")
    (grid,), rows = _tables(book)
    assert grid["rows"] == [["Bölge", "Debi", "Debi"], ["Kuzey", "K-1", "11"], ["Kuzey", "K-2", "12"]]
    assert grid["spans"] == [
        {"row": 0, "column": 1, "rows": 1, "columns": 2},
        {"row": 1, "column": 0, "rows": 2, "columns": 1},
    ]
    note = rows[0]["blocks"][-1]
    assert (note["kind"], note["text"], note["anchor"]) == ("footnote", "Ölçüm şüpheli", "C2")


def test_a_formula_shows_its_stored_value():
    import xlsxwriter

    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer)
    sheet = book.add_worksheet("Hesap")
    chart = book.add_chart({"type": "line"})
    for row, (name, value) in enumerate((("Ad", "Tutar"), ("Vana", 2), ("Conta", 3))):
        sheet.write(row, 0, name)
        sheet.write(row, 1, value)
    sheet.write(3, 0, "Toplam")
    sheet.write_formula(3, 1, "=SUM(B2:B3)", book.add_format({"num_format": "0.00"}), 5)
    chart.add_series({"values": "=Hesap!$B$2:$B$3"})
    sheet.insert_chart("E2", chart)
    book.close()
    rows = finish(read_workbook(buffer.getvalue()))
    assert rows[0]["blocks"][1]["rows"][-1] == ["Toplam", "5.00"]
    assert rows[0]["furniture"] == []


def test_a_million_formatted_cells_are_no_table(cases):
    (page, *_) = finish(read_workbook((cases / "B18" / "sisirilmis.xlsx").read_bytes()))
    grids = [block["rows"] for block in page["blocks"] if block["kind"] == "table"]
    assert [(len(rows), len(rows[0])) for rows in grids] == [(21, 3)]


@pytest.mark.slow
def test_the_policy_for_hidden_sheets_reaches_the_reader(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.create_sheet("Gizli").append(["sır", "2"])
    book["Gizli"].sheet_state = "hidden"
    path = tmp_path / "a.xlsx"
    book.save(path)
    row = {"doc_id": "d", "version_id": hashlib.sha256(path.read_bytes()).hexdigest(), "uri": "a.xlsx", "media_type": "",
           "location": str(path), "error": None, "input_hash": "h"}  # fmt: skip
    documents = pl.DataFrame([row], schema=dict.fromkeys(row, pl.String))
    for hidden, pages in (("skip", 1), ("read", 2)):
        assert parse_documents(documents, ParsingConfig(workers=1, hidden_sheets=hidden)).height == pages
    collections = (CollectionConfig(name="a", source="x"),)
    configs = [
        Config(collections=collections, parsing=ParsingConfig(hidden_sheets=h)) for h in ("skip", "read")
    ]
    assert len(set(map(parsing_fingerprint, configs))) == 2
