"""Building: bring a LanceDB table to the wanted rows, touching only what differs."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl

from pipeline.config import IndexConfig
from pipeline.index.approximate import VectorIndex, complete_vector_indices
from pipeline.index.errors import BuildRefusedError
from pipeline.index.tables import connect, one_of, read_columns, table_names, to_arrow
from pipeline.tables import columns as c
from pipeline.tables.vectors import searchable

if TYPE_CHECKING:
    from lancedb.table import Table

Complete = Callable[[pl.DataFrame], Iterator[pl.DataFrame]]

# Rows written, or ids named in a filter, at once.
BATCH: Final = 10_000
# `optimize` would remove versions after seven days, live ones too: removal is the business of `retention`.
KEEP_VERSIONS: Final = timedelta(days=36_500)

_BTREE: Final = (c.CHUNK_ID, c.DOC_ID, c.CLUSTER_ID, c.VALID_FROM, c.VALID_TO)
_BITMAP: Final = (c.COLLECTION, c.LANGUAGE, c.DOCUMENT_CLASS)


@dataclass(frozen=True)
class BuildResult:
    """What a build did.

    Attributes:
        table: name of the table.
        version: its version afterwards; unchanged when nothing differed.
        rows: rows in it afterwards.
        inserted: rows that were new.
        updated: rows whose content moved.
        deleted: rows that are no longer wanted.
        refused: chunk ids of rows that were not written, because a vector of theirs is zero or not finite.
        vector_indices: what is known of the approximate indices, by vector column; the others are searched exactly.
    """

    table: str
    version: int
    rows: int
    inserted: int
    updated: int
    deleted: int
    refused: tuple[str, ...]
    vector_indices: Mapping[str, VectorIndex]


def as_they_are(rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Batches of rows that are complete already."""
    yield from rows.iter_slices(BATCH) if rows.height else (rows,)


def apply_build(
    root: str,
    table_name: str,
    rows: pl.DataFrame,
    config: IndexConfig,
    complete: Complete,
    *,
    before: Mapping[str, VectorIndex],
) -> BuildResult:
    """Bring a table to exactly these rows: insert and update first, then delete what vanished, then complete the indices.

    Idempotent, and safe to repeat after a killed run: the difference is taken against what the table holds. Readers are
    pinned to the version that the live pointer names, so they see nothing of it.

    Args:
        root: folder or URL of the index.
        table_name: the table; made if it is not there.
        rows: every wanted row; chunk_id, acl_groups and row_hash at least.
        config: decides from how many rows on an approximate vector index is built, and how good it must be.
        complete: from the rows that must be written to batches of them with all columns of `rows.index_schema`; for no rows,
            one empty batch.
        before: what was known of the table's vector indices when it was last built.

    Raises:
        BuildRefusedError: a chunk_id occurs twice or is null, a row has no access groups, or the table has other columns.
    """
    _check(rows)
    database = connect(root)
    refused: list[str] = []
    if table_name in table_names(database):
        table = database.open_table(table_name)
        inserted, updated, deleted = _apply_difference(table, rows, complete, refused)
    else:
        batches = (_usable(batch, refused) for batch in complete(rows))
        table = database.create_table(table_name, to_arrow(next(batches)))
        for batch in batches:
            table.add(to_arrow(batch))
        inserted, updated, deleted = rows.height - len(refused), 0, 0
    _complete_plain_indices(table)
    table.optimize(cleanup_older_than=KEEP_VERSIONS)
    known = complete_vector_indices(
        table, _vector_columns(table), config, before, inserted + updated + deleted
    )
    return BuildResult(
        table=table_name,
        version=table.version,
        rows=table.count_rows(),
        inserted=inserted,
        updated=updated,
        deleted=deleted,
        refused=tuple(refused),
        vector_indices=known,
    )


def _check(rows: pl.DataFrame) -> None:
    if rows[c.CHUNK_ID].null_count():
        raise BuildRefusedError(f"{rows[c.CHUNK_ID].null_count()} rows have no chunk_id")
    twice = rows.filter(pl.col(c.CHUNK_ID).is_duplicated())[c.CHUNK_ID].unique().sort()
    if twice.len():
        raise BuildRefusedError(f"{twice.len()} chunk ids occur more than once (for example {twice[0]!r})")
    hidden = rows.filter(pl.col(c.ACL_GROUPS).list.len().fill_null(0) == 0)[c.CHUNK_ID]
    if hidden.len():
        raise BuildRefusedError(f"{hidden.len()} rows have no access groups (for example {hidden[0]!r})")


