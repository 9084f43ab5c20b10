"""Rows as a CSV file that a spreadsheet opens without running anything."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import polars as pl

# A cell that starts so is a formula to a spreadsheet (OWASP, "CSV Injection").
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")


def write_csv(rows: pl.DataFrame, path: Path) -> None:
    """Write rows as UTF-8 CSV with a byte order mark (spreadsheets need it); text can start no formula."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(rows.columns)
        writer.writerows([harmless(value) for value in row] for row in rows.iter_rows())


def csv_mark(columns: Iterable[str]) -> bytes:
    """What `write_csv` begins a file of these columns with."""
    return (",".join(columns) + "\r\n").encode("utf-8-sig")


def harmless(value: Any) -> Any:
    """A cell as it may stand in a CSV file: text that a spreadsheet would run gets an apostrophe in front."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA_STARTS) else value
