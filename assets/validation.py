"""The check that every table has: what is published keeps the table's contract."""

import dagster as dg

from pipeline.line.workspace import Workspace
from pipeline.tables.lake import LakeError, validate
from pipeline.tables.schemas import Table


def schema_check(workspace: Workspace, tables: tuple[Table, ...], partition: str) -> dg.AssetCheckResult:
    """Read the published partition of each table back and hold it against its pandera schema."""
    for table in tables:
        try:
            validate(table, partition, workspace.lake.read(table, partition))
        except LakeError as error:
            told = f"{error}; if it was written by hand or is damaged, delete that file of the lake and run again"
            return dg.AssetCheckResult(check_name="schema", passed=False, description=told)
    return dg.AssetCheckResult(
        check_name="schema", passed=True, metadata={"tables": ", ".join(table.name for table in tables)}
    )
