"""The one tree that every format becomes: blocks on pages, then levels, section paths and ids for the whole document."""

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from pipeline.parsing.captions import CAPTION, FIGURE
from pipeline.parsing.evidence import Evidence, gather
from pipeline.parsing.figures import (
    CAPTIONED,
    LABELLED,
    NO_CAPTION,
    NO_IMAGE,
    REPEATED,
    SMALL,
    Picture,
    is_small,
    often,
    picture_row,
)
from pipeline.parsing.headings import names_itself, opens, split_run_in
from pipeline.parsing.outline import PROMOTED, Outline
from pipeline.parsing.repair import clean, one_line, repairs_of
from pipeline.tables import columns as c

if TYPE_CHECKING:
    import re

Rows = tuple[tuple[str, ...], ...]
Box = tuple[float, float, float, float]
Span = tuple[int, int, int, int]  # first row, last row, first column, last column

FORMAT: Final = "format"  # the only reader of a format is no choice


@dataclass(frozen=True)
class Block:
    """One block of a document, before the document's tree is finished. Fields as in the table's `blocks`."""

    kind: str
    text: str = ""
    level: int = 0
    bbox: Box | tuple[()] = ()
    rows: Rows = ()
    header_rows: int = 0
    caption: str = ""
    anchor: str = ""
    headed: bool = False  # of a table: bold type or a contrast of words over numbers proves its header
    ruled: bool = False  # of a table: lines are drawn around its cells
    spans: tuple[Span, ...] = ()  # of a table: its merged cells, whose text each row and column repeats
    image_hash: str = ""  # of a figure: sha256 of its image, where there is one
    pixels: tuple[int, int] | tuple[()] = ()  # of a figure: width and height of its image
    row_pages: tuple[int, ...] = ()  # of a table over several pages: the page of each row
    columns: tuple[tuple[float, float], ...] = ()  # of a table on a page: left and right edge of each
    repairs: tuple[tuple[str, int], ...] = ()  # kind and number of what the reader repaired before


@dataclass(frozen=True)
class Page:
    """One page of a document, as a reader delivers it. Sizes in points; scores 0 to 1 or None; a reason if it failed."""

    number: int
    blocks: tuple[Block, ...] = ()
    width: float = 0.0
    height: float = 0.0
    rotation: int = 0
    source: str = "native"
    engine: str = ""
    engine_reason: str = FORMAT
    furniture: tuple[str, ...] = ()
    scores: dict[str, float | None] = field(default_factory=dict[str, float | None])
    reason: str = ""
    error: str = ""
    doubt: str = ""  # why geometry is not sure of the page
    pictures: tuple[Picture, ...] = ()  # those that are no block


def table(
    rows: Iterable[Iterable[str]],
    header_rows: int,
    caption: str = "",
    bbox: Box | tuple[()] = (),
    *,
    owners: Sequence[Sequence[int]] = (),
    edges: Sequence[float] = (),
) -> Block | None:
    """A table block, without its empty rows and columns, every row as long as the longest; None if nothing is left.

    Args:
        rows: cells.
        header_rows: number of rows that name the columns.
        caption: of the table.
        bbox: where it stands.
        owners: for each cell a number that the parts of one merged cell share; shaped like `rows`, or empty if none is merged.
        edges: left edge of each column and the right one of the last, in points; empty if the table stands on no page.
    """
    raw = [list(row) for row in rows]
    repairs = Counter[str]()
    for cell in (cell for row in raw for cell in row):
        repairs += repairs_of(cell.split("\n"))
    cleaned = [[" ".join(clean(cell).split("\n")) for cell in row] for row in raw]
    width = max((len(row) for row in cleaned), default=0)
    padded = [row + [""] * (width - len(row)) for row in cleaned]
    used = [column for column in range(width) if any(row[column] for row in padded)]
    strips: set[int] = set()
    for column in list(used):
        others = [other for other in used if other != column]
        if owners and all(
            not row[column] or any(line[column] == line[other] for other in others)
            for row, line in zip(padded, owners, strict=True)
        ):
            used = others  # a strip that holds nothing but parts of cells beside it
            strips.add(column)
    kept = [number for number, row in enumerate(padded) if any(row)]
    grid = tuple(tuple(padded[number][column] for column in used) for number in kept)
    if not grid:
        return None
    headers = min(sum(1 for number in kept if number < header_rows), len(grid))
    left = [[owners[number][column] for column in used] for number in kept] if owners else []
    sides = tuple((edges[column], edges[_after(column, strips)]) for column in used) if edges else ()
    return Block(
        "table",
        rows=grid,
        header_rows=headers,
        caption=caption,
        bbox=bbox,
        spans=_spans(left),
        columns=sides,
        repairs=tuple(repairs.items()),
    )


