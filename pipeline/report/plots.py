"""Small plots for the Dagster UI and reports, as PNG bytes."""

import base64
import io
from collections.abc import Mapping

import polars as pl


def histogram_png(values: pl.Series, *, title: str, marks: Mapping[str, float]) -> bytes:
    """A histogram with named vertical marks.

    Args:
        values: numbers; nulls are left out. An empty series gives an empty plot.
        title: stands above.
        marks: position of each mark by its name.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 2.6), dpi=80, layout="constrained")
    axes = figure.subplots()
    axes.hist(values.drop_nulls().to_numpy(), bins=30, color="#4c72b0")
    for name, position in marks.items():
        axes.axvline(position, color="#c44e52", linestyle="--", linewidth=1)
        axes.annotate(
            name,
            (position, 1),
            xycoords=("data", "axes fraction"),
            ha="right",
            va="top",
            rotation=90,
            fontsize=8,
        )
    axes.set_title(title, fontsize=10)
    axes.tick_params(labelsize=8)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def markdown_image(png: bytes, text: str) -> str:
    """A Markdown image that carries its bytes, for places that show Markdown and can fetch nothing."""
    return f"![{text}](data:image/png;base64,{base64.b64encode(png).decode()})"
