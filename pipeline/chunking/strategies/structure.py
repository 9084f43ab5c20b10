"""The strategy for prose: cut where the author cut, at paragraphs, and at sentences only when a paragraph is too long."""

from pipeline.chunking.packing import pack, tokens
from pipeline.chunking.pieces import Piece, pieces, whole_piece
from pipeline.chunking.sections import Part
from pipeline.chunking.units import Sizes, sentence_units, whole_units


def cut_structure(text: str, part: Part, sizes: Sizes) -> list[Piece]:
    """Pieces of a run of paragraphs and list items.

    A run that fits is one piece. Otherwise paragraphs are put together up to the room; when that leaves a piece under the
    floor, a neighbouring paragraph may be cut at a sentence to fill it.
    """
    if sizes.fits(text, part.items):
        return [whole_piece(part)]
    units = whole_units(text, part.items, sizes)
    groups = pack(units, sizes.room, sizes.floor)
    if len(groups) > 1 and any(tokens(group) < sizes.floor for group in groups):
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
