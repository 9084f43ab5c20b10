"""LanceDB and its tables: opening, and frames to and from them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from pipeline.index.errors import IndexMissingError

if TYPE_CHECKING:
    from lancedb.db import DBConnection
    from lancedb.expr import Expr
    from lancedb.table import Table

_PAGE: Final = 1000


def connect(root: str) -> "DBConnection":
    """The database at a folder or URL."""
    import lancedb

    return lancedb.connect(root)


def table_names(database: "DBConnection") -> list[str]:
    """Names of all tables, sorted."""
    names: list[str] = []
    token: str | None = None
    while True:
        page = database.list_tables(page_token=token, limit=_PAGE)
        names += page.tables
        token = page.page_token
        if not token:
            return sorted(names)


def open_version(database: "DBConnection", name: str, version: int) -> "Table":
    """A table as it was at a version; later writes do not change what this handle sees.

    Raises:
        IndexMissingError: there is no such table, or no such version of it.
    """
    if name not in table_names(database):
        raise IndexMissingError(f"table {name} is not there")
    table = database.open_table(name)
    try:
        table.checkout(version)
    except ValueError as error:
        raise IndexMissingError(f"version {version} of table {name} is not there") from error
    return table


def one_of(column: str, values: list[Any]) -> "Expr":
    """The filter "column is one of these values". Typed: a value cannot become part of the expression."""
    from lancedb.expr import col

    return col(column).isin(values)


def to_arrow(frame: pl.DataFrame) -> Any:
    """A frame as an Arrow table of the types that LanceDB can index: 32-bit offsets in strings and lists."""
    import pyarrow as pa

    table = frame.to_arrow()
    return table.cast(pa.schema([pa.field(field.name, _small(field.type)) for field in table.schema]))


def read_columns(table: "Table", columns: Sequence[str], where: "Expr | None" = None) -> pl.DataFrame:
    """Some columns of the rows of an open table: of all, or of those that a filter holds for."""
    query = table.search().select(list(columns))
    frame = pl.from_arrow((query if where is None else query.where(where)).to_arrow())
    assert isinstance(frame, pl.DataFrame)
    return frame


def _small(dtype: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_large_string(dtype):
        return pa.string()
    if pa.types.is_large_list(dtype):
        return pa.list_(_small(dtype.value_type))
    return dtype
