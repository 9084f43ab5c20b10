"""Cut where the subject changes: between neighbouring sentences whose vectors are far from each other."""

from collections.abc import Sequence

import numpy as np

from pipeline.chunking.packing import pack
from pipeline.chunking.pieces import Piece, pieces
from pipeline.chunking.sections import Part
from pipeline.chunking.units import Sizes, Unit, sentence_units


def cut_semantic(text: str, part: Part, sizes: Sizes) -> list[Piece]:
    """Pieces between the borders whose cosine distance is over the percentile of all borders of this part.

    Distances are between sentences each read together with its neighbours on both sides, as single sentences say too
    little (Kamradt, 5 Levels of Text Splitting, 2023). A stretch over the room is cut into even parts.

    Raises:
        ValueError: no encoder was given.
    """
    units = [unit for item in part.items for unit in sentence_units(text, item, sizes)]
    if sum(unit.cost for unit in units) <= sizes.floor:
        return pieces([units])
    distances = _distances(text, units, sizes)
    limit = np.percentile(distances, sizes.percentile) if len(distances) else np.inf
    result: list[Piece] = []
    begun = 0
    for number in [*(np.flatnonzero(distances > limit) + 1).tolist(), len(units)]:
        result.extend(pieces(pack(units[begun:number], sizes.room, sizes.floor)))
        begun = number
    return result


def _distances(
    text: str, units: Sequence[Unit], sizes: Sizes
) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """1 - cosine between each unit and the next, each with what stands beside it."""
    if sizes.embed is None:
        raise ValueError("the strategy 'semantic' needs an encoder, and none was given")
    windows = [_window(text, units, number, sizes) for number in range(len(units))]
    vectors = sizes.embed(windows)
    return 1 - np.einsum("ij,ij->i", vectors[:-1], vectors[1:])


def _window(text: str, units: Sequence[Unit], number: int, sizes: Sizes) -> str:
    """A unit with its neighbours, as far as the encoder reads them together: the one before it, then the one after it."""
    first = last = number
    if first > 0 and _fits(text, units[first - 1], units[last], sizes):
        first -= 1
    if last + 1 < len(units) and _fits(text, units[first], units[last + 1], sizes):
        last += 1
    return text[units[first].start : units[last].end]


def _fits(text: str, first: Unit, last: Unit, sizes: Sizes) -> bool:
    return sizes.ledger.cost(text[first.start : last.end]) <= sizes.room
