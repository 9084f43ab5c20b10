"""Asset `figure_descriptions`: what a vision model says about figures, where the configuration asks for it."""

import dagster as dg

from assets.partitioned import partitioned_asset
from pipeline.line import stages
from pipeline.line.workspace import Workspace


def figure_descriptions(workspace: Workspace) -> dg.AssetsDefinition:
    """The asset of `stages.FIGURE_DESCRIPTIONS`."""
    return partitioned_asset(stages.FIGURE_DESCRIPTIONS, workspace, group="pages")
