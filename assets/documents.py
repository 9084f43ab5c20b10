"""Asset `documents`: what is in the estate."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from assets.partitioned import partitioned_asset
from pipeline.line import stages
from pipeline.line.workspace import Workspace
from pipeline.tables import columns as c
from pipeline.tables import schemas


def documents(workspace: Workspace) -> dg.AssetsDefinition:
    """The asset of `stages.DOCUMENTS`."""
    return partitioned_asset(stages.DOCUMENTS, workspace, group="estate", describe=_describe)


def _describe(workspace: Workspace, partition: str) -> Mapping[str, Any]:
    rows = workspace.lake.read(schemas.DOCUMENTS, partition, [c.STATUS, c.ERROR])
    return {
        "superseded": rows.filter(status="superseded").height,
        "with_errors": rows[c.ERROR].count(),
    }
