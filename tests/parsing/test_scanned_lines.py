"""Lines of tables on images, and the tables of scans that they give."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

from pipeline.parsing.scanned_lines import lines_of
from pipeline.parsing.tree import finish
from tests.parsing.readings import read_picture


def _grid(turn=0.0):
    image = Image.new("L", (1000, 1400), 255)
    draw = ImageDraw.Draw(image)
    for y in (200, 300, 400):
        draw.line((100, y, 900, y), fill=0, width=3)
    for x in (100, 500, 900):
        draw.line((x, 200, x, 400), fill=0, width=3)
    draw.rectangle((100, 600, 900, 900), fill=0)  # a picture is no line
    for x in range(100, 900, 14):
        draw.line((x, 1000, x, 1018), fill=0, width=3)  # nor are strokes of letters
    return image.rotate(turn, fillcolor=255)


@pytest.mark.parametrize("turn", [0.0, 0.5])
def test_lines_are_found_and_nothing_else(turn):
    found = lines_of(_grid(turn), 0.5)
    across = sorted(y for _, y, _, end in found if y == end)
    down = sorted(x for x, y, end, bottom in found if x == end and y != bottom)
    assert np.allclose(across, [100, 150, 200], atol=4)
    assert np.allclose(down, [50, 250, 450], atol=4)


def test_a_screen_of_dots_gives_no_lines():
    image = Image.fromarray(np.random.default_rng(1).integers(0, 256, (800, 600), dtype=np.uint8))
    assert lines_of(image, 1.0) == ()


@pytest.mark.slow
def test_a_scanned_table_keeps_its_merged_cells():
    import io

    from PIL import ImageFont

    image = Image.new("RGB", (1240, 900), "white")
    draw = ImageDraw.Draw(image)
    xs, ys = (100, 450, 800, 1150), (100, 170, 240, 310, 380)
    for number, y in enumerate(ys):
        draw.line((xs[0] if number != 1 else xs[1], y, xs[-1], y), fill="black", width=3)
    for x in xs:
        draw.line((x, ys[1] if x == xs[2] else ys[0], x, ys[-1]), fill="black", width=3)
    import matplotlib as mpl

    font = ImageFont.truetype(f"{mpl.get_data_path()}/fonts/ttf/DejaVuSans.ttf", 32)
    texts = {
        (120, 150): "Region", (620, 115): "Umsatz", (500, 185): "Inland", (850, 185): "Ausland", (120, 255): "Nord",
        (500, 255): "12.500", (850, 255): "1,20", (120, 325): "Süd", (500, 325): "13.700", (850, 325): "2,40",
    }  # fmt: skip
    for place, text in texts.items():
        draw.text(place, text, fill="black", font=font)
    buffer = io.BytesIO()
    image.save(buffer, "PNG", dpi=(150, 150))
    rows = finish(read_picture(buffer.getvalue(), max_pages=1, ocr="rapidocr"))
    (table,) = [block for row in rows for block in row["blocks"] if block["kind"] == "table"]
    assert table["rows"] == [
        ["Region", "Umsatz", "Umsatz"],
        ["Region", "Inland", "Ausland"],
        ["Nord", "12.500", "1,20"],
        ["Süd", "13.700", "2,40"],
    ]
    assert table["header_rows"] == 2
