"""What a partitioned stage is, and the one function that brings a stage of a partition up to date."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.line.lock import holding
from pipeline.line.outcome import Outcome
from pipeline.line.workspace import Workspace
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import fingerprint
from pipeline.tables.incremental import Frames
from pipeline.tables.lake import PartitionState
from pipeline.tables.schemas import Table

Tables = tuple[Table, ...]


@dataclass(frozen=True)
class Made:
    """What a stage made for one partition.

    Attributes:
        frames: the new content of its tables, by table name.
        counts: what it took, for the run report.
    """

    frames: Frames
    counts: Mapping[str, int]


@dataclass(frozen=True)
class Stage:
    """A stage that works partition by partition.

    Attributes:
        name: of its asset.
        description: starts with the grain.
        reads: the tables that it is made from.
        writes: the tables that it publishes, in this order: the one that others read comes last.
        fingerprint: hash of its code version and the settings that it reads.
        make: from the workspace and a partition to the new content.
        needs: the stages before it.
        kinds: technologies, as the Dagster UI shows them.
        pool: the scarce thing that it uses, or None.
        observed: hash of what it reads outside the lake, for one partition.
        settle: what is left to do for a partition once its tables stand.
    """

    name: str
    description: str
    reads: Callable[[Workspace], Tables]
    writes: Callable[[Workspace], Tables]
    fingerprint: Callable[[Workspace], str]
    make: Callable[[Workspace, str], Made]
    needs: tuple[str, ...]
    kinds: tuple[str, ...] = ("polars",)
    pool: str | None = None
    observed: Callable[[Workspace, str], str] = lambda _workspace, _partition: ""
    settle: Callable[[Workspace, str], None] = lambda _workspace, _partition: None


def inputs_of(workspace: Workspace, stage: Stage, partition: str) -> str:
    """Hash of all that the stage's tables of a partition are made from: its fingerprint and what it reads."""
    states = (workspace.lake.state(table, partition) for table in stage.reads(workspace))
    observed = stage.observed(workspace, partition)
    return fingerprint(
        stage.fingerprint(workspace), observed, *(state.digest if state else "" for state in states)
    )


def is_fresh(workspace: Workspace, stage: Stage, partition: str, inputs: str | None = None) -> bool:
    """Whether the published tables were made from what is published before them, by today's code and settings.

    Args:
        workspace: whose tables.
        stage: the stage.
        partition: the partition.
        inputs: what `inputs_of` said, where the caller has asked it already.
    """
    wanted = inputs or inputs_of(workspace, stage, partition)
    states = (workspace.lake.state(table, partition) for table in stage.writes(workspace))
    return all(state is not None and state.inputs == wanted for state in states)


def update(workspace: Workspace, stage: Stage, partition: str) -> Outcome:
    """Bring one stage of one partition up to date: nothing if nothing moved, else publish its tables.

    Raises:
        LakeError: a table could not be read or published; what was published before stands.
        LockedError: another process has been writing this partition for hours.
    """
    started = time.monotonic()
    tables = stage.writes(workspace)
    counts: Mapping[str, int] = {}
    with holding(workspace, partition):
        inputs = inputs_of(workspace, stage, partition)
        before = _digest(workspace.lake.state(table, partition) for table in tables)
        fresh = is_fresh(workspace, stage, partition, inputs)
        if not fresh:
            made = stage.make(workspace, partition)
            counts = made.counts
            for table in tables:
                workspace.lake.publish(table, partition, made.frames[table.name], inputs)
        stage.settle(workspace, partition)
        states = {table.name: workspace.lake.state(table, partition) for table in tables}
    digest = _digest(states.values())
    outcome = Outcome(
        stage=stage.name,
        partition=partition,
        digest=digest,
        rows={name: state.rows for name, state in states.items() if state},
        counts=counts,
        seconds=time.monotonic() - started,
        fresh=fresh,
        same=digest == before,
    )
    workspace.record(outcome)
    return outcome


def _digest(states: Iterable[PartitionState | None]) -> str:
    """Hash of what stands in the tables of a stage."""
    return fingerprint(*(state.digest for state in states if state))


def input_hashes(stage: str, *columns: str | pl.Expr) -> pl.Expr:
    """input_hash: of a stage's fingerprint and the given columns, row by row."""
    return (
        pl.struct(columns)
        .map_elements(lambda row: fingerprint(stage, *row.values()), pl.String)
        .alias(c.INPUT_HASH)
    )


def expected_languages(workspace: Workspace, partition: str) -> str:
    """The expected languages of the partition's collection; those of other collections count for nothing here."""
    return ",".join(workspace.collection_of(partition).languages)


def previous_frames(workspace: Workspace, tables: Tables, partition: str) -> dict[str, pl.DataFrame]:
    """The published rows of a stage's tables, or nothing when they were not published together.

    A run that was killed between two of its tables leaves them from different inputs; they are then made anew. So are those of a torn file.
    """
    states = [workspace.lake.state(table, partition) for table in tables]
    frames = [workspace.lake.current(table, partition) for table in tables]
    together = len({state.inputs if state else None for state in states}) == 1
    whole = all(state and state.rows == frame.height for state, frame in zip(states, frames, strict=True))
    return {
        table.name: frame if together and whole else table.empty()
        for table, frame in zip(tables, frames, strict=True)
    }
