"""The blocks of a document in reading order: pages let through by the gate, joined where a page border cut them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from pipeline.tables import columns as c

_FLOW: Final = ("paragraph", "list_item", "table", "code", "turn")
_SENTENCE_END: Final = re.compile(r"[.!?:;…]['\"»“”’)\]]*$")
_LIST_MARK: Final = re.compile(r"^(?:[-–•*▪]|\(?(?:\d{1,3}|[^\W\d_]{1,2})[.)])\s")
# U+00AD is a soft hyphen; pdfium writes U+FFFE for a hyphen at the end of a line.
_BROKEN_WORD: Final = re.compile(r"(?<=[^\W\d_])[-\u00ad\ufffe]$")
# "Haupt- und Nebensatz": the hyphen belongs to the word.
_KEEPS_HYPHEN: Final = re.compile(r"(?:und|oder|bzw|bis|sowie|and|or|to|ve|veya)\b")
_SHORT_LINE: Final = (
    40  # characters; a shorter last line without an end mark is as likely a label as half a sentence
)


@dataclass(frozen=True, slots=True)
class Source:
    """The page that text from `start` on stands on.

    Attributes:
        start: offset into the text of the block (of a table: number of the row).
        page: number of the page, from 1.
        flagged: whether the gate has doubts about the page.
    """

    start: int
    page: int
    flagged: bool


@dataclass(frozen=True, slots=True)
class Block:
    """A block of the table `gated_pages`, with the page or pages that it stands on."""

    kind: str
    text: str
    path: tuple[str, ...]
    sources: tuple[Source, ...]
    rows: tuple[tuple[str, ...], ...] = ()
    header_rows: int = 0
    caption: str = ""
    image_hash: str = ""  # of a figure
    description: str = ""  # of a figure, by a vision model
    around: str = ""  # of a figure: the paragraph that speaks of it
    focus: int = 0  # where in that paragraph

    @property
    def page(self) -> int:
        """The page that the block ends on."""
        return self.sources[-1].page


def read_blocks(
    pages: Iterable[Mapping[str, Any]], descriptions: Mapping[str, str] | None = None
) -> list[Block]:
    """The blocks of one version, in reading order.

    Rejected and blank pages give nothing, nor do the rows of a table that stand on them; its other rows stay. A paragraph
    that the page border cut in two is one block on two pages.

    Args:
        pages: rows of `gated_pages` of one version (page_no, route, blank, blocks), in any order.
        descriptions: of figures, by image hash.
    """
    told = descriptions or {}
    joined: list[Block] = []
    open_at: int | None = None  # position of the block that the next page may continue
    ordered = sorted(pages, key=lambda row: row[c.PAGE_NO])
    flagged = {page[c.PAGE_NO]: page[c.ROUTE] == "flag" for page in ordered if page[c.ROUTE] != "reject"}
    for page in ordered:
        number = page[c.PAGE_NO]
        blocks = [_block(raw, number, flagged, told) for raw in page[c.BLOCKS]]
        if page[c.ROUTE] == "reject" or page[c.BLANK]:
            joined += [block for block in blocks if block.rows]
            open_at = None
            continue
        first = True
        for block in _attach_captions([block for block in blocks if not _is_mute(block)]):
            whole = (
                _join(joined[open_at], block)
                if first and open_at is not None and block.kind in _FLOW
                else None
            )
            if whole is not None and open_at is not None:
                joined[open_at] = whole
            else:
                joined.append(block)
            if block.kind in _FLOW:
                if whole is None:
                    open_at = len(joined) - 1
                first = False
            elif block.kind in ("title", "heading"):
                open_at, first = None, False
    return [block for block in joined if block.text or block.rows or block.caption or block.description]


def _is_mute(block: Block) -> bool:
    """Whether a block is a picture of which nothing is known: it must not take the caption of a table beside it."""
    return bool(block.image_hash) and not (block.text or block.caption or block.description)


def _block(
    raw: Mapping[str, Any], page: int, flagged: Mapping[int, bool], descriptions: Mapping[str, str]
) -> Block:
    """A block of a page; of a table only the rows that stand on pages which the gate let through.

    Args:
        raw: as stored.
        page: the page of the block.
        flagged: for each page that was let through, whether the gate has doubts about it.
        descriptions: of figures, by image hash.
    """
    row_pages = raw["row_pages"]
    kept = [number for number, at in enumerate(row_pages) if at in flagged]
    rows = tuple(tuple(" ".join(cell.split()) for cell in raw["rows"][number]) for number in kept)
    headers = sum(number < raw["header_rows"] for number in kept)
    starts = [
        Source(place, row_pages[number], flagged[row_pages[number]])
        for place, number in enumerate(kept)
        if place == 0 or row_pages[number] != row_pages[kept[place - 1]]
    ]
    shown = page in flagged  # else words of the page that are no rows must not come in with them
    return Block(
        kind=raw["kind"],
        text=raw["text"].strip() if shown else "",
        path=tuple(name.strip() for name in raw[c.SECTION_PATH]),
        sources=tuple(starts) or (Source(0, page, flagged.get(page, False)),),
        rows=rows,
        header_rows=headers if headers < len(rows) else 0,
        caption=" ".join(raw["caption"].split()) if shown else "",
        image_hash=raw[c.IMAGE_HASH],
        description=descriptions.get(raw[c.IMAGE_HASH], ""),
    )


def _attach_captions(blocks: list[Block]) -> list[Block]:
    """Give a caption that is a block of its own to the table or figure beside it; drop one that repeats theirs."""
    result = list(blocks)
    gone: set[int] = set()
    for position, block in enumerate(blocks):
        if block.kind != "caption":
            continue
        caption = " ".join(block.text.split())
        beside = [
            p
            for p in (position + 1, position - 1)
            if 0 <= p < len(result) and result[p].kind in ("table", "figure")
        ]
        owner = next((p for p in beside if result[p].caption == caption), None)
        if owner is None:
            owner = next((p for p in beside if not result[p].caption), None)
        if owner is not None:
            result[owner] = replace(result[owner], caption=caption)
            gone.add(position)
    return [block for position, block in enumerate(result) if position not in gone]


def _join(upper: Block, lower: Block) -> Block | None:
    """One block of the last on a page and the first on the next, when they are halves of one; else None."""
    if upper.path != lower.path or upper.page == lower.page:
        return None
    if (
        upper.kind not in ("paragraph", "list_item")
        or lower.kind != "paragraph"
        or not (upper.text and lower.text)
    ):
        return None
    if _SENTENCE_END.search(upper.text) or _LIST_MARK.match(lower.text):
        return None
    if not lower.text[0].islower() and len(upper.text) < _SHORT_LINE:
        return None
    head, gap = upper.text, " "
    if _BROKEN_WORD.search(head) and lower.text[0].islower() and not _KEEPS_HYPHEN.match(lower.text):
        head, gap = head[:-1], ""
    start = len(head) + len(gap)
    moved = tuple(replace(source, start=source.start + start) for source in lower.sources)
    return replace(upper, text=head + gap + lower.text, sources=upper.sources + moved)
