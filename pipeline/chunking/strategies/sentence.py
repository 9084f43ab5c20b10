"""Whole sentences up to a target size, whatever paragraph they stand in."""

from pipeline.chunking.packing import fill
from pipeline.chunking.pieces import Piece, whole_piece
from pipeline.chunking.sections import Part
from pipeline.chunking.units import Sizes, sentence_units


def cut_sentences(text: str, part: Part, sizes: Sizes) -> list[Piece]:
    """As many whole sentences as the room takes; the next piece repeats those within `sizes.overlap` tokens of its begin."""
    if sizes.fits(text, part.items):
        return [whole_piece(part)]
    units = [unit for item in part.items for unit in sentence_units(text, item, sizes)]
    groups = fill([unit.cost for unit in units], sizes.room, sizes.overlap)
    return [Piece(units[first].start, units[last - 1].end) for first, last in groups]