def _after(column: int, strips: Container[int]) -> int:
    """The next column that is no strip."""
    return column + 1 if column + 1 not in strips else _after(column + 1, strips)


def _spans(owners: Sequence[Sequence[int]]) -> tuple[Span, ...]:
    found: dict[int, Span] = {}
    for row, line in enumerate(owners):
        for column, owner in enumerate(line):
            first, _, left, right = found.get(owner, (row, row, column, column))
            found[owner] = (first, row, min(left, column), max(right, column))
    return tuple(span for span in found.values() if span[0] < span[1] or span[2] < span[3])


def finish(pages: Sequence[Page]) -> list[dict[str, Any]]:
    """Rows of `parsed_pages` for the pages of one document, without the columns that name the document.

    Repairs texts and counts the repairs, makes headings of paragraphs that name themselves (`§ 5`, `Madde 12`, `3.1 Scope`),
    and computes level, section path and id of every block. A title counts as the heading above everything after it.
    """
    pages = _sifted(pages)
    drafts = _mended([(index, block) for index, page in enumerate(pages) for block in _cleaned(page.blocks)])
    repairs = [Counter[str]() for _ in pages]
    for index, block in drafts:
        repairs[index] += Counter(dict(block.repairs))
    drafts = list(_told(_captioned(_promoted(drafts))))
    outline = Outline()
    blocks: list[list[dict[str, Any]]] = [[] for _ in pages]
    pictures = [[picture_row(picture) for picture in page.pictures] for page in pages]
    for index, block in drafts:
        if not _is_told(block, pages[index]):
            pictures[index].append(picture_row(_decided(block)))
            continue
        level, path = outline.place(block.kind, block.level, block.text)
        block_id = f"{pages[index].number}.{len(blocks[index]) + 1}"
        blocks[index].append(_row(pages[index].number, block_id, block, level, path))
        if block.kind == "figure" or block.image_hash:
            pictures[index].append(picture_row(_decided(block), block_id))
    return [_page_row(*row) for row in zip(pages, blocks, pictures, repairs, strict=True)]


def _sifted(pages: Sequence[Page]) -> list[Page]:
    """Pages without the small and the repeated pictures among their blocks, so that no caption goes to one of those."""
    repeated = often(block.image_hash for page in pages for block in page.blocks)
    return [
        replace(page, blocks=tuple(kept), pictures=(*page.pictures, *gone)) if gone else page
        for page in pages
        for kept, gone in (_sift(page.blocks, repeated),)
    ]


def _sift(blocks: Sequence[Block], repeated: frozenset[str]) -> tuple[list[Block], list[Picture]]:
    kept: list[Block] = []
    gone: list[Picture] = []
    for block in blocks:
        small = bool(block.pixels) and is_small(_size(block))
        if small or block.image_hash in repeated:
            gone.append(Picture(SMALL if small else REPEATED, block.image_hash, block.bbox, block.pixels))
            if words := block.text or block.caption:  # what is written of it is kept all the same
                kept.append(Block("paragraph", words, bbox=block.bbox))
        else:
            kept.append(block)
    return kept, gone


def _size(block: Block) -> tuple[float, float]:
    """Width and height of a picture in points: where only its pixels are known, those of browsers, 96 to the inch."""
    if block.bbox:
        return block.bbox[2] - block.bbox[0], block.bbox[3] - block.bbox[1]
    width, height = block.pixels or (0, 0)
    return 0.75 * width, 0.75 * height


