"""Shares of rows, for metadata, checks and reports."""

import polars as pl


def share(mask: pl.Series) -> float:
    """Share (0 to 1) of the values that are true; 0 for none at all. Nulls count as false."""
    return int(mask.sum() or 0) / len(mask) if len(mask) else 0.0
