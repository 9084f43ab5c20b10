"""Windows of a fixed number of tokens, blind to sentences and paragraphs: what everything else is compared with."""

from pipeline.chunking.packing import fill
from pipeline.chunking.pieces import Piece, pieces
from pipeline.chunking.sections import Part
from pipeline.chunking.units import Sizes, word_units


def cut_fixed(text: str, part: Part, sizes: Sizes) -> list[Piece]:
    """As many whole words as the room takes; the next window repeats at most `sizes.overlap` tokens of the last."""
    return pieces(fill(word_units(text, part.items, sizes), sizes.room, sizes.overlap))
