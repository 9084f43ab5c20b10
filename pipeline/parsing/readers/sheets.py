"""Spreadsheets of any format: what a sheet shows becomes a page of tables, paragraphs and notes."""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pipeline.parsing.grids import header_rows
from pipeline.parsing.tree import Block, Page, table

MAX_CELLS: Final = 5_000_000
"""Stored cells of a sheet; one with more is too large."""
_WIDEST: Final = 200  # columns; what is merged over more is a title, and is written once

Place = tuple[int, int]
"""Row and column, from 1."""


@dataclass
class Sheet:
    """What a sheet shows.

    Attributes:
        name: of the sheet.
        cells: text by place, filled ones only.
        merged: of each merged cell the first row, last row, first column, last column.
        notes: comments, by place.
        missing: formulas without a stored value.
        rows: hidden rows that are left out.
        columns: hidden columns that are left out.
        lost: those of them that hold something.
    """

    name: str
    cells: dict[Place, str] = field(default_factory=dict[Place, str])
    merged: list[tuple[int, int, int, int]] = field(default_factory=list[tuple[int, int, int, int]])
    notes: dict[Place, str] = field(default_factory=dict[Place, str])
    missing: int = 0
    rows: set[int] = field(default_factory=set[int])
    columns: set[int] = field(default_factory=set[int])
    lost: set[str] = field(default_factory=set[str])

    def put(self, place: Place, text: str, note: str = "") -> None:
        """Write a cell, unless it is hidden."""
        if not self.shows(place):
            if text.strip():
                self.lost.add(f"row {place[0]}" if place[0] in self.rows else f"column {place[1]}")
            return
        if note.strip():
            self.notes[place] = note
        if text.strip():
            self.cells[place] = text

    def shows(self, place: Place) -> bool:
        """Whether a place is neither in a hidden row nor in a hidden column that is left out."""
        return place[0] not in self.rows and place[1] not in self.columns


def pages_of(sheets: Iterable[Sheet], left_out: Sequence[str], engine: str) -> list[Page]:
    """One page for each sheet: its name as heading, its regions as tables, its comments as footnotes.

    Args:
        sheets: in order.
        left_out: names of the hidden sheets that are not among them; the furniture of the first page says so.
        engine: what read them.
    """
    pages: list[Page] = []
    for sheet in sheets:
        owners = _merge(sheet)
        blocks = [
            block for places in _regions(sheet.cells, sheet) for block in _region(places, sheet, owners)
        ]
        blocks += [
            Block("footnote", text, anchor=_name(place)) for place, text in sorted(sheet.notes.items())
        ]
        said = [f"hidden sheet left out: {name}" for name in left_out] if not pages else []
        if sheet.lost:
            said.append(f"hidden rows and columns left out: {len(sheet.lost)}")
        if sheet.missing:
            said.append(f"formulas without a stored value, shown as formulas: {sheet.missing}")
        heading = (Block("heading", sheet.name, level=1),) if blocks else ()
        pages.append(Page(len(pages) + 1, (*heading, *blocks), engine=engine, furniture=tuple(said)))
    return pages


def _name(place: Place) -> str:
    """A place as sheets name it: "C2"."""
    row, column = place
    letters = ""
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row}"


def _merge(sheet: Sheet) -> dict[Place, Place]:
    """Write the text of each merged cell in all its places; returns the first place for each of them."""
    owners: dict[Place, Place] = {}
    last = max((row for row, _ in sheet.cells), default=0)
    for top, end, left, right in sheet.merged:
        value = sheet.cells.get((top, left))
        if value is None or right - left > _WIDEST:
            continue
        for row in range(top, min(end, last) + 1):
            for column in range(left, right + 1):
                if sheet.shows((row, column)):
                    sheet.cells[row, column] = value
                    owners[row, column] = (top, left)
    return owners


def _regions(places: Iterable[Place], sheet: Sheet) -> Iterator[list[Place]]:
    """Places in groups that empty rows part, or an empty column between two tables of at least two columns and rows each."""
    rows: dict[int, list[Place]] = {}
    for place in sorted(places):
        rows.setdefault(place[0], []).append(place)
    for band in _runs(list(rows), sheet.rows):
        parts = _side_by_side([place for row in band for place in rows[row]], sheet)
        for part in parts:
            yield from [part] if len(parts) == 1 else _regions(part, sheet)


def _runs(numbers: Sequence[int], hidden: Container[int]) -> list[list[int]]:
    """Ascending numbers in runs without a gap; what is hidden is none."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and all(between in hidden for between in range(runs[-1][-1] + 1, number)):
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _side_by_side(places: list[Place], sheet: Sheet) -> list[list[Place]]:
    runs = _runs(sorted({column for _, column in places}), sheet.columns)
    parts = [[place for place in places if place[1] in run] for run in map(set, runs)]
    wide = all(
        len(run) > 1 and len({row for row, _ in part}) > 1 for run, part in zip(runs, parts, strict=True)
    )
    return parts if wide else [places]


def _region(places: list[Place], sheet: Sheet, merged: dict[Place, Place]) -> Iterator[Block]:
    """A table; rows above it that hold one text only are its caption; a lone cell is a paragraph."""
    rows = sorted({row for row, _ in places})
    columns = sorted({column for _, column in places})
    grid = [[sheet.cells.get((row, column), "") for column in columns] for row in rows]
    titles: list[str] = []
    while len(grid) > 1 and len(grid[0]) > 1 and len({cell for cell in grid[0] if cell}) == 1:
        titles.append(next(cell for cell in grid[0] if cell))
        grid, rows = grid[1:], rows[1:]
    if len(grid) == 1 and sum(map(bool, grid[0])) == 1:
        titles.append(next(cell for cell in grid[0] if cell))
        yield from (Block("paragraph", title) for title in titles)
        return
    owners = [[_owner(merged.get((row, column), (row, column))) for column in columns] for row in rows]
    block = table(grid, 0, " ".join(dict.fromkeys(titles)), owners=owners)
    if block is not None:
        yield replace(block, header_rows=header_rows(block.rows, spans=block.spans))


def _owner(place: Place) -> int:
    return place[0] << 20 | place[1]
