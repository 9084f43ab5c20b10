"""Asset `contexts`: where a language model says that chunks stand in their documents, where the configuration asks for it."""

import dagster as dg

from assets.partitioned import partitioned_asset
from pipeline.line import stages
from pipeline.line.workspace import Workspace


def contexts(workspace: Workspace) -> dg.AssetsDefinition:
    """The asset of `stages.CONTEXTS`."""
    return partitioned_asset(stages.CONTEXTS, workspace, group="chunks")
