"""Which strategy cuts what, by name: one table by kind of text, one of exceptions by document class."""

from collections.abc import Callable, Mapping
from typing import Final

from pipeline.chunking.sections import Part
from pipeline.chunking.structure import Piece, cut_prose
from pipeline.chunking.table import cut_table
from pipeline.chunking.transcript import cut_turns
from pipeline.chunking.units import Sizes

# From a section's text and one of its parts to pieces, in order, that cover the part.
Strategy = Callable[[str, Part, Sizes], list[Piece]]

STRATEGIES: Final[Mapping[str, Strategy]] = {
    "structure": cut_prose,
    "table": cut_table,
    "transcript": cut_turns,
}
_BY_KIND: Final[Mapping[str, str]] = {
    "prose": "structure",
    "figure": "structure",
    "table": "table",
    "transcript": "transcript",
}
# (document class, kind of text) where the class wants another strategy than the kind's own.
_BY_CLASS: Final[Mapping[tuple[str, str], str]] = {}


def strategies_of(document_class: str) -> str:
    """The strategies of a class by kind of text, in one string: what of its class decides how a document is cut."""
    return ",".join(f"{kind}:{strategy_for(document_class, kind)}" for kind in _BY_KIND)


def strategy_for(document_class: str, kind: str) -> str:
    """Name of the strategy for a kind of text ("prose", "table", "figure", "transcript") in a class of documents."""
    return _BY_CLASS.get((document_class, kind), _BY_KIND[kind])
