"""Asset `embeddings`: the vector of every embedded string."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from assets.partitioned import partitioned_asset
from pipeline.line import stages
from pipeline.line.workspace import Workspace


def embeddings(workspace: Workspace) -> dg.AssetsDefinition:
    """The asset of `stages.EMBEDDINGS`."""
    return partitioned_asset(stages.EMBEDDINGS, workspace, group="index", describe=_describe)


def _describe(workspace: Workspace, _partition: str) -> Mapping[str, Any]:
    return {"encoders": ", ".join(encoder.slug for encoder in workspace.encoders)}