def _usable(rows: pl.DataFrame, refused: list[str]) -> pl.DataFrame:
    """The rows whose vectors can be searched; the ids of the others are appended to `refused`."""
    usable = np.ones(rows.height, np.bool_)
    for name, dtype in rows.schema.items():
        if isinstance(dtype, pl.Array) and rows.height:
            usable &= searchable(rows[name].to_numpy())
    mask = pl.Series(usable)
    refused += rows.filter(~mask)[c.CHUNK_ID].to_list()
    return rows.filter(mask)


def _apply_difference(
    table: "Table", wanted: pl.DataFrame, complete: Complete, refused: list[str]
) -> tuple[int, int, int]:
    """Rows inserted, updated and deleted."""
    names = [field.name for field in table.schema]
    if any(names != empty.columns for empty in complete(wanted.clear())):
        raise BuildRefusedError(
            f"table {table.name} has other columns than this version writes; delete the table or build under a new name"
        )
    held = read_columns(table, (c.CHUNK_ID, c.ROW_HASH))
    twice = held.filter(pl.col(c.CHUNK_ID).is_duplicated())[c.CHUNK_ID].unique()
    if twice.len():  # another writer's doing: neither copy can be trusted to be the one that an update meets
        _delete(table, c.CHUNK_ID, twice)
        held = held.filter(~pl.col(c.CHUNK_ID).is_in(twice.implode()))
    old = held.rename({c.ROW_HASH: "held_hash"})
    compared = wanted.select(c.CHUNK_ID, c.ROW_HASH).join(
        old, on=c.CHUNK_ID, how="left", maintain_order="left"
    )
    new = compared["held_hash"].is_null()
    moved = ~new & (compared["held_hash"] != compared[c.ROW_HASH])
    written = wanted.filter(new | moved)
    for batch in complete(written) if written.height else ():
        usable = _usable(batch, refused)
        if usable.height:
            merge = table.merge_insert(c.CHUNK_ID).when_matched_update_all().when_not_matched_insert_all()
            merge.execute(to_arrow(usable))
    unusable = pl.Series(refused, dtype=pl.String).implode()
    vanished = held.filter(
        ~pl.col(c.CHUNK_ID).is_in(wanted[c.CHUNK_ID].implode()) | pl.col(c.CHUNK_ID).is_in(unusable)
    )[c.CHUNK_ID]
    _delete(table, c.CHUNK_ID, vanished)
    out = written[c.CHUNK_ID].is_in(unusable)
    inserted = int((new.filter(new | moved) & ~out).sum())
    return inserted, written.height - int(out.sum()) - inserted, vanished.len()


def _vector_columns(table: "Table") -> list[str]:
    import pyarrow as pa

    return [field.name for field in table.schema if pa.types.is_fixed_size_list(field.type)]


def _delete(table: "Table", column: str, values: pl.Series) -> None:
    for start in range(0, values.len(), BATCH):
        table.delete(one_of(column, values.slice(start, BATCH).to_list()))


def _complete_plain_indices(table: "Table") -> None:
    """Make the indices that every table has, where they are not there."""
    there = {column for index in table.list_indices() for column in index.columns}
    for column, index in _plain_indices():
        if column not in there:
            table.create_index(column, config=index)


def _plain_indices() -> Iterator[tuple[str, Any]]:
    """Full text over tokens that are analysed already, groups, and what filters compare."""
    from lancedb.index import FTS, Bitmap, BTree, LabelList

    yield (
        c.SEARCH_TEXT,
        FTS(
            with_position=False,
            base_tokenizer="whitespace",
            max_token_length=None,
            lower_case=False,
            stem=False,
            remove_stop_words=False,
            ascii_folding=False,
        ),
    )
    yield c.ACL_GROUPS, LabelList()
    yield from ((column, BTree()) for column in _BTREE)
    yield from ((column, Bitmap()) for column in _BITMAP)
