"""The exception register for a person."""

from collections.abc import Iterable
from typing import Final

import polars as pl

from pipeline.config import ConfigError
from pipeline.gate.register import TO_DO, to_do
from pipeline.tables import columns as c
from pipeline.tables.lake import Lake
from pipeline.tables.schemas import ACKNOWLEDGED, CHUNK_EXCEPTIONS, PAGE_EXCEPTIONS

_KNOWN: Final = "_known"

ALL: Final = "all"
"""The one partition of the table `acknowledged`."""

REGISTER: Final = (*PAGE_EXCEPTIONS.schema.names(), "to_do")
"""Columns of the register as `read_register` gives it."""

STATUSES: Final = ("open", "acknowledged", "resolved", "all")


def read_register(
    lake: Lake, *, collection: str | None = None, reason: str | None = None, status: str = "open"
) -> pl.DataFrame:
    """PAGE_EXCEPTIONS rows of the whole estate, those about chunks among them, by collection, path and page.

    A column `to_do` says what to do: a sentence, or "".

    Args:
        lake: the tables.
        collection: only this one.
        reason: only this reason code.
        status: one of `STATUSES`.

    Raises:
        ConfigError: a reason or status that does not exist; the message says which do.
    """
    for name, value, allowed in (("reason", reason, sorted(TO_DO)), ("status", status, STATUSES)):
        if value is not None and value not in allowed:
            raise ConfigError(f"--{name} {value!r}: must be one of {', '.join(allowed)}")
    chunks = lake.read(CHUNK_EXCEPTIONS).select(PAGE_EXCEPTIONS.schema.names())
    register = with_acknowledged(lake, pl.concat([lake.read(PAGE_EXCEPTIONS), chunks])).sort(
        c.COLLECTION, c.URI, c.PAGE_NO, c.REASON, c.DETAIL
    )
    if status != "all":
        register = register.filter(status=status)
    if collection is not None:
        register = register.filter(collection=collection)
    if reason is not None:
        register = register.filter(reason=reason)
    told = [to_do(*row) for row in register.select(c.REASON, c.ACTION, c.DETAIL).iter_rows()]
    return register.with_columns(pl.Series("to_do", told, pl.String))


def with_acknowledged(lake: Lake, register: pl.DataFrame) -> pl.DataFrame:
    """PAGE_EXCEPTIONS rows; the status of an open one that was acknowledged as it is now is `acknowledged`.

    As it is now: of the same bytes, for the same reason, with the same detail. A file that changed comes back.
    """
    known = lake.current(ACKNOWLEDGED, ALL).select(*ACKNOWLEDGED.key, pl.lit(value=True).alias(_KNOWN))
    return (
        register.join(known, on=ACKNOWLEDGED.key, how="left", maintain_order="left")
        .with_columns(
            pl.when(pl.col(_KNOWN) & (pl.col(c.STATUS) == "open"))
            .then(pl.lit("acknowledged"))
            .otherwise(c.STATUS)
            .alias(c.STATUS)
        )
        .drop(_KNOWN)
    )


def exception_lines(register: pl.DataFrame, done: str = "") -> Iterable[str]:
    """One line an entry, and what is to be done below it; at the end their number, and what was done to them."""
    for row in register.iter_rows(named=True):
        page = f" page {row[c.PAGE_NO]}" if row[c.PAGE_NO] else ""
        yield (
            f"{row[c.STATUS]:8} {row[c.COLLECTION]}/{row[c.URI]}{page}: {row[c.REASON]} – {row[c.DETAIL]}"
            f" (since {row[c.FIRST_SEEN]:%Y-%m-%d})"
        )
        if row["to_do"]:
            yield f"         {row['to_do']}"
    yield f"{register.height} {'entry' if register.height == 1 else 'entries'} {done}".rstrip()