def _decided(block: Block) -> Picture:
    named = CAPTIONED if block.caption else NO_CAPTION if block.image_hash else NO_IMAGE
    return Picture(named if block.kind == "figure" else LABELLED, block.image_hash, block.bbox, block.pixels)


def _cleaned(blocks: Iterable[Block]) -> Iterable[Block]:
    for block in blocks:
        count = Counter(dict(block.repairs)) + repairs_of(block.caption.split("\n"))
        if block.kind == "table":
            text = "\n".join("\t".join(row) for row in block.rows)
            yield replace(
                block, text=text, caption=one_line(block.caption), repairs=tuple(sorted(count.items()))
            )
            continue
        lines = block.text.split("\n")
        count += repairs_of([" ".join(lines)] if block.kind == "code" else lines)
        text = clean(block.text) if block.kind == "code" else one_line(block.text)
        caption = one_line(block.caption)
        if text or caption or block.kind == "figure":
            yield replace(block, text=text or caption, caption=caption, repairs=tuple(sorted(count.items())))


def _mended(drafts: list[tuple[int, Block]]) -> list[tuple[int, Block]]:
    """Blocks with what the document as a whole proves about its text; code stays as it is."""
    evidence = gather(block.text for _, block in drafts if block.kind != "code")
    return [(index, block if block.kind == "code" else _proven(block, evidence)) for index, block in drafts]


def _proven(block: Block, evidence: Evidence) -> Block:
    text, count = evidence.mend(block.text)
    caption, more = evidence.mend(block.caption)
    if not count and not more:
        return block
    rows = tuple(tuple(evidence.mend(cell)[0] for cell in row) for row in block.rows)
    if rows:
        text = "\n".join("\t".join(row) for row in rows)
    repairs = Counter(dict(block.repairs)) + count + (more if caption != text else Counter[str]())
    return replace(block, text=text, caption=caption, rows=rows, repairs=tuple(sorted(repairs.items())))


def _promoted(drafts: list[tuple[int, Block]]) -> list[tuple[int, Block]]:
    """Paragraphs that are headings by their words become headings; run-in article marks get a line of their own."""
    result: list[tuple[int, Block]] = []
    marks = [names_itself(block.text) if block.kind == "paragraph" else None for _, block in drafts]
    for position, (index, block) in enumerate(drafts):
        mark = marks[position]
        following = marks[position + 1] if position + 1 < len(drafts) else None
        # Two such lines of one rank in a row are a table of contents, not headings.
        preceding = marks[position - 1] if position else None
        listed = any(
            other is not None and mark is not None and other.rank == mark.rank
            for other in (following, preceding)
        )
        if mark is not None and not listed:
            result.append((index, replace(block, kind="heading", level=PROMOTED)))
            continue
        after = drafts[position + 1][1].text if position + 1 < len(drafts) else ""
        if block.kind in ("paragraph", "list_item") and opens(block.text, after):
            result.append((index, replace(block, kind="heading", level=PROMOTED)))
            continue
        run_in = split_run_in(block.text) if block.kind == "paragraph" else None
        if run_in is None:
            result.append((index, block))
        else:
            result.append((index, replace(block, kind="heading", level=PROMOTED, text=run_in[0])))
            result.append((index, replace(block, text=run_in[1])))
    return result


def _captioned(drafts: list[tuple[int, Block]]) -> list[tuple[int, Block]]:
    """Captions bound to the table or figure beside them on the same page; a figure's text is its caption."""
    result: list[tuple[int, Block]] = []
    taken = False
    for position, (index, block) in enumerate(drafts):
        if taken:  # this table was written together with the caption before it
            taken = False
            continue
        match = _caption_match(block, *drafts[position + 1 : position + 2], *result[-1:], page=index)
        if match is None and block.kind != "caption":
            result.append((index, block))
            continue
        kinds = ("figure",) if match and match["figure"] else ("table",) if match else ("table", "figure")
        after = drafts[position + 1] if position + 1 < len(drafts) else None
        before = result[-1] if result else None
        if (
            after
            and after[0] == index
            and after[1].kind in kinds
            and not after[1].caption
            and "table" in kinds
        ):
            result.append((index, _with_caption(after[1], block.text)))
            taken = True
        elif before and before[0] == index and before[1].kind in kinds and not before[1].caption:
            result[-1] = (index, _with_caption(before[1], block.text))
        elif after and after[0] == index and after[1].kind in kinds and not after[1].caption:
            result.append((index, _with_caption(after[1], block.text)))
            taken = True
        elif match and match["figure"]:
            result.append((index, replace(block, kind="figure", caption=block.text)))
        else:
            result.append((index, replace(block, kind="caption")))
    return result


