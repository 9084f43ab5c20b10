"""Tables over several pages, written as PDF files and read back."""

import pytest

from pipeline.parsing.continued import joined_tables
from pipeline.parsing.tree import Block, Page, finish
from tests.parsing.documents import canvas, lines, written
from tests.parsing.readings import read_pdf

HEADER = ["Artikel", "Menge", "Preis"]
XS = [60, 210, 360, 510]
STEP = 20


def values(first, last):
    return [[f"Ventil {n}", f"{n}", f"{n},50"] for n in range(first, last + 1)]


def drawn(page, rows, *, top=760, ruled=True, xs=XS, bold=0):
    """Draw a table; returns the height below it. A cell of several lines is a list."""
    y = top
    edges = [y]
    for number, row in enumerate(rows):
        cells = [cell if isinstance(cell, list) else [cell] for cell in row]
        for x, cell in zip(xs, cells, strict=False):
            lines(page, cell, x=x + 4, y=y - 14, step=12, bold=number < bold)
        y -= STEP + 12 * (max(map(len, cells)) - 1)
        edges.append(y)
    if ruled:
        for edge in edges:
            page.line(xs[0], edge, xs[-1], edge)
        for x in xs:
            page.line(x, top, x, y)
    return y


def read(*pages):
    """Rows of the document whose pages the functions draw."""

    def draw(page):
        for drawing in pages:
            drawing(page)
            page.showPage()

    return finish(read_pdf(written(draw), max_pages=100, ocr="rapidocr", layout="geometry"))


def tables(rows):
    return [(row["page_no"], block) for row in rows for block in row["blocks"] if block["kind"] == "table"]


def sheet(rows, **more):
    return lambda page: drawn(page, rows, **more)


@pytest.mark.parametrize("ruled", [True, False])
@pytest.mark.parametrize("repeated", [True, False])
def test_a_table_over_ten_pages_is_one(ruled, repeated):
    everything = values(1, 300)

    def one(number):
        rows = everything[30 * number : 30 * number + 30]
        return sheet([HEADER, *rows] if repeated or number == 0 else rows, ruled=ruled)

    def after(page):
        y = drawn(page, [HEADER, *everything[270:]] if repeated else everything[270:], ruled=ruled)
        lines(page, ["Alle Preise verstehen sich ohne Steuer und ohne Fracht."], y=y - 40)

    rows = read(*(one(number) for number in range(9)), after)
    [(page, table)] = tables(rows)
    assert (page, table["header_rows"]) == (1, 1)
    assert table["rows"] == [HEADER, *everything]
    assert table["row_pages"] == [1] + [page for page in range(1, 11) for _ in range(30)]
    assert [block["text"] for block in rows[9]["blocks"]] == [
        "Alle Preise verstehen sich ohne Steuer und ohne Fracht."
    ]
    assert not any(row["blocks"] for row in rows[1:9])


def test_a_header_is_the_same_with_other_spacing_and_a_note_that_it_goes_on():
    def first(page):
        lines(page, ["Tabelle 4: Preise der Ventile"], y=790)
        y = drawn(page, [["Artikel-Nr.", "Menge (Stück)", "Preis"], *values(1, 30)], top=780)
        lines(page, ["Fortsetzung auf der nächsten Seite"], y=y - 20, size=8)

    def second(page):
        lines(page, ["Tabelle 4 (Fortsetzung)"], y=790)
        drawn(page, [["Artikel- Nr.", "Menge(Stück)", "Preis"], *values(31, 40)], top=780)

    rows = read(first, second)
    [(_, table)] = tables(rows)
    assert table["caption"] == "Tabelle 4: Preise der Ventile"
    assert table["rows"][1:] == values(1, 40)
    assert table["row_pages"] == [1] * 31 + [2] * 10
    assert rows[1]["furniture"] == ["Tabelle 4 (Fortsetzung)"]


