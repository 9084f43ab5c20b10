"""The strategy for prose: cut where the author cut, at paragraphs, and at sentences only when a paragraph is too long."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.chunking.packing import pack
from pipeline.chunking.sections import Part
from pipeline.chunking.units import Sizes, Unit, sentence_units, whole_units


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


def cut_prose(text: str, part: Part, sizes: Sizes) -> list[Piece]:
    """Pieces of a run of paragraphs and list items.

    A run that fits is one piece. Otherwise paragraphs are put together up to the room; when that leaves a piece under the
    floor, a neighbouring paragraph may be cut at a sentence to fill it.
    """
    units = whole_units(text, part.items, sizes)
    groups = pack(units, sizes.room, sizes.floor)
    if len(groups) > 1 and any(_tokens(group) < sizes.floor for group in groups):
        finer = [
            unit
            for item in part.items
            for unit in (
                sentence_units(text, item, sizes)
                if item.kind == "paragraph"
                else whole_units(text, [item], sizes)
            )
        ]
        groups = pack(finer, sizes.room, sizes.floor)
    return pieces(groups)


def pieces(groups: Sequence[Sequence[Unit]]) -> list[Piece]:
    """One piece for each group of units."""
    return [Piece(group[0].start, group[-1].end) for group in groups]


def _tokens(group: Sequence[Unit]) -> int:
    return sum(unit.cost for unit in group)
