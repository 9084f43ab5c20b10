"""Sections: the text under one heading, made of runs of prose, tables, figures and speaker turns."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Final

from pipeline.chunking.articles import article_of_heading, article_of_paragraph, article_of_path
from pipeline.chunking.blocks import Block, Source
from pipeline.chunking.column_names import column_names

# More headings in a row without text than this are a list (a table of contents), not a path.
_MOST_IN_PATH: Final = 2
CELL_GAP: Final = " | "
KEY_GAP: Final = ": "
# In a name or a value it would be read as the border of two cells.
_BORDER: Final = re.compile(r"(?<!\S)\|(?!\S)")

_Entry = tuple[str, str, tuple[str, ...], str]  # kind, text, cells, kind of the part


@dataclass(frozen=True, slots=True)
class Item:
    """A paragraph, list item, turn, caption or table row within a section's text.

    Attributes:
        kind: the block's kind; of a table's lines "lead_in", "caption", "header" or "row".
        start: offset into the section's text.
        end: end of its own characters.
        next: where the next item starts, or the end of the section's text: `end` plus the white space that follows.
        cells: of a table's line, its cells as they stand in the text, `CELL_GAP` between them.
    """

    kind: str
    start: int
    end: int
    next: int
    cells: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A run of items that are chunked together: all the prose between two tables, one table, one figure, a dialogue.

    Attributes:
        kind: "prose", "table", "figure" or "transcript", as in the table `chunks`.
        items: never empty.
        around: of a figure: the paragraph that speaks of it, from wherever in the document.
        focus: where in that paragraph.
    """

    kind: str
    items: tuple[Item, ...]
    around: str = ""
    focus: int = 0


@dataclass(frozen=True)
class Section:
    """The text under one heading, up to the next heading of any level.

    Attributes:
        path: headings above the text, highest first.
        article: its number, when a heading in the path or its first paragraph names one.
        text: all its items; white space between them.
        parts: in order; together they cover the text.
        sources: which pages the text stands on, in order, the first one starting at 0.
    """

    path: tuple[str, ...]
    article: str | None
    text: str
    parts: tuple[Part, ...]
    sources: tuple[Source, ...]

    def sources_of(self, start: int, end: int) -> list[Source]:
        """Where the characters from `start` to `end` come from."""
        ends = [source.start for source in self.sources[1:]] + [len(self.text)]
        return [
            source
            for source, until in zip(self.sources, ends, strict=True)
            if source.start < end and until > start
        ]


@dataclass
class _Draft:
    path: tuple[str, ...]
    under: tuple[str, ...]  # the path that the blocks themselves carry
    items: list[_Entry] = field(default_factory=list[_Entry])
    breaks: set[int] = field(
        default_factory=set[int]
    )  # items that begin a part although the kind is the same
    # of the item that is a figure: the paragraph that speaks of it, and where
    around: dict[int, tuple[str, int]] = field(default_factory=dict[int, tuple[str, int]])
    # number of the item, source within it
    sources: list[tuple[int, Source]] = field(default_factory=list[tuple[int, Source]])

    def add(
        self, kind: str, text: str, part: str, sources: Sequence[Source], cells: tuple[str, ...] = ()
    ) -> None:
        self.sources.extend((len(self.items), source) for source in sources)
        self.items.append((kind, text, cells, part))


def build_sections(blocks: Iterable[Block], *, keyed: bool = False) -> list[Section]:
    """Sections of one document, in reading order.

    A heading without text of its own is the path of what follows. One that is no ancestor of what follows (a repealed
    paragraph, a heading broken into two lines, a table of contents) is not lost: one or two without a number go into
    the next section's path; others become the text of a section under their parent.

    Args:
        blocks: of the document, in reading order.
        keyed: write each cell of a table behind the name of its column instead of a header over the rows.
    """
    drafts: list[_Draft] = []
    pending: list[Block] = []  # headings since the last text
    current: _Draft | None = None
    for block in blocks:
        if block.kind in ("title", "heading"):
            pending.append(block)
            current = None
            continue
        if current is None or block.path != current.under:
            current = _open(drafts, pending, block)
        article = article_of_paragraph(block.text) if block.kind == "paragraph" else None
        if article is not None and article_of_path(current.path[-1:]) != article:
            # Only the numbering says that an article begins: the blocks still carry the path of the heading above.
            # A section opened for it alone has other headings in its path, which must not go with it.
            above = block.path if current.items else current.path
            current = _Draft(path=(*above, article), under=block.path)
            drafts.append(current)
        _fill(current, block, keyed=keyed)
    if pending:
        drafts.append(_headings_only(pending))
    return [_finish(draft) for draft in drafts if draft.items]


def _open(drafts: list[_Draft], pending: list[Block], block: Block) -> _Draft:
    """Begin the section that `block` is the first text of, and place the headings before it."""
    lost = [heading for heading in pending if heading.text not in block.path]
    listed = len(lost) > _MOST_IN_PATH or any(article_of_heading(heading.text) for heading in lost)
    if lost and listed:
        drafts.append(_headings_only(lost))
        path = block.path
    elif lost:
        names = [heading.text for heading in pending]
        path = (*(name for name in block.path if name not in names), *names)
    else:
        path = block.path
    pending.clear()
    draft = _Draft(path=path, under=block.path)
    drafts.append(draft)
    return draft