def test_furniture_and_footnotes_may_lie_between():
    def furnished(number, rows):
        def draw(page):
            lines(page, ["Werk Nord, Preisliste"], y=815, size=8)
            y = drawn(page, rows)
            lines(page, ["1 Ohne Steuer und Fracht, ab Werk."], y=y - 40, size=7)
            lines(page, [f"Seite {number}"], y=20, size=8)

        return draw

    rows = read(
        furnished(1, [HEADER, *values(1, 30)]),
        furnished(2, values(31, 60)),
        lambda page: lines(
            page, ["Die Liste gilt bis zum Ende des Jahres, wenn nichts anderes gesagt ist."] * 30
        ),
    )
    [(_, table)] = tables(rows)
    assert table["rows"] == [HEADER, *values(1, 60)]


WIDER = [60, 160, 400, 510]


@pytest.mark.parametrize(
    ("lead", "rows", "more"),
    [
        (["2 Preise der Pumpen"], values(31, 40), {}),  # a heading
        (["Tabelle 5: Preise der Pumpen"], [HEADER, *values(31, 40)], {}),  # another caption
        ([], [["Pumpe", "Leistung", "Gewicht"], *values(31, 40)], {}),  # another header
        ([], values(31, 40), {"xs": WIDER}),  # other widths
        ([], [["Nord", "Adana", "Bursa"]] * 5, {}),  # words where numbers stood
        ([], values(31, 40), {"ruled": False}),  # drawn in another way
        ([], values(31, 40), {"top": 300}),  # low on the page
        (["Der folgende Abschnitt nennt die Preise der Pumpen, die im Werk lagern."], values(31, 40), {}),
    ],
)
def test_another_table_stays_another(lead, rows, more):
    def second(page):
        lines(page, lead, y=800, bold=bool(lead) and lead[0].startswith("2"), size=12)
        drawn(page, rows, **more)

    def first(page):
        lines(page, ["Tabelle 4: Preise der Ventile"], y=790)
        drawn(page, [HEADER, *values(1, 30)], top=780)

    found = tables(read(first, second))
    assert [page for page, _ in found] == [1, 2]
    assert found[0][1]["rows"] == [HEADER, *values(1, 30)]
    assert set(found[0][1]["row_pages"]) == {1}
    assert set(found[1][1]["row_pages"]) == {2}


def test_a_table_that_ends_high_on_its_page_does_not_go_on():
    found = tables(read(sheet([HEADER, *values(1, 5)]), sheet(values(6, 20))))
    assert [len(table["rows"]) for _, table in found] == [6, 15]


def test_a_row_that_the_page_border_cuts_is_one_row():
    first = [HEADER, *values(1, 27), ["Ventil 28", "28", ["mit Flansch und", "Dichtung, alles"]]]
    second = [["", "", ["aus Gummi, lose bei-", "gelegt"]], *values(29, 35)]
    [(_, table)] = tables(read(sheet(first), sheet(second)))
    assert table["rows"][28] == [
        "Ventil 28",
        "28",
        "mit Flansch und Dichtung, alles aus Gummi, lose beigelegt",
    ]
    assert table["rows"][29] == ["Ventil 29", "29", "29,50"]
    assert table["row_pages"] == [1] * 29 + [2] * 7


def test_a_row_without_a_key_is_not_the_rest_of_the_row_above():
    first = [HEADER, *values(1, 28), ["Ventil 29", "29", "Lager Nord"]]
    second = [["", "30", "Lager Süd"], *values(31, 36)]
    [(_, table)] = tables(read(sheet(first), sheet(second)))
    assert table["rows"][29:31] == [["Ventil 29", "29", "Lager Nord"], ["", "30", "Lager Süd"]]


def test_a_merged_cell_that_the_page_border_cuts_keeps_its_text():
    rows = [["Bölge", "İstasyon", "Debi"], *(["", f"K-{n}", f"{n}"] for n in range(1, 31))]

    def merged(page, rows, keys):
        """Like `drawn`, but no line crosses the first column below its header."""
        for number, row in enumerate(rows):
            for x, cell in zip(XS, row, strict=False):
                lines(page, [cell], x=x + 4, y=760 - STEP * number - 14)
            for x, at in keys:
                lines(page, [x], x=64, y=at)
            left = XS[0] if number <= (rows[0][0] != "") else XS[1]
            page.line(left, 760 - STEP * number, XS[-1], 760 - STEP * number)
        page.line(XS[0], 760 - STEP * len(rows), XS[-1], 760 - STEP * len(rows))
        for x in XS:
            page.line(x, 760, x, 760 - STEP * len(rows))

    [(_, table)] = tables(
        read(
            lambda page: merged(page, rows, [("Kuzey", 500)]),
            lambda page: merged(page, [["", "K-31", "31"], ["", "K-32", "32"]], []),
        )
    )
    assert table["rows"][1:] == [["Kuzey", f"K-{n}", f"{n}"] for n in range(1, 33)]


