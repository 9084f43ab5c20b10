"""Windows of a fixed number of tokens, blind to sentences and paragraphs: what everything else is compared with."""

from itertools import accumulate

from pipeline.chunking.packing import fill
from pipeline.chunking.pieces import Piece, whole_piece
from pipeline.chunking.sections import Part
from pipeline.chunking.units import Sizes, end_of, word_costs


def cut_fixed(text: str, part: Part, sizes: Sizes) -> list[Piece]:
    """As many whole words as the room takes; the next window repeats at most `sizes.overlap` tokens of the last."""
    if sizes.fits(text, part.items):
        return [whole_piece(part)]
    words, costs = word_costs(text, part.items, sizes)
    starts = [*accumulate(map(len, words), initial=part.items[0].start)]
    return [
        Piece(starts[first], end_of(text, starts[last - 1], starts[last]))
        for first, last in fill(costs, sizes.room, sizes.overlap)
    ]
