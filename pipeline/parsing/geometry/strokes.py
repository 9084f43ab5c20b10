"""What is drawn on a PDF page: ruling lines, shades and pictures."""

import ctypes
import hashlib
from collections.abc import Iterator
from typing import Any, Final

from pipeline.parsing.geometry.frame import Box, Frame

MAX_OBJECTS: Final = 50_000
_LARGEST: Final = 256 << 20  # bytes of a bitmap in the file
_NO_COLOUR: Final = (-1, -1, -1)
_HAIRLINE: Final = 2.5  # points; a thinner filled shape is a ruling line
_LETTER: Final = 10  # segments that a letter's outline has at least


def graphics(page: Any, frame: Frame) -> tuple[list[Box], dict[Box, str], int]:
    """Ruling lines and bitmaps of a pypdfium2 page as boxes in points, the bitmaps with their hash, and the number of its drawn paths."""
    import pypdfium2.raw as pdfium

    rules: list[Box] = []
    pictures: dict[Box, str] = {}
    shades: list[_Shade] = []
    shapes = 0
    for item, kind, matrix in objects(pdfium, page.raw):
        if kind == pdfium.FPDF_PAGEOBJ_IMAGE:
            box = bounds(pdfium, item, matrix, frame)
            if box:
                pictures[box] = _bitmap_hash(pdfium, item)
        elif kind == pdfium.FPDF_PAGEOBJ_PATH:
            # Lettering turned to outlines may be one path for a whole line.
            shapes += max(1, pdfium.FPDFPath_CountSegments(item) // _LETTER)
            rules.extend(_rules(pdfium, item, matrix, frame, shades))
    for box in _stacked(shades):
        rules.extend(_edges(box))
    return rules, pictures, shapes


_Matrix = tuple[float, float, float, float, float, float]
_IDENTITY: Final[_Matrix] = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def objects(pdfium: Any, page: Any) -> Iterator[tuple[Any, int, _Matrix]]:
    """What a page paints, in the file's order: object, type, and the matrix from the object's space to the page's."""
    yield from _objects(pdfium, page, _IDENTITY, 0, [MAX_OBJECTS])


def _objects(
    pdfium: Any, holder: Any, matrix: _Matrix, depth: int, left: list[int]
) -> Iterator[tuple[Any, int, _Matrix]]:
    """Objects of a page or form, forms opened to a depth of four, with the matrix from their space to the page's."""
    count, get = (
        (pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject)
        if depth
        else (pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject)
    )
    for index in range(max(count(holder), 0)):
        left[0] -= 1
        if left[0] < 0:
            return
        item = get(holder, index)
        kind = pdfium.FPDFPageObj_GetType(item)
        if kind == pdfium.FPDF_PAGEOBJ_FORM and depth < 4:
            own = _matrix(pdfium, item)
            yield from _objects(pdfium, item, _times(own, matrix), depth + 1, left)
        else:
            yield item, kind, matrix


def _matrix(pdfium: Any, item: Any) -> _Matrix:
    raw = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(item, ctypes.byref(raw)):
        return _IDENTITY
    return raw.a, raw.b, raw.c, raw.d, raw.e, raw.f


def _times(first: _Matrix, then: _Matrix) -> _Matrix:
    a, b, c, d, e, f = first
    g, h, i, j, k, m = then
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def _apply(matrix: _Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def bounds(pdfium: Any, item: Any, matrix: _Matrix, frame: Frame) -> Box | None:
    """Box of an object in points from the upright page's top left; None if it has none."""
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    references = (ctypes.byref(value) for value in (left, bottom, right, top))
    if not pdfium.FPDFPageObj_GetBounds(item, *references):
        return None
    x0, y0 = _apply(matrix, left.value, bottom.value)
    x1, y1 = _apply(matrix, right.value, top.value)
    return frame.rectangle(x0, y0, x1, y1)


def _bitmap_hash(pdfium: Any, item: Any) -> str:
    """sha256 of a bitmap as it lies in the file, compressed: to compare, it need not be decoded. "" if it has no bytes."""
    length = pdfium.FPDFImageObj_GetImageDataRaw(item, None, 0)
    if not 0 < length <= _LARGEST:
        return ""
    buffer = (ctypes.c_ubyte * length)()
    pdfium.FPDFImageObj_GetImageDataRaw(item, buffer, length)
    return hashlib.sha256(buffer).hexdigest()


_Shade = tuple[tuple[int, int, int], Box]  # colour, place


def _stacked(shades: list[_Shade]) -> Iterator[Box]:
    """Shaded boxes; those of one colour that stand on one another, equally wide, are one: the shades behind lines of text."""

    def key(shade: _Shade) -> tuple[tuple[int, int, int], int, int, float]:
        return shade[0], round(shade[1][0]), round(shade[1][2]), shade[1][1]

    last: _Shade | None = None
    for shade in sorted(shades, key=key):
        (colour, box), before = shade, last
        if before and _goes_on(before, shade):
            last = (colour, (before[1][0], before[1][1], before[1][2], max(before[1][3], box[3])))
            continue
        if before:
            yield before[1]
        last = shade
    if last:
        yield last[1]


def _goes_on(one: _Shade, two: _Shade) -> bool:
    (colour, above), (other, below) = one, two
    wide = abs(above[0] - below[0]) <= 1 and abs(above[2] - below[2]) <= 1
    return colour == other and wide and below[1] <= above[3] + 1


def fill_colour(pdfium: Any, item: Any) -> tuple[int, int, int] | None:
    """Red, green and blue (0 to 255) that fill an object; None if it has no such colour."""
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    references = (ctypes.byref(value) for value in (red, green, blue, alpha))
    if not pdfium.FPDFPageObj_GetFillColor(item, *references):
        return None
    return red.value, green.value, blue.value


def _rules(pdfium: Any, item: Any, matrix: _Matrix, frame: Frame, shades: list[_Shade]) -> Iterator[Box]:
    """Straight lines of a path: its thin bounds, or the edges of a stroked path that has only straight edges.

    Boxes without an outline are added to `shades`.
    """
    box = bounds(pdfium, item, matrix, frame)
    if box is None:
        return
    if min(box[2] - box[0], box[3] - box[1]) <= _HAIRLINE:
        yield _thin(box)
        return
    segments = pdfium.FPDFPath_CountSegments(item)
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(item, ctypes.byref(fill), ctypes.byref(stroke))
    if not stroke.value or segments > 400:
        if fill.value and segments <= 6:  # a shaded cell: its edges bound cells as lines do
            shades.append((fill_colour(pdfium, item) or _NO_COLOUR, box))
        return
    whole = _times(_matrix(pdfium, item), matrix)
    last = start = (0.0, 0.0)
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(segments):
        segment = pdfium.FPDFPath_GetPathSegment(item, index)
        pdfium.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
        point = frame.point(*_apply(whole, x.value, y.value))
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            start = point
        elif kind == pdfium.FPDF_SEGMENT_LINETO:
            yield from _straight(last, point)
        if pdfium.FPDFPathSegment_GetClose(segment):
            yield from _straight(point, start)
        last = point


def _edges(box: Box) -> Iterator[Box]:
    x0, y0, x1, y1 = box
    yield from ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1))


def _straight(one: tuple[float, float], two: tuple[float, float]) -> Iterator[Box]:
    box = min(one[0], two[0]), min(one[1], two[1]), max(one[0], two[0]), max(one[1], two[1])
    width, height = box[2] - box[0], box[3] - box[1]
    if min(width, height) <= 1.0 and max(width, height) > 3.0:
        yield _thin(box)


def _thin(box: Box) -> Box:
    x0, y0, x1, y1 = box
    if x1 - x0 >= y1 - y0:
        return x0, (y0 + y1) / 2, x1, (y0 + y1) / 2
    return (x0 + x1) / 2, y0, (x0 + x1) / 2, y1
