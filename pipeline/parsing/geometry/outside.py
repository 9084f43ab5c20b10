"""Labels of rows that stand to the left of a drawn table, outside its lines."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pipeline.parsing.geometry.grid import Grid
from pipeline.parsing.geometry.ink import Word
from pipeline.parsing.geometry.layout import pieces, rows_of

_REACH: Final = 160.0  # points from the table's edge
_NEAR: Final = 30.0  # points between the longest label and the edge
_WORDS: Final = 5  # of a label
_SHARE: Final = 0.6  # of the rows must have a label


def with_labels(grid: Grid, words: Sequence[Word]) -> Grid:
    """The grid with one more column at its left, if most of its rows have one short line there and nothing else is.

    Args:
        grid: lines of a table.
        words: of the page that stand in no table.
    """
    left, top, _, bottom = grid.box
    beside = [
        word
        for word in words
        if left - _REACH < word.x0 and word.x1 <= left + 2 and top < (word.y0 + word.y1) / 2 < bottom
    ]
    if not beside or max(word.x1 for word in beside) < left - _NEAR:
        return grid
    further = any(
        word.x0 <= left - _REACH < word.x1 + _NEAR and top < word.y1 and word.y0 < bottom for word in words
    )
    lines = rows_of(pieces(beside))
    rows = [grid.row_of(line[0].middle) for line in lines]
    single = len(set(rows)) == len(rows) and all(len(line) == 1 for line in lines)
    short = all(len(line[0].words) <= _WORDS for line in lines)
    if further or not (single and short) or len(rows) < max(3, _SHARE * (len(grid.ys) - 1)):
        return grid
    edge = min(word.x0 for word in beside) - 2
    return replace(
        grid,
        xs=[edge, *grid.xs],
        across=[*grid.across, *((y, edge, left) for y in grid.ys)],
        down=[*grid.down, (left, top, bottom)],
    )
