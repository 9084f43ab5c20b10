import pytest

from pipeline.parsing.geometry.unseen import is_faint
from pipeline.parsing.tree import finish
from tests.parsing.documents import lines, texts, written
from tests.parsing.readings import read_pdf

PROSE = [f"Der Öldruck {n} muss vor dem Anfahren geprüft werden" for n in range(8)]


@pytest.mark.parametrize(
    ("colour", "faint"),
    [((255, 255, 255), True), ((252, 252, 252), True), ((255, 255, 0), True), ((200, 200, 200), False), ((255, 0, 0), False)],
)  # fmt: skip
def test_colours_that_cannot_be_told_from_paper(colour, faint):
    assert is_faint(*colour) is faint


def _read(draw):
    return finish(read_pdf(written(draw), max_pages=9, ocr="rapidocr", layout="geometry"))


def test_white_words_on_paper_are_kept_aside_and_white_words_on_a_ground_are_read():
    def draw(page):
        page.setFillColorRGB(1, 1, 1)
        lines(page, ["Verborgene Anweisung"], y=800, size=18)
        page.setFillColorRGB(0.1, 0.1, 0.5)
        page.rect(50, 690, 400, 40, stroke=0, fill=1)
        page.setFillColorRGB(1, 1, 1)
        lines(page, ["Weiße Überschrift"], y=705, size=18)
        page.setFillColorRGB(0, 0, 0)
        lines(page, PROSE, y=660)

    rows = _read(draw)
    assert rows[0]["furniture"] == ["Verborgene Anweisung"]
    assert texts(rows, "title") == ["Weiße Überschrift"]
    assert "Verborgene" not in " ".join(texts(rows))


def test_a_page_of_white_words_only_is_read():
    def draw(page):
        page.setFillColorRGB(1, 1, 1)
        lines(page, PROSE, y=660)

    assert "Öldruck 7" in " ".join(texts(_read(draw)))
