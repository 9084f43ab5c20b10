"""Asset `signatures`: what near-duplicates are found by."""

import dagster as dg

from assets.partitioned import partitioned_asset
from pipeline.line import stages
from pipeline.line.workspace import Workspace


def signatures(workspace: Workspace) -> dg.AssetsDefinition:
    """The asset of `stages.SIGNATURES`."""
    return partitioned_asset(stages.SIGNATURES, workspace, group="duplicates")
