import polars as pl

from pipeline.report.shares import share


def test_share():
    assert share(pl.Series([True, False, None, True])) == 0.5
    assert share(pl.Series([], dtype=pl.Boolean)) == 0.0
