"""Pieces: chunks in the making, as spans of a section's text."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.chunking.sections import Part
from pipeline.chunking.units import Unit


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk in the making.

    Attributes:
        start: offset into the section's text.
        end: end of its text there.
        lead: text repeated in front (a table's header, a speaker's name): no part of the span. The chunk's text is the
            lead and the span, nothing between.
    """

    start: int
    end: int
    lead: str = ""


def pieces(groups: Sequence[Sequence[Unit]]) -> list[Piece]:
    """One piece for each group of units."""
    return [Piece(group[0].start, group[-1].end) for group in groups]


def whole_piece(part: Part) -> Piece:
    """All of a part in one."""
    return Piece(part.items[0].start, part.items[-1].end)
