import datetime as dt
import io

import odfdo
import pytest

from pipeline.parsing.errors import ParseError
from pipeline.parsing.readers.opensheet import read_opensheet
from pipeline.parsing.tree import finish


def _book(*tables):
    book = odfdo.Document("spreadsheet")
    book.body.clear()
    for table in tables:
        book.body.append(table)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _table(name, rows):
    table = odfdo.Table(name)
    for row in rows:
        line = odfdo.Row()
        for cell in row:
            line.append_cell(cell if isinstance(cell, odfdo.Cell) else odfdo.Cell(cell, text=str(cell)))
        table.append_row(line)
    return table


def test_cells_keep_the_characters_that_are_shown():
    table = _table(
        "Ölçüm",
        [
            ["Kod", "Tutar", "Tarih", "Oran"],
            [
                odfdo.Cell(7, text="007"),
                odfdo.Cell(12500, text="12.500"),
                odfdo.Cell(dt.date(2026, 3, 1), text="01.03.26"),
                "x",
            ],
            [
                "008",
                odfdo.Cell(1.2, text="1,20"),
                "",
                odfdo.Cell(0.125, text="12,5 %"),
            ],
        ],
    )
    heading, grid = finish(read_opensheet(_book(table)))[0]["blocks"]
    assert (heading["kind"], heading["text"]) == ("heading", "Ölçüm")
    assert grid["rows"] == [
        ["Kod", "Tutar", "Tarih", "Oran"],
        ["007", "12.500", "01.03.26", "x"],
        ["008", "1,20", "", "12,5 %"],
    ]
    assert grid["header_rows"] == 1


def test_merged_cells_repeat_and_each_sheet_is_a_page():
    table = _table("A", [["Bölge", "Debi"], ["Kuzey", "11"], ["", "12"]])
    table.set_span("A2:A3")
    rows = finish(read_opensheet(_book(table, _table("B", [["a", "b"], ["1", "2"]]))))
    assert rows[0]["blocks"][1]["rows"] == [["Bölge", "Debi"], ["Kuzey", "11"], ["Kuzey", "12"]]
    assert rows[0]["blocks"][1]["spans"] == [{"row": 1, "column": 0, "rows": 2, "columns": 1}]
    assert [block["text"] for block in rows[1]["blocks"]] == ["B", "a\tb\n1\t2"]


def test_hidden_rows_and_repeated_empty_ones_follow_the_policy():
    table = _table("A", [["a", "b"], ["1", "2"], ["3", "4"]])
    table.get_row(1, clone=False).set_attribute("table:visibility", "collapse")
    empty = odfdo.Row()
    empty.repeated = 1_000_000
    table.append_row(empty)
    data = _book(table)
    assert finish(read_opensheet(data))[0]["blocks"][1]["rows"] == [["a", "b"], ["3", "4"]]
    assert finish(read_opensheet(data))[0]["furniture"] == ["hidden rows and columns left out: 1"]
    assert finish(read_opensheet(data, "read"))[0]["blocks"][1]["rows"] == [
        ["a", "b"],
        ["1", "2"],
        ["3", "4"],
    ]


def test_hidden_sheets_follow_the_policy():
    book = odfdo.Document("spreadsheet")
    book.body.clear()
    for name in ("A", "Gizli"):
        book.body.append(_table(name, [["a", name], ["1", "2"]]))
    style = odfdo.Element.from_tag(
        '<style:style style:name="away" style:family="table"><style:table-properties table:display="false"/></style:style>'
    )
    book.insert_style(style, automatic=True)
    book.body.get_table(1).style = "away"
    buffer = io.BytesIO()
    book.save(buffer)
    rows = finish(read_opensheet(buffer.getvalue()))
    assert [row["furniture"] for row in rows] == [["hidden sheet left out: Gizli"]]
    assert len(finish(read_opensheet(buffer.getvalue(), "read"))) == 2


def test_a_broken_file_is_corrupt():
    with pytest.raises(ParseError) as caught:
        read_opensheet(b"PK")
    assert caught.value.reason == "corrupt"
