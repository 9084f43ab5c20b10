"""Asset `parsed_pages`: every page as blocks in reading order."""

from collections.abc import Mapping
from typing import Any

import dagster as dg
import polars as pl

from assets.partitioned import partitioned_asset
from pipeline.line import stages
from pipeline.line.workspace import Workspace
from pipeline.tables import columns as c
from pipeline.tables import schemas


def parsed_pages(workspace: Workspace) -> dg.AssetsDefinition:
    """The asset of `stages.PARSED_PAGES`."""
    return partitioned_asset(stages.PARSED_PAGES, workspace, group="pages", describe=_describe)


def _describe(workspace: Workspace, partition: str) -> Mapping[str, Any]:
    columns = [c.STATUS, c.SOURCE, c.ENGINE, c.REASON, c.REPAIRS]
    rows = workspace.lake.read(schemas.PARSED_PAGES, partition, columns)
    repairs = rows.select(c.REPAIRS).explode(c.REPAIRS).drop_nulls().unnest(c.REPAIRS)
    repairs = repairs.group_by("kind").agg(pl.col("count").sum()).sort("kind")
    engines = rows.filter(status="ok").group_by(c.ENGINE).len().sort(c.ENGINE)
    return {
        "failed_documents": rows.filter(status="failed").height,
        "scanned_pages": rows.filter(source="ocr").height,
        "repairs": dg.MetadataValue.json(dict(repairs.iter_rows())),
        "pages_by_engine": dg.MetadataValue.json(dict(engines.iter_rows())),
    }
