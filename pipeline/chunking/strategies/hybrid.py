"""Section markers first, sentences inside: every numbered clause or paragraph begins a piece of its own."""

from collections.abc import Iterator, Sequence
from typing import Final

import regex

from pipeline.chunking.articles import article_of_paragraph, clause_of_paragraph
from pipeline.chunking.packing import pack
from pipeline.chunking.pieces import Piece, pieces
from pipeline.chunking.sections import Item, Part
from pipeline.chunking.units import Sizes, sentence_units

# "(1)", "(2a)", "1.", "a)", a Roman number: what an author numbers, he means to be found by itself.
_MARKER: Final = regex.compile(r"\s*(?:\(\d{1,3}\p{L}?\)|\d{1,3}[.)]|\p{L}\)|[IVXL]{1,5}\.)\s")


def cut_hybrid(text: str, part: Part, sizes: Sizes) -> list[Piece]:
    """Pieces that begin at markers; a marked stretch over the room is cut at sentences into even parts."""
    result: list[Piece] = []
    for items in _marked(text, part.items):
        if sizes.fits(text, items):
            result.append(Piece(items[0].start, items[-1].end))
            continue
        units = [unit for item in items for unit in sentence_units(text, item, sizes)]
        result.extend(pieces(pack(units, sizes.room, sizes.floor)))
    return result


def _marked(text: str, items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    begun = 0
    for number in range(1, len(items)):
        line = text[items[number].start : items[number].end]
        numbered = items[number].kind == "paragraph" and _MARKER.match(line)
        if numbered or clause_of_paragraph(line) or article_of_paragraph(line):
            yield items[begun:number]
            begun = number
    yield items[begun:]
