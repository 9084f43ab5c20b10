"""Which strategy cuts what: by kind of text, and of prose by the class of its document."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Final

from pipeline.chunking.pieces import Piece
from pipeline.chunking.sections import Part
from pipeline.chunking.strategies.fixed import cut_fixed
from pipeline.chunking.strategies.hybrid import cut_hybrid
from pipeline.chunking.strategies.recursive import cut_recursive
from pipeline.chunking.strategies.semantic import cut_semantic
from pipeline.chunking.strategies.sentence import cut_sentences
from pipeline.chunking.strategies.structure import cut_structure
from pipeline.chunking.strategies.table import cut_table
from pipeline.chunking.strategies.transcript import cut_turns
from pipeline.chunking.units import Sizes
from pipeline.config import STRATEGY_GROUP, ChunkingConfig, ConfigError, UserError

# From a section's text and one of its parts to pieces, in order, that cover the part.
Strategy = Callable[[str, Part, Sizes], list[Piece]]

STRATEGIES: Final[Mapping[str, Strategy]] = {
    "fixed": cut_fixed,
    "recursive": cut_recursive,
    "sentence": cut_sentences,
    "structure": cut_structure,
    "hybrid": cut_hybrid,
    "semantic": cut_semantic,
    "table": cut_table,
    "transcript": cut_turns,
}


class StrategyError(UserError):
    """A strategy that a package brings failed. The message names it, the document, and what went wrong."""

    exit_code = 1


_BY_KIND: Final[Mapping[str, str]] = {"table": "table", "transcript": "transcript"}


def strategy_for(kind: str, config: ChunkingConfig) -> str:
    """Name of the strategy for a kind of text ("prose", "table", "figure", "transcript").

    Args:
        kind: of the part.
        config: what holds for the document's class.
    """
    return _BY_KIND.get(kind, config.strategy)


def strategy_version(name: str) -> str:
    """Package and version of a strategy that somebody else wrote: its next version may cut differently; "" for ours."""
    found = entry_points(group=STRATEGY_GROUP)
    if name in STRATEGIES or name not in found.names:
        return ""
    package = found[name].dist
    return f"{package.name} {package.version}" if package else found[name].value


@cache
def strategy(name: str) -> Strategy:
    """The strategy called `name`: one of ours, or one that a package registers in the group `kesit.chunking`.

    Raises:
        ConfigError: there is none, or the package cannot be imported.
    """
    if name in STRATEGIES:
        return STRATEGIES[name]
    found = entry_points(group=STRATEGY_GROUP)
    if name not in found.names:
        known = ", ".join([*STRATEGIES, *sorted(found.names)])
        raise ConfigError(f"chunking.strategy = {name!r}: unknown strategy; allowed: {known}")
    try:
        return found[name].load()
    except Exception as error:
        raise ConfigError(
            f"chunking.strategy = {name!r}: {found[name].value} cannot be loaded: {error}"
        ) from error


def cut_part(name: str, text: str, part: Part, sizes: Sizes, document: str) -> list[Piece]:
    """Pieces of a part by the strategy called `name`.

    Args:
        name: of the strategy.
        text: of the section.
        part: of the section.
        sizes: the band.
        document: what errors call the document.

    Raises:
        ConfigError: there is no such strategy.
        StrategyError: somebody else's raised an error, or gave what are no pieces of this part.
    """
    cut = strategy(name)
    if name in STRATEGIES:
        return cut(text, part, sizes)
    try:
        found: list[object] = list(cut(text, part, sizes))
    except UserError:
        raise
    except Exception as error:
        raise StrategyError(
            f"chunking.strategy {name!r}: {document}: {type(error).__name__}: {error}"
        ) from error
    first, last = part.items[0].start, part.items[-1].next
    pieces: list[Piece] = []
    for piece in found:
        if not isinstance(piece, Piece):
            raise StrategyError(
                f"chunking.strategy {name!r}: {document}: returned {piece!r:.60}; it must return a list of Piece"
            )
        if not first <= piece.start < piece.end <= last:
            raise StrategyError(
                f"chunking.strategy {name!r}: {document}: returned a Piece from {piece.start} to {piece.end};"
                f" it must lie within its part, from {first} to {last}"
            )
        pieces.append(piece)
    return pieces
