"""Frames as Markdown tables, for metadata and reports."""

import polars as pl


def markdown_table(frame: pl.DataFrame) -> str:
    """A Markdown table of all rows; fractions with two digits after the point."""
    fractions = [name for name, dtype in frame.schema.items() if dtype.is_float()]
    lines = [
        frame.columns,
        ["---"] * frame.width,
        *frame.with_columns(pl.col(fractions).round(2)).iter_rows(),
    ]
    return "\n".join(
        f"| {' | '.join('' if cell is None else str(cell) for cell in line)} |" for line in lines
    )
