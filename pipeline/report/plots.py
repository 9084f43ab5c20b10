"""Small plots for the Dagster UI and reports, as PNG bytes."""

import base64
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WRITER: Final = "Kesit"
PNG_MARK: Final = f"Software\0{_WRITER}".encode()
"""Stands in every PNG of this module: the text chunk that names the program."""


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
    return _png(figure)


def histograms_png(groups: Mapping[str, pl.Series], *, title: str) -> bytes:
    """Histograms one below the other, over one axis.

    Args:
        groups: numbers by name; none gives an empty plot.
        title: stands above.
    """
    from matplotlib.figure import Figure

    rows = max(len(groups), 1)
    figure = Figure(figsize=(6, 0.7 + 0.8 * rows), dpi=80, layout="constrained")
    found = figure.subplots(rows, sharex=True, squeeze=False)[:, 0]
    for axes, (name, values) in zip(found, groups.items(), strict=False):
        axes.hist(values.drop_nulls().to_numpy(), bins=30, color="#4c72b0")
        axes.set_ylabel(f"{name}\n({len(values):,})", fontsize=7, rotation=0, ha="right", va="center")
        axes.set_yticks([])
    found[-1].tick_params(labelsize=8)
    figure.suptitle(title, fontsize=10)
    return _png(figure)


def scatter_png(points: Mapping[str, tuple[float, float]], *, across: str, up: str, title: str) -> bytes:
    """Named points.

    Args:
        points: position of each by its name.
        across: what the horizontal axis shows.
        up: what the vertical axis shows.
        title: stands above.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), dpi=100, layout="constrained")
    axes = figure.subplots()
    for name, (x, y) in points.items():
        axes.plot([x], [y], "o", color="#4c72b0", markersize=5)
        axes.annotate(name, (x, y), xytext=(4, 3), textcoords="offset points", fontsize=7)
    axes.set_xlabel(across, fontsize=9)
    axes.set_ylabel(up, fontsize=9)
    axes.set_title(title, fontsize=10)
    axes.tick_params(labelsize=8)
    return _png(figure)


def intervals_png(rows: Mapping[str, tuple[float, float, float]], *, title: str) -> bytes:
    """Changes with their intervals, one below the other, beside a line at zero.

    Args:
        rows: low, middle and high by name, from above.
        title: stands above.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 1.2 + 0.26 * len(rows)), dpi=100, layout="constrained")
    axes = figure.subplots()
    axes.axvline(0, color="#888888", linewidth=1)
    for place, (low, middle, high) in enumerate(rows.values()):
        colour = "#c44e52" if high < 0 else "#55a868" if low > 0 else "#4c72b0"
        axes.plot([low, high], [place, place], color=colour, linewidth=2, solid_capstyle="butt")
        axes.plot([middle], [place], "o", color=colour, markersize=5)
    axes.set_yticks(range(len(rows)), list(rows))
    axes.invert_yaxis()
    axes.set_title(title, fontsize=10)
    axes.tick_params(labelsize=8)
    return _png(figure)


def shares_png(frame: pl.DataFrame, colours: Mapping[str, str]) -> bytes:
    """Shares as stacked bars, one a row, under the name of their dimension.

    Args:
        frame: `dimension` and `value` (String), `pages`, and a column of shares (0 to 1) for each of `colours`. No rows give an
            empty plot.
        colours: by name of the column, in the order in which they are stacked.
    """
    from matplotlib.figure import Figure

    rows = frame.to_dicts()
    gaps = [n > 0 and row["dimension"] != rows[n - 1]["dimension"] for n, row in enumerate(rows)]
    places = [-(n + 0.6 * sum(gaps[: n + 1])) for n in range(len(rows))]
    figure = Figure(figsize=(7.5, 0.9 + 0.22 * (len(rows) + 0.6 * sum(gaps))), dpi=100, layout="constrained")
    axes = figure.subplots()
    left = [0.0] * len(rows)
    for name, colour in colours.items():
        shares = [row[name] * 100 for row in rows]
        axes.barh(places, shares, left=left, color=colour, height=0.8, label=name)
        left = [start + share for start, share in zip(left, shares, strict=True)]
    labels = [
        f"{row['dimension'].replace('_', ' ')}: {_plain(row['value'])} ({row['pages']:,})" for row in rows
    ]
    axes.set_yticks(places, labels, fontsize=8)
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of pages", fontsize=8)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=len(colours), fontsize=8, frameon=False)
    return _png(figure)


def _png(figure: "Figure") -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": _WRITER})
    return buffer.getvalue()


def _plain(text: str) -> str:
    """A text that matplotlib does not take for a formula."""
    return text.replace("$", r"\$")


def markdown_image(png: bytes, text: str) -> str:
    """A Markdown image that carries its bytes, for places that show Markdown and can fetch nothing."""
    return f"![{text}](data:image/png;base64,{base64.b64encode(png).decode()})"
