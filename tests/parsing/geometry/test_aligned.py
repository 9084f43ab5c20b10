from tests.parsing.documents import lines, written
from tests.parsing.readings import read_pdf


def _blocks(draw):
    (page,) = read_pdf(written(draw), max_pages=10, ocr="rapidocr", layout="geometry")
    return page.blocks


def test_a_header_over_two_lines_is_one_row():
    def draw(page):
        for x, words in ((200, "Nummer"), (320, "Nummer")):
            lines(page, ["Antrags-" if x == 200 else "Register", words], x=x, y=712, step=11, bold=True)
        lines(page, ["Land"], x=60, y=701, bold=True)
        for number, row in enumerate(
            [("DE", "10459", "738"), ("TR", "20043", "940"), ("CH", "20048", "955")]
        ):
            for x, cell in zip((60, 200, 320), row, strict=True):
                lines(page, [cell], x=x, y=684 - 16 * number)

    (table,) = _blocks(draw)
    assert table.rows[0] == ("Land", "Antrags-Nummer", "Register Nummer")
    assert table.header_rows == 1
    assert len(table.rows) == 4


def test_justified_typewriter_lines_are_text():
    def draw(page):
        page.setFont("Courier", 10)
        for number, text in enumerate(
            ["The  Association  shall  pay  the  fees  of  the", "Agent   within  five   days  after   the  closing,",
             "and   the  Agent  shall  give  an   account  of  it", "to  the  Company   at  the  end  of  every  month."] * 4
        ):  # fmt: skip
            page.drawString(60, 760 - 12 * number, text)

    blocks = _blocks(draw)
    assert {block.kind for block in blocks} == {"paragraph"}
    assert " ".join(block.text for block in blocks).startswith(
        "The Association shall pay the fees of the Agent within five"
    )
