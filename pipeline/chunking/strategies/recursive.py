"""Paragraphs, else their sentences, else words: each level only where the one above does not fit."""

from pipeline.chunking.packing import fill
from pipeline.chunking.pieces import Piece, whole_piece
from pipeline.chunking.sections import Item, Part
from pipeline.chunking.units import Sizes, Unit, whole_units


def cut_recursive(text: str, part: Part, sizes: Sizes) -> list[Piece]:
    """Whole paragraphs together up to the room; a paragraph over the room is cut by itself and shares no piece."""
    if sizes.fits(text, part.items):
        return [whole_piece(part)]
    costs = sizes.ledger.costs([text[item.start : item.next] for item in part.items])
    result: list[Piece] = []
    run: list[Item] = []

    def close(items: list[Item]) -> None:
        units: list[Unit] = whole_units(text, items, sizes)
        groups = fill([unit.cost for unit in units], sizes.room, sizes.overlap)
        result.extend(Piece(units[first].start, units[last - 1].end) for first, last in groups)

    for item, cost in zip(part.items, costs, strict=True):
        if cost <= sizes.room:
            run.append(item)
            continue
        close(run)
        close([item])
        run = []
    close(run)
    return result
