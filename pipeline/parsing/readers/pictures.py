"""Image files: each frame is a scanned page."""

import io
from typing import TYPE_CHECKING, Final

from pipeline.parsing.engines import Engines
from pipeline.parsing.errors import classify
from pipeline.parsing.guards import check_picture
from pipeline.parsing.ocr import DPI
from pipeline.parsing.readers.pdf import Sheet, scanned

if TYPE_CHECKING:
    from PIL.Image import Image

_FORMATS: Final = ("PNG", "JPEG", "TIFF", "BMP", "WEBP")
_LONGEST: Final = 6000  # pixels of the longer side that OCR is given


class PictureFile:
    """An image file, frame by frame.

    Args:
        data: PNG, JPEG, TIFF (many pages), BMP or WebP.
        engines: how; the layout `geometry` leaves out the layout model.

    Raises:
        ParseError: corrupt or too_large.
    """

    def __init__(self, data: bytes, engines: Engines) -> None:
        self._image = open_picture(data)
        self._engines = engines

    def __len__(self) -> int:
        return frames(self._image)

    def sheet(self, number: int) -> Sheet:
        """A frame, counted from 1, read by OCR. Raises what Pillow raises on a damaged one."""
        upright, size = frame(self._image, number)
        return scanned(number, upright, size, self._engines.ocr, layout=self._engines.layout)

    def looked_at(self, sheet: Sheet, why: str) -> Sheet:
        """The sheet itself: the layout model has seen it already, if it may."""
        del why
        return sheet

    def close(self) -> None:
        """Give the memory back."""
        self._image.close()


def open_picture(data: bytes) -> "Image":
    """An image file, open for reading its frames. Raises ParseError: corrupt or too_large."""
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None  # `check_picture` refuses before anything is decoded, with a reason
    try:
        image = Image.open(io.BytesIO(data), formats=_FORMATS)
    except Exception as error:  # Pillow raises many kinds on damaged files
        raise classify(error) from error
    check_picture(image)
    return image


def frames(image: "Image") -> int:
    """Number of frames of an image file."""
    return int(getattr(image, "n_frames", 1))


def frame(image: "Image", number: int) -> tuple["Image", float]:
    """A frame, counted from 1, upright, and points per pixel.

    Raises:
        ParseError: too_large; and whatever Pillow raises on a damaged one.
    """
    from PIL import ImageOps

    if number > 1 or frames(image) > 1:
        image.seek(number - 1)
    check_picture(image)
    dpi = image.info.get("dpi", (DPI, DPI))[0]
    resolution = float(dpi) if 70 <= float(dpi) <= 1200 else float(DPI)
    upright = ImageOps.exif_transpose(image.convert("RGB") if image.mode not in ("L", "RGB") else image)
    factor = max(1.0, max(upright.size) / _LONGEST)
    if factor > 1:
        upright = upright.resize((round(upright.width / factor), round(upright.height / factor)))
    return upright, 72 * factor / resolution
