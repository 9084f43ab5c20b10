"""Faults of contracts that users reported: what a null or a NaN slips through elsewhere."""

import math

import polars as pl
import pytest

from pipeline.tables.lake import Lake, LakeError, validate
from pipeline.tables.schemas import Table


def _table(**settings) -> Table:
    schema = pl.Schema({"id": pl.Int64, "code": pl.String, "score": pl.Float64})
    return Table(name="t", grain="One row.", key=("id",), schema=schema, **settings)


@pytest.mark.parametrize(
    ("settings", "column", "value", "refused"),
    [
        ({}, "code", None, True),
        ({"nullable": frozenset({"code"})}, "code", None, False),
        # A closed set says nothing of nulls: that they may not be is said by the column.
        ({"allowed": {"code": ("ab",)}}, "code", None, True),
        ({"allowed": {"code": ("ab",)}}, "code", "ac", True),
        ({"allowed": {"code": ("ab",)}, "nullable": frozenset({"code"})}, "code", None, False),
        ({}, "score", None, True),
        ({}, "score", math.nan, True),
        ({}, "score", -math.inf, True),
        # A column that may be null may all the same not be NaN, which is not null to polars.
        ({"nullable": frozenset({"score"})}, "score", None, False),
        ({"nullable": frozenset({"score"})}, "score", math.nan, True),
    ],
)
def test_a_null_and_a_nan_are_each_refused_where_they_are_not_allowed(
    tmp_path, settings, column, value, refused
):
    """B44."""
    table = _table(**settings)
    row = {"id": 7, "code": "ab", "score": 0.5}
    frame = pl.DataFrame([row, row | {"id": 8, column: value}], schema=table.schema)
    lake = Lake(str(tmp_path))
    if not refused:
        lake.publish(table, "p", frame, "x")
        assert lake.read(table, "p").equals(frame)
        return
    with pytest.raises(LakeError, match=rf"t/p: {column} breaks .*id 8\)"):
        lake.publish(table, "p", frame, "x")
    assert lake.partitions(table) == [], "nothing of it is published"


def test_the_rows_of_the_case(cases):
    """B44: one null code; a NaN and a null score."""
    frame = pl.read_parquet(cases / "B44" / "nulls.parquet").with_row_index("id").cast({"id": pl.Int64})
    for number, column in ((1, "code"), (1, "score"), (2, "score")):
        row = frame.filter(id=number).with_columns(
            pl.lit("ab" if column == "score" else None, pl.String).alias("code")
        )
        row = row if column == "score" else row.with_columns(score=pl.lit(0.5))
        with pytest.raises(LakeError, match=f"p: {column} breaks .*id {number}"):
            validate(_table(), "p", row.select("id", "code", "score"))
    validate(_table(), "p", frame.filter(id=0).select("id", "code", "score"))
