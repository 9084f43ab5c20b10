"""Builds from rows that are complete already, as most tests of the index want them."""

from collections.abc import Mapping

import polars as pl

from pipeline.config import IndexConfig
from pipeline.index import build
from pipeline.index.approximate import VectorIndex


def apply_build(
    root: str,
    name: str,
    rows: pl.DataFrame,
    config: IndexConfig,
    complete: build.Complete = build.as_they_are,
    *,
    before: Mapping[str, VectorIndex] | None = None,
) -> build.BuildResult:
    return build.apply_build(root, name, rows, config, complete, before=before or {})
