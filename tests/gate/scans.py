"""PDF pages whose text is missing, wrong or a footer, while a reader sees a page of print."""

import io
import re
from pathlib import Path

import matplotlib as mpl
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader

from tests.parsing.documents import FONT, canvas, lines

SENTENCES = (
    "Die Wartung der Förderbänder erfolgt im Oktober.",
    "Größere Störungen werden der Leitung gemeldet.",
    "Der Druckbehälter der zweiten Halle ist dicht.",
    "Die nächste Prüfung findet im Frühling statt.",
    "Überstunden werden im folgenden Monat vergütet.",
    "Der Betriebsrat wird vor jeder Änderung gehört.",
)
FOOTER = "Elster Chemie GmbH, Werkstraße 12, 04103 Leipzig, Handelsregister 4711, Geschäftsführerin Dr. Jutta Weiß, Seite 1 von 1"
_FILE = Path(mpl.get_data_path()) / "fonts/ttf/DejaVuSans.ttf"


def picture(sentences=SENTENCES, *, size=28, shape=(1240, 700)):
    """A white page with lines of print."""
    font = ImageFont.truetype(_FILE, size)
    image = Image.new("L", shape, 255)
    for number, sentence in enumerate(sentences):
        ImageDraw.Draw(image).text((90, 60 + 2.4 * size * number), sentence, fill=0, font=font)
    return image


def png(image, dpi=150):
    """An image file."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG", dpi=(dpi, dpi))
    return buffer.getvalue()


def _place(page, image):
    page.drawImage(ImageReader(image), 0, 400, 595, 595 * image.height / image.width)


def footer_over_scan():
    """A scan to which a program added one line of text."""
    page, buffer = canvas()
    _place(page, picture())
    lines(page, [FOOTER], y=30, size=8)
    page.save()
    return buffer.getvalue()


def poor_text_layer():
    """A scan over the text that a bad recogniser found in it, invisible as such layers are."""
    page, buffer = canvas()
    _place(page, picture())
    text = page.beginText(60, 740)
    text.setTextRenderMode(3)
    text.setFont(FONT, 10)
    for sentence in SENTENCES:
        text.textLine(sentence.translate(str.maketrans("aeioungrst", "4cj0vmqfzl")))
    page.drawText(text)
    page.save()
    return buffer.getvalue()


def outlines_with_heading():
    """A heading of text; the rest drawn as filled curves."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    page, buffer = canvas()
    lines(page, ["Prüfbericht Halle 4"], size=14)
    for number, sentence in enumerate(SENTENCES):
        shape = TextPath((60, 700 - 30 * number), sentence, size=12, prop=FontProperties(fname=str(_FILE)))
        path = page.beginPath()
        last = (0.0, 0.0)
        for points, code in shape.iter_segments():
            if code == 1:
                path.moveTo(*points)
            elif code == 2:
                path.lineTo(*points)
            elif code == 3:  # a quadratic curve as a cubic one
                (x0, y0), (x1, y1), (x2, y2) = last, points[:2], points[2:]
                path.curveTo(
                    x0 + 2 / 3 * (x1 - x0), y0 + 2 / 3 * (y1 - y0), x2 + 2 / 3 * (x1 - x2), y2 + 2 / 3 * (y1 - y2), x2, y2
                )  # fmt: skip
            else:
                path.close()
            last = tuple(points[-2:])
        page.drawPath(path, stroke=0, fill=1)
    page.save()
    return buffer.getvalue()


def wrong_font_map():
    """Letters that look right and whose font says that they are others."""
    from reportlab.pdfgen.canvas import Canvas

    canvas()  # registers the font
    buffer = io.BytesIO()
    page = Canvas(buffer, pagesize=(595, 842), invariant=1, pageCompression=0)
    lines(page, SENTENCES, size=12, step=26)
    page.save()
    moved = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nvxmqjzpkwbrylhtgcdsfaeoui")

    def shifted(match):
        return b"<%04X>" % ord(chr(int(match[1], 16)).translate(moved))

    def remapped(match):
        return re.sub(rb"<([0-9A-Fa-f]{4})>", shifted, match[0])

    return re.sub(rb"beginbf(?:char|range)\n.*?endbf", remapped, buffer.getvalue(), flags=re.DOTALL)
