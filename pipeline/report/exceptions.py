"""The exception register for a person: as lines, and as a CSV file that a spreadsheet opens without running anything."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import polars as pl

from pipeline.tables import columns as c
from pipeline.tables.lake import Lake
from pipeline.tables.schemas import PAGE_EXCEPTIONS

# A cell that starts so is a formula to a spreadsheet (OWASP, "CSV Injection").
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")


def read_register(
    lake: Lake, *, collection: str | None = None, reason: str | None = None, resolved: bool = False
) -> pl.DataFrame:
    """PAGE_EXCEPTIONS rows of the whole estate, by collection, path and page; open ones unless `resolved`."""
    register = lake.read(PAGE_EXCEPTIONS).sort(c.COLLECTION, c.URI, c.PAGE_NO, c.REASON)
    if not resolved:
        register = register.filter(status="open")
    if collection is not None:
        register = register.filter(collection=collection)
    if reason is not None:
        register = register.filter(reason=reason)
    return register


def exception_lines(register: pl.DataFrame) -> Iterable[str]:
    """One line an entry."""
    for row in register.iter_rows(named=True):
        page = f" page {row[c.PAGE_NO]}" if row[c.PAGE_NO] else ""
        yield (
            f"{row[c.STATUS]:8} {row[c.COLLECTION]}/{row[c.URI]}{page}: {row[c.REASON]} – {row[c.DETAIL]}"
            f" (to do: {row[c.ACTION]}; since {row[c.FIRST_SEEN]:%Y-%m-%d})"
        )
    yield f"{register.height} entries"


def write_csv(register: pl.DataFrame, path: Path) -> None:
    """Write the register as UTF-8 CSV with a byte order mark (spreadsheets need it); text can start no formula."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(register.columns)
        writer.writerows([harmless(value) for value in row] for row in register.iter_rows())


def harmless(value: Any) -> Any:
    """A cell as it may stand in a CSV file: text that a spreadsheet would run gets an apostrophe in front."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA_STARTS) else value
