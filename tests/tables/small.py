"""Small tables, rows for every table, and a process of its own for what must not happen in this one."""

import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import polars as pl

from pipeline.tables import columns as c
from pipeline.tables import schemas as s

TABLES = (*s.REBUILT, s.embeddings("some-encoder", 4))
SMALL = s.Table(
    name="small",
    grain="One row per key.",
    key=(c.DOC_ID,),
    schema=pl.Schema({c.DOC_ID: pl.String, c.TEXT: pl.String, c.LAST_SEEN: pl.Datetime("us", "UTC")}),
    nullable=frozenset({c.TEXT}),
    stamps=frozenset({c.LAST_SEEN}),
)
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def value(dtype, n):  # noqa: PLR0911 - one for each type
    """Some value of a type, different for each n."""
    match dtype:
        case pl.Struct():
            return {field.name: value(field.dtype, n) for field in dtype.fields}
        case pl.List():
            return [value(dtype.inner, n + k) for k in range(n % 3 + 1)]
        case pl.Array():
            return [value(dtype.inner, n + k) for k in range(dtype.size)]
    if dtype == pl.String:
        return f"ğ§ß {n}"
    if dtype == pl.Boolean:
        return n % 2 == 0
    if dtype == pl.Date:
        return date(2026, 1, 1) + timedelta(days=n)
    if dtype == pl.Datetime("us", "UTC"):
        return NOON + timedelta(microseconds=n)
    return n / 8 if dtype.is_float() else n


def row(table, n):
    made = {name: value(dtype, n) for name, dtype in table.schema.items()}
    made |= {name: allowed[n % len(allowed)] for name, allowed in table.allowed.items()}
    return made | {name: None for name in table.nullable if n % 2}


def rows(table, count):
    return table.frame([row(table, n) for n in range(count)])


def small(*texts, seen=NOON):
    return SMALL.frame([{c.DOC_ID: str(n), c.TEXT: text, c.LAST_SEEN: seen} for n, text in enumerate(texts)])


def run(code, **environment):
    """Run code in a process of its own, at the root of the checkout."""
    return subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | environment,
        cwd=Path(__file__).parents[2],
    )
