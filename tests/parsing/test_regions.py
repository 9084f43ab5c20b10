from pipeline.parsing.tree import finish
from tests.parsing.documents import lines, written
from tests.parsing.readings import read_pdf

PROSE = [
    "Die Anlage wird jedes Jahr geprüft, und der Befund wird in das Buch",
    "eingetragen, das im Leitstand liegt und dort gelesen werden kann.",
]


def _drawing(page):
    y = lines(page, PROSE * 6, y=780, size=11)
    for number in range(12):  # a plan: vessels with labels, joined by pipes
        x, top = 80 + 120 * (number % 4) + 17 * (number % 3), y - 60 - 85 * (number // 4) - 13 * (number % 2)
        page.setFillGray(0.6 + 0.03 * number)
        page.circle(x + 20, top - 15, 18 + number % 4, fill=1)
        page.setFillGray(0)
        lines(page, [f"Ventil {number}"], x=x + 44, y=top - 8, size=8)
        page.line(x + 40, top - 15, x + 100, top - 15)
        page.line(x + 20, top - 35, x + 20, top - 75)
    lines(page, ["Abbildung 3: Plan der Ventile."], x=200, y=y - 330, size=9)
    lines(page, PROSE * 6, y=y - 370, size=11)


def test_the_model_is_asked_where_geometry_is_unsure_and_the_engine_says_why():
    data = written(_drawing)
    alone = read_pdf(data, max_pages=5, ocr="rapidocr", layout="geometry")[0]
    assert alone.engine == "geometry"
    assert alone.doubt
    assert alone.scores["parse"] < 0.7
    both = read_pdf(data, max_pages=5, ocr="rapidocr")
    assert (both[0].engine, both[0].engine_reason) == ("geometry+rapid-layout", f"unsure: {alone.doubt}")
    figures = [block for row in finish(both) for block in row["blocks"] if block["kind"] == "figure"]
    assert any(
        "Ventil 7" in figure["text"] and figure["caption"].startswith("Abbildung 3") for figure in figures
    )


def test_plain_pages_do_not_need_it_but_may_have_it():
    data = written(lambda page: lines(page, PROSE * 8))
    plain = read_pdf(data, max_pages=5, ocr="rapidocr")[0]
    assert (plain.engine, plain.engine_reason) == ("geometry", "text layer")
    asked = read_pdf(data, max_pages=5, ocr="rapidocr", layout="model")[0]
    assert (asked.engine, asked.engine_reason) == ("geometry+rapid-layout", "configured")
    texts = [
        [block.text for block in read_pdf(data, max_pages=5, ocr="rapidocr", layout=layout)[0].blocks]
        for layout in ("geometry", "model")
    ]
    assert texts[0] == texts[1]


def test_no_word_of_a_drawing_without_caption_is_lost():
    def draw(page):
        _drawing(page)

    rows = finish(read_pdf(written(draw), max_pages=5, ocr="rapidocr"))
    text = " ".join(block["text"] for row in rows for block in row["blocks"])
    assert all(f"Ventil {number}" in text for number in range(12))
