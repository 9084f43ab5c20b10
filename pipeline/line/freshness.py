"""What is fresh and what is stale: told from the footers of the tables, without opening them."""

from pipeline.line.stage import is_fresh
from pipeline.line.stages import PARTITIONED
from pipeline.line.workspace import Workspace
from pipeline.tables import schemas as s


def first_stale_stage(workspace: Workspace, partition: str) -> str | None:
    """The first stage of a partition that must run, or None. All after it must run too, unless its rows stay equal."""
    return next((stage.name for stage in PARTITIONED if not is_fresh(workspace, stage, partition)), None)


def stale_partitions(workspace: Workspace, partitions: list[str]) -> list[str]:
    """The partitions in which a stage must run."""
    return [partition for partition in partitions if first_stale_stage(workspace, partition)]


def obsolete_partitions(workspace: Workspace) -> list[str]:
    """Published partitions that the configuration no longer has: a collection was removed, or its buckets changed."""
    return sorted(set(workspace.lake.partitions(s.DOCUMENTS)) - set(workspace.partitions))


def drop_partition(workspace: Workspace, partition: str) -> None:
    """Remove a partition from every table; from `documents` last, so that a killed run finds it again."""
    from pipeline.line.stages import embedding_tables

    for table in (*embedding_tables(workspace), *reversed(s.ALL)):
        workspace.lake.drop(table, partition)
