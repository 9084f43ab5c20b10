"""Tables that are drawn: ruling lines give the grid, missing lines give the merged cells."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pipeline.parsing.grids import evident_header_rows, header_rows, is_numeric
from pipeline.parsing.ink import Box, Ink, Word
from pipeline.parsing.layout import Item, Row, is_bold, pieces, rows_of
from pipeline.parsing.repair import join_lines
from pipeline.parsing.tree import table

_TOUCH: Final = 3.0  # points between lines that meet
_MAX_RULES: Final = 4000
_MAX_LINES: Final = 200  # grid lines in one direction

Lines = list[tuple[float, float, float]]  # position, from, to


@dataclass(frozen=True)
class _Grid:
    xs: list[float]
    ys: list[float]
    across: Lines
    down: Lines


def ruled_tables(ink: Ink) -> tuple[list[Item], list[Word]]:
    """Drawn tables of a page as items, and the words that stand in none of them."""
    found: list[Item] = []
    words = list(ink.words)
    for grid in sorted(_grids(ink.rules), key=lambda grid: (grid.ys[0], grid.xs[0])):
        box = (grid.xs[0], grid.ys[0], grid.xs[-1], grid.ys[-1])
        inside = [word for word in words if _within(word, box)]
        item = _table(grid, inside, box)
        if item is not None:
            found.append(item)
            taken = {id(word) for word in inside}
            words = [word for word in words if id(word) not in taken]
    return found, words


def _within(word: Word, box: Box) -> bool:
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    return box[0] - 1 <= x <= box[2] + 1 and box[1] - 1 <= y <= box[3] + 1


def _grids(rules: Sequence[Box]) -> list[_Grid]:
    """Grids of at least two columns and two cells, one for each group of lines that touch."""
    across = _merged([(y, x0, x1) for x0, y, x1, y1 in rules if y == y1 and x1 - x0 > 4])
    down = _merged([(x, y0, y1) for x, y0, x1, y1 in rules if x == x1 and y1 - y0 > 4])
    if not 2 <= len(across) + len(down) <= _MAX_RULES or not across or not down:
        return []
    h, v = np.array(across), np.array(down)
    meets = (
        (v[None, :, 0] >= h[:, 1, None] - _TOUCH)
        & (v[None, :, 0] <= h[:, 2, None] + _TOUCH)
        & (h[:, 0, None] >= v[None, :, 1] - _TOUCH)
        & (h[:, 0, None] <= v[None, :, 2] + _TOUCH)
    )
    grids: list[_Grid] = []
    for members_h, members_v in _components(meets):
        xs = _distinct([down[i][0] for i in members_v])
        ys = _distinct([across[i][0] for i in members_h])
        if 3 <= len(xs) <= _MAX_LINES and 2 <= len(ys) <= _MAX_LINES:
            grids.append(_Grid(xs, ys, [across[i] for i in members_h], [down[i] for i in members_v]))
    return grids


def _merged(lines: Lines) -> Lines:
    """Lines on one position that overlap or touch, as one."""
    result: Lines = []
    for position, start, end in sorted(lines):
        if result and abs(result[-1][0] - position) <= 1.0 and start <= result[-1][2] + _TOUCH:
            last = result[-1]
            result[-1] = (last[0], min(last[1], start), max(last[2], end))
        else:
            result.append((position, start, end))
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


def _table(grid: _Grid, words: list[Word], box: Box) -> Item | None:
    n_rows, n_columns = len(grid.ys) - 1, len(grid.xs) - 1
    owner = _owners(grid)
    held: dict[int, list[Word]] = {}
    for word in words:
        row = _slot(grid.ys, (word.y0 + word.y1) / 2)
        column = _slot(grid.xs, (word.x0 + word.x1) / 2)
        held.setdefault(int(owner[row, column]), []).append(word)
    groups = np.unique(owner)
    if len(groups) < 3 or len(held) < max(2, 0.35 * len(groups)) or not words:
        return None
    if max(map(len, held.values())) > max(60, 0.5 * len(words)):
        return None  # a frame around text
    rows: list[list[str]] = []
    bold: list[bool] = []
    for row in range(n_rows):
        names = [int(owner[row, column]) for column in range(n_columns)]
        own = [word for name in dict.fromkeys(names) for word in held.get(name, ())]
        for line in _split(names, held, owner):
            rows.append(line)
            bold.append(is_bold(own))
    block = table(rows, 0, bbox=box)
    if block is None or len(block.rows[0]) < 2:
        return None
    kept = [heavy for heavy, line in zip(bold, rows, strict=True) if any(line)]
    headers = header_rows(block.rows, kept)
    evident = evident_header_rows(block.rows, kept) > 0
    return Item(*box, block=replace(block, header_rows=headers, headed=evident))


def _owners(grid: _Grid) -> NDArray[np.int64]:
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


def _wall(lines: Lines, position: float, start: float, end: float) -> bool:
    covered = sum(
        max(0.0, min(end, to) - max(start, at)) for place, at, to in lines if abs(place - position) <= _TOUCH
    )
    return covered >= 0.5 * (end - start)


def _slot(edges: list[float], value: float) -> int:
    return int(np.clip(np.searchsorted(edges, value) - 1, 0, len(edges) - 2))


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
