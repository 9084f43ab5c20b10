"""The sections of a document as its blocks come: which headings stand above a block, and at which level a heading stands."""

from typing import Final

from pipeline.parsing.headings import numbering

PROMOTED: Final = 50
"""Level of a heading known by its words alone, before it has a place: below every heading that is marked as one."""

_DECIMALS: Final = 10  # ranks above it are decimal numbers


class Outline:
    """The headings above the place that was reached, highest first. One for each document; give it every block in order."""

    def __init__(self) -> None:
        self._stack: list[tuple[tuple[int, int], str, int]] = []
        self._decimals: dict[int, int] = {}  # level of the marked headings whose numbers have so many parts

    def place(self, kind: str, level: int, text: str) -> tuple[int, list[str]]:
        """Level of a block, and the texts of the headings above it.

        A title stands above everything. A decimal number that only its words make a heading goes by the level of the marked
        headings with numbers before it; other such headings stand below the marked ones and each other, by their rank.
        """
        if kind not in ("title", "heading"):
            return level, self._path()
        rank = (0, 0) if kind == "title" else (level, 0)
        found = numbering(text)
        decimal = found.rank if found and found.rank > _DECIMALS else 0
        if level == PROMOTED and decimal and self._decimals:
            level = self._decimal_level(decimal)
            rank = (level, 0)
        elif level == PROMOTED:
            rank = (PROMOTED, found.rank if found else 0)
        elif decimal and kind == "heading":
            self._decimals[decimal] = level
        while self._stack and self._stack[-1][0] >= rank:
            self._stack.pop()
        if level == PROMOTED:
            level = self._stack[-1][2] + 1 if self._stack else 1
        path = self._path()
        self._stack.append((rank, text, level))
        return level, path

    def _path(self) -> list[str]:
        return [text for _, text, _ in self._stack]

    def _decimal_level(self, rank: int) -> int:
        """As deep below the nearest known number as it has more parts."""
        nearest = max(self._decimals, key=lambda other: (other <= rank, -abs(other - rank)))
        return max(self._decimals[nearest] + rank - nearest, 1)
