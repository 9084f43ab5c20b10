"""Units: the smallest stretches of text that a strategy puts together. Paragraphs, else sentences, words, characters."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import regex
from numpy.typing import NDArray

from pipeline.chunking.counter import Ledger
from pipeline.chunking.sections import Item
from pipeline.language.sentences import sentence_spans

# How much a cut after a unit hurts, against 1.0 for one chunk more than needed.
AT_PARAGRAPH: Final = 0.0
AT_LIST_ITEM: Final = 0.05
AFTER_LEAD_IN: Final = (
    0.7  # a paragraph that ends with a colon, or in the middle of a sentence, belongs to what follows
)
AT_SENTENCE: Final = 0.4
AT_WORD: Final = 2.0
IN_WORD: Final = 4.0

_WORD: Final = re.compile(r"\s*\S+\s*")
_UNFINISHED: Final = regex.compile(r"[^\W\d_],?$|[:,]$")
_LINE: Final = regex.compile(r"[^\n]*\n*")
_GRAPHEME: Final = regex.compile(r"\X")
# Words and characters come in portions of this share of the room, so that a long sentence stays a short list of units.
_PORTION: Final = 8


Embed = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of a section's text that is not cut further.

    Attributes:
        start: offset into the section's text.
        end: end of its own characters.
        next: where the next unit starts; between `end` and `next` there is white space only.
        cost: tokens of the text from `start` to `next`.
        cut: how much a cut after it hurts.
    """

    start: int
    end: int
    next: int
    cost: int
    cut: float


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a strategy works with.

    Attributes:
        room: tokens of a chunk's text at most (special tokens, prompt and context are off already).
        floor: tokens below which a chunk should join a neighbour.
        language: of the section, for its sentences.
        ledger: counts.
        overlap: tokens that a piece may repeat of the one before it.
        percentile: 0 to 100, from which a change between sentences is a border.
        embed: vectors of texts, float32 (texts, dims), each of length 1; None where no encoder was given.
        options: of a strategy that somebody else wrote.
    """

    room: int
    floor: int
    language: str
    ledger: Ledger
    overlap: int = 0
    percentile: float = 90.0
    embed: Embed | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def fits(self, text: str, items: Sequence[Item]) -> bool:
        """Whether items go into one chunk."""
        return sum(self.ledger.costs([text[item.start : item.next] for item in items])) <= self.room

    def with_room(self, room: int) -> "Sizes":
        """The same with another room; a floor or an overlap that no longer goes with it shrinks."""
        return replace(self, room=room, floor=min(self.floor, room), overlap=min(self.overlap, room // 2))


def whole_units(text: str, items: Sequence[Item], sizes: Sizes) -> list[Unit]:
    """Each item as one unit; those over the room in sentences, and so on down."""
    costs = sizes.ledger.costs([text[item.start : item.next] for item in items])
    units: list[Unit] = []
    for item, cost in zip(items, costs, strict=True):
        if cost <= sizes.room:
            units.append(Unit(item.start, item.end, item.next, cost, _cut_after(text, item)))
        else:
            units.extend(sentence_units(text, item, sizes))
    return units


def sentence_units(text: str, item: Item, sizes: Sizes) -> list[Unit]:
    """The sentences of an item (the lines of code) as units; those over the room in words, then characters."""
    if item.kind == "code":
        starts = [
            match.start() + item.start
            for match in _LINE.finditer(text[item.start : item.end])
            if match.group()
        ]
    else:
        starts = [
            start + item.start for start, _ in sentence_spans(text[item.start : item.end], sizes.language)
        ]
    starts[:1] = [item.start]  # white space in front belongs to the first
    return _units(text, starts, item, sizes)


def word_costs(text: str, items: Sequence[Item], sizes: Sizes) -> tuple[list[str], list[int]]:
    """The words of items, each with the white space behind it, and their tokens; a word over the room in runs of characters."""
    stretch = text[items[0].start : items[-1].next]
    words: list[str] = _WORD.findall(stretch) or [stretch]
    costs = sizes.ledger.costs(words)
    if max(costs) > sizes.room:
        words = [
            part
            for word, cost in zip(words, costs, strict=True)
            for part in ([word] if cost <= sizes.room else _halves(word, sizes))
        ]
        costs = sizes.ledger.costs(words)
    return words, costs


def _units(text: str, starts: Sequence[int], item: Item, sizes: Sizes) -> list[Unit]:
    nexts = [*starts[1:], item.next]
    costs = sizes.ledger.costs(
        [text[start:following] for start, following in zip(starts, nexts, strict=True)]
    )
    units: list[Unit] = []
    for start, following, cost in zip(starts, nexts, costs, strict=True):
        cut = _cut_after(text, item) if following == item.next else AT_SENTENCE
        if cost <= sizes.room:
            units.append(Unit(start, end_of(text, start, following), following, cost, cut))
        else:
            units.extend(_portions(text, start, following, cut, sizes))
    return units


def _portions(text: str, start: int, end: int, last: float, sizes: Sizes) -> list[Unit]:
    """A sentence over the room, in runs of words."""
    portion = max(1, sizes.room // _PORTION)
    words = [match.group() for match in _WORD.finditer(text[start:end])] or [text[start:end]]
    pieces: list[tuple[str, float]] = []
    costs = sizes.ledger.costs(words)
    for word, cost in zip(words, costs, strict=True):
        if cost <= sizes.room:
            pieces.append((word, AT_WORD))
        else:
            parts = list(_halves(word, sizes))
            pieces.extend((part, IN_WORD) for part in parts[:-1])
            pieces.append((parts[-1], AT_WORD))
    units: list[Unit] = []
    sizes.ledger.read(piece for piece, _ in pieces)
    offset, begun, tokens = start, start, 0
    for number, (piece, cut) in enumerate(pieces):
        offset += len(piece)
        tokens += sizes.ledger.cost(piece)
        following = sizes.ledger.cost(pieces[number + 1][0]) if number + 1 < len(pieces) else portion + 1
        if tokens + following > portion:
            hurts = last if number + 1 == len(pieces) else cut
            units.append(Unit(begun, end_of(text, begun, offset), offset, tokens, hurts))
            begun, tokens = offset, 0
    return units


def _halves(word: str, sizes: Sizes) -> Iterable[str]:
    """A word over the room in pieces of at most one portion, each a whole number of graphemes.

    Only a single grapheme that is itself over the room (a letter under hundreds of marks) is cut between its code
    points: the encoder's ceiling counts more than its look.
    """
    portion, cost = max(1, sizes.room // _PORTION), sizes.ledger.cost
    waiting = [_GRAPHEME.findall(word)]
    while waiting:
        graphemes = waiting.pop()
        piece = "".join(graphemes)
        if len(graphemes) == 1 and len(piece) > 1 and cost(piece) > sizes.room:
            graphemes = list(piece)
        if len(graphemes) <= 1 or cost(piece) <= portion:
            yield piece
        else:
            middle = len(graphemes) // 2
            waiting.extend((graphemes[middle:], graphemes[:middle]))


def end_of(text: str, start: int, following: int) -> int:
    """End of the characters before the white space in front of `following`; at least one character is kept."""
    return max(start + len(text[start:following].rstrip()), start + 1)


def _cut_after(text: str, item: Item) -> float:
    if item.kind == "paragraph" and _UNFINISHED.search(text, item.start, item.end):
        return AFTER_LEAD_IN
    return AT_LIST_ITEM if item.kind == "list_item" else AT_PARAGRAPH
