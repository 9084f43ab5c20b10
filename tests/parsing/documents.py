"""Documents that the tests of parsing write: small files with known content."""

import io
from pathlib import Path

FONT = "DejaVu"


def canvas(pagesize=(595, 842)):
    """A reportlab canvas that writes Turkish and German letters, and the buffer it writes to."""
    import matplotlib as mpl
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont
    from reportlab.pdfgen.canvas import Canvas

    folder = Path(mpl.get_data_path()) / "fonts/ttf"
    pdfmetrics.registerFont(TTFont(FONT, str(folder / "DejaVuSans.ttf")))
    pdfmetrics.registerFont(TTFont(f"{FONT}-Bold", str(folder / "DejaVuSans-Bold.ttf")))
    buffer = io.BytesIO()
    return Canvas(buffer, pagesize=pagesize, invariant=1), buffer


def lines(page, texts, *, x=60, y=760, size=10, step=14, bold=False):
    """Write lines of text downward; returns the height below the last one."""
    page.setFont(f"{FONT}-Bold" if bold else FONT, size)
    for text in texts:
        page.drawString(x, y, text)
        y -= step
    return y


def written(draw):
    """Bytes of the PDF that `draw(canvas)` writes."""
    page, buffer = canvas()
    draw(page)
    page.save()
    return buffer.getvalue()


def blocks(rows):
    """All blocks of a document's rows."""
    return [block for row in rows for block in row["blocks"]]


def texts(rows, *kinds):
    """Texts of the blocks of some kinds."""
    return [block["text"] for block in blocks(rows) if not kinds or block["kind"] in kinds]
