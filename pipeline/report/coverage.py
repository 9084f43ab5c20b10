"""The coverage of the estate for a person: a table with bars as text, and a plot."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import polars as pl

from pipeline.config import UNKNOWN
from pipeline.gate.coverage import OF_DOCUMENTS, OF_GATED, OF_PARSED, SHARES, coverage_by_dimension
from pipeline.report.plots import shares_png
from pipeline.tables.lake import Lake
from pipeline.tables.schemas import DOCUMENTS, GATED_PAGES, PARSED_PAGES, Table

# Told apart by lightness too: passed the darkest.
_COLOURS: Final[Mapping[str, str]] = dict(
    zip(SHARES, ("#22684a", "#e3b04b", "#c8503c", "#8d7fb8"), strict=True)
)
_SIGNS: Final = "█▓▒·"
_BAR: Final = 24
# So many values of a dimension are shown, those with the most pages; scripts get them all.
_VALUES: Final = 12


def read_coverage(lake: Lake, partitions: Iterable[str]) -> pl.DataFrame:
    """The coverage of some partitions by each dimension: see `coverage_by_dimension`."""
    names = list(partitions)
    wanted: tuple[tuple[Table, Sequence[str]], ...] = (
        (DOCUMENTS, OF_DOCUMENTS), (PARSED_PAGES, OF_PARSED), (GATED_PAGES, OF_GATED),
    )  # fmt: skip
    frames = [
        pl.concat([table.empty().select(columns), *(lake.current(table, name, columns) for name in names)])
        for table, columns in wanted
    ]
    return coverage_by_dimension(*frames)


def coverage_lines(rows: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """The table as text, a bar behind each row.

    Args:
        rows: of `coverage_by_dimension`, as dictionaries.
    """
    shown = _most_pages(pl.DataFrame(rows)).to_dicts() if rows else []
    width = max((len(_label(row)) for row in shown), default=0)
    if shown:
        heads = "".join(f"{name:>10}" for name in SHARES)
        yield f"coverage    {'':{width}}   pages{heads}"
    for row in shown:
        shares = "".join(f"{_percent(row[name]):>10}" for name in SHARES)
        yield f"            {_label(row):{width}}{row['pages']:8,}{shares}  {_bar([row[name] for name in SHARES])}"


def coverage_png(frame: pl.DataFrame) -> bytes:
    """The same as a plot. Args: frame: of `coverage_by_dimension`."""
    return shares_png(_most_pages(frame), _COLOURS)


def _most_pages(frame: pl.DataFrame) -> pl.DataFrame:
    """The values with the most pages of each dimension, in the order that they had."""
    place = pl.col("pages").rank("ordinal", descending=True).over("dimension")
    return frame.filter(place <= _VALUES)


def _label(row: Mapping[str, Any]) -> str:
    if row["dimension"] == row["value"]:
        return str(row["value"])
    value = "unknown" if row["value"] == UNKNOWN else row["value"]
    return f"{row['dimension'].replace('_', ' ')} {value}"


def _percent(share: float) -> str:
    """A share in per cent; what is not nothing is never shown as nothing, nor what is not all as all."""
    if 0.0 < share < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 <= share < 1.0 else f"{share * 100:.0f} %"


def _bar(shares: Sequence[float]) -> str:
    """Signs in proportion, at least one for each share that is not 0."""
    counts = [max(round(share * _BAR), 1) if share > 0 else 0 for share in shares]
    counts[counts.index(max(counts))] += _BAR - sum(counts)  # the longest gives or takes what rounding left
    return "".join(sign * count for sign, count in zip(_SIGNS, counts, strict=True))
