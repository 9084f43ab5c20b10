import pytest

from pipeline.parsing.ocr import recognise
from pipeline.parsing.tree import finish
from tests.parsing.documents import texts
from tests.parsing.readings import read_picture

SENTENCES = (
    "Die Wartung der Förderbänder erfolgt",
    "İşçi şebeke basıncını ölçer ve yazar",
    "Größere Störungen werden gemeldet",
)


def _scan(quarters=0):
    import io
    from pathlib import Path

    import matplotlib as mpl
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.truetype(Path(mpl.get_data_path()) / "fonts/ttf/DejaVuSans.ttf", 30)
    image = Image.new("L", (900, 420), 255)
    for number, sentence in enumerate(SENTENCES):
        ImageDraw.Draw(image).text((60, 60 + 90 * number), sentence, fill=0, font=font)
    image = image.rotate(90 * quarters, expand=True)
    buffer = io.BytesIO()
    image.save(buffer, "PNG", dpi=(200, 200))
    return image, buffer.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("quarters", [0, 1, 2])
def test_scans_are_read_upright(quarters):
    rows = finish(read_picture(_scan(quarters)[1], max_pages=5, ocr="rapidocr"))
    text = " ".join(texts(rows))
    assert rows[0]["source"] == "ocr"
    assert rows[0]["scores"]["ocr"] > 0.8
    positions = [text.find(sentence.split()[-1]) for sentence in SENTENCES]
    assert -1 not in positions
    assert positions == sorted(positions)


@pytest.mark.slow
def test_tesseract_reads_the_same_scan():
    pytest.importorskip("tesserocr")
    found = recognise(_scan()[0], "tesseract")
    assert any("Größere Störungen" in line.text for line in found.lines)
    assert 0.5 < found.score <= 1
