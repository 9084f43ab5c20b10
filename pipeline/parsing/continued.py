"""Tables that go on over a page become one table, on the page where they begin."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Final

from pipeline.parsing.grids import is_numeric
from pipeline.parsing.repair import join_lines
from pipeline.parsing.tree import Block, Page, Rows, Span, is_caption

_GOES_ON: Final = re.compile(
    r"[\[(–—-]*\s*\b(?:fortsetzung|fortges\.|forts\.|continued|cont['’]?d\b|devam(?:ı|ıdır|\b))[^\])]{0,40}[\])]?",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(r"[^\W\d_]+\.?\s?(?:\d+|[IVX]+\b)(?:[.\-]\s?\d+)*[a-z]?")
_NOTE: Final = 8  # words, the longest note that says that a table goes on
_MARGIN: Final = 0.08  # of the page's height: short lines there are no part of the text
_LOW: Final = 0.45  # of the height that may stay free below a table that the page cut
_HIGH: Final = 0.40  # of the height, the lowest place where its rest begins
_SHIFT: Final = 60.0  # points between the inner margins of left and right pages
_EXACT: Final = 6.0  # points between lines that were drawn at one place
_HEADER: Final = 6  # rows
_ALIKE: Final = 0.9  # of the letters of a header that is repeated
_WORDS, _NUMBERS = 0.3, 0.7  # shares of numbers in a column of words, and in one of numbers


@dataclass
class _Draft:
    """A page while tables are joined."""

    page: Page
    blocks: list[Block]
    furniture: list[str]


@dataclass
class _Tail:
    """A table at the end of the pages so far: where its block is, and the last page that it stands on, with its part there."""

    draft: _Draft
    position: int
    page: int
    part: Block

    @property
    def whole(self) -> Block:
        return self.draft.blocks[self.position]


def joined_tables(pages: Sequence[Page]) -> list[Page]:
    """The pages of a document, with each table that goes on over a page as one block on the page where it begins.

    A table goes on when it is the last thing on a page and the first on the next, was cut low on the one and begins high on
    the other, and its columns stand at the same places. Its header counts once, however often it is repeated; another
    header, another caption, a heading between, or words where numbers stood begin another table. A row that the page
    border cut is one row again, on the page where it begins. `row_pages` says where each row stands. What was repeated (a
    caption, "continued") goes to the furniture of its page. Pages that failed, and formats without places, are left alone.

    Args:
        pages: all pages of the document, in order.
    """
    drafts = [_Draft(page, list(page.blocks), list(page.furniture)) for page in pages]
    tail: _Tail | None = None
    for draft in drafts:
        if tail is None or not _takes(tail, draft):
            tail = _tail(draft)
    return [
        replace(draft.page, blocks=tuple(draft.blocks), furniture=tuple(draft.furniture)) for draft in drafts
    ]


def _tail(draft: _Draft) -> _Tail | None:
    """The table that a page ends with, if the page border may have cut it."""
    number = len(draft.blocks) - 1
    while number >= 0 and _is_beside(draft.blocks[number], draft.page, bottom=True):
        number -= 1
    table = draft.blocks[number] if number >= 0 else None
    if table is None or table.kind != "table" or not table.columns or not table.bbox:
        return None
    notes = [block.bbox[1] for block in draft.blocks[number + 1 :] if block.bbox]
    free = min([draft.page.height, *notes]) - table.bbox[3]
    return _Tail(draft, number, draft.page.number, table) if free < _LOW * draft.page.height else None


def _takes(tail: _Tail, draft: _Draft) -> bool:
    """Give the table what goes on of it on the next page; whether it may go on beyond that, too."""
    page = draft.page
    if page.reason or page.number != tail.page + 1:
        return False
    number = 0
    repeated: list[int] = []
    while number < len(draft.blocks) and draft.blocks[number].kind != "table":
        block = draft.blocks[number]
        if _is_note(block.text) or _is_same_caption(tail, block.text):
            repeated.append(number)
        elif not _is_beside(block, page, bottom=False):
            return False
        number += 1
    part = draft.blocks[number] if number < len(draft.blocks) else None
    whole = None if part is None or not _is_high(part, page) else _joined(tail, part, page.number)
    if part is None or whole is None:
        return False
    tail.draft.blocks[tail.position] = whole
    after = draft.blocks[number + 1 :]
    draft.furniture += [draft.blocks[at].text for at in repeated]
    draft.blocks[:] = [block for at, block in enumerate(draft.blocks) if at != number and at not in repeated]
    tail.page, tail.part = page.number, part
    return all(_is_beside(block, page, bottom=True) for block in after)


def _is_beside(block: Block, page: Page, *, bottom: bool) -> bool:
    """Whether a block may stand between a table and the page border without ending the table."""
    if block.kind == "footnote":
        return bottom
    if block.kind != "paragraph" or is_caption(block.text):
        return False
    if _is_note(block.text):
        return True
    short = len(block.text.split()) <= _NOTE and bool(block.bbox)
    margin = _MARGIN * page.height
    return short and (_top(block) > page.height - margin if bottom else _bottom(block) < margin)


def _top(block: Block) -> float:
    return block.bbox[1] if block.bbox else 0.0


def _bottom(block: Block) -> float:
    return block.bbox[3] if block.bbox else 0.0


def _is_note(text: str) -> bool:
    """Whether a text says that a table goes on and nothing else: "(continued)", "Fortsetzung auf Seite 3", "devamı"."""
    found = _GOES_ON.search(text)
    return (
        found is not None and len(text.split()) <= _NOTE and not is_caption(text) and not _LABEL.match(text)
    )


def _is_same_caption(tail: _Tail, text: str) -> bool:
    """Whether a text is the table's caption again: the same words, or the same number and that it goes on."""
    blocks, position = tail.draft.blocks, tail.position
    beside = [tail.whole.caption, *(block.text for block in blocks[max(position - 1, 0) : position])]
    if _letters(text) and any(_letters(text) == _letters(caption) for caption in beside):
        return True
    label = _LABEL.match(text)
    return (
        label is not None
        and _GOES_ON.search(text) is not None
        and any(caption.startswith(label.group(0)) for caption in beside)
    )


