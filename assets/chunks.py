"""Asset `chunks`: sections and chunks of every document."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from assets.partitioned import partitioned_asset
from pipeline.chunking.distribution import outside_the_band, short_share
from pipeline.line import stages
from pipeline.line.workspace import Workspace
from pipeline.report.plots import histogram_png, markdown_image
from pipeline.tables import columns as c
from pipeline.tables import schemas


def chunks(workspace: Workspace) -> dg.AssetsDefinition:
    """The asset of `stages.CHUNKS`."""
    return partitioned_asset(stages.CHUNKS, workspace, group="chunks", describe=_describe)


def _describe(workspace: Workspace, partition: str) -> Mapping[str, Any]:
    read = [*c.VERSION_KEY, c.SECTION_ID, c.STRATEGY, c.KIND, c.TOKEN_COUNT]
    documents = workspace.lake.read(schemas.DOCUMENTS, partition, [*c.VERSION_KEY, c.DOCUMENT_CLASS])
    chunks = workspace.lake.read(schemas.CHUNKS, partition, read).join(documents, on=c.VERSION_KEY)
    outside, sizes = outside_the_band(chunks, workspace.config.chunking), chunks[c.TOKEN_COUNT]
    floor, ceiling = workspace.config.chunking.band
    plot = histogram_png(
        sizes,
        title=f"Chunk sizes, {partition}",
        marks={"floor": floor, "ceiling": ceiling},
    )
    return {
        "mean_tokens": int(sizes.sum()) / max(len(sizes), 1),
        "share_under_floor": short_share(outside),
        "over_ceiling": int(outside["over_ceiling"].sum()),
        "chunk_sizes": dg.MetadataValue.md(markdown_image(plot, "chunk sizes in tokens")),
    }
