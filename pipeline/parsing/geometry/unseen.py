"""Words that nobody sees on a PDF page: their colour is the page's own, and nothing is painted beneath them."""

import ctypes
from collections.abc import Sequence
from typing import Any, Final

from pipeline.parsing.geometry.frame import Box, Frame
from pipeline.parsing.geometry.strokes import bounds, fill_colour, objects

_FAINT: Final = 1.15  # contrast with white; a pale yellow has 1.07, light grey that can just be read 1.3
_MOST: Final = 0.5  # of all words; if more seem unseen, something is painted that we do not know


def is_faint(red: int, green: int, blue: int) -> bool:
    """Whether a colour (parts 0 to 255) cannot be told from white paper.

    The measure is the contrast ratio of the Web Content Accessibility Guidelines 2.2.
    """
    linear = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
        for part in (red / 255, green / 255, blue / 255)
    )
    luminance = sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return 1.05 / (luminance + 0.05) < _FAINT


def has_faint_ink(pdfium: Any, handle: Any, index: int, item: Any) -> bool:
    """Whether a character of a text page is filled with a faint colour; text without a fill is judged elsewhere."""
    if item and pdfium.FPDFTextObj_GetTextRenderMode(item) != pdfium.FPDF_TEXTRENDERMODE_FILL:
        return False
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    references = (ctypes.byref(value) for value in (red, green, blue, alpha))
    return bool(pdfium.FPDFText_GetFillColor(handle, index, *references)) and is_faint(
        red.value, green.value, blue.value
    )


def unseen(page: Any, frame: Frame, boxes: Sequence[Box], n_words: int) -> set[int]:
    """Positions of the faint words that no ground makes visible.

    Args:
        page: a pypdfium2 page.
        frame: of the page.
        boxes: of its faint words, in points from the upright page's top left.
        n_words: all words of the page.
    """
    if not boxes or len(boxes) > _MOST * n_words:
        return set()
    grounds = _grounds(page, frame)
    return {number for number, box in enumerate(boxes) if not any(_meet(box, ground) for ground in grounds)}


def _grounds(page: Any, frame: Frame) -> list[Box]:
    """Boxes of what is painted: pictures, shadings, and shapes in a colour that differs from the paper."""
    import pypdfium2.raw as pdfium

    found: list[Box] = []
    for item, kind, matrix in objects(pdfium, page.raw):
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            continue
        if kind == pdfium.FPDF_PAGEOBJ_PATH:
            fill, stroke = ctypes.c_int(), ctypes.c_int()
            pdfium.FPDFPath_GetDrawMode(item, ctypes.byref(fill), ctypes.byref(stroke))
            colour = fill_colour(pdfium, item)
            if not (stroke.value or fill.value) or (
                not stroke.value and colour is not None and is_faint(*colour)
            ):
                continue
        box = bounds(pdfium, item, matrix, frame)
        if box:
            found.append(box)
    return found


def _meet(one: Box, two: Box) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]
