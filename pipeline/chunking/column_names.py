"""The names of a table's columns, from the rows of its header."""

from collections.abc import Sequence

_UNDER = " / "


def column_names(header: Sequence[Sequence[str]]) -> tuple[list[str], tuple[str, ...]]:
    """Titles that stand over all columns, and one name for each column: "2023 / Inland" under a group of columns.

    Args:
        header: the rows of the header, from the top; a merged cell repeats its text in each row and column that it covers.

    Returns:
        The texts of the first rows that are one cell from side to side, unless nothing follows them; and for each column
        the cells of the other rows, each text once.
    """
    titles: list[str] = []
    rows = list(header)
    while len(rows) > 1 and len(rows[0]) > 1 and rows[0][0] and len(set(rows[0])) == 1:
        titles.append(rows.pop(0)[0])
    names = (dict.fromkeys(cell for cell in column if cell) for column in zip(*rows, strict=True))
    return titles, tuple(_UNDER.join(name) for name in names)
