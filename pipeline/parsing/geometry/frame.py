"""From a file's coordinates to those of the page as it is displayed."""

import math
from dataclasses import dataclass, field

Box = tuple[float, float, float, float]


@dataclass
class Frame:
    """Turns the file's coordinates (origin bottom left, y upward) into those of the displayed page."""

    box: Box
    rotation: int
    turn: int = field(init=False)

    def __post_init__(self) -> None:
        self.turn = self.rotation // 90 % 4

    def point(self, x: float, y: float) -> tuple[float, float]:
        left, bottom, right, top = self.box
        if self.turn == 0:
            return x - left, top - y
        if self.turn == 1:
            return y - bottom, x - left
        if self.turn == 2:
            return right - x, y - bottom
        return top - y, right - x

    def rectangle(self, x0: float, y0: float, x1: float, y1: float) -> Box:
        if self.turn == 0 and x0 <= x1 and y0 <= y1:  # nearly every letter of nearly every page
            left, _, _, top = self.box
            return x0 - left, top - y1, x1 - left, top - y0
        ax, ay = self.point(x0, y0)
        bx, by = self.point(x1, y1)
        return min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)

    def quarter(self, a: float, b: float) -> int:
        """Quarter turns clockwise of a writing direction (a, b) as displayed."""
        dx, dy = ((a, -b), (b, a), (-a, b), (-b, -a))[self.turn]
        return round(math.atan2(dy, dx) / (math.pi / 2)) % 4