def _letters(text: str) -> str:
    """What is left of a text when spacing, marks, case and "continued" are no difference."""
    plain = unicodedata.normalize("NFKC", _GOES_ON.sub(" ", text)).casefold()
    return "".join(filter(str.isalnum, plain))


def _is_high(table: Block, page: Page) -> bool:
    return bool(table.columns and table.bbox) and _top(table) < _HIGH * page.height


def _joined(tail: _Tail, part: Block, page: int) -> Block | None:
    """The table with its part on one more page, or None if that is another table."""
    whole, width = tail.whole, len(tail.whole.rows[0])
    columns = _columns(tail.part, part)
    if columns is None:
        return None
    rows = tuple(_spread(row, columns, width) for row in part.rows)
    whole, dropped = _without_header(whole, rows)
    above, rows = whole.rows[whole.header_rows :], rows[dropped:]
    cut = dropped == 0 and not part.caption and _is_cut(above, rows)
    titled = bool(part.caption) and not _is_same_caption(tail, part.caption)
    if titled and (dropped > 0 or part.header_rows > 0 or bool(whole.caption) or is_caption(part.caption)):
        return None
    if (dropped == 0 and part.headed and not cut) or _differ(above, rows):
        return None
    spans = [
        (max(top - dropped, 0), end - dropped, columns[left].start, columns[right].stop - 1)
        for top, end, left, right in _wide(part, columns)
        if end >= dropped and (end > max(top, dropped) or columns[left].start < columns[right].stop - 1)
    ]
    pages = whole.row_pages or (tail.page,) * len(whole.rows)
    last = whole.rows[-1]
    if cut:
        last = tuple(join_lines(cells) for cells in zip(last, rows[0], strict=True))
        rows = rows[1:]
        spans = _moved([span for span in spans if span[0] > 0], -1)
    elif titled:  # a row from side to side, taken for a title
        rows = ((part.caption,) * width, *rows)
        spans = [(0, 0, 0, width - 1), *_moved(spans, 1)]
    else:
        rows = _filled(whole, rows, spans)
    return replace(
        whole,
        rows=(*whole.rows[:-1], last, *rows),
        row_pages=(*pages, *(page for _ in rows)),
        spans=(*whole.spans, *_moved(spans, len(whole.rows))),
        repairs=tuple((Counter(dict(whole.repairs)) + Counter(dict(part.repairs))).items()),
    )


def _moved(spans: Sequence[Span], rows: int) -> list[Span]:
    return [(top + rows, end + rows, left, right) for top, end, left, right in spans]


def _columns(upper: Block, lower: Block) -> list[range] | None:
    """For each column of the lower part those of the upper one that it goes on with; None if they do not fit.

    Lines stand at the same places to a few points, shifted as a whole at most. Of a drawn table a page may lack columns that
    are empty there, and lines between columns. Columns without lines must cover one another by half at least.
    """
    if upper.ruled != lower.ruled or not upper.bbox or not lower.bbox:
        return None
    shift = lower.bbox[0] - upper.bbox[0]
    if upper.ruled:
        fits = abs(shift) <= _SHIFT and abs(lower.bbox[2] - upper.bbox[2] - shift) <= _EXACT
        return (
            _same_lines(upper.columns, [(x0 - shift, x1 - shift) for x0, x1 in lower.columns])
            if fits
            else None
        )
    for offset in (0.0, shift, lower.bbox[2] - upper.bbox[2]):
        if (
            abs(offset) <= _SHIFT
            and len(upper.columns) == len(lower.columns)
            and all(map(_cover, upper.columns, [(x0 - offset, x1 - offset) for x0, x1 in lower.columns]))
        ):
            return [range(at, at + 1) for at in range(len(upper.columns))]
    return None


