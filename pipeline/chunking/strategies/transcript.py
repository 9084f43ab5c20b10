"""The strategy for dialogues: whole speaker turns together; a turn over the ceiling is cut and keeps its speaker."""

import re
from bisect import bisect_right
from typing import Final

from pipeline.chunking.packing import pack
from pipeline.chunking.pieces import Piece, pieces
from pipeline.chunking.sections import Part
from pipeline.chunking.units import Sizes, whole_units

_SPEAKER: Final = re.compile(r"[^\n:]{1,80}:(?=\s)")


def cut_turns(text: str, part: Part, sizes: Sizes) -> list[Piece]:
    """Pieces of a run of turns. A piece that begins inside a turn repeats the name of the speaker."""
    speakers = [
        match.group() + " " if (match := _SPEAKER.match(text, item.start, item.end)) else ""
        for item in part.items
    ]
    sizes.ledger.read(text[item.start : item.next] for item in part.items)
    longest = max(
        (
            sizes.ledger.cost(speaker)
            for item, speaker in zip(part.items, speakers, strict=True)
            if sizes.ledger.cost(text[item.start : item.next]) > sizes.room
        ),
        default=0,
    )
    if longest > sizes.room // 4:
        speakers, longest = [""] * len(speakers), 0
    narrower = sizes.with_room(sizes.room - longest)
    starts = [item.start for item in part.items]
    found = pieces(pack(whole_units(text, part.items, narrower), narrower.room, narrower.floor))
    owners = [bisect_right(starts, piece.start) - 1 for piece in found]
    return [
        Piece(piece.start, piece.end, "" if piece.start == starts[owner] else speakers[owner])
        for piece, owner in zip(found, owners, strict=True)
    ]
