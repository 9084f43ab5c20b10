"""Asset `gated_pages`: every page scored and routed, the register of what is not in the index beside it."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from assets.partitioned import partitioned_asset
from pipeline.line import stages
from pipeline.line.workspace import Workspace
from pipeline.report.coverage import coverage_png, read_coverage
from pipeline.report.markdown import markdown_table
from pipeline.report.plots import markdown_image
from pipeline.report.shares import share
from pipeline.tables import columns as c
from pipeline.tables import schemas


def gated_pages(workspace: Workspace) -> dg.AssetsDefinition:
    """The asset of `stages.GATED_PAGES`."""
    return partitioned_asset(stages.GATED_PAGES, workspace, group="pages", describe=_describe)


def _describe(workspace: Workspace, partition: str) -> Mapping[str, Any]:
    routes = workspace.lake.read(schemas.GATED_PAGES, partition, [c.ROUTE])[c.ROUTE]
    register = workspace.lake.read(schemas.PAGE_EXCEPTIONS, partition, [c.STATUS])
    shares = {f"share_{route}": share(routes == route) for route in ("pass", "flag", "reject")}
    found = read_coverage(workspace.lake, [partition])
    return {
        **shares,
        "exceptions_open": register.filter(status="open").height,
        "coverage": dg.MetadataValue.md(markdown_table(found)),
        "coverage_plot": dg.MetadataValue.md(markdown_image(coverage_png(found), "coverage")),
    }