def _headings_only(headings: Sequence[Block]) -> _Draft:
    parents = [heading.path for heading in headings]
    shared = 0
    while all(len(path) > shared and path[shared] == parents[0][shared] for path in parents):
        shared += 1
    path = (*parents[0], headings[0].text) if len(headings) == 1 else parents[0][:shared]
    draft = _Draft(path=path, under=parents[0][:shared])
    for heading in headings:
        draft.add("list_item", heading.text, "prose", heading.sources)
    return draft


def _fill(draft: _Draft, block: Block, *, keyed: bool) -> None:
    if block.kind == "table" and block.rows:
        draft.breaks.add(len(draft.items))
        if block.caption:
            draft.add("caption", block.caption, "table", block.sources[:1])
        titles, names = column_names(block.rows[: block.header_rows])
        for title in titles:
            draft.add("caption", title, "table", block.sources[:1])
        head = [("header", 0, names)] if any(names) else []
        if keyed and head:
            block, unused = _keyed(block, names)
            head = [("caption", 0, unused)] if unused else []
        before = -1
        for kind, number, row in [
            *head,
            *(("row", n, row) for n, row in enumerate(block.rows) if n >= block.header_rows),
        ]:
            sources = [Source(0, s.page, s.flagged) for s in block.sources if before < s.start <= number]
            before = number
            if any(row):
                last = max(column for column, cell in enumerate(row) if cell)
                cells = row[: last + 1]  # empty cells at the end say nothing
                draft.add(kind, CELL_GAP.join(cells), "table", sources, cells)
            else:
                draft.sources.extend((len(draft.items), source) for source in sources)
    elif block.kind == "figure":
        if block.caption or block.description:
            labels = block.text.removeprefix(block.caption).strip()
            text = "\n".join(part for part in (block.caption, labels, block.description) if part)
            draft.breaks.add(len(draft.items))
            draft.around[len(draft.items)] = block.around, block.focus
            draft.add("figure", text, "figure", block.sources)
    elif block.text:
        draft.add(block.kind, block.text, "transcript" if block.kind == "turn" else "prose", block.sources)


def _keyed(block: Block, names: Sequence[str]) -> tuple[Block, tuple[str, ...]]:
    """A table whose cells stand behind the names of their columns; and the names of the columns that have no cell."""
    rows = [
        row
        if number < block.header_rows
        else tuple(
            f"{_escaped(name)}{KEY_GAP}{_escaped(cell)}" if name and cell else _escaped(cell)
            for name, cell in zip_longest(names, row, fillvalue="")
        )
        for number, row in enumerate(block.rows)
    ]
    body = block.rows[block.header_rows :]
    unused = (
        _escaped(name) for column, name in enumerate(names) if name and not any(row[column] for row in body)
    )
    return replace(block, rows=tuple(rows)), tuple(unused)


def _escaped(cell: str) -> str:
    return _BORDER.sub(r"\\|", cell)


def _gap(kind: str, following: str, *, same_part: bool) -> str:
    close = ("list_item", "turn", "caption", "header", "row", "code")
    return "\n" if same_part and kind in close and following in close else "\n\n"


def _finish(draft: _Draft) -> Section:
    starts: list[int] = []
    pieces: list[str] = []
    parts: list[list[int]] = []
    offset = 0
    for number, (kind, text, _, part) in enumerate(draft.items):
        previous = draft.items[number - 1] if number else None
        joins = previous is not None and previous[3] == part and number not in draft.breaks
        if previous is not None:
            gap = _gap(previous[0], kind, same_part=joins)
            pieces.append(gap)
            offset += len(gap)
        if joins:
            parts[-1].append(number)
        else:
            parts.append([number])
        starts.append(offset)
        pieces.append(text)
        offset += len(text)
    nexts = [*starts[1:], offset]
    items = [
        Item(kind, start, start + len(text), following, cells)
        for (kind, text, cells, _), start, following in zip(draft.items, starts, nexts, strict=True)
    ]
    return Section(
        path=draft.path,
        article=article_of_path(draft.path),
        text="".join(pieces),
        parts=tuple(
            Part(
                draft.items[group[0]][3],
                tuple(items[n] for n in group),
                *draft.around.get(group[0], ("", 0)),
            )
            for group in parts
        ),
        sources=_page_starts(draft, starts),
    )


def _page_starts(draft: _Draft, starts: Sequence[int]) -> tuple[Source, ...]:
    found: list[Source] = []
    for number, source in draft.sources:
        offset = starts[number] + source.start if number < len(starts) else starts[-1]
        if not found or (found[-1].page, found[-1].flagged) != (source.page, source.flagged):
            found.append(Source(offset if found else 0, source.page, source.flagged))
    return tuple(found)
