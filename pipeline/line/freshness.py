"""What is fresh and what is stale: told from the footers of the tables, without opening them."""

from pipeline.line.stage import is_fresh
from pipeline.line.stages import PARTITIONED
from pipeline.line.workspace import Workspace


def first_stale_stage(workspace: Workspace, partition: str) -> str | None:
    """The first stage of a partition that must run, or None. All after it must run too, unless its rows stay equal."""
    return next((stage.name for stage in PARTITIONED if not is_fresh(workspace, stage, partition)), None)


def stale_partitions(workspace: Workspace, partitions: list[str]) -> list[str]:
    """The partitions in which a stage must run."""
    return [partition for partition in partitions if first_stale_stage(workspace, partition)]
