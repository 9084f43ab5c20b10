"""The lines of one drawn table."""

from dataclasses import dataclass

import numpy as np

from pipeline.parsing.geometry.frame import Box

Lines = list[tuple[float, float, float]]  # position, from, to


@dataclass(frozen=True)
class Grid:
    """Lines of a table: `xs` and `ys` are the borders of its columns and rows, in points."""

    xs: list[float]
    ys: list[float]
    across: Lines
    down: Lines

    @property
    def box(self) -> Box:
        """Left, top, right, bottom."""
        return self.xs[0], self.ys[0], self.xs[-1], self.ys[-1]

    def row_of(self, y: float) -> int:
        """Number of the row at a height; the first or last one beyond the table."""
        return _slot(self.ys, y)

    def column_of(self, x: float) -> int:
        """Number of the column at a place; the first or last one beyond the table."""
        return _slot(self.xs, x)


def _slot(edges: list[float], value: float) -> int:
    return int(np.clip(np.searchsorted(edges, value) - 1, 0, len(edges) - 2))
