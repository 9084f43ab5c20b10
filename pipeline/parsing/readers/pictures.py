"""Image files: each frame is a scanned page."""

import io
from typing import Final

from pipeline.parsing.errors import classify
from pipeline.parsing.guards import check_picture
from pipeline.parsing.ocr import DPI
from pipeline.parsing.readers.pdf import Sheet, scanned
from pipeline.parsing.tree import Page

_FORMATS: Final = ("PNG", "JPEG", "TIFF", "BMP", "WEBP")
_LONGEST: Final = 6000  # pixels of the longer side that OCR is given


class PictureFile:
    """An image file, frame by frame.

    Args:
        data: PNG, JPEG, TIFF (many pages), BMP or WebP.
        ocr: engine.
        layout: `geometry` leaves out the layout model.

    Raises:
        ParseError: corrupt or too_large.
    """

    def __init__(self, data: bytes, *, ocr: str, layout: str = "auto") -> None:
        from PIL import Image

        Image.MAX_IMAGE_PIXELS = None  # `check_picture` refuses before anything is decoded, with a reason
        self._ocr = ocr
        self._layout = layout
        try:
            self._image: Image.Image = Image.open(io.BytesIO(data), formats=_FORMATS)
        except Exception as error:  # Pillow raises many kinds on damaged files
            raise classify(error) from error
        check_picture(self._image)

    def __len__(self) -> int:
        return int(getattr(self._image, "n_frames", 1))

    def sheet(self, number: int) -> Sheet:
        """A frame, counted from 1, read by OCR. Raises what Pillow raises on a damaged one."""
        from PIL import ImageOps

        if number > 1 or len(self) > 1:
            self._image.seek(number - 1)
        frame = self._image
        check_picture(frame)
        dpi = frame.info.get("dpi", (DPI, DPI))[0]
        resolution = float(dpi) if 70 <= float(dpi) <= 1200 else float(DPI)
        upright = ImageOps.exif_transpose(frame.convert("RGB") if frame.mode not in ("L", "RGB") else frame)
        factor = max(1.0, max(upright.size) / _LONGEST)
        if factor > 1:
            upright = upright.resize((round(upright.width / factor), round(upright.height / factor)))
        return scanned(number, upright, 72 * factor / resolution, self._ocr, layout=self._layout)

    def looked_at(self, sheet: Sheet, why: str) -> Sheet:
        """The sheet itself: the layout model has seen it already, if it may."""
        del why
        return sheet

    def close(self) -> None:
        """Give the memory back."""
        self._image.close()


def read_picture(data: bytes, *, max_pages: int, ocr: str, layout: str = "auto") -> list[Page]:
    """Pages of an image file, all in memory. Arguments and errors: see `PictureFile`; frames beyond `max_pages` are not read."""
    from pipeline.parsing.paged import Engines, read_all  # it stands above the readers

    return read_all("image", data, Engines(max_pages, ocr, layout))
