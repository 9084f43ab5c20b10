"""Lines of print that can be seen on the picture of a page without reading it: what an engine left unread, and whether a sheet is blank.

Letters are connected spots of ink of like size that stand side by side (the first steps of "docstrum", O'Gorman 1993).
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pipeline.parsing.restoration import noise_of

Pixels = NDArray[np.uint8]
Boxes = NDArray[np.float32]

_LONGEST: Final = 1600  # pixels of the longer side: letters of 6 points are still six pixels high
_SMALLEST: Final = 5  # pixels of the height of a letter
_LARGEST: Final = 90
_FAINTEST: Final = 6  # of 255 parts of the paper's light that ink takes away
_DARKEST: Final = np.uint8(48)  # grey level of paper; below, what is there is no contrast but noise
_LETTERS: Final = 5  # so many stand side by side in a line


def letters_in_lines(pixels: Pixels) -> Boxes:
    """Letters that stand in lines.

    Args:
        pixels: shape (height, width, 3) or (height, width), dark print on light paper, upright.

    Returns:
        Boxes of the letters (left, top, right, bottom in pixels of the picture), shape (n, 4).
    """
    import cv2

    grey: Any = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY) if pixels.ndim == 3 else pixels
    scale = min(2.0, _LONGEST / max(grey.shape))
    if scale < 1.0:
        grey = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    elif scale > 1.2:
        grey = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    else:
        scale = 1.0
    boxes = _spots(_ink(grey))
    if len(boxes) < _LETTERS:
        return np.zeros((0, 4), np.float32)
    usual = float(np.median(boxes[:, 3] - boxes[:, 1]))
    tall = boxes[:, 3] - boxes[:, 1]
    boxes = boxes[(tall > 0.4 * usual) & (tall < 3 * usual)]
    return (boxes[_stand_in_lines(boxes, grey.shape[:2], usual)] / scale).astype(np.float32)


def uncovered(letters: Boxes, lines: Boxes) -> float:
    """Share, 0 to 1, of the letters whose middle lies in none of the lines; 0 without letters.

    Args:
        letters: shape (n, 4), left, top, right, bottom.
        lines: shape (m, 4), of what was read.
    """
    if len(letters) == 0:
        return 0.0
    if len(lines) == 0:
        return 1.0
    x, y = (letters[:, 0] + letters[:, 2]) / 2, (letters[:, 1] + letters[:, 3]) / 2
    margin = 0.25 * (lines[:, 3] - lines[:, 1])
    inside = (
        (x[:, None] >= lines[:, 0] - margin)
        & (x[:, None] <= lines[:, 2] + margin)
        & (y[:, None] >= lines[:, 1] - margin)
        & (y[:, None] <= lines[:, 3] + margin)
    )
    return float(1.0 - inside.any(axis=1).mean())


def _ink(grey: Pixels) -> Pixels:
    """255 where there is ink: clearly darker than the paper around it, whatever the light."""
    import cv2

    # The more noise, the softer: what is left of it must be fainter than the faintest ink.
    soft = cv2.GaussianBlur(grey, (0, 0), 0.8 + 0.12 * min(noise_of(grey), 10.0))
    paper = cv2.morphologyEx(soft, cv2.MORPH_CLOSE, np.ones((31, 31), np.uint8))
    # By the paper's own light: ink in a stain or a shadow is as black to a reader as any other.
    depth = 255 - cv2.divide(soft, np.maximum(paper, _DARKEST), scale=255)
    otsu, _ = cv2.threshold(depth, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    # Of noise alone half would be above Otsu's limit; of print hardly more than this share is.
    limit = max(otsu, float(depth.mean() + 1.5 * depth.std()), _FAINTEST)
    return cv2.threshold(depth, min(limit, 250), 255, cv2.THRESH_BINARY)[1].astype(np.uint8)


def _spots(ink: Pixels) -> Boxes:
    """Boxes of the spots that may be letters, or letters that touch."""
    import cv2

    _, _, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    left, top, wide, tall, area = (stats[1:, n].astype(np.float32) for n in range(5))
    fits = (tall >= _SMALLEST) & (tall <= _LARGEST) & (wide <= 15 * tall) & (area >= 0.12 * wide * tall)
    fits &= (area >= 8) & (wide >= 2)
    return np.stack([left, top, left + wide, top + tall], axis=1)[fits]


def _stand_in_lines(boxes: Boxes, shape: Any, usual: float) -> NDArray[np.bool_]:
    """For each spot whether it stands in a line with others."""
    import cv2

    mask = np.zeros(shape, np.uint8)
    for x0, y0, x1, y1 in boxes.astype(int):
        middle, half = (y0 + y1) // 2, max(1, (y1 - y0) // 4)
        mask[middle - half : middle + half + 1, x0:x1] = 255  # cores alone: lines that touch stay apart
    reach = max(3, round(1.6 * usual))
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((1, reach), np.uint8))
    found = cv2.connectedComponentsWithStats(mask, connectivity=8)
    labels, stats = np.asarray(found[1], np.int32), np.asarray(found[2], np.int32)
    middle_x = ((boxes[:, 0] + boxes[:, 2]) / 2).astype(int)
    middle_y = ((boxes[:, 1] + boxes[:, 3]) / 2).astype(int)
    label = labels[middle_y, middle_x]
    letters = np.bincount(label, minlength=len(stats))
    wide, tall = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]
    # Touching letters are few spots in a long run.
    good = (letters >= _LETTERS) | ((letters >= 2) & (wide >= 8 * usual))
    good &= (wide >= 3 * usual) & (tall <= 3 * usual)
    good[0] = False
    return np.asarray(good[label], np.bool_)
