"""Pages as a scanner delivers them: rendered, then degraded."""

from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from pipeline.sample.document import Document
from pipeline.sample.pdf import pdf_bytes

if TYPE_CHECKING:
    from PIL.Image import Image


class _Glass(NamedTuple):
    """dpi; largest skew in degrees; blur radius in pixels; noise in grey levels; contrast; JPEG quality."""

    dpi: int
    skew: float
    blur: float
    noise: float
    contrast: float
    jpeg: int


_GLASS: dict[Literal["clean", "medium", "poor", "hopeless"], _Glass] = {
    "clean": _Glass(200, 0.2, 0.0, 3.0, 1.0, 85),
    "medium": _Glass(150, 0.8, 0.6, 10.0, 0.85, 60),
    "poor": _Glass(120, 1.5, 0.9, 20.0, 0.7, 40),
    "hopeless": _Glass(40, 3.0, 1.2, 45.0, 0.35, 10),
}
_PAPER = 248.0  # grey level of white paper


def scan_pages(document: Document, rng: np.random.Generator) -> list["Image"]:
    """The pages as grey images, degraded as `document.scan` says.

    Raises:
        ValueError: the document is no scan.
    """
    import pypdfium2

    if document.scan is None:
        raise ValueError(f"{document.path}: not a scan")
    glass = _GLASS[document.scan.quality]
    pdf: Any = pypdfium2.PdfDocument(pdf_bytes(document))
    pages: list[Any] = [page.render(scale=glass.dpi / 72, grayscale=True).to_pil() for page in pdf]
    pdf.close()
    return [_degrade(page, glass, document.scan.quarter_turns, rng) for page in pages]


def _degrade(page: "Image", glass: _Glass, quarter_turns: int, rng: np.random.Generator) -> "Image":
    from PIL import Image, ImageFilter

    skew = float(rng.uniform(0.4, 1.0) * rng.choice([-1, 1])) * glass.skew
    page = page.rotate(skew, Image.Resampling.BICUBIC, fillcolor=255)
    if glass.blur:
        page = page.filter(ImageFilter.GaussianBlur(glass.blur))
    grey = np.asarray(page, dtype=np.float32)
    grey = _PAPER - (255.0 - grey) * glass.contrast
    grey += rng.standard_normal(grey.shape, dtype=np.float32) * glass.noise
    # Light falls off towards one edge, as under a lid that does not close.
    grey -= np.linspace(0.0, 2.0 * glass.noise, grey.shape[1], dtype=np.float32)
    page = Image.fromarray(np.clip(grey, 0, 255).astype(np.uint8))
    return page.rotate(90 * quarter_turns, expand=True) if quarter_turns else page


def scan_bytes(document: Document, rng: np.random.Generator) -> bytes:
    """The scan as PDF of page images, PNG or TIFF, by the ending of the path; image files hold one page."""
    pages = scan_pages(document, rng)
    scan = document.scan
    assert scan is not None
    glass = _GLASS[scan.quality]
    if document.suffix == ".pdf":
        return _image_pdf(pages, glass)
    buffer = BytesIO()
    kind, options = {".png": ("PNG", {}), ".tif": ("TIFF", {"compression": "tiff_lzw"})}[document.suffix]
    pages[0].save(buffer, kind, dpi=(glass.dpi, glass.dpi), **options)
    return buffer.getvalue()


def _image_pdf(pages: list["Image"], glass: _Glass) -> bytes:
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    buffer = BytesIO()
    canvas = Canvas(buffer, invariant=1)
    for page in pages:
        jpeg = BytesIO()
        page.save(jpeg, "JPEG", quality=glass.jpeg)
        jpeg.seek(0)
        width, height = (pixels * 72 / glass.dpi for pixels in page.size)
        canvas.setPageSize((width, height))
        canvas.drawImage(ImageReader(jpeg), 0, 0, width, height)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()
