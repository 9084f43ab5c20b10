from tests.parsing.documents import lines, written
from tests.parsing.readings import read_pdf


def _tables(draw):
    pages = read_pdf(written(draw), max_pages=10, ocr="rapidocr", layout="geometry")
    return [block for page in pages for block in page.blocks if block.kind == "table"]


def _cells(page, rows, xs, top, height=18):
    for number, row in enumerate(rows):
        for x, cell in zip(xs, row, strict=False):
            lines(page, [cell], x=x + 4, y=top - height * number - 13)


ROWS = [
    ["Pumpe", "Druck", "Preis"],
    ["P 10", "12,5", "1.200"],
    ["P 20", "16,0", "1.450"],
    ["P 30", "20,5", "007"],
]


def test_a_table_without_outer_lines_keeps_its_outer_columns():
    def draw(page):
        xs = [60, 200, 300, 400]
        for number in range(5):
            page.line(60, 700 - 18 * number, 400, 700 - 18 * number)
        for x in xs[1:3]:
            page.line(x, 700, x, 700 - 18 * 4)
        _cells(page, ROWS, xs, 700)

    (table,) = _tables(draw)
    assert [list(row) for row in table.rows] == ROWS
    assert table.header_rows == 1
    assert table.ruled


def test_tables_in_one_column_of_lines_stay_apart():
    def draw(page):
        for top in (700, 500):
            for number in range(5):
                page.line(60, top - 18 * number, 400, top - 18 * number)
            for x in (60, 200, 300, 400):
                page.line(x, top, x, top - 18 * 4)
            _cells(page, ROWS, [60, 200, 300], top)

    found = _tables(draw)
    assert [[list(row) for row in table.rows] for table in found] == [ROWS, ROWS]


def test_double_lines_and_shades_make_no_cells():
    def draw(page):
        page.setFillGray(0.9)
        page.rect(64, 687, 132, 9, stroke=0, fill=1)  # shades behind two lines of one cell
        page.rect(64, 678, 132, 9, stroke=0, fill=1)
        page.setFillGray(0)
        for number in range(5):
            page.line(60, 700 - 26 * number, 400, 700 - 26 * number)
        for x in (60, 63, 200, 203, 300, 303, 400, 403):
            page.line(x, 700, x, 700 - 26 * 4)
        _cells(page, ROWS[1:], [60, 203, 303], 674, 26)
        lines(page, ["Name der", "Pumpe"], x=66, y=689, size=8, step=9)
        lines(page, ["Druck"], x=207, y=683, size=8)
        lines(page, ["Preis"], x=307, y=683, size=8)

    (table,) = _tables(draw)
    assert table.rows[0] == ("Name der Pumpe", "Druck", "Preis")
    assert [list(row) for row in table.rows[1:]] == ROWS[1:]


def test_a_framed_title_is_the_caption_and_framed_notes_are_text():
    def draw(page):
        page.rect(60, 700 - 18 * 6, 340, 18 * 6)
        for number in range(1, 6):
            page.line(60, 700 - 18 * number, 400, 700 - 18 * number)
        for x in (200, 300):
            page.line(x, 700 - 18, x, 700 - 18 * 5)
        lines(page, ["Preise der Pumpen"], x=150, y=687)
        _cells(page, ROWS, [60, 200, 300], 682)
        lines(page, ["Hinweis: alle Preise gelten ohne Steuer und Fracht."], x=64, y=597)

    pages = read_pdf(written(draw), max_pages=10, ocr="rapidocr", layout="geometry")
    table, *others = pages[0].blocks
    assert table.caption == "Preise der Pumpen"
    assert [list(row) for row in table.rows] == ROWS
    assert [block.text for block in others] == ["Hinweis: alle Preise gelten ohne Steuer und Fracht."]


def test_merged_cells_are_told_from_equal_neighbours():
    def draw(page):
        for number in range(4):
            page.line(60, 700 - 18 * number, 400, 700 - 18 * number)
        for x, top in ((60, 700), (200, 700), (300, 682), (400, 700)):
            page.line(x, top, x, 700 - 18 * 3)
        _cells(page, [["Ort", "Messung"], ["A", "ja", "ja"], ["B", "ja", "nein"]], [60, 200, 300], 700)

    (table,) = _tables(draw)
    assert table.rows[0] == ("Ort", "Messung", "Messung")
    assert table.spans == ((0, 0, 1, 2),)


def test_labels_left_of_the_lines_are_the_first_column():
    def draw(page):
        for number in range(5):
            page.line(140, 700 - 18 * number, 400, 700 - 18 * number)
        for x in (140, 270, 400):
            page.line(x, 700, x, 700 - 18 * 4)
        _cells(page, [row[1:] for row in ROWS], [140, 270], 700)
        _cells(page, [[""], *([row[0]] for row in ROWS[1:])], [108], 700)

    (table,) = _tables(draw)
    assert [list(row) for row in table.rows] == [["", *ROWS[0][1:]], *ROWS[1:]]


def test_a_column_of_text_beside_a_table_is_not_its_labels():
    def draw(page):
        for number in range(5):
            page.line(300, 700 - 30 * number, 500, 700 - 30 * number)
        for x in (300, 400, 500):
            page.line(x, 700, x, 700 - 30 * 4)
        _cells(page, [row[1:] for row in ROWS], [300, 400], 700, 30)
        lines(page, ["Die Pumpe läuft ohne Befund weiter und wird"] * 10, x=60, y=690, step=12, size=9)

    (table,) = _tables(draw)
    assert len(table.rows[0]) == 2
