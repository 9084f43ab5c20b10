"""Entries of the exception register that somebody has looked at and leaves as they are."""

import polars as pl

from pipeline.config import ConfigError
from pipeline.estate.finding import is_called
from pipeline.line.workspace import Workspace
from pipeline.report.exceptions import ALL, read_register
from pipeline.tables import columns as c
from pipeline.tables import schemas as s


def acknowledge(workspace: Workspace, name: str) -> pl.DataFrame:
    """Acknowledge all open entries of a document: they no longer count as failed, until the document changes.

    Args:
        workspace: whose register.
        name: doc_id, path, or collection/path.

    Returns:
        The entries, as `read_register` gives them from now on.

    Raises:
        ConfigError: the document has no open entry.
    """
    found = _of(read_register(workspace.lake), name, "open")
    rows = found.with_columns(pl.lit(workspace.now()).alias(c.ACKNOWLEDGED_AT)).select(
        s.ACKNOWLEDGED.schema.names()
    )
    _publish(workspace, pl.concat([workspace.lake.current(s.ACKNOWLEDGED, ALL), rows]))
    return found.with_columns(pl.lit("acknowledged").alias(c.STATUS))


def reopen(workspace: Workspace, name: str) -> pl.DataFrame:
    """Take back that the entries of a document were acknowledged. Arguments, result and errors: see `acknowledge`."""
    found = _of(read_register(workspace.lake, status="acknowledged"), name, "acknowledged")
    known = workspace.lake.current(s.ACKNOWLEDGED, ALL)
    _publish(workspace, known.join(found, on=s.ACKNOWLEDGED.key, how="anti"))
    return found.with_columns(pl.lit("open").alias(c.STATUS))


def _of(register: pl.DataFrame, name: str, status: str) -> pl.DataFrame:
    found = register.filter(is_called(name))
    if found.is_empty():
        raise ConfigError(
            f"{name!r}: has no {status} entry; `kesit exceptions --status {status}` lists those that are"
        )
    return found


def _publish(workspace: Workspace, rows: pl.DataFrame) -> None:
    workspace.lake.publish(s.ACKNOWLEDGED, ALL, rows, inputs="")
