"""The paragraph that speaks of a figure: the nearest one that names it by its number, else the one before it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from pipeline.chunking.blocks import Block
from pipeline.chunking.counter import Ledger
from pipeline.language.sentences import sentence_spans

_NUMBER: Final = r"(?:\d+|[IVX]+\b)(?:[.\-]\s?\d+)*"
# What one author calls a figure, by families: of "Şekil 3" and "Grafik 3" each counts for itself.
_FAMILIES: Final = (
    r"Abb(?:ildung(?:en)?)?\b\.?",
    r"Bild(?:er|ern|es)?\b",
    r"Fig(?:ure)?s?\b\.?",
    r"(?:Şekil|ŞEKİL|şekil)(?:ler|LER)?\b",
    r"(?:Resim|RESİM|resim)(?:ler|LER)?\b",
    r"(?:Grafik|GRAFİK|grafik)(?:ler|LER)?\b",
    r"Diagramm?(?:e|s)?\b",
)
_AND: Final = r"\s*(?:,|;|&|/|–|-|und|and|ve|ile|bis|to|oder|or|veya)\s*"
_CAPTIONS: Final = tuple(
    re.compile(rf"(?:{family})\s*(?P<number>{_NUMBER})", re.IGNORECASE) for family in _FAMILIES
)
_TELLS: Final = ("paragraph", "list_item")


def with_surroundings(blocks: Sequence[Block]) -> list[Block]:
    """The blocks of a document, each figure with the paragraph that speaks of it (`around`) and where in it (`focus`)."""
    return [
        _surrounded(blocks, place) if block.kind == "figure" else block for place, block in enumerate(blocks)
    ]


def _surrounded(blocks: Sequence[Block], place: int) -> Block:
    figure = blocks[place]
    mention = _mention_of(figure.caption)
    if mention is not None:
        found: list[tuple[int, int, str, int]] = []
        for other, block in enumerate(blocks):
            match = (
                mention.search(block.text) if block.kind in _TELLS and not _is_caption(block.text) else None
            )
            if match is not None:
                found.append((abs(other - place), other, block.text, match.start()))
        if found:
            _, _, text, start = min(found)
            return replace(figure, around=text, focus=start)
    for block in reversed(blocks[:place]):
        if block.kind in ("title", "heading"):
            break
        if block.kind in _TELLS and not _is_caption(block.text):
            return replace(figure, around=block.text, focus=len(block.text))
    return figure


def _is_caption(text: str) -> bool:
    """Whether a text begins as a caption does: that of another figure, or a line of a list of figures."""
    return any(
        (match := caption.match(text)) and re.match(r"\s?[.:–—|)]\s", text[match.end() :])
        for caption in _CAPTIONS
    )


def _mention_of(caption: str) -> re.Pattern[str] | None:
    """What finds a mention of the figure with this caption: "Abb. 3", "Figures 2 and 3", "Şekil 3'te", "3 numaralı şekil"."""
    for family, pattern in zip(_FAMILIES, _CAPTIONS, strict=True):
        match = pattern.match(caption)
        if match:
            number = re.escape(re.sub(r"\s", "", match["number"]))
            stem = family.replace(r"\b", "")  # "3 numaralı şekilde"
            ends = r"(?![\d]|[.\-]\d)"
            return re.compile(
                rf"\b(?:{family})\s*(?:{_NUMBER}{_AND})*{number}{ends}"
                rf"|(?<![\d.]){number}(?:\.|\s(?:numaralı|nolu|no'lu|no’lu))\s(?:{stem})",
                re.IGNORECASE,
            )
    return None


def surrounding_line(around: str, focus: int, language: str, allowance: int, ledger: Ledger) -> str:
    """The paragraph, or as many whole sentences of it around the place that counts, within `allowance` tokens.

    Args:
        around: the paragraph.
        focus: offset of what counts: a mention, or the end.
        language: of the sentences.
        allowance: tokens, the line break after it included.
        ledger: counts.

    Returns:
        Text without line breaks; "" if not even the one sentence fits.
    """

    def fits(text: str) -> bool:
        return ledger.cost(f"{text}\n") <= allowance

    whole = " ".join(around.split())
    if not whole or fits(whole):
        return whole
    spans = sentence_spans(around, language)
    first = last = max((number for number, (start, _) in enumerate(spans) if start <= focus), default=0)
    return _grown(around, spans, first, last, fits)


def _grown(
    text: str, spans: Sequence[tuple[int, int]], first: int, last: int, fits: Callable[[str], bool]
) -> str:
    def between(one: int, two: int) -> str:
        return " ".join(text[spans[one][0] : spans[two][1]].split())

    if not fits(between(first, last)):
        return ""
    while True:
        if last + 1 < len(spans) and fits(between(first, last + 1)):
            last += 1
        elif first > 0 and fits(between(first - 1, last)):
            first -= 1
        else:
            return between(first, last)
