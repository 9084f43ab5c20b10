"""The assets of the whole estate: clusters, the candidate index, its evaluation, the live index."""

from typing import Any, Final

import dagster as dg

from assets.freshness import policy
from pipeline.line import whole_estate as stages
from pipeline.line.whole_estate import GlobalStage
from pipeline.line.workspace import Workspace

_FAILED: Final = dg.AutomationCondition.execution_failed() & ~dg.AutomationCondition.will_be_requested()
# Not while a partition failed, a blocking check included (see `partitioned_asset`): neither in a stage that this one reads
# nor in one before that, so that no index is made with the clusters of yesterday. What is live stays as it is.
_AFTER_ITS_INPUTS: Final = dg.AutomationCondition.eager() & ~dg.AutomationCondition.any_deps_match(
    _FAILED | dg.AutomationCondition.any_deps_match(_FAILED)
)


def clusters(workspace: Workspace) -> dg.AssetsDefinition:
    """The asset of `stages.CLUSTERS`."""
    return _asset(stages.CLUSTERS, workspace, group="duplicates")


def index(workspace: Workspace) -> dg.AssetsDefinition:
    """The asset of `stages.INDEX`."""
    return _asset(stages.INDEX, workspace, group="index")


def evaluation(workspace: Workspace) -> dg.AssetsDefinition:
    """The asset of `stages.EVALUATION`."""
    return _asset(stages.EVALUATION, workspace, group="index")


def live_index(workspace: Workspace) -> dg.AssetsDefinition:
    """The asset of `stages.LIVE_INDEX`."""
    return _asset(stages.LIVE_INDEX, workspace, group="index")


def _asset(stage: GlobalStage, workspace: Workspace, *, group: str) -> dg.AssetsDefinition:
    @dg.asset(
        name=stage.name,
        description=stage.description,
        group_name=group,
        kinds=set(stage.kinds),
        # Every partition counts, whichever of them changed.
        deps=[
            *(
                dg.AssetDep(name, partition_mapping=dg.AllPartitionMapping())
                for name in stage.needs_partitions
            ),
            *stage.needs,
        ],
        code_version=stage.fingerprint(workspace)[:12],
        pool=stage.pool,
        freshness_policy=policy(workspace.config.schedule) if stage is stages.LIVE_INDEX else None,
        automation_condition=_AFTER_ITS_INPUTS,
    )
    def run(  # pyright: ignore[reportUnknownParameterType]
        context: dg.AssetExecutionContext, workspace: dg.ResourceParam[Workspace]
    ) -> dg.MaterializeResult:  # pyright: ignore[reportMissingTypeArgument]
        outcome = stage.run(workspace)
        context.log.info("%s: %s %s", stage.name, dict(outcome.counts), dict(outcome.details))
        metadata: dict[str, Any] = {
            **({"dagster/row_count": sum(outcome.rows.values())} if outcome.rows else {}),
            "seconds": round(outcome.seconds, 3),
            "fresh": outcome.fresh,
            **outcome.counts,
            **{key: value for key, value in outcome.details.items() if value is not None},
        }
        return dg.MaterializeResult(metadata=metadata, data_version=dg.DataVersion(outcome.digest))

    return run
