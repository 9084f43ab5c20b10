"""After every strategy: what is over the room is cut, what is under the floor joins its neighbour."""

from collections.abc import Sequence

from pipeline.chunking.packing import pack
from pipeline.chunking.pieces import Piece, pieces
from pipeline.chunking.sections import Item, Part
from pipeline.chunking.units import Sizes, sentence_units


def normalise(text: str, part: Part, cut: Sequence[Piece], sizes: Sizes) -> list[Piece]:
    """Pieces of one part within the band, as far as the part allows.

    A piece over the room is cut at sentences (rows, of a table), each half under the piece's lead. A piece under the floor joins
    the smaller of its neighbours that has the same lead, if both fit the room together. Nothing crosses the border of a part:
    that of a section, an article or a table.

    Args:
        text: of the section.
        part: that was cut.
        cut: its pieces, in order; neighbours may overlap.
        sizes: the band.
    """
    whole = [piece for given in cut for piece in _within(text, part, given, sizes)]
    costs = [_cost(text, piece, sizes) for piece in whole]
    while len(whole) > 1:
        short = [number for number, cost in enumerate(costs) if cost < sizes.floor]
        joins = [
            (cost, left, joined)
            for number in short
            for left in (number - 1, number)
            if 0 <= left < len(whole) - 1
            and (joined := _joined(whole[left], whole[left + 1])) is not None
            and (cost := _cost(text, joined, sizes)) <= sizes.room
        ]
        if not joins:
            break
        cost, left, joined = min(joins, key=lambda join: join[:2])
        whole[left : left + 2], costs[left : left + 2] = [joined], [cost]
    return whole


def _joined(left: Piece, right: Piece) -> Piece | None:
    """Both in one; None when the right one repeats something that the left one does not."""
    return Piece(left.start, right.end, left.lead) if left.lead == right.lead else None


def _cost(text: str, piece: Piece, sizes: Sizes) -> int:
    return sizes.ledger.cost(piece.lead) + sizes.ledger.cost(text[piece.start : piece.end])


def _within(text: str, part: Part, piece: Piece, sizes: Sizes) -> list[Piece]:
    if _cost(text, piece, sizes) <= sizes.room:
        return [piece]
    room = sizes.room - sizes.ledger.cost(piece.lead)
    lead = piece.lead
    if room < sizes.room // 2:
        lead, room = "", sizes.room
    kind = part.items[0].kind if part.kind != "table" else "row"
    narrower = sizes.with_room(room)
    units = sentence_units(text, Item(kind, piece.start, piece.end, piece.end), narrower)
    return [Piece(p.start, p.end, lead) for p in pieces(pack(units, room, sizes.floor))]
