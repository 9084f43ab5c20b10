"""Ruling lines on the image of a page, for the tables of scans."""

from typing import TYPE_CHECKING, Any, Final

from pipeline.parsing.geometry.frame import Box

if TYPE_CHECKING:
    from PIL.Image import Image

_SHORTEST: Final = 0.03  # of the page's longer side: longer than any stroke of a letter
_THICKEST: Final = 0.004  # of it: thicker is a bar or a picture
_SLANT: Final = 0.02  # of a line's length that it may rise or fall
_GAP: Final = 0.002  # of the longer side: breaks of a printed line
_AROUND: Final = 0.025  # of the longer side: more than three lines are thick
_DARKER: Final = 20  # of 255
_FULL: Final = 0.3  # of the page; more ink is no text and no table
_MOST: Final = 2000  # more lines are a drawing or a screen of dots


def lines_of(image: "Image", points_per_pixel: float) -> tuple[Box, ...]:
    """Straight lines, nearly horizontal or vertical, as boxes without extent in one direction.

    Dark pixels are opened with a long thin bar, which leaves what such a bar fits into (mathematical morphology, Serra 1982).

    Args:
        image: the page, upright.
        points_per_pixel: size of a pixel.

    Returns:
        Boxes in points from the top left; none if there are too many to be a table's.
    """
    import cv2
    import numpy as np

    grey = np.asarray(image.convert("L"))
    side = max(grey.shape)
    # Darker than what is around: a line on a shade is found as well as one on white.
    around = int(_AROUND * side) | 1
    ink = cv2.adaptiveThreshold(grey, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, around, _DARKER)
    if cv2.countNonZero(ink) > _FULL * ink.size:
        return ()
    found: list[Box] = []
    for across in (True, False):
        lines = _opened(
            ink, across=across, length=max(int(_SHORTEST * side), 20), gap=max(int(_GAP * side), 2)
        )
        for x, y, width, height, area in lines:
            long, thick = (width, height) if across else (height, width)
            if area > _THICKEST * side * long or thick > _THICKEST * side + _SLANT * long:
                continue
            middle = y + height / 2 if across else x + width / 2
            box = (x, middle, x + width, middle) if across else (middle, y, middle, y + height)
            found.append(tuple(round(float(value) * points_per_pixel, 2) for value in box))  # pyright: ignore[reportArgumentType]
    return tuple(found) if len(found) <= _MOST else ()


def _opened(ink: Any, *, across: bool, length: int, gap: int) -> Any:
    """Left, top, width, height and area of each run of dark pixels at least so long, small breaks closed."""
    import cv2
    import numpy as np

    def bar(size: int) -> Any:
        return np.ones((1, size) if across else (size, 1), np.uint8)

    closed = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, bar(gap))
    runs = cv2.morphologyEx(closed, cv2.MORPH_OPEN, bar(length))
    _, _, boxes, _ = cv2.connectedComponentsWithStats(runs, connectivity=8)
    return boxes[1:]
