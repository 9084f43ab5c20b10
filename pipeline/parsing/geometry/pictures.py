"""The bitmaps of a PDF page: which are figures, and why the others are not."""

import hashlib
from collections.abc import Iterable, Sequence

from pipeline.parsing.figures import BACKGROUND, IN_TABLE, REPEATED, SCANNED, SMALL, Picture, is_small
from pipeline.parsing.geometry.ink import Box, Ink
from pipeline.parsing.geometry.layout import Item

_WHOLE = 0.85  # of the page
_SEAM = 3.0  # points; strips overlap a little, or leave a hairline
_BEHIND = 20  # words; a bitmap under more of them is a background


def bitmaps(ink: Ink, tables: Iterable[Item], repeated: frozenset[str]) -> list[Picture]:
    """The bitmaps of a page, each with the reason why it is no figure; figures have the decision "".

    Args:
        ink: of the page.
        tables: found on it.
        repeated: hashes of bitmaps that stand often in the document.
    """
    tables = list(tables)
    return [Picture(_reason(box, name, ink, tables, repeated), name, box) for box, name in _placed(ink)]


def scan_of(ink: Ink) -> list[Picture]:
    """The bitmaps of a page that is read by OCR. Without places: the page may be turned when it is read."""
    return [
        Picture(SMALL if is_small((x1 - x0, y1 - y0)) else SCANNED, name)
        for (x0, y0, x1, y1), name in _placed(ink)
    ]


def share_of(box: Box, ink: Ink) -> float:
    """Share of the page that a box covers."""
    width = min(box[2], ink.width) - max(box[0], 0.0)
    height = min(box[3], ink.height) - max(box[1], 0.0)
    return max(width, 0.0) * max(height, 0.0) / max(ink.width * ink.height, 1.0)


def _placed(ink: Ink) -> list[tuple[Box, str]]:
    """Boxes within the page, and hashes. A picture that was cut into strips, as programs do when they print, is one again."""
    found: list[tuple[Box, str]] = []
    order = sorted(range(len(ink.pictures)), key=lambda number: _strip_key(ink.pictures[number]))
    for number in order:
        x0, y0, x1, y1 = ink.pictures[number]
        box = max(x0, 0.0), max(y0, 0.0), min(x1, ink.width), min(y1, ink.height)
        if box[0] >= box[2] or box[1] >= box[3]:  # what lies beside the page is not seen
            continue
        name = ink.hashes[number] if ink.hashes else ""
        if found and _goes_on(found[-1][0], box):
            (left, top, right, _), before = found.pop()
            box = left, top, right, box[3]
            name = hashlib.sha256(f"{before}{name}".encode()).hexdigest() if before and name else ""
        found.append((box, name))
    return found


def _strip_key(box: Box) -> tuple[int, int, float]:
    return round(box[0]), round(box[2]), box[1]


def _goes_on(upper: Box, lower: Box) -> bool:
    """Whether a bitmap lies right under another one of the same width."""
    wide = abs(upper[0] - lower[0]) <= 1.0 and abs(upper[2] - lower[2]) <= 1.0
    return wide and abs(lower[1] - upper[3]) <= _SEAM and upper[1] < lower[1]


def _reason(box: Box, name: str, ink: Ink, tables: Sequence[Item], repeated: frozenset[str]) -> str:
    x0, y0, x1, y1 = box
    if is_small((x1 - x0, y1 - y0)):
        return SMALL
    if name in repeated:
        return REPEATED
    if share_of(box, ink) > _WHOLE:
        return BACKGROUND
    if any(item.x0 <= x0 and item.x1 >= x1 and item.y0 <= y0 and item.y1 >= y1 for item in tables):
        return IN_TABLE
    inside = sum(x0 < word.x0 and word.x1 < x1 and y0 < word.y0 and word.y1 < y1 for word in ink.words)
    return BACKGROUND if inside > _BEHIND else ""
