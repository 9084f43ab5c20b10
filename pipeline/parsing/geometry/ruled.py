"""Tables that are drawn: ruling lines give the grid, missing lines give the merged cells."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pipeline.parsing.geometry.grid import Grid, Lines
from pipeline.parsing.geometry.ink import Box, Ink, Word
from pipeline.parsing.geometry.layout import Item, Row, is_bold, pieces, rows_of
from pipeline.parsing.geometry.outside import with_labels
from pipeline.parsing.grids import evident_header_rows, header_rows, is_numeric
from pipeline.parsing.repair import join_lines
from pipeline.parsing.tree import table

_TOUCH: Final = 3.0  # points between lines that meet
_OPEN: Final = 12.0  # points by which lines must reach beyond the outer columns to bound one more
_STRIP: Final = 7.0  # points, the widest strip between two lines that is no cell when it is empty
_TITLE: Final = 40  # words, the longest title in a table's first row
_NOTES: Final = 6  # words, the shortest notes in its last
_MAX_RULES: Final = 4000
_MAX_LINES: Final = 200  # grid lines in one direction


def ruled_tables(ink: Ink) -> tuple[list[Item], list[Word]]:
    """Drawn tables of a page as items, and the words that stand in none of them."""
    found: list[Item] = []
    words = list(ink.words)
    for grid in sorted(_grids(ink), key=lambda grid: (grid.ys[0], grid.xs[0])):
        framed = [word for word in words if _within(word, grid.box)]
        inner, title = _unframed(grid, framed)
        inner = with_labels(inner, words)
        inside = [word for word in words if _within(word, inner.box)]
        item = _table(inner, inside, cell_text(title))
        if item is not None:
            inside += title
            found.append(item)
            taken = {id(word) for word in inside}
            words = [word for word in words if id(word) not in taken]
    return found, words


def _within(word: Word, box: Box) -> bool:
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    return box[0] - 1 <= x <= box[2] + 1 and box[1] - 1 <= y <= box[3] + 1


def _grids(ink: Ink) -> list[Grid]:
    """Grids of at least two columns and two cells, one for each group of lines that touch."""
    across = _merged([(y, x0, x1) for x0, y, x1, y1 in ink.rules if y == y1 and x1 - x0 > 4])
    down = _merged([(x, y0, y1) for x, y0, x1, y1 in ink.rules if x == x1 and y1 - y0 > 4])
    if not 2 <= len(across) + len(down) <= _MAX_RULES or not across or not down:
        return []
    h, v = np.array(across), np.array(down)
    meets = (
        (v[None, :, 0] >= h[:, 1, None] - _TOUCH)
        & (v[None, :, 0] <= h[:, 2, None] + _TOUCH)
        & (h[:, 0, None] >= v[None, :, 1] - _TOUCH)
        & (h[:, 0, None] <= v[None, :, 2] + _TOUCH)
    )
    grids: list[Grid] = []
    for members_h, members_v in _components(meets):
        if not members_v:
            continue
        own_across, own_down = [across[i] for i in members_h], [down[i] for i in members_v]
        own_down += _open_sides(own_across, own_down)
        box = enclose_lines(own_across, own_down)
        words = [word for word in ink.words if _within(word, box)]
        own_down = _snapped(own_down, [(word.x0 + word.x1) / 2 for word in words])
        own_across = _snapped(own_across, [(word.y0 + word.y1) / 2 for word in words])
        xs, ys = _distinct([line[0] for line in own_down]), _distinct([line[0] for line in own_across])
        if 3 <= len(xs) <= _MAX_LINES and 2 <= len(ys) <= _MAX_LINES:
            grids.append(Grid(xs, ys, own_across, own_down))
    return grids


def enclose_lines(across: Lines, down: Lines) -> Box:
    """The box around horizontal and vertical lines."""
    return (
        min(line[0] for line in down),
        min(line[0] for line in across),
        max(line[0] for line in down),
        max(line[0] for line in across),
    )


def _open_sides(across: Lines, down: Lines) -> Lines:
    """Edges that a table without a frame lacks: where most of its horizontal lines begin or end beyond its outer columns."""
    top, bottom = min(line[0] for line in across), max(line[0] for line in across)
    first, last = min(line[0] for line in down), max(line[0] for line in down)
    sides: Lines = []
    for ends, is_beyond in (
        ([line[1] for line in across], lambda x: x < first - _OPEN),
        ([line[2] for line in across], lambda x: x > last + _OPEN),
    ):
        edge = median(ends)
        shared = sum(abs(x - edge) <= _TOUCH for x in ends)
        if is_beyond(edge) and shared >= max(2, 0.5 * len(ends)):
            sides.append((edge, top, bottom))
    return sides


def _snapped(lines: Lines, centres: Sequence[float]) -> Lines:
    """Lines moved onto the longest one nearby: double lines and the edges of shades inside a cell bound no cell of their own.

    Two positions are one when less than `_STRIP` lies between them and no word's centre does.
    """
    weight: dict[float, float] = {}
    for position, start, end in lines:
        weight[position] = weight.get(position, 0.0) + end - start
    found = np.sort(np.array(centres))
    clusters: list[list[float]] = []
    for position in sorted(weight):
        if clusters:
            start, before = clusters[-1][0], clusters[-1][-1]
            empty = np.searchsorted(found, before, "right") == np.searchsorted(found, position, "left")
            if position - before <= 1.0 or (
                position - before <= _STRIP and position - start <= 2 * _STRIP and empty
            ):
                clusters[-1].append(position)
                continue
        clusters.append([position])
    place = {at: max(cluster, key=lambda at: weight[at]) for cluster in clusters for at in cluster}
    return [(place[position], start, end) for position, start, end in lines]


def _merged(lines: Lines) -> Lines:
    """Lines on one position (within a point) that overlap or touch, as one."""
    result: Lines = []
    group: Lines = []
    for line in [*sorted(lines), (math.inf, 0.0, 0.0)]:
        if group and line[0] - group[0][0] > 1.0:
            joined: Lines = []
            for position, start, end in sorted(group, key=lambda line: line[1:]):
                if joined and start <= joined[-1][2] + _TOUCH:
                    joined[-1] = (joined[-1][0], joined[-1][1], max(joined[-1][2], end))
                else:
                    joined.append((position, start, end))
            result += joined
            group = []
        group.append(line)
    return result


def _components(meets: NDArray[np.bool_]) -> list[tuple[list[int], list[int]]]:
    """Connected groups of a bipartite graph: rows of `meets` on one side, columns on the other."""
    left = set(range(meets.shape[0]))
    groups: list[tuple[list[int], list[int]]] = []
    while left:
        rows = {min(left)}
        columns: set[int] = set()
        fresh = list(rows)
        while fresh:
            reached = set(np.flatnonzero(meets[fresh].any(axis=0)).tolist()) - columns
            columns |= reached
            fresh = (
                sorted(set(np.flatnonzero(meets[:, sorted(reached)].any(axis=1)).tolist()) - rows)
                if reached
                else []
            )
            rows |= set(fresh)
        left -= rows
        groups.append((sorted(rows), sorted(columns)))
    return groups


def _distinct(positions: list[float]) -> list[float]:
    result: list[float] = []
    for position in sorted(positions):
        if not result or position - result[-1] > _TOUCH:
            result.append(position)
    return result


def _unframed(grid: Grid, words: list[Word]) -> tuple[Grid, list[Word]]:
    """The grid without rows that are one cell from side to side: a title above, notes below. And the words of the title."""
    owner = _owners(grid)
    whole = [len(set(row.tolist())) == 1 for row in owner]
    first, last = 0, len(whole)
    while first < last and whole[first]:
        first += 1
    while last > first and whole[last - 1]:
        last -= 1
    title = [word for word in words if (word.y0 + word.y1) / 2 < grid.ys[first]]
    if last - first < 2 or len(title) > _TITLE:
        first, title = 0, []
    notes = [word for word in words if (word.y0 + word.y1) / 2 > grid.ys[last]]
    if last - first < 2 or len(notes) < _NOTES:
        last = len(whole)
    return replace(grid, ys=grid.ys[first : last + 1]), title


def _table(grid: Grid, words: list[Word], title: str) -> Item | None:
    n_rows, n_columns = len(grid.ys) - 1, len(grid.xs) - 1
    owner = _owners(grid)
    held: dict[int, list[Word]] = {}
    for word in words:
        row = grid.row_of((word.y0 + word.y1) / 2)
        column = grid.column_of((word.x0 + word.x1) / 2)
        held.setdefault(int(owner[row, column]), []).append(word)
    owner = _parted(grid, owner, held)
    groups = np.unique(owner)
    if len(groups) < 3 or len(held) < max(2, 0.35 * len(groups)) or not words:
        return None
    if max(map(len, held.values())) > max(60, 0.5 * len(words)):
        return None  # a frame around text
    rows: list[list[str]] = []
    owners: list[list[int]] = []
    bold: list[bool] = []
    for row in range(n_rows):
        names = [int(owner[row, column]) for column in range(n_columns)]
        own = [word for name in dict.fromkeys(names) for word in held.get(name, ())]
        lines = _split(names, held, owner)
        for number, line in enumerate(lines):
            rows.append(line)
            owners.append(
                names if number == 0 else [(row * 1000 + number) * 1000 + n for n in range(n_columns)]
            )
            bold.append(is_bold(own))
    block = table(rows, 0, title, grid.box, owners=owners, edges=grid.xs)
    if block is None or len(block.rows[0]) < 2 or len(block.rows) + len(block.rows[0]) < 4:
        return None  # two cells side by side are two texts
    kept = [heavy for heavy, line in zip(bold, rows, strict=True) if any(line)]
    headers = header_rows(block.rows, kept, block.spans)
    evident = evident_header_rows(block.rows, kept) > 0
    return Item(*grid.box, block=replace(block, header_rows=headers, headed=evident, ruled=True))


def _owners(grid: Grid) -> NDArray[np.int64]:
    """For each cell of the grid the number of the merged cell it belongs to: cells without a wall between them are one."""
    n_rows, n_columns = len(grid.ys) - 1, len(grid.xs) - 1
    parent = list(range(n_rows * n_columns))

    def find(cell: int) -> int:
        while parent[cell] != cell:
            parent[cell] = parent[parent[cell]]
            cell = parent[cell]
        return cell

    for row in range(n_rows):
        for column in range(n_columns):
            cell = row * n_columns + column
            if column + 1 < n_columns and not _wall(
                grid.down, grid.xs[column + 1], grid.ys[row], grid.ys[row + 1]
            ):
                parent[find(cell + 1)] = find(cell)
            if row + 1 < n_rows and not _wall(
                grid.across, grid.ys[row + 1], grid.xs[column], grid.xs[column + 1]
            ):
                parent[find(cell + n_columns)] = find(cell)
    return np.array([find(cell) for cell in range(n_rows * n_columns)]).reshape(n_rows, n_columns)


def _parted(grid: Grid, owner: NDArray[np.int64], held: dict[int, list[Word]]) -> NDArray[np.int64]:
    """Cells over several columns whose words stand in groups far apart, one for each: a header without lines of its own.

    Changes `held`, too.
    """
    owner = owner.copy()
    fresh = int(owner.max()) + 1
    for name in list(held):
        rows, columns = np.nonzero(owner == name)
        if len(set(rows.tolist())) != 1 or len(columns) < 2:
            continue
        lines = rows_of(pieces(held[name]))
        if len(lines) != 1 or len(lines[0]) < 2:
            continue
        row, first, last = int(rows[0]), int(columns.min()), int(columns.max()) + 1
        cuts = [first]
        for before, after in pairwise(lines[0]):
            middle = (before.x1 + after.x0) / 2
            cut = min(range(first, last + 1), key=lambda n: abs(grid.xs[n] - middle))
            near = before.x1 - _STRIP <= grid.xs[cut] <= after.x0 + _STRIP
            cuts.append(cut if near and cuts[-1] < cut < last else -1)
        if -1 in cuts:
            continue
        held.pop(name)
        for item, start, end in zip(lines[0], cuts, [*cuts[1:], last], strict=True):
            owner[row, start:end] = fresh
            held[fresh] = list(item.words)
            fresh += 1
    return owner


def _wall(lines: Lines, position: float, start: float, end: float) -> bool:
    covered = sum(
        max(0.0, min(end, to) - max(start, at)) for place, at, to in lines if abs(place - position) <= _TOUCH
    )
    return covered >= 0.9 * (end - start)


def cell_text(words: list[Word]) -> str:
    """Text of a cell: its lines from top to bottom; words that run upward or downward in their own direction."""
    level = [word for word in words if word.quarter == 0]
    turned = [word for word in words if word.quarter]
    lines = [" ".join(item.text for item in row) for row in rows_of(pieces(level))] if level else []
    if turned:
        upward = sum(word.quarter == 3 for word in turned) * 2 >= len(turned)
        order = sorted(turned, key=lambda word: (round(word.x0 / 4), -word.y0 if upward else word.y0))
        lines.append(" ".join(word.text for word in order))
    return join_lines(lines)


def _split(names: list[int], held: dict[int, list[Word]], owner: NDArray[np.int64]) -> list[list[str]]:
    """The cells of a grid row; several rows if the lines inside it stand at the same heights in most columns.

    Two lines may be one wrapped cell beside another, so they count as two rows only where most of them are numbers. A line
    that stands between the heights belongs to each of the rows.
    """
    whole = [[cell_text(held.get(name, [])) for name in names]]
    single = [name for name in dict.fromkeys(names) if (owner == name).sum() == names.count(name)]
    if len(names) < 3 or len(single) < len(set(names)):
        return whole
    lines = {name: rows_of(pieces(held.get(name, ()))) for name in single}
    several = [name for name in single if len(lines[name]) > 1]
    levels = _distinct([line[0].middle for name in several for line in lines[name]])
    if len(levels) < 2 or len(several) < 0.6 * len(single):
        return whole
    shared = [
        sum(any(abs(line[0].middle - level) <= _TOUCH for line in lines[name]) for name in several)
        for level in levels
    ]
    if sum(count >= 0.6 * len(several) for count in shared) < 0.7 * len(levels):
        return whole
    texts = [" ".join(item.text for item in line) for name in several for line in lines[name]]
    if len(levels) == 2 and sum(map(is_numeric, texts)) < 0.5 * len(texts):
        return whole
    return [[_at(lines[name], level, levels) for name in names] for level in levels]


def _at(lines: list[Row], level: float, levels: list[float]) -> str:
    """Text of a cell's line at one height; its only line if that stands at none of the heights."""
    if len(lines) == 1 and all(abs(lines[0][0].middle - other) > _TOUCH for other in levels):
        return " ".join(item.text for item in lines[0])
    return " ".join(item.text for line in lines if abs(line[0].middle - level) <= _TOUCH for item in line)
