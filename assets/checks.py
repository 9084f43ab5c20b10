"""Checks beyond the schema of each table: what an owner of the estate wants to be told."""

from collections.abc import Callable
from typing import Any, Final

import dagster as dg
import polars as pl
from dagster._core.storage.asset_check_execution_record import AssetCheckExecutionRecordStatus

from pipeline.chunking.distribution import distribution, outside_the_band, short_share
from pipeline.line.clustering import cluster_counts
from pipeline.line.clustering import duplicate_share as share_of_copies
from pipeline.line.workspace import Workspace
from pipeline.report.coverage import coverage_png, read_coverage
from pipeline.report.exceptions import read_register
from pipeline.report.markdown import markdown_table
from pipeline.report.plots import histograms_png, markdown_image
from pipeline.report.shares import share
from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from pipeline.tables.lake import frame_digest

_SHOWN: Final = "shown"
_EVALUATED: Final = {AssetCheckExecutionRecordStatus.SUCCEEDED, AssetCheckExecutionRecordStatus.FAILED}
# They look at all partitions: not in each partition's run, but once some of them have landed.
_AFTER_IT: Final = dg.AutomationCondition.eager()


def checks() -> list[dg.AssetChecksDefinition]:
    """All checks that run as steps of their own."""
    return [readable_share, no_content, chunk_sizes, duplicate_share]


@dg.asset_check(
    asset="gated_pages",
    automation_condition=_AFTER_IT,
    description="The share of rejected pages is at most the configured one (gate.warn_rejected_above).",
)
def readable_share(
    context: dg.AssetCheckExecutionContext, workspace: dg.ResourceParam[Workspace]
) -> dg.AssetCheckResult:
    """Share of rejected pages over all partitions, and coverage by collection, class, language and year."""
    rejected = share(workspace.read(s.GATED_PAGES, [c.ROUTE])[c.ROUTE] == "reject")
    most = workspace.config.gate.warn_rejected_above
    found = read_coverage(workspace.lake, workspace.partitions)
    register = workspace.read(s.PAGE_EXCEPTIONS, [c.STATUS, c.REASON])
    counts = register.group_by(c.STATUS, c.REASON).len("entries").sort(c.STATUS, c.REASON)
    return dg.AssetCheckResult(
        passed=rejected <= most,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={
            "rejected_share": rejected,
            "warn_above": most,
            "exceptions": dg.MetadataValue.md(markdown_table(counts)),
            "coverage": dg.MetadataValue.md(markdown_table(found)),
            **_plot(context, readable_share, found, "coverage", lambda: coverage_png(found)),
        },
    )


@dg.asset_check(asset="gated_pages", automation_condition=_AFTER_IT, description="Every document holds text.")
def no_content(workspace: dg.ResourceParam[Workspace]) -> dg.AssetCheckResult:
    """Documents that opened and held no text; listed, because an empty document is often a broken export."""
    register = read_register(workspace.lake, reason="no_content")
    uris = register.select(pl.concat_str(c.COLLECTION, pl.lit("/"), c.URI)).to_series().sort().to_list()
    return dg.AssetCheckResult(
        passed=not uris,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"documents": len(uris), "examples": ", ".join(uris[:20]) or "none"},
    )


@dg.asset_check(
    asset="chunks",
    automation_condition=_AFTER_IT,
    description="No chunk is over the ceiling of its class; few are under the floor (chunking.warn_under_floor).",
)
def chunk_sizes(
    context: dg.AssetCheckExecutionContext, workspace: dg.ResourceParam[Workspace]
) -> dg.AssetCheckResult:
    """Sizes of all chunks against the configured bands, by class of document, strategy and kind."""
    read = [*c.VERSION_KEY, c.SECTION_ID, c.STRATEGY, c.KIND, c.TOKEN_COUNT]
    documents = workspace.read(s.DOCUMENTS, [*c.VERSION_KEY, c.DOCUMENT_CLASS])
    chunks = workspace.read(s.CHUNKS, read).join(documents, on=c.VERSION_KEY)
    limits = workspace.config.chunking
    found = outside_the_band(chunks, limits)
    over, under = int(found["over_ceiling"].sum()), short_share(found)
    sizes = chunks.select(c.DOCUMENT_CLASS, c.STRATEGY, c.TOKEN_COUNT).sort(pl.all())
    return dg.AssetCheckResult(
        passed=over == 0 and under <= limits.warn_under_floor,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={
            "over_ceiling": over,
            "share_under_floor": under,
            "warn_above": limits.warn_under_floor,
            "chunks": chunks.height,
            "outside_the_band": dg.MetadataValue.md(markdown_table(found)),
            "sizes": dg.MetadataValue.md(markdown_table(distribution(chunks))),
            **_plot(context, chunk_sizes, sizes, "sizes", lambda: _sizes_png(sizes)),
        },
    )


@dg.asset_check(
    asset="clusters",
    automation_condition=_AFTER_IT,
    description="At most the configured share of the chunks are copies of others.",
)
def duplicate_share(workspace: dg.ResourceParam[Workspace]) -> dg.AssetCheckResult:
    """Share of the chunks that are exact or near copies; many more than usual are often an export that came twice."""
    copies, limit = share_of_copies(workspace), workspace.config.dedup.max_share
    return dg.AssetCheckResult(
        passed=copies <= limit,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"share_of_copies": copies, "limit": limit, **cluster_counts(workspace)},
    )


def _sizes_png(sizes: pl.DataFrame) -> bytes:
    groups = sizes.partition_by(c.DOCUMENT_CLASS, c.STRATEGY, maintain_order=True)
    named = {f"{each[c.DOCUMENT_CLASS][0]}, {each[c.STRATEGY][0]}": each[c.TOKEN_COUNT] for each in groups}
    return histograms_png(named, title="Chunk sizes in tokens by class and strategy")


def _plot(
    context: dg.AssetCheckExecutionContext,
    check: dg.AssetChecksDefinition,
    shown: pl.DataFrame,
    name: str,
    draw: Callable[[], bytes],
) -> dict[str, Any]:
    """Metadata with a plot and the hash of what it shows; without the plot where the last evaluation had the same to show.

    Plots cost more than all else in a night in which no text changed; the last change shows them.
    """
    digest = frame_digest(shown)
    storage = context.instance.event_log_storage
    for last in storage.get_asset_check_execution_history(check.check_key, 1, status=_EVALUATED):
        evaluation = last.event and last.event.asset_check_evaluation
        if evaluation and evaluation.metadata.get(_SHOWN) == dg.MetadataValue.text(digest):
            return {_SHOWN: digest}
    plot = dg.MetadataValue.md(markdown_image(draw(), name))
    return {_SHOWN: digest, f"{name}_plot": plot}
