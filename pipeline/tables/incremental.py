"""The one way a stage advances: keep the rows whose input did not move, compute the rest.

Law (tested): after any sequence of changes the result equals a computation from nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.tables import columns as c
from pipeline.tables.schemas import Table

Frames = Mapping[str, pl.DataFrame]


@dataclass(frozen=True)
class Advanced:
    """The tables of a stage after it advanced, by table name, and what that took.

    Attributes:
        frames: the new content of each table.
        computed: versions that were computed.
        reused: versions whose rows were kept.
    """

    frames: Frames
    computed: int
    reused: int


def advance(
    tables: tuple[Table, ...],
    previous: Frames,
    inputs: pl.DataFrame,
    compute: Callable[[pl.DataFrame], Frames],
    *,
    retry: pl.Expr | None = None,
) -> Advanced:
    """Advance the tables of one stage in one partition.

    Args:
        tables: what the stage writes; each has doc_id, version_id and input_hash.
        previous: the published rows, by table name; an absent table counts as empty.
        inputs: one row per version (doc_id, version_id, input_hash and whatever `compute` needs).
        compute: from the rows of `inputs` that must be computed to rows for each table.
        retry: over the previous rows of the first table: versions with such a row are computed again
            although their input did not move (a timeout, say).
    """
    main = previous.get(tables[0].name, tables[0].empty())
    known = main if retry is None else main.join(main.filter(retry), on=c.VERSION_KEY, how="anti")
    key = [*c.VERSION_KEY, c.INPUT_HASH]
    fresh = inputs.join(known, on=key, how="semi")
    stale = inputs.join(fresh, on=key, how="anti")
    computed = compute(stale) if stale.height else {}
    frames: dict[str, pl.DataFrame] = {}
    for table in tables:
        kept = previous.get(table.name, table.empty()).join(fresh, on=key, how="semi")
        made = computed.get(table.name, table.empty())
        frames[table.name] = pl.concat([kept, made.select(table.schema.names())]).sort(table.key)
    return Advanced(frames=frames, computed=stale.height, reused=fresh.height)
