"""The strategy for tables: whole when it fits, else groups of rows, each under the table's own head.

A row is never cut while it fits below the head. A row that does not is cut between its columns, each piece under the
headers of those columns and beside the row's first cell; only a cell that is too long by itself is cut inside.
"""

from collections.abc import Sequence
from typing import Final

from pipeline.chunking.packing import pack
from pipeline.chunking.pieces import Piece, pieces
from pipeline.chunking.sections import CELL_GAP, Item, Part
from pipeline.chunking.units import Sizes, Unit, sentence_units, whole_units

# What is repeated (head, row key) may take this share of the room at most.
_HEAD_SHARE: Final = 2
_KEY_SHARE: Final = 8


def cut_table(text: str, part: Part, sizes: Sizes) -> list[Piece]:
    """Pieces of a table: lead-in paragraph, caption, header rows and rows, in this order, all but the rows optional."""
    head = [item for item in part.items if item.kind != "row"]
    rows = [item for item in part.items if item.kind == "row"]
    costs = dict(
        zip(
            part.items, sizes.ledger.costs([text[item.start : item.next] for item in part.items]), strict=True
        )
    )
    if sum(costs.values()) <= sizes.room:
        return [Piece(part.items[0].start, part.items[-1].end)]
    result: list[Piece] = []
    most = sizes.room // _HEAD_SHARE
    headers = [item for item in head if item.kind == "header"]
    lead_items = next(
        (items for items in (head, headers) if sum(costs[item] for item in items) <= most), list[Item]()
    )
    lead = text[lead_items[0].start : lead_items[-1].end] + "\n" if lead_items else ""
    opens = len(lead_items) == len(head)  # else the head is too long to repeat: a piece of its own
    if not opens:
        result.extend(pieces(pack(whole_units(text, head, sizes), sizes.room, sizes.floor)))
    room = sizes.room - sizes.ledger.cost(lead)
    run: list[Item] = []
    for row in rows:
        if costs[row] <= room:
            run.append(row)
            continue
        result.extend(_row_groups(run, costs, lead, room, sizes.floor))
        run = []
        result.extend(_wide_row(text, row, headers, sizes))
    result.extend(_row_groups(run, costs, lead, room, sizes.floor))
    if opens and head:
        # The first rows stand below the head itself, not below a copy of it.
        joins = bool(result) and result[0].start == rows[0].start and result[0].lead == lead
        first = Piece(head[0].start, result[0].end if joins else head[-1].end)
        result = [first, *result[1:]] if joins else [first, *result]
    return result


def _row_groups(
    rows: Sequence[Item], costs: dict[Item, int], lead: str, room: int, floor: int
) -> list[Piece]:
    units = [Unit(row.start, row.end, row.next, costs[row], 0.0) for row in rows]
    return [Piece(piece.start, piece.end, lead) for piece in pieces(pack(units, room, floor))]


def _wide_row(text: str, row: Item, headers: Sequence[Item], sizes: Sizes) -> list[Piece]:
    """A row over the room, cut between its columns."""
    names = _names(headers, len(row.cells))
    key = (
        row.cells[0]
        if row.cells and sizes.ledger.cost(row.cells[0] + CELL_GAP) <= sizes.room // _KEY_SHARE
        else ""
    )
    result: list[Piece] = []
    start, group = row.start, list[int]()
    offset = row.start
    spans: list[tuple[int, int]] = []
    for cell in row.cells:
        spans.append((offset, offset + len(cell)))
        offset += len(cell) + len(CELL_GAP)

    def lead(columns: Sequence[int]) -> str:
        return _lead(names, columns, key)

    def cost(columns: Sequence[int]) -> int:
        return sizes.ledger.cost(lead(columns)) + sizes.ledger.cost(
            text[spans[columns[0]][0] : spans[columns[-1]][1]]
        )

    def close() -> None:
        if group and any(row.cells[column] for column in group):
            result.append(Piece(start, spans[group[-1]][1], lead(group)))

    for column, (begin, end) in enumerate(spans):
        if cost([*group, column]) <= sizes.room:
            start = start if group else begin
            group.append(column)
            continue
        close()
        if cost([column]) <= sizes.room:
            start, group = begin, [column]
            continue
        group = []
        repeat = lead([column])
        if sizes.ledger.cost(repeat) > sizes.room // _HEAD_SHARE:
            repeat = ""
        narrower = sizes.with_room(sizes.room - sizes.ledger.cost(repeat))
        cell = Item("row", begin, end, end)
        units = pack(sentence_units(text, cell, narrower), narrower.room, narrower.floor)
        result.extend(Piece(piece.start, piece.end, repeat) for piece in pieces(units))
    close()
    return result


def _names(headers: Sequence[Item], columns: int) -> list[str]:
    cells = headers[0].cells if headers else ()
    return [*cells[:columns], *[""] * (columns - len(cells))]


def _lead(names: Sequence[str], columns: Sequence[int], key: str) -> str:
    """Headers of the columns on one line, and the row's first cell in front of its values when they are others."""
    keyed = bool(key) and columns[0] > 0
    shown = [0, *columns] if keyed else columns
    line = (
        CELL_GAP.join(names[column] for column in shown) + "\n"
        if any(names[column] for column in shown)
        else ""
    )
    return line + (key + CELL_GAP if keyed else "")
