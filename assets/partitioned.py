"""How a partitioned stage becomes an asset: one factory, so that every stage looks alike in the UI."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import dagster as dg

from assets.partitions import PARTITIONS
from assets.validation import schema_check
from pipeline.line.stage import Stage, update
from pipeline.line.workspace import Workspace
from pipeline.report.progress import Paced
from pipeline.tables.lake import LakeError

Describe = Callable[[Workspace, str], Mapping[str, Any]]


def partitioned_asset(
    stage: Stage, workspace: Workspace, *, group: str, describe: Describe | None = None
) -> dg.AssetsDefinition:
    """An asset that brings `stage` up to date for its partition and reports what that took.

    A partition that fails its check is recorded as failed, not as made: Dagster keeps one state of a check for all
    partitions, so that the next partition that passes would hide it; of assets it keeps one for each.

    Args:
        stage: what to run.
        workspace: decides the code version, so that a changed setting shows as stale.
        group: of the asset in the UI.
        describe: further metadata of a partition whose content is new.
    """

    @dg.asset(
        name=stage.name,
        description=stage.description,
        group_name=group,
        kinds=set(stage.kinds),
        partitions_def=PARTITIONS,
        deps=[dg.AssetDep(name, partition_mapping=dg.IdentityPartitionMapping()) for name in stage.needs],
        code_version=stage.fingerprint(workspace)[:12],
        pool=stage.pool,
        check_specs=[dg.AssetCheckSpec("schema", asset=stage.name, blocking=True)],
    )
    def run(  # pyright: ignore[reportUnknownParameterType]
        context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]
    ) -> Iterator[dg.AssetCheckResult | dg.MaterializeResult]:  # pyright: ignore[reportMissingTypeArgument]
        partition = context.partition_key
        with workspace.also_saying(Paced(context.log.info)):
            outcome = update(workspace, stage, partition)
        check = schema_check(workspace, stage.writes(workspace), partition)
        if not check.passed:
            yield check
            raise LakeError(check.description)
        rows = outcome.rows.get(stage.writes(workspace)[-1].name, 0)
        metadata: dict[str, Any] = {
            "dagster/partition_row_count": rows,
            "seconds": round(outcome.seconds, 3),
            "fresh": outcome.fresh,
            **outcome.counts,
            # Plots cost more than the rest of a stage with nothing to do; the last change shows them.
            **(describe(workspace, partition) if describe and not outcome.same else {}),
        }
        context.log.info(
            "%s %s: %s rows, %s", stage.name, partition, rows, dict(outcome.counts) or "nothing to do"
        )
        yield dg.MaterializeResult(
            metadata=metadata, data_version=dg.DataVersion(outcome.digest), check_results=[check]
        )

    return run