def test_a_drawn_table_may_lack_a_column_that_is_empty_on_a_page():
    xs = [60, 180, 300, 420, 520]
    header = ["Artikel", "Menge", "Bemerkung", "Preis"]
    first = [[a, m, "auf Lager", p] for a, m, p in values(1, 30)]
    second = [[a, m, "", p] for a, m, p in values(31, 40)]
    [(_, table)] = tables(read(sheet([header, *first], xs=xs), sheet(second, xs=xs)))
    assert table["rows"] == [header, *first, *second]


def test_a_drawn_table_may_lack_lines_between_columns_on_a_page():
    xs = [60, 180, 300, 420, 520]
    first = [[f"Ventil {n}", "Messing", f"{n}", f"{n},50"] for n in range(1, 31)]
    header = ["Artikel", "Stoff", "Menge", "Preis"]
    second = [[f"Pumpe {n}", f"{n}", f"{n},50"] for n in range(31, 36)]

    def rest(page):
        drawn(page, second, xs=[60, 300, 420, 520])

    [(_, table)] = tables(read(sheet([header, *first], xs=xs), rest))
    assert table["rows"] == [header, *first, *([row[0], *row] for row in second)]
    assert table["spans"] == [{"row": row, "column": 0, "rows": 1, "columns": 2} for row in range(31, 36)]


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_table_goes_on_over_rotated_pages(turn):
    page, buffer = canvas((842, 595) if turn == 180 else (595, 842))
    for rows in ([HEADER, *values(1, 20)], values(21, 40)):
        page.translate(*{90: (595, 0), 180: (842, 595), 270: (0, 842)}[turn])
        page.rotate(turn)
        drawn(page, rows, top=520)
        page.showPage()
    page.save()
    rows = finish(read_pdf(buffer.getvalue(), max_pages=9, ocr="rapidocr", layout="geometry"))
    [(_, table)] = tables(rows)
    assert [row["rotation"] for row in rows] == [turn, turn]
    assert table["rows"] == [HEADER, *values(1, 40)]


def test_two_header_rows_repeat_and_are_both_header():
    header = [["Artikel", "Menge", "Preis"], ["", "Stück", "EUR"]]
    [(_, table)] = tables(read(sheet([*header, *values(1, 30)]), sheet([*header, *values(31, 40)])))
    assert table["header_rows"] == 2
    assert table["rows"] == [*header, *values(1, 40)]


def test_pages_that_failed_and_formats_without_places_are_left_alone():
    grid = (("a", "b"), ("1", "2"))
    table = Block(
        "table",
        rows=grid,
        bbox=(60.0, 80.0, 500.0, 800.0),
        columns=((60.0, 200.0), (200.0, 500.0)),
        ruled=True,
    )
    pages = [Page(1, (table,), height=842.0), Page(2, reason="corrupt"), Page(3, (table,), height=842.0)]
    assert joined_tables(pages) == pages
    bare = [Page(number, (Block("table", rows=grid),)) for number in (1, 2)]
    assert joined_tables(bare) == bare
    assert len(joined_tables([pages[0], Page(2, (table,), height=842.0)])[1].blocks) == 0


def test_a_joined_table_is_joined():
    table = Block(
        "table",
        rows=(("a", "b"), ("1", "2")),
        bbox=(60.0, 80.0, 500.0, 800.0),
        columns=((60.0, 200.0), (200.0, 500.0)),
        ruled=True,
    )
    once = joined_tables([Page(number, (table,), height=842.0) for number in (1, 2, 3)])
    assert [len(page.blocks) for page in once] == [1, 0, 0]
    assert joined_tables(once) == once
