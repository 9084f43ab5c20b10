"""Whether two builds must answer alike: told by their rows, without asking a question."""

from typing import TYPE_CHECKING, Final, NamedTuple

import polars as pl

from pipeline.index.errors import IndexMissingError
from pipeline.index.pointer import Build
from pipeline.index.reader import open_build
from pipeline.index.tables import one_of, read_columns
from pipeline.tables import columns as c

if TYPE_CHECKING:
    from lancedb.table import Table

# Where more rows moved than that, they are not compared column by column.
_FEW: Final = 1000


class Renamed(NamedTuple):
    """A document that has another address in the second of two builds."""

    collection: str
    external_id: str
    before: str
    after: str


def renamed_only(root: str, before: Build, after: Build) -> frozenset[Renamed] | None:
    """The documents whose address is all that differs between two builds; None: something else does, or may.

    By an address nothing is chosen or ranked, and a row's vectors follow from its embed_hash within one fingerprint. So two
    such builds answer alike, but for what an approximate vector index leaves open.

    Args:
        root: folder or URL of the index.
        before: a build.
        after: another one.
    """
    if before.fingerprint != after.fingerprint:
        return None
    try:
        tables = [open_build(root, build).table for build in (before, after)]
    except IndexMissingError:
        return None
    old, new = (read_columns(table, (c.CHUNK_ID, c.ROW_HASH)) for table in tables)
    moved = new.join(old, on=[c.CHUNK_ID, c.ROW_HASH], how="anti")[c.CHUNK_ID]
    if set(old[c.CHUNK_ID]) != set(new[c.CHUNK_ID]) or moved.len() > _FEW:
        return None
    was, now = (_rows(table, moved) for table in tables)
    if not was.drop(c.URI).equals(now.drop(c.URI)):
        return None
    addresses = was.select(c.COLLECTION, c.EXTERNAL_ID, c.URI, now[c.URI].alias("after")).unique()
    return frozenset(Renamed(*row) for row in addresses.iter_rows())


def _rows(table: "Table", chunks: pl.Series) -> pl.DataFrame:
    """Some rows, sorted, without their hash and their vectors."""
    import pyarrow as pa

    names = [
        field.name
        for field in table.schema
        if field.name != c.ROW_HASH and not pa.types.is_fixed_size_list(field.type)
    ]
    query = table.search().where(one_of(c.CHUNK_ID, chunks.to_list())).select(names).limit(None)
    frame = pl.from_arrow(query.to_arrow())
    assert isinstance(frame, pl.DataFrame)
    return frame.sort(c.CHUNK_ID)
