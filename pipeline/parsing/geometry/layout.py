"""Reading order from geometry: words become pieces of lines, pieces fall into columns, columns into rows."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from pipeline.parsing.geometry.ink import Box, Word
from pipeline.parsing.tree import Block

_GAP: Final = 0.75  # of the font size: a wider gap ends a piece
_TYPED_GAP: Final = 1.9  # the same where letters are equally wide: three spaces
_MANY: Final = 40  # words
_MIN_ROWS: Final = 3  # of a column
_MIN_WIDTH: Final = 70.0  # points, of a column
_WIDE: Final = 18.0  # points, of a channel that parts columns of any kind
_JUT: Final = 5.0  # points by which a quotation mark or a long line may stand out of its column
_NEAR: Final = 6.0  # points between gutters that are the same
_BULLET: Final = re.compile(
    r"^(?:[-–—•▪◦‣■●○*·]|\(?(?:\d{1,3}|[a-zA-Zçğıöşü]|[ivxIVX]{1,5})[.)]|§+ ?\d*|\d+(?:\.\d+)+\.?)$"
)


@dataclass(frozen=True, slots=True)
class Item:
    """A piece of a line, or a table or figure that stands in the text as one thing (`block` is set)."""

    x0: float
    y0: float
    x1: float
    y1: float
    words: tuple[Word, ...] = ()
    block: Block | None = None

    @property
    def box(self) -> Box:
        """Left, top, right, bottom."""
        return self.x0, self.y0, self.x1, self.y1

    @property
    def text(self) -> str:
        """The words with single spaces between them."""
        return " ".join(word.text for word in self.words)

    @property
    def middle(self) -> float:
        """Vertical middle."""
        return (self.y0 + self.y1) / 2


Row = list[Item]


def size_of(words: Iterable[Word]) -> float:
    """The font size of most characters."""
    count = Counter[float]()
    for word in words:
        count[word.size] += len(word.text)
    return max(count.items(), key=lambda pair: (pair[1], pair[0]))[0] if count else 0.0


def is_bold(words: Iterable[Word]) -> bool:
    """Whether nearly all letters are bold."""
    return _nearly_all((word.bold, word.text) for word in words)


def is_italic(words: Iterable[Word]) -> bool:
    """Whether nearly all letters are italic."""
    return _nearly_all((word.italic, word.text) for word in words)


def _nearly_all(words: Iterable[tuple[bool, str]]) -> bool:
    """Whether words without the mark hold at most a tenth of the characters; digits and signs alone speak against nothing."""
    marked = plain = 0
    for has_mark, text in words:
        if has_mark:
            marked += len(text)
        elif any(character.isalpha() for character in text):
            plain += len(text)
    return marked > 0 and plain <= 0.1 * marked


def is_bullet(text: str) -> bool:
    """Whether a piece is only a bullet or a number that counts."""
    return bool(_BULLET.match(text))


def overlap(a0: float, a1: float, b0: float, b1: float) -> float:
    """Length that two intervals share; negative when they lie apart."""
    return min(a1, b1) - max(a0, b0)


def enclose(items: Iterable[Item | Word]) -> Box:
    """The box around some items or words."""
    boxes = [(item.x0, item.y0, item.x1, item.y1) for item in items]
    return (
        min(box[0] for box in boxes), min(box[1] for box in boxes), max(box[2] for box in boxes), max(box[3] for box in boxes)
    )  # fmt: skip


def piece(words: Sequence[Word]) -> Item:
    """An item of words that stand in one line, left to right."""
    return Item(*enclose(words), words=tuple(words))


def pieces(words: Iterable[Word]) -> list[Item]:
    """Words joined to pieces of lines: same height, and no gap wider than three quarters of the font size.

    Where all letters are equally wide, as on a typewriter, lines are justified with whole spaces: there a gap is wider.
    """
    words = list(words)
    widest = _TYPED_GAP if _is_typed(words) else _GAP
    runs: list[list[Word]] = []
    open_runs: dict[int, list[int]] = {}
    for word in sorted(words, key=lambda word: (word.x0, word.y0)):
        middle, height = (word.y0 + word.y1) / 2, word.y1 - word.y0
        best, best_share = -1, 0.5
        for bucket in range(int(middle // 8) - 2, int(middle // 8) + 3):
            for number in open_runs.get(bucket, ()):
                last = runs[number][-1]
                gap = word.x0 - last.x1
                share = overlap(word.y0, word.y1, last.y0, last.y1) / max(min(height, last.y1 - last.y0), 0.1)
                limit = widest * max(word.size, last.size)
                if -limit <= gap <= limit and share > best_share:
                    best, best_share = number, share
        if best < 0:
            best = len(runs)
            runs.append([])
        else:
            last = runs[best][-1]
            open_runs[int(((last.y0 + last.y1) / 2) // 8)].remove(best)
        runs[best].append(word)
        open_runs.setdefault(int(middle // 8), []).append(best)
    return [piece(run) for run in runs]


def _is_typed(words: Sequence[Word]) -> bool:
    """Whether all letters of a page are equally wide: nearly all words have one width for each letter."""
    widths = [
        (word.x1 - word.x0) / len(word.text) / word.size
        for word in words
        if len(word.text) >= 4 and not word.quarter
    ]
    if len(widths) < _MANY:
        return False
    usual = median(widths)
    return sum(abs(width - usual) <= 0.02 * usual for width in widths) >= 0.9 * len(widths)


def rows_of(items: Iterable[Item]) -> list[Row]:
    """Items grouped into rows from top to bottom, each row from left to right."""
    rows: list[Row] = []
    spans: list[tuple[float, float]] = []
    for item in sorted(items, key=lambda item: (item.middle, item.x0)):
        if rows:
            top, bottom = spans[-1]
            share = overlap(item.y0, item.y1, top, bottom) / max(min(item.y1 - item.y0, bottom - top), 0.1)
            if share > 0.5 and item.block is None and rows[-1][0].block is None:
                rows[-1].append(item)
                continue
        rows.append([item])
        spans.append((item.y0, item.y1))
    for row in rows:
        row.sort(key=lambda item: item.x0)
    return rows


def columns(items: list[Item], usual: Sequence[float] = ()) -> list[list[Item]]:
    """Items in reading order, as runs that each stand in one column.

    Looks for the gutter (a left edge shared by many lines, crossed by none of them) that most rows of prose support; what
    crosses it cuts the page into bands; each band is read left side first, and each side is treated the same way.

    Args:
        items: of one page.
        usual: gutters of the document's other pages; there one side of prose is evidence enough.
    """
    gutter = _gutter(items, usual)
    if gutter is None:
        return [items] if items else []
    runs: list[list[Item]] = []
    between: list[Item] = []
    for band, left, right in _bands(items, gutter):
        if left and right and _is_columnar(left, right, gutter, usual):
            if between:
                runs += columns(between, usual)
                between = []
            runs += columns(left, usual) + columns(right, usual)
        else:
            between += left + right
        if band is not None:
            between.append(band)
    if len(between) == len(items):
        return [items]
    return runs + (columns(between, usual) if between else [])


def usual_gutters(pages: Sequence[list[Item]]) -> list[float]:
    """Gutters that at least two pages and a fifth of all pages share."""
    found = [gutter for page in pages for gutter in [_gutter(page, ())] if gutter is not None]
    needed = max(2, len(pages) / 5)
    return sorted(
        {gutter for gutter in found if sum(abs(gutter - other) <= _NEAR for other in found) >= needed}
    )


def _bands(items: list[Item], gutter: float) -> list[tuple[Item | None, list[Item], list[Item]]]:
    """Left and right items above each item that crosses the gutter; the last band has none below it."""
    crossing = sorted(
        (item for item in items if _crosses(item, gutter)),
        key=lambda item: item.middle,
    )
    others = sorted(
        (item for item in items if not _crosses(item, gutter)),
        key=lambda item: item.middle,
    )
    bands: list[tuple[Item | None, list[Item], list[Item]]] = []
    position = 0
    for bar in [*crossing, None]:
        left: list[Item] = []
        right: list[Item] = []
        while position < len(others) and (bar is None or others[position].middle < bar.middle):
            item = others[position]
            (left if item.x0 < gutter - _JUT and item.x1 <= gutter + _JUT else right).append(item)
            position += 1
        bands.append((bar, left, right))
    return bands


def _crosses(item: Item, gutter: float) -> bool:
    return item.x0 < gutter - _JUT and item.x1 > gutter + _JUT


def _gutter(items: list[Item], usual: Sequence[float]) -> float | None:
    texts = [item for item in items if item.block is None]
    if len(texts) < 2 * _MIN_ROWS:
        return None
    left_most = min(item.x0 for item in texts)
    edges = Counter(round(item.x0 / 2) for item in texts)
    shared = [
        edge * 2 - 1.5
        for edge, count in sorted(edges.items(), key=lambda pair: (-pair[1], pair[0]))
        if count >= _MIN_ROWS
    ]
    best, best_score = None, 0
    tried: list[float] = []
    for gutter in [*_open_channels(texts), *shared]:
        if gutter < left_most + _MIN_WIDTH or any(abs(gutter - other) < 4 for other in tried):
            continue
        tried.append(gutter)
        if len(tried) > 12:
            break
        score = sum(
            len(left) + len(right)
            for _, left, right in _bands(items, gutter)
            if left and right and _is_columnar(left, right, gutter, usual)
        )
        if score > best_score:
            best, best_score = gutter, score
    return best


def _open_channels(texts: Sequence[Item]) -> list[float]:
    """Right edges of the wide channels that no line crosses but those that go nearly from side to side; the widest first."""
    x0, x1 = min(item.x0 for item in texts), max(item.x1 for item in texts)
    found: list[tuple[float, float]] = []
    reach = x0
    for item in sorted(texts, key=lambda item: item.x0):
        if item.x1 - item.x0 > 0.55 * (x1 - x0):
            continue
        if item.x0 - reach >= _WIDE:
            found.append((item.x0 - reach, item.x0 - 1.5))
        reach = max(reach, item.x1)
    return [gutter for _, gutter in sorted(found, reverse=True)[:4]]


def _is_parted(left: list[Item], right: list[Item]) -> bool:
    """Whether two sides are columns because a wide channel parts them and their lines stand at heights of their own.

    The cells of a table's row share a base line; the lines of two columns do so by chance only.
    """
    sides = [[item for item in side if item.block is None] for side in (left, right)]
    if not all(sides) or min(item.x0 for item in right) - max(item.x1 for item in left) < _WIDE:
        return False
    if any(max(i.x1 for i in side) - min(i.x0 for i in side) < 1.2 * _MIN_WIDTH for side in sides):
        return False
    bases = [sorted(row[0].y1 for row in rows_of(side)) for side in sides]
    fewer, more = sorted(bases, key=len)
    if len(fewer) < 2 * _MIN_ROWS:
        return False
    aligned = sum(any(abs(base - other) <= 1.5 for other in more) for base in fewer)
    return aligned <= 0.5 * len(fewer)


def _is_columnar(left: list[Item], right: list[Item], gutter: float, usual: Sequence[float]) -> bool:
    """Whether both sides are columns of prose: enough rows at the same height, filled with words."""
    top, bottom = (
        max(min(i.y0 for i in left), min(i.y0 for i in right)),
        min(max(i.y1 for i in left), max(i.y1 for i in right)),
    )
    shorter = min(max(i.y1 for i in side) - min(i.y0 for i in side) for side in (left, right))
    if bottom - top < 0.4 * shorter:
        return False
    if _is_parted(left, right):
        return True
    texts = [[item for item in side if item.block is None] for side in (left, right)]
    if not any(texts):
        return False
    if any(abs(gutter - other) <= _NEAR for other in usual):
        return any(_is_prose(side, edge, 5) for side, edge in zip(texts, (gutter, None), strict=True))
    # Beside a table or figure that fills its column, only a column of long lines is prose and not a column of labels.
    longest = 4 if all(texts) else 6
    return all(
        _is_prose(side, edge, longest) for side, edge in zip(texts, (gutter, None), strict=True) if side
    )


def _is_prose(side: list[Item], edge: float | None, n_words: int) -> bool:
    """Whether items are lines of running text: at least so many words in most rows, which fill the width, few of them numbers."""
    rows = rows_of(side)
    if len(rows) < _MIN_ROWS:
        return False
    x0, x1 = min(item.x0 for item in side), max(item.x1 for item in side)
    width = (edge if edge is not None else x1) - x0
    if width < _MIN_WIDTH:
        return False
    filled = median(sum(item.x1 - item.x0 for item in row) for row in rows)
    words = median(sum(len(item.words) for item in row) for row in rows)
    numbers = sum(any(map(str.isdigit, word.text)) for item in side for word in item.words)
    total = sum(len(item.words) for item in side)
    return filled >= 0.55 * width and words >= n_words and numbers < 0.4 * total
