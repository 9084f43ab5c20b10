"""What the stages that ask a model share: its service, what was answered before, and going on where a run left off."""

from typing import TYPE_CHECKING

import polars as pl

from pipeline.config import ConfigError, ServiceConfig
from pipeline.line.workspace import Workspace
from pipeline.tables import columns as c
from pipeline.tables import schemas as s

if TYPE_CHECKING:
    from pipeline.endpoint.chat import Budget, Endpoint


def service_of(config: ServiceConfig, section: str, budget: "Budget") -> "Endpoint":
    """The service that a section of the configuration names; without its key the budget is closed, and says why."""
    from pipeline.endpoint.chat import Endpoint, key_of

    try:
        key = key_of(config.api_key_variable, f"{section}.api_key_variable")
    except ConfigError as error:  # no reason to keep the documents themselves out of the index
        key = ""
        budget.close(str(error))
    return Endpoint(config.endpoint, config.model, config.answer_tokens, config.timeout_seconds, key)


def known_answers(workspace: Workspace, table: s.Table, partition: str) -> pl.DataFrame:
    """Rows of this partition and of all others; why a question waits, from this one only."""
    others = (name for name in workspace.lake.partitions(table) if name != partition)
    answered = [workspace.lake.current(table, name).filter(pl.col(c.STATUS) != "waiting") for name in others]
    return pl.concat([workspace.lake.current(table, partition), *answered])


def keep_answers(workspace: Workspace, table: s.Table, partition: str, rows: pl.DataFrame) -> None:
    """Publish what is answered so far, as made from nothing: a killed run goes on from there, and the stage stays stale."""
    workspace.lake.publish(table, partition, rows, "")


def unfinished(workspace: Workspace, table: s.Table, partition: str, config: ServiceConfig) -> str:
    """Never twice the same while questions wait that may be asked: the stage stays stale and goes on in the next run. Else ""."""
    state = workspace.lake.state(table, partition)
    if state is None or not state.rows or not config.endpoint:
        return ""
    statuses = workspace.lake.current(table, partition, [c.STATUS])[c.STATUS]
    return state.inputs if (statuses == "waiting").any() else ""