def _caption_match(block: Block, *beside: tuple[int, Block], page: int) -> "re.Match[str] | None":
    """Whether a block is a caption by its words. Beside a picture that has none, "Figure 2 to paragraph (h)" is one, too."""
    if block.kind not in ("paragraph", "caption") or len(block.text) > 400:
        return None
    strict = CAPTION.match(block.text)
    waits = any(
        place == page and each.kind == "figure" and not (each.caption or each.text) for place, each in beside
    )
    if strict or not waits or len(block.text) > 200 or block.text.endswith((".", ",", ";", ":")):
        return strict
    return FIGURE.match(block.text)


def _told(drafts: list[tuple[int, Block]]) -> Iterable[tuple[int, Block]]:
    """A figure is known by its caption: words inside one that has none follow it as a paragraph, so that they are not lost."""
    for index, block in drafts:
        if block.kind == "figure" and block.text and not block.caption:
            yield index, replace(block, kind="paragraph")
        elif block.text or block.rows or block.kind == "figure":
            yield index, block


def _is_told(block: Block, page: Page) -> bool:
    """Whether a block stays in the tree: a figure without words only where its image can be looked at later.

    On a scan such a figure is none: all that is known of it is that OCR found no words there.
    """
    return bool(block.text or block.rows or (block.image_hash and page.source != "ocr"))


def _with_caption(block: Block, caption: str) -> Block:
    text = f"{caption}\n{block.text}" if block.kind == "figure" and block.text else block.text or caption
    return replace(block, caption=caption, text=text)


def _row(page: int, block_id: str, block: Block, level: int, path: list[str]) -> dict[str, Any]:
    return {
        "block_id": block_id,
        "kind": block.kind,
        "level": level,
        "text": block.text,
        "section_path": path,
        "bbox": list(block.bbox),
        "rows": [list(row) for row in block.rows],
        "header_rows": block.header_rows,
        "row_pages": list(block.row_pages) or [page] * len(block.rows),
        "spans": [
            {"row": top, "column": left, "rows": end - top + 1, "columns": right - left + 1}
            for top, end, left, right in block.spans
        ],
        "caption": block.caption,
        "anchor": block.anchor,
        "image_hash": block.image_hash if block.kind == "figure" else "",
    }


def _page_row(
    page: Page, blocks: list[dict[str, Any]], pictures: list[dict[str, Any]], repairs: Counter[str]
) -> dict[str, Any]:
    scores = {name: page.scores.get(name) for name in c.PARSE_SCORES}
    return {
        c.PAGE_NO: page.number,
        c.WIDTH: page.width,
        c.HEIGHT: page.height,
        c.ROTATION: page.rotation,
        c.SOURCE: page.source,
        c.BLOCKS: blocks,
        c.PICTURES: pictures,
        c.FURNITURE: [text for text in (one_line(line) for line in page.furniture) if text],
        c.REPAIRS: [{"kind": kind, "count": count} for kind, count in sorted(repairs.items())],
        c.SCORES: scores,
        c.ENGINE: page.engine,
        c.ENGINE_REASON: page.engine_reason if page.engine else "",
        c.STATUS: "failed" if page.reason else "ok",
        c.REASON: page.reason,
        c.ERROR: page.error,
    }


def failed(reason: str, message: str) -> dict[str, Any]:
    """The row of a document that could not be read, without the columns that name the document."""
    return _page_row(Page(0, source="none", reason=reason, error=message), [], [], Counter())
