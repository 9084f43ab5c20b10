"""Image files: each frame is a scanned page."""

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pipeline.parsing.errors import TOO_LARGE, classify
from pipeline.parsing.guards import check_picture
from pipeline.parsing.ocr import DPI
from pipeline.parsing.readers.pdf import Sheet, assemble, scanned
from pipeline.parsing.tree import Page

if TYPE_CHECKING:
    from PIL.Image import Image

_FORMATS: Final = ("PNG", "JPEG", "TIFF", "BMP", "WEBP")
_LONGEST: Final = 6000  # pixels of the longer side that OCR is given


def read_picture(data: bytes, *, max_pages: int, ocr: str, layout: str = "auto") -> list[Page]:
    """Pages of an image file.

    Args:
        data: PNG, JPEG, TIFF (many pages), BMP or WebP.
        max_pages: frames beyond are not read; one failed page row says so.
        ocr: engine.
        layout: `geometry` leaves out the layout model.

    Raises:
        ParseError: corrupt or too_large.
    """
    sheets: list[Sheet] = []
    count = 0
    try:
        for number, count, image, size in frames(data, max_pages):  # noqa: B007 - the count is wanted after the last one
            sheets.append(scanned(number, image, size, ocr, layout=layout))
    except Exception as error:  # Pillow raises many kinds on damaged files
        raise classify(error) from error
    pages = assemble(sheets)
    if count > max_pages:
        detail = (
            f"Pages {max_pages + 1} to {count} are beyond the limit of {max_pages} pages and were not read."
        )
        pages.append(Page(max_pages + 1, source="none", reason=TOO_LARGE, error=detail))
    return pages


def frames(data: bytes, most: int) -> Iterator[tuple[int, int, "Image", float]]:
    """Number, count of all, upright image and points per pixel of the frames of an image file, `most` of them.

    Raises:
        ParseError: too_large; and whatever Pillow raises on a damaged file.
    """
    from PIL import Image, ImageOps, ImageSequence

    Image.MAX_IMAGE_PIXELS = None  # `check_picture` refuses before anything is decoded, with a reason
    image = Image.open(io.BytesIO(data), formats=_FORMATS)
    check_picture(image)
    count = getattr(image, "n_frames", 1)
    for number, frame in enumerate(ImageSequence.Iterator(image), start=1):
        if number > most:
            break
        check_picture(frame)
        dpi = frame.info.get("dpi", (DPI, DPI))[0]
        resolution = float(dpi) if 70 <= float(dpi) <= 1200 else float(DPI)
        upright = ImageOps.exif_transpose(frame.convert("RGB") if frame.mode not in ("L", "RGB") else frame)
        factor = max(1.0, max(upright.size) / _LONGEST)
        if factor > 1:
            upright = upright.resize((round(upright.width / factor), round(upright.height / factor)))
        yield number, count, upright, 72 * factor / resolution
