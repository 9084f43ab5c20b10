"""Approximate vector indices: made when a table is large, and used only while they find what an exact search finds.

The index is LanceDB's IVF-HNSW: graphs over vectors of one byte a dimension (Malkov and Yashunin 2018). Its recall is
measured on rows of the table itself, and kept with the build.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from pipeline.config import IndexConfig
from pipeline.tables.fingerprint import fingerprint

if TYPE_CHECKING:
    from lancedb.table import Table

# So many times more rows than asked for are compared by their full vectors: one byte a dimension mixes up neighbours
# (recall of the nearest ten among 30,000 rows of 384 dimensions: 0.97 without, 1.00 with it, for a tenth more time).
_REFINE: Final = 2
# Rows that a leg of a search takes by default, so that the measured recall is that of the searches.
NEAREST: Final = 100
# Vectors searched for at once: an exact search of many reads the column once.
_AT_ONCE: Final = 32
# A table of which more than this share changed since it was measured is measured again.
_CHANGED: Final = 0.1


class VectorIndex(BaseModel):
    """What is known of the index of one vector column.

    Attributes:
        recall: share of the exactly nearest `NEAREST` rows that the index finds, over sampled rows of the table.
        exact: the recall is below the floor: there is no index, and searches are exact.
        rows: rows that the table had when it was measured.
        changed: rows written or deleted since then.
        settings: hash of the settings that it was made and judged by.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    recall: float
    exact: bool
    rows: int
    changed: int = 0
    settings: str


def complete_vector_indices(
    table: "Table",
    columns: list[str],
    config: IndexConfig,
    before: Mapping[str, VectorIndex],
    changed: int,
) -> dict[str, VectorIndex]:
    """Make the vector indices that a table of this size wants, and drop those that find too little.

    Args:
        table: open at its latest version, optimised: no row may be without its place in an index that there is.
        columns: its vector columns.
        config: from how many rows on there is an index, how it is made, and the floor of its recall.
        before: what was known when the table was last built, by column.
        changed: rows written or deleted since then.

    Returns:
        What is known now, by column; columns that are too small for an index are left out.
    """
    rows, settings = table.count_rows(), _settings(config)
    names = {column: index.name for index in table.list_indices() for column in index.columns}
    found: dict[str, VectorIndex] = {}
    for column in columns:
        there, known = column in names, before.get(column)
        if not rows:  # nothing to measure it by
            if there:
                table.drop_index(names[column])
            continue
        if not there and rows < config.flat_below:
            continue
        if known is not None and known.settings == settings and known.exact != there:
            known = known.model_copy(update={"changed": known.changed + changed})
            if known.changed <= _CHANGED * known.rows:
                found[column] = known
                continue
        recall = 0.0
        if there and (known is None or known.settings == settings):
            recall = measured_recall(table, column, config.recall_sample)
        if recall < config.min_vector_recall or not there:
            table.create_index(column, config=_hnsw(config))
            recall = measured_recall(table, column, config.recall_sample)
        poor = recall < config.min_vector_recall
        if poor:
            table.drop_index(next(each.name for each in table.list_indices() if column in each.columns))
        found[column] = VectorIndex(recall=recall, exact=poor, rows=rows, settings=settings)
    return found


def measured_recall(table: "Table", column: str, sample: int) -> float:
    """Share (0 to 1) of the exactly nearest rows that a search by the index finds.

    Args:
        table: open; the column has an index.
        column: the vector column.
        sample: so many rows are asked for their neighbours; always the same ones of a table.
    """
    rows = table.count_rows()
    places = np.random.default_rng(rows).choice(rows, min(sample, rows), replace=False)
    taken = table.take_offsets(sorted(places.tolist())).select([column]).to_arrow()[column]
    vectors: NDArray[np.float32] = np.stack(taken.to_numpy())
    shares: list[float] = []
    for start in range(0, len(vectors), _AT_ONCE):
        asked = vectors[start : start + _AT_ONCE]
        truth, found = (_nearest(table, column, asked, exact=exact) for exact in (True, False))
        shares += [len(truth[at] & found[at]) / len(truth[at]) for at in range(len(asked))]
    return float(np.mean(shares))


def compared(query: Any, *, exact: bool) -> Any:
    """A LanceDB vector query by the metric of the indices: over all rows, or by the index as every search takes it."""
    # Another metric than the index is built with would make its results meaningless.
    query = query.distance_type("cosine")
    return query.bypass_vector_index() if exact else query.refine_factor(_REFINE)


def _nearest(
    table: "Table", column: str, vectors: NDArray[np.float32], *, exact: bool
) -> dict[int, set[int]]:
    """Row ids of the nearest rows, by position of the vector. With `exact` by all rows, else as a search does it."""
    untyped: Any = table
    query = compared(untyped.search(list(vectors), vector_column_name=column), exact=exact)
    query = query.select(["_distance"]).with_row_id(True).limit(NEAREST)
    found: dict[int, set[int]] = defaultdict(set)
    for row in query.to_arrow().to_pylist():
        found[row.get("query_index", 0)].add(row["_rowid"])
    return found


def _hnsw(config: IndexConfig) -> Any:
    from lancedb.index import HnswSq

    return HnswSq(
        distance_type="cosine",
        m=config.hnsw_m,
        ef_construction=config.hnsw_ef_construction,
        target_partition_size=config.hnsw_partition_rows,
    )


def _settings(config: IndexConfig) -> str:
    return fingerprint(
        config.hnsw_m,
        config.hnsw_ef_construction,
        config.hnsw_partition_rows,
        config.min_vector_recall,
        config.recall_sample,
    )
