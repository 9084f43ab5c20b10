import base64
import io

import polars as pl
from PIL import Image

from pipeline.report.plots import histogram_png, markdown_image


def picture(values: pl.Series) -> bytes:
    return histogram_png(values, title="Chunk sizes", marks={"floor": 60, "ceiling": 320})


def test_a_histogram_is_a_picture_that_shows_the_values():
    data = picture(pl.Series([70, 80, 80, 300, None]))
    assert Image.open(io.BytesIO(data)).size == (480, 208)
    assert data != picture(pl.Series([200, 210, 220, 230, None]))
    assert data == picture(pl.Series([70, 80, 80, 300, None])), "equal values, equal bytes"


def test_without_values_there_is_a_picture_too():
    Image.open(io.BytesIO(picture(pl.Series([], dtype=pl.Int32)))).verify()


def test_markdown_carries_the_bytes():
    head, _, data = markdown_image(b"PNG", "sizes").partition("base64,")
    assert head == "![sizes](data:image/png;"
    assert base64.b64decode(data.removesuffix(")")) == b"PNG"
