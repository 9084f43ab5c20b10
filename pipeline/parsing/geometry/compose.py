"""From rows in reading order to blocks: paragraphs, headings, lists, footnotes."""

from collections.abc import Iterator, Sequence

from pipeline.parsing.captions import is_caption
from pipeline.parsing.geometry.headlines import body_sizes, is_heading, is_seen, levels, settle
from pipeline.parsing.geometry.ink import Box, Word
from pipeline.parsing.geometry.layout import size_of
from pipeline.parsing.geometry.paragraphs import (
    COUNTER,
    ENDS,
    NOTE,
    SYMBOL,
    SYMBOL_GLUED,
    Column,
    Paragraph,
    is_led,
    paragraphs,
)
from pipeline.parsing.repair import join_lines, repairs_of
from pipeline.parsing.tree import Block

Part = Paragraph | Block


def compose(
    pages: Sequence[Sequence[Column]], heights: Sequence[float], titles: Sequence[Sequence[Box]] = ()
) -> list[list[Block]]:
    """Blocks of each page of a document.

    Args:
        pages: for each page its columns in reading order, each a list of rows; a row with a table or figure has one item.
        heights: of the pages, in points.
        titles: for each page the places where a layout model saw headings; empty if none was asked.
    """
    body, bodies = body_sizes(map(_words, pages))
    drafts: list[list[Part]] = []  # of a page only its blocks and headings stay in memory
    for number, (page, own, height) in enumerate(zip(pages, bodies, heights, strict=True)):
        parts: list[Part] = []
        for column in page:
            parts = _joined(parts, paragraphs(column))
        seen = titles[number] if titles else ()
        for part in parts:
            if isinstance(part, Paragraph):
                part.scale = body / own
                _classify(part, own, height, seen)
        drafts.append(
            [
                part if isinstance(part, Block) or part.kind == "heading" else _block(part, {})
                for part in settle(parts, own, height)
            ]
        )
    level_of = levels(drafts, body)
    return [
        [_block(part, level_of) if isinstance(part, Paragraph) else part for part in parts]
        for parts in drafts
    ]


def _words(page: Sequence[Column]) -> Iterator[Word]:
    """The words of a page's paragraphs."""
    for column in page:
        for row in column:
            if row[0].block is None:
                for item in row:
                    yield from item.words


def _joined(parts: list[Part], more: list[Part]) -> list[Part]:
    """Both lists; a paragraph that ends one column in the middle of a sentence goes on in the next."""
    position = next((n for n in range(len(parts) - 1, -1, -1) if not _is_note(parts[n])), None)
    if position is not None and more:
        last, first = parts[position], more[0]
        if (
            isinstance(last, Paragraph)
            and isinstance(first, Paragraph)
            and first.kind == "paragraph"
            and not first.mark
        ):
            text, following = last.lines[-1], first.lines[0]
            open_end = not ENDS.search(text) and len(last.rows) > 1
            if (
                open_end
                and (following[:1].islower() or text.endswith("-"))
                and size_of(last.words) == size_of(first.words)
            ):
                for row in first.rows:
                    last.add(row)
                return parts + more[1:]
    return parts + more


def _is_note(part: Part) -> bool:
    return (
        isinstance(part, Paragraph)
        and bool(NOTE.match(part.words[0].text))
        and part.words[0].size < size_of(part.words)
    )


def _classify(paragraph: Paragraph, body: float, height: float, titles: Sequence[Box]) -> None:
    size, text = paragraph.size, paragraph.text
    first = paragraph.words[0]
    low = paragraph.box[1] > 0.5 * height and size <= 0.93 * body
    if low and NOTE.match(first.text) and len(paragraph.words) > 2:
        paragraph.kind, paragraph.mark = "footnote", first.text.rstrip(".)")
    elif any(map(is_led, paragraph.rows)):  # a table of contents names headings and has none
        paragraph.kind, paragraph.mark, paragraph.level = "list_item", "", max(paragraph.level, 1)
    elif is_caption(text):
        paragraph.kind = "caption"
    elif is_heading(paragraph, text, body) or is_seen(paragraph, text, titles):
        paragraph.kind = "heading"


def _block(paragraph: Paragraph, levels: dict[int, int]) -> Block:
    kind, lines, level, anchor = paragraph.kind, paragraph.lines, paragraph.level, ""
    if kind == "footnote":
        lines = [lines[0].removeprefix(paragraph.words[0].text).strip(), *lines[1:]]
        anchor = paragraph.mark
    elif kind == "heading":
        level = levels[id(paragraph)]
        kind = "heading" if level else "title"
    elif kind == "list_item" and paragraph.mark and not COUNTER.match(paragraph.mark):
        first = (
            lines[0].removeprefix(paragraph.mark)
            if SYMBOL.match(paragraph.mark)
            else SYMBOL_GLUED.sub("", lines[0])
        )
        lines = [first.strip(), *lines[1:]]
    repairs = tuple(repairs_of(lines).items())
    return Block(kind, join_lines(lines), level=level, bbox=paragraph.box, anchor=anchor, repairs=repairs)
