"""Asset `embeddings`: the vector of every embedded string."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from assets.partitioned import partitioned_asset
from pipeline.line import stages
from pipeline.line.workspace import Workspace
from pipeline.tables import columns as c
from pipeline.tables.schemas import CHUNKS


def embeddings(workspace: Workspace) -> dg.AssetsDefinition:
    """The asset of `stages.EMBEDDINGS`."""
    return partitioned_asset(stages.EMBEDDINGS, workspace, group="index", describe=_describe)


def _describe(workspace: Workspace, partition: str) -> Mapping[str, Any]:
    tokens = workspace.lake.read(CHUNKS, partition, [c.TOKEN_COUNT])[c.TOKEN_COUNT]
    limit = workspace.counter.limit
    return {
        "encoders": ", ".join(encoder.slug for encoder in workspace.encoders),
        "longest_string_tokens": tokens.max() or 0,
        "limit_tokens": limit,
        "truncated": int((tokens > limit).sum()),
    }