def _same_lines(
    upper: Sequence[tuple[float, float]], lower: Sequence[tuple[float, float]]
) -> list[range] | None:
    found: list[range] = []
    for x0, x1 in lower:
        first = next((at for at, (left, _) in enumerate(upper) if abs(left - x0) <= _EXACT), None)
        last = next((at for at, (_, right) in enumerate(upper) if abs(right - x1) <= _EXACT), None)
        if first is None or last is None or last < first or (found and first < found[-1].stop):
            return None
        found.append(range(first, last + 1))
    return found


def _cover(one: tuple[float, float], two: tuple[float, float]) -> bool:
    shared = min(one[1], two[1]) - max(one[0], two[0])
    return shared >= 0.5 * min(one[1] - one[0], two[1] - two[0])


def _spread(row: Sequence[str], columns: Sequence[range], width: int) -> tuple[str, ...]:
    cells = [""] * width
    for covered, cell in zip(columns, row, strict=True):
        for column in covered:
            cells[column] = cell
    return tuple(cells)


def _wide(part: Block, columns: Sequence[range]) -> list[Span]:
    """Merged cells of a part, those included that are one column here and several in the table."""
    inside = {
        (row, column)
        for top, end, left, right in part.spans
        for row in range(top, end + 1)
        for column in range(left, right + 1)
    }
    wide = [column for column, covered in enumerate(columns) if len(covered) > 1]
    single = [
        (row, row, column, column)
        for row in range(len(part.rows))
        for column in wide
        if part.rows[row][column] and (row, column) not in inside
    ]
    return [*part.spans, *single]


def _without_header(whole: Block, rows: Rows) -> tuple[Block, int]:
    """How many rows of a part repeat the table's header, all of it or its last rows.

    Rows that open both parts and come nowhere else are a header, whatever they look like; the table is then told so.
    """
    opens = 0
    while opens < min(len(rows), len(whole.rows), _HEADER) and _is_same_row(rows[opens], whole.rows[opens]):
        opens += 1
    if opens > whole.header_rows and rows[0] not in whole.rows[opens:] and len(rows) > opens:
        return replace(whole, header_rows=opens, headed=True), opens
    for skipped in range(whole.header_rows):
        header = whole.rows[skipped : whole.header_rows]
        if len(rows) >= len(header) and all(map(_is_same_row, rows, header)):
            return whole, len(header)
    return whole, 0


def _is_same_row(one: Sequence[str], two: Sequence[str]) -> bool:
    """Whether two rows say the same but for spacing, marks and a letter or two; numbers must be equal."""
    left, right = _letters(" ".join(one)), _letters(" ".join(two))
    if left == right:
        return bool(left)
    digits = ["".join(filter(str.isdigit, text)) for text in (left, right)]
    return digits[0] == digits[1] and SequenceMatcher(None, left, right, autojunk=False).ratio() >= _ALIKE


def _differ(upper: Sequence[Sequence[str]], lower: Sequence[Sequence[str]]) -> bool:
    """Whether numbers stand in a column that held words, or words where numbers stood."""
    for one, two in zip(zip(*upper, strict=True), zip(*lower, strict=True), strict=True):
        shares = [_number_share(column) for column in (one, two)]
        if None not in shares and min(shares) <= _WORDS and max(shares) >= _NUMBERS:  # pyright: ignore[reportArgumentType]
            return True
    return False


def _number_share(column: Sequence[str]) -> float | None:
    """Share of numbers among the filled cells of a column; None for fewer than three, which may be chance."""
    filled = [cell for cell in column if cell.strip()]
    return sum(map(is_numeric, filled)) / len(filled) if len(filled) >= 3 else None


def _filled(whole: Block, rows: Rows, spans: Sequence[Span]) -> Rows:
    """The rows, where a merged cell that the page border cut, and whose text stands above, has its text again."""
    grid = [list(row) for row in rows]
    bottom = len(whole.rows) - 1
    reaching = {left for top, end, left, right in whole.spans if top < end == bottom and left == right}
    starting = {left: end for top, end, left, right in spans if top == 0 and left == right}
    for column in reaching | set(starting):
        empty = column in reaching and not any(row[column] for row in grid)
        height = len(grid) if empty else starting.get(column, 0) + 1
        if not any(row[column] for row in grid[:height]):
            for row in grid[:height]:
                row[column] = whole.rows[-1][column]
    return tuple(map(tuple, grid))


def _is_cut(upper: Rows, lower: Rows) -> bool:
    """Whether the first row of the lower part is the rest of the last row above.

    Its first cell is empty, though that of other rows is not; each of its cells goes on with a filled one above; and one of
    them shows it, by a small letter or by the hyphen above.
    """
    if not lower or lower[0][0] or not any(lower[0]):
        return False
    others = [*upper, *lower[1:]]
    if sum(not row[0] for row in others) > 0.1 * len(others):
        return False
    pairs = [(above, below) for above, below in zip(upper[-1], lower[0], strict=True) if below]
    if any(not above or is_numeric(below) for above, below in pairs):
        return False
    return any(below[0].islower() or above.endswith("-") for above, below in pairs)
