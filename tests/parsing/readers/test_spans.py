"""Tables with merged cells, written in each format and read back: every word once for each row and column that it covers."""

import io
import itertools
import random

import pytest

from pipeline.parsing.formats import read_bytes
from pipeline.parsing.tree import finish
from tests.parsing.readings import engines

ENGINES = engines()


def some_table(seed):
    """(rows, columns, cells): cells are (row, column, height, width, paragraphs) and cover the table without overlap."""
    chance = random.Random(seed)
    n_rows, n_columns = chance.randint(2, 6), chance.randint(2, 5)
    free = {(row, column) for row in range(n_rows) for column in range(n_columns)}
    cells = []
    for row, column in sorted(free):
        if (row, column) not in free:
            continue
        width = 1
        while (row, column + width) in free and chance.random() < 0.25:
            width += 1
        height = 1
        while chance.random() < 0.25 and all((row + height, column + n) in free for n in range(width)):
            height += 1
        free -= {(row + down, column + right) for down in range(height) for right in range(width)}
        words = [f"w{len(cells)}x{n}" for n in range(chance.randint(1, 3))]
        cells.append((row, column, height, width, words))
    return (n_rows, n_columns, cells) if len(cells) > 1 else some_table(seed + 1000)  # one cell is no table


def grid_of(n_rows, n_columns, cells):
    grid = [[""] * n_columns for _ in range(n_rows)]
    for row, column, height, width, words in cells:
        for down in range(height):
            for right in range(width):
                grid[row + down][column + right] = " ".join(words)
    return grid


def as_html(n_rows, _, cells):
    lines = []
    for row in range(n_rows):
        parts = [
            f'<td rowspan="{height}" colspan="{width}">'
            + "".join(f"<p>{word}</p>" for word in words)
            + "</td>"
            for at, _, height, width, words in cells
            if at == row
        ]
        lines.append("<tr>" + "".join(parts) + "</tr>")
    return f"<html><body><table>{''.join(lines)}</table></body></html>".encode()


def as_docx(n_rows, n_columns, cells):
    import docx

    document = docx.Document()
    table = document.add_table(n_rows, n_columns)
    for row, column, height, width, words in cells:
        cell = table.cell(row, column).merge(table.cell(row + height - 1, column + width - 1))
        cell.text = words[0]
        for word in words[1:]:
            cell.add_paragraph(word)
    return _saved(document)


def as_pptx(n_rows, n_columns, cells):
    import pptx

    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    table = slide.shapes.add_table(n_rows, n_columns, 0, 0, 5_000_000, 3_000_000).table
    for row, column, height, width, words in cells:
        if height > 1 or width > 1:
            table.cell(row, column).merge(table.cell(row + height - 1, column + width - 1))
        table.cell(row, column).text = "\n".join(words)
    return _saved(show)


def as_xlsx(_, __, cells):
    import openpyxl

    book = openpyxl.Workbook()
    for row, column, height, width, words in cells:
        book.active.cell(row + 1, column + 1, "\n".join(words))
        if height > 1 or width > 1:
            book.active.merge_cells(None, row + 1, column + 1, row + height, column + width)
    return _saved(book)


def as_opendocument(kind):
    def write(n_rows, n_columns, cells):
        import odfdo

        document = odfdo.Document("spreadsheet" if kind == "ods" else "text")
        document.body.clear()
        table = odfdo.Table("T", width=n_columns, height=n_rows)
        for row, column, height, width, words in cells:
            cell = odfdo.Cell()
            for word in words:
                cell.append(odfdo.Paragraph(word))
            table.set_cell((column, row), cell)
            if height > 1 or width > 1:
                table.set_span((column, row, column + width - 1, row + height - 1))
        document.body.append(table)
        return _saved(document)

    return write


def _saved(document):
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


WRITERS = {
    "html": as_html,
    "docx": as_docx,
    "pptx": as_pptx,
    "xlsx": as_xlsx,
    "ods": as_opendocument("ods"),
    "odt": as_opendocument("odt"),
}


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("seed", range(4))
def test_no_word_of_a_table_is_lost_or_doubled(kind, seed):
    table = some_table(seed)
    rows = finish(read_bytes(f"a.{kind}", "", WRITERS[kind](*table), ENGINES))
    found = [block for row in rows for block in row["blocks"] if block["kind"] != "heading"]
    assert [block["kind"] for block in found] == ["table"]
    # In a sheet a first row that is one cell from side to side is read as the table's title.
    lead = [[" ".join(found[0]["caption"].split())]] if found[0]["caption"] else []
    assert _said([*lead, *found[0]["rows"]]) == _said(grid_of(*table))
    for span in found[0]["spans"]:
        covered = {
            found[0]["rows"][span["row"] + down][span["column"] + right]
            for down in range(span["rows"])
            for right in range(span["columns"])
        }
        assert len(covered) == 1


def _said(grid):
    """The rows without what a merged cell repeats beside or below itself: columns and rows that name no cell of their own."""
    rows = [tuple(cell for cell, _ in itertools.groupby(row)) for row in grid]
    return [row for row, _ in itertools.groupby(rows)]
