"""Figures and the decorative logo, drawn here."""

from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING

from pipeline.sample.fonts import SANS, font_file

if TYPE_CHECKING:
    from PIL import ImageDraw, ImageFont

_INK, _BLUE, _LIGHT = (30, 40, 60), (42, 96, 150), (205, 220, 235)


@cache
def drawing(name: str) -> bytes:
    """A drawing as PNG: `logo`, `pump`, `evacuation` or `revenue`.

    Raises:
        KeyError: there is no drawing of that name.
    """
    from PIL import Image, ImageDraw, ImageFont

    size, draw = {
        "logo": ((240, 160), _logo),
        "pump": ((900, 480), _pump),
        "evacuation": ((900, 520), _evacuation),
        "revenue": ((900, 480), _revenue),
    }[name]
    image = Image.new("RGB", size, "white")
    font = ImageFont.truetype(str(font_file(SANS)), 24)
    draw(ImageDraw.Draw(image), font)
    buffer = BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def _logo(pen: "ImageDraw.ImageDraw", font: "ImageFont.FreeTypeFont") -> None:
    del font  # a sail over two waves, without a word
    pen.polygon([(120, 10), (120, 110), (40, 110)], fill=_BLUE)
    pen.polygon([(132, 30), (132, 110), (195, 110)], fill=_LIGHT)
    for top in (118, 136):
        pen.arc([20, top, 120, top + 24], 0, 180, fill=_INK, width=5)
        pen.arc([120, top, 220, top + 24], 0, 180, fill=_INK, width=5)


def _pump(pen: "ImageDraw.ImageDraw", font: "ImageFont.FreeTypeFont") -> None:
    pen.ellipse([80, 100, 400, 420], outline=_INK, width=6)
    pen.ellipse([160, 180, 320, 340], fill=_LIGHT, outline=_BLUE, width=5)
    for left, top, right, bottom in ((232, 20, 300, 110), (20, 226, 90, 294)):
        pen.rectangle([left, top, right, bottom], outline=_INK, width=5)
    pen.rectangle([320, 246, 760, 274], fill=_INK)
    pen.rectangle([430, 215, 480, 305], fill=_BLUE)
    pen.rectangle([560, 190, 740, 420], outline=_INK, width=6)
    for at, text in (((228, 244), "1"), ((446, 310), "2"), ((640, 340), "3")):
        pen.text(at, text, font=font, fill=_INK)


def _evacuation(pen: "ImageDraw.ImageDraw", font: "ImageFont.FreeTypeFont") -> None:
    for left, top, right, bottom in ((60, 120, 360, 420), (360, 120, 600, 280), (360, 280, 600, 420)):
        pen.rectangle([left, top, right, bottom], outline=_INK, width=5)
    for x, text in ((60, "A"), (760, "B")):
        pen.ellipse([x, 20, x + 80, 100], fill=_BLUE)
        pen.text((x + 30, 44), text, font=font, fill="white")
    pen.line([(200, 260), (200, 150), (110, 100)], fill=_BLUE, width=8)
    pen.line([(480, 200), (700, 200), (790, 104)], fill=_BLUE, width=8)
    pen.line([(480, 350), (680, 350), (680, 200)], fill=_BLUE, width=8)


def _revenue(pen: "ImageDraw.ImageDraw", font: "ImageFont.FreeTypeFont") -> None:
    pen.line([(80, 40), (80, 400), (860, 400)], fill=_INK, width=4)
    for place, (year, value) in enumerate(
        ((2021, 61.2), (2022, 68.9), (2023, 73.5), (2024, 78.8), (2025, 84.3))
    ):
        left, top = 120 + place * 145, int(400 - value * 4)
        pen.rectangle([left, top, left + 90, 400], fill=_BLUE)
        pen.text((left + 18, top - 34), f"{value}", font=font, fill=_INK)
        pen.text((left + 14, 412), str(year), font=font, fill=_INK)
