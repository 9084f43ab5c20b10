import base64
import io

import polars as pl
from PIL import Image

from pipeline.report.plots import histogram_png, histograms_png, markdown_image


def picture(values: pl.Series) -> bytes:
    return histogram_png(values, title="Chunk sizes", marks={"floor": 60, "ceiling": 320})


def test_a_histogram_is_a_picture_that_shows_the_values():
    data = picture(pl.Series([70, 80, 80, 300, None]))
    assert Image.open(io.BytesIO(data)).size == (480, 208)
    assert data != picture(pl.Series([200, 210, 220, 230, None]))
    assert data == picture(pl.Series([70, 80, 80, 300, None])), "equal values, equal bytes"


def test_without_values_there_is_a_picture_too():
    Image.open(io.BytesIO(picture(pl.Series([], dtype=pl.Int32)))).verify()


def test_histograms_stand_below_one_another():
    one = histograms_png({"memo, structure": pl.Series([70, 80])}, title="Sizes")
    two = histograms_png(
        {"memo, structure": pl.Series([70, 80]), "other, table": pl.Series([9])}, title="Sizes"
    )
    assert Image.open(io.BytesIO(two)).height > Image.open(io.BytesIO(one)).height
    Image.open(io.BytesIO(histograms_png({}, title="Sizes"))).verify()


def test_markdown_carries_the_bytes():
    head, _, data = markdown_image(b"PNG", "sizes").partition("base64,")
    assert head == "![sizes](data:image/png;"
    assert base64.b64decode(data.removesuffix(")")) == b"PNG"
