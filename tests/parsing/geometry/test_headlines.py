from pipeline.parsing.tree import finish
from tests.parsing.documents import FONT, blocks, lines, texts, written
from tests.parsing.readings import read_pdf

PROSE = [f"Der Öldruck {n} muss vor dem Anfahren geprüft und eingetragen werden" for n in range(8)]


def _read(draw):
    return finish(read_pdf(written(draw), max_pages=100, ocr="rapidocr", layout="geometry"))


def _headings(rows):
    return [(b["level"], b["text"]) for b in blocks(rows) if b["kind"] in ("title", "heading")]


def _body(page, y=600):
    return lines(page, [*PROSE, "bis zum Ende."], y=y)


def _centred(page, text, y, size=10):
    page.setFont(FONT, size)
    page.drawCentredString(230, y, text)


def test_the_title_of_a_cover_is_not_the_publishers_mark_at_its_foot():
    def draw(page):
        lines(page, ["Betrieb der Druckluft", "im Werk Nord"], y=760, size=30, step=36, bold=True)
        lines(page, ["Wartung planen", "Kennzahlen lesen"], y=560, size=14, step=40, bold=True)
        lines(page, ["Nordverlag"], y=60, size=48, bold=True)
        page.showPage()
        lines(page, ["Vorwort"], y=760, size=20, bold=True)
        _body(page)

    rows = _read(draw)
    assert texts(rows, "title") == ["Betrieb der Druckluft im Werk Nord"]
    assert _headings(rows)[1:] == [(1, "Vorwort")]
    assert "Nordverlag" in texts(rows, "paragraph")


def test_a_chapters_number_in_large_type_belongs_to_its_heading_and_levels_follow_the_numbers():
    def draw(page):
        lines(page, ["1"], x=480, y=780, size=28, bold=True)
        lines(page, ["Sicherheit der Anlage"], y=700, size=22, bold=True)
        y = lines(page, PROSE, y=660)
        lines(page, ["1.1 Begriffe"], y=y - 20, size=15, bold=True)
        y = lines(page, PROSE, y=y - 40)
        lines(page, ["1.1.1 Druck"], y=y - 20, size=13, bold=True)
        lines(page, PROSE, y=y - 40)
        page.showPage()
        lines(page, ["Vorwort"], y=760, size=20, bold=True)
        lines(page, ["Ohne Nummer"], y=730, size=15, bold=True)
        lines(page, PROSE, y=700)

    assert _headings(_read(draw)) == [
        (1, "1 Sicherheit der Anlage"), (2, "1.1 Begriffe"), (3, "1.1.1 Druck"), (1, "Vorwort"), (2, "Ohne Nummer")
    ]  # fmt: skip


def test_a_division_never_stands_above_the_one_that_contains_it():
    def draw(page):
        y = lines(page, ["Teil I"], y=780, size=14, step=22)
        y = lines(page, ["Kapitel 1"], y=y, size=18, step=24)
        y = lines(page, ["§ 1 Zweck"], y=y, size=12, step=20, bold=True)
        lines(page, PROSE, y=y)

    assert [level for level, _ in _headings(_read(draw))] == [1, 2, 3]


def test_a_page_that_is_set_smaller_is_judged_by_its_own_text():
    def draw(page):
        for _ in range(3):
            _body(page, 780)
            page.showPage()
        lines(page, ["Hinweise"], y=760, size=8)
        lines(page, PROSE * 2, y=740, size=6, step=9)

    assert [text for _, text in _headings(_read(draw))] == ["Hinweise"]


def test_capitals_in_the_middle_of_the_column_are_a_heading_and_capitals_elsewhere_are_not():
    def draw(page):
        _centred(page, "KİRA SÖZLEŞMESİ", 780)
        y = lines(page, PROSE, y=750)
        lines(page, ["WICHTIG IST DIE PRÜFUNG"], y=y - 10)
        lines(page, PROSE, y=y - 30)

    assert [text for _, text in _headings(_read(draw))] == ["KİRA SÖZLEŞMESİ"]


def test_amounts_and_addresses_are_no_headings_however_large():
    def draw(page):
        y = lines(page, ["17.841.250 Euro"], y=780, size=16, step=30)
        y = lines(page, ["Mehr dazu: werk-nord.example.com/druckluft"], y=y, size=12, step=30)
        lines(page, PROSE, y=y)

    assert _headings(_read(draw)) == []


def test_slogans_that_fill_a_side_column_head_nothing():
    def draw(page):
        for n, slogan in enumerate(
            ["Rollen im Betrieb", "Rechte je Zeile", "Spalten schützen", "Werte lesen"]
        ):
            lines(page, [slogan, "und verstehen"], x=30, y=700 - 50 * n, size=12, step=14, bold=True)
        lines(page, PROSE * 2, x=170, y=703, size=8, step=11)

    rows = _read(draw)
    assert _headings(rows) == []
    assert "Rollen im Betrieb und verstehen" in texts(rows)


def test_a_heading_with_a_number_does_not_go_on_with_the_one_above_it():
    def draw(page):
        y = lines(page, ["CONTRACT PERIOD", "1. TERM OF CONTRACT"], y=780, bold=True)
        lines(page, PROSE, y=y)

    assert [text for _, text in _headings(_read(draw))] == ["CONTRACT PERIOD", "1. TERM OF CONTRACT"]


def test_a_paragraph_at_the_margin_ends_a_list_and_its_nesting():
    def draw(page):
        y = lines(page, ["• außen"], y=780)
        y = lines(page, ["• innen"], x=80, y=y)
        y = lines(page, [f"{PROSE[0]}.", f"{PROSE[1]}."], y=y - 25)
        lines(page, ["• wieder außen"], x=80, y=y - 25)

    assert [(b["level"], b["text"]) for b in blocks(_read(draw)) if b["kind"] == "list_item"] == [
        (1, "außen"), (2, "innen"), (1, "wieder außen")
    ]  # fmt: skip


def test_page_numbers_between_the_paragraphs_are_furniture_and_a_list_of_numbers_is_not():
    def draw(page):
        for n in range(1, 5):
            y = lines(page, PROSE, y=780)
            lines(page, [f"-{n}-"], x=280, y=y - 20)
            lines(page, PROSE, y=y - 60)
            page.showPage()

    rows = _read(draw)
    assert [row["furniture"] for row in rows] == [[f"-{n}-"] for n in range(1, 5)]
    assert not any(text.startswith("-") for text in texts(rows))
    listed = _read(lambda page: lines(page, [str(n) for n in range(1, 30)], y=780))
    assert "29" in " ".join(texts(listed)).split()
