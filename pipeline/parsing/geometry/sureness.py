"""How sure geometry can be of a page: where words label a drawing, or columns are doubtful, a look at the page's image helps."""

from collections.abc import Sequence
from typing import Final

from pipeline.parsing.captions import names_figure
from pipeline.parsing.geometry.ink import Box, Ink
from pipeline.parsing.grids import is_numeric
from pipeline.parsing.tree import Block

SURE: Final = 0.7
"""From here on geometry is trusted alone."""

_LABEL: Final = 4  # words
_DRAWN: Final = 8  # loose lines
_FEW: Final = 3


def sureness(ink: Ink, blocks: Sequence[Block]) -> tuple[float, str]:
    """How sure the blocks of a page are, 0 to 1, and what speaks against them in a word; empty if nothing does.

    Short paragraphs on a page with loose lines or pictures look like the labels of a drawing, which geometry strews over the
    text; so does the caption of a figure that is no picture. A table without lines, header and numbers may be no table.
    """
    tables = [block for block in blocks if block.kind == "table"]
    labels = sum(
        block.kind in ("paragraph", "heading") and len(block.text.split()) <= _LABEL for block in blocks
    )
    score, reason = 1.0, ""
    if labels >= _FEW and (_loose(ink, tables) >= _DRAWN or any(_is_large(box, ink) for box in ink.pictures)):
        score, reason = 1.0 - min(0.08 * labels, 0.8), "labels"
    captions = sum(names_figure(block.text) for block in blocks if block.kind == "caption")
    if captions > sum(block.kind == "figure" for block in blocks) and _loose(ink, tables) >= _DRAWN:
        score, reason = min(score, 0.5), reason or "drawing"
    if any(_is_doubtful(block) and _is_large(block.bbox, ink) for block in tables):
        score, reason = score - 0.4, reason or "doubtful table"
    return round(max(score, 0.0), 2), reason


def _loose(ink: Ink, tables: Sequence[Block]) -> int:
    """Lines outside tables that are neither from side to side nor an underline."""
    return sum(
        0.03 * ink.height < max(x1 - x0, y1 - y0) < 0.6 * ink.width
        and not any(table.bbox and _within((x0, y0, x1, y1), table.bbox) for table in tables)
        for x0, y0, x1, y1 in ink.rules
    )


def _within(inner: Box, outer: Box | tuple[()]) -> bool:
    if not outer:
        return False
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return outer[0] - 3 <= x <= outer[2] + 3 and outer[1] - 3 <= y <= outer[3] + 3


def _is_large(box: Box | tuple[()], ink: Ink) -> bool:
    if not box:
        return False
    share = (box[2] - box[0]) * (box[3] - box[1]) / max(ink.width * ink.height, 1.0)
    return 0.03 < share < 0.8


def _is_doubtful(table: Block) -> bool:
    """A table under no evident header that is mostly empty, or has no lines and next to no numbers."""
    if table.headed:
        return False
    cells = [cell for row in table.rows for cell in row]
    filled = [cell for cell in cells if cell]
    empty = len(filled) < 0.5 * len(cells)
    return empty or (not table.ruled and sum(map(is_numeric, filled)) < 0.3 * len(filled))
