"""Tables without lines: rows whose pieces stand below one another, with empty channels between the columns."""

from dataclasses import replace
from itertools import pairwise
from statistics import median
from typing import Final

import numpy as np

from pipeline.parsing.geometry.ink import Word
from pipeline.parsing.geometry.layout import Item, Row, enclose, is_bold, is_bullet, overlap
from pipeline.parsing.grids import evident_header_rows, header_rows, is_numeric
from pipeline.parsing.repair import join_lines
from pipeline.parsing.tree import is_caption, table

_CHANNEL: Final = 3.0  # points, the narrowest gap between columns
_STEP: Final = 2.6  # of the row height: a wider step ends a table


def with_tables(rows: list[Row]) -> list[Row]:
    """The rows of one column, where every run of rows that is a table became one row with one item."""
    result: list[Row] = []
    position = 0
    while position < len(rows):
        end = _run(rows, position)
        item = _table(rows[position:end]) if end - position >= 2 else None
        if item is None:
            result.append(rows[position])
            position += 1
        else:
            result.append([item])
            position = end
    return result


def _is_multiple(row: Row) -> bool:
    if len(row) < 2 or row[0].block is not None or (len(row) == 2 and is_bullet(row[0].text)):
        return False
    return not is_caption(" ".join(item.text for item in row))


def _run(rows: list[Row], start: int) -> int:
    """End of the run of table rows that starts here; single pieces inside it may be labels or wrapped cells."""
    if not _is_multiple(rows[start]):
        return start
    end = last = start + 1
    while end < len(rows):
        above, row = rows[end - 1], rows[end]
        if row[0].block is not None:
            break
        height = median(item.y1 - item.y0 for item in above)
        step = min(item.y0 for item in row) - max(item.y1 for item in above)
        if step > _STEP * height:
            break
        if _is_multiple(row):
            last = end + 1
        elif end - last >= 2 or len(row[0].words) > 8:
            break
        end += 1
    return last


def known_table(rows: list[Row]) -> Item | None:
    """The table that rows are, where somebody else found that they are one: nothing is asked but columns."""
    return _table([row for row in rows if row[0].block is None], known=True)


def _table(rows: list[Row], *, known: bool = False) -> Item | None:
    multiple = [row for row in rows if _is_multiple(row)]
    channels = _channels(multiple)
    n_columns = len(channels) - 1
    if n_columns < 2 or (not known and len(multiple) < (3 if n_columns == 2 else 2)):
        return None
    found = [_cells(row, channels) for row in rows]
    cells = [line for line, _ in found]
    if not known and not _is_tabular(cells, multiple, channels):
        return None
    texts: list[list[str]] = []
    owners: list[list[int]] = []
    bold: list[bool] = []
    for number, (row, line) in enumerate(zip(rows, cells, strict=True)):
        filled = sum(map(bool, line))
        heavy = is_bold(word for item in row for word in item.words)
        below = not line[0] and filled <= n_columns / 2
        wrapped = heavy and all(bold) and number > 0 and _is_open(texts[-1], owners[-1])
        if number and (below or wrapped) and _is_close(rows[number - 1], row):
            texts[-1] = [join_lines([above, below]) for above, below in zip(texts[-1], line, strict=True)]
        else:
            texts.append(line)
            owners.append(
                [
                    number * 1000 + owner if owner >= 0 else -number * 1000 + owner
                    for owner in found[number][1]
                ]
            )
            bold.append(heavy)
    box = enclose(item for row in rows for item in row)
    block = table(texts, header_rows(texts, bold), bbox=box, owners=owners, edges=channels)
    if block is None or len(block.rows) < 2 or len(block.rows[0]) < 2:
        return None
    return Item(*box, block=replace(block, headed=evident_header_rows(texts, bold) > 0))


def _is_open(line: list[str], owners: list[int]) -> bool:
    """Whether a header's line names some columns only, one each: the names go on in the line below."""
    return not all(line) and len(set(owners)) == len(owners)


def _is_close(above: Row, row: Row) -> bool:
    height = median(item.y1 - item.y0 for item in above)
    return min(item.y0 for item in row) - max(item.y1 for item in above) < 0.35 * height


def _channels(rows: list[Row]) -> list[float]:
    """Borders of the columns: outer edges, and the middles of the gaps that nearly no row crosses."""
    if not rows:
        return []
    x0, _, x1, _ = enclose(item for row in rows for item in row)
    covered = np.zeros(int(x1 - x0) + 2)
    for row in rows:
        line = np.zeros_like(covered)
        for item in row:
            line[int(item.x0 - x0) : int(np.ceil(item.x1 - x0))] = 1
        covered += line
    free = covered <= (0.12 * len(rows) if len(rows) >= 6 else 0)
    borders = [x0]
    start: int | None = None
    for position, empty in enumerate(free):
        if empty and start is None:
            start = position
        elif not empty and start is not None:
            if position - start >= _CHANNEL and start > 0:
                borders.append(x0 + (start + position) / 2)
            start = None
    return [*borders, x1 + 1]


def _cells(row: Row, channels: list[float]) -> tuple[list[str], list[int]]:
    """Texts of a row by column, and the number of the piece in each; a piece is repeated in each column that it covers."""
    line = [""] * (len(channels) - 1)
    owners = [-1 - number for number in range(len(line))]
    for item in row:
        for words in _parts(item, channels):
            x0, x1 = words[0].x0, words[-1].x1
            text = " ".join(word.text for word in words)
            shares = [overlap(x0, x1, channels[n], channels[n + 1]) for n in range(len(line))]
            widest = max(shares)
            covered = [
                n for n, share in enumerate(shares) if share == widest or share > max(6.0, 0.3 * widest)
            ]
            for number in covered:
                alone = not line[number]
                line[number] = f"{line[number]} {text}".strip()
                owners[number] = covered[0] if alone and len(covered) > 1 else -1 - number
    return line, owners


def _parts(item: Item, channels: list[float]) -> list[list[Word]]:
    """The words of a piece, cut where a border falls into a gap that is wider than a word space or stands between numbers."""
    parts: list[list[Word]] = [[item.words[0]]]
    for before, after in pairwise(item.words):
        numbers = is_numeric(before.text) and is_numeric(after.text)
        wide = numbers or after.x0 - before.x1 > 0.45 * before.size
        # The border is the middle of a channel; what stands above it, centred over two columns, ends near it.
        slack = 0.5 * before.size if numbers else 0.0
        if wide and any(before.x1 - slack <= border <= after.x0 + slack for border in channels):
            parts.append([])
        parts[-1].append(after)
    return parts


def _is_tabular(cells: list[list[str]], rows: list[Row], channels: list[float]) -> bool:
    """Short cells that share edges: neither columns of prose nor a paragraph with wide spaces."""
    filled = [cell for line in cells for cell in line if cell]
    words = [len(cell.split()) for cell in filled]
    numeric = sum(map(is_numeric, filled)) / len(filled)
    if median(words) > 8 or (len(channels) == 3 and numeric < 0.2 and median(words) > 5):
        return False
    edges = 0
    for column in range(1, len(channels) - 1):
        inside = [item for row in rows for item in row if channels[column] <= item.x0 <= channels[column + 1]]
        if len(inside) < 2:
            continue
        for side in (
            [item.x0 for item in inside],
            [item.x1 for item in inside],
            [(item.x0 + item.x1) / 2 for item in inside],
        ):
            centre = median(side)
            if sum(abs(value - centre) <= 4 for value in side) >= 0.6 * len(side):
                edges += 1
                break
    return edges >= max(1, 0.5 * (len(channels) - 2))
