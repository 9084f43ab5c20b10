"""A run: scan, guard, bring everything up to date, report. What drives the stages is given from outside."""

import resource
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

from pipeline.config import CollectionConfig
from pipeline.estate.guard import MassDeleteError
from pipeline.estate.identity import partitions_of
from pipeline.estate.scan import CHANGE_KINDS
from pipeline.estate.source import SourceError
from pipeline.line import whole_estate
from pipeline.line.alerts import alert
from pipeline.line.clustering import cluster_counts
from pipeline.line.estimating import remember_paces
from pipeline.line.freshness import stale_partitions
from pipeline.line.history import keep_report
from pipeline.line.lock import RUN, holding
from pipeline.line.outcome import Outcome
from pipeline.line.policy import keep_policy
from pipeline.line.preflight import check_settings
from pipeline.line.scans import guard_deletes, guard_removed_collections
from pipeline.line.stages import embedding_tables, keep_place
from pipeline.line.workspace import RunOptions, Workspace
from pipeline.report.asked import context_counts, figure_counts
from pipeline.report.coverage import read_coverage
from pipeline.report.run_report import RunReport, chunk_problems, document_problems, page_routes
from pipeline.tables import schemas as s


class Driver(Protocol):
    """Runs stages and records that it did. Each method returns one line for each stage that stopped."""

    def run_partition(self, partition: str) -> list[str]:
        """Run the partitioned stages for one partition."""
        ...

    def run_whole_estate(self) -> list[str]:
        """Run the stages of the whole estate."""
        ...


OpenDriver = Callable[[Workspace], AbstractContextManager[Driver]]


def run(
    workspace: Workspace,
    open_driver: OpenDriver,
    *,
    only: str | None = None,
    since: datetime | None = None,
    limit: int | None = None,
    allow_deletes: int = 0,
) -> RunReport:
    """Scan the estate, then bring every table and the index up to date.

    Args:
        workspace: whose configuration it is.
        open_driver: gives what runs the stages. Opened only when something must run: loading an orchestrator takes time.
        only: one collection; the others stay as they are.
        since: new and edited documents that were last written before wait for a later run.
        limit: so many new and edited documents are taken; the others wait.
        allow_deletes: how many deletions in one collection the user agreed to.

    Raises:
        ConfigError: `only` names no collection, or something that the configuration names is not there.
        SourceError: a source cannot be listed; nothing was touched.
        MassDeleteError: too many documents would be deleted; nothing was touched.
        LockedError: another run is under way.
        KeyboardInterrupt: a person ended it. What was published stays; the next run goes on there.
    """
    config = workspace.config
    collections = [config.collection(only)] if only is not None else list(config.collections)
    outcomes: list[Outcome] = []
    options = RunOptions(allow_deletes=allow_deletes, since=since, limit=limit)
    started = workspace.now()
    check_settings(workspace)
    with workspace.running(outcomes.append, options), holding(workspace, RUN, patience=0):
        _scan(workspace, collections)
        errors = _advance(workspace, collections, open_driver)
        for collection in collections:  # also where nothing ran: the feed told of what had not changed
            keep_place(workspace, collection.name)
        if errors:  # what is live stays as it is, but for what may no longer be shown
            keep_policy(workspace)
        whole_estate.forget_expired(workspace)
        remember_paces(workspace, outcomes)
        report = _report(workspace, [collection.name for collection in collections], outcomes, errors)
        untold = [keep_report(workspace, report, started, only=only)]
        if errors:
            untold.append(alert(config, "run_failed", "; ".join(errors), errors=errors))
        for trouble in filter(None, untold):
            workspace.say(trouble)
        return report


def _scan(workspace: Workspace, collections: Sequence[CollectionConfig]) -> None:
    """Scan the collections. Who is to hear of it is told what a scan refuses."""
    try:
        for collection in collections:
            workspace.say(f"{collection.name}: scanning")
            guard_deletes(workspace, collection.name)
        guard_removed_collections(workspace)
    except (SourceError, MassDeleteError) as error:
        alert(workspace.config, "scan_refused", str(error))
        raise


def _advance(
    workspace: Workspace, collections: Sequence[CollectionConfig], open_driver: OpenDriver
) -> list[str]:
    """Run what is stale; one line for each stage that stopped."""
    partitions = stale_partitions(workspace, [name for each in collections for name in partitions_of(each)])
    # New ones first: the vectors of documents that move there are still found where they were.
    there = set(workspace.lake.partitions(s.DOCUMENTS))
    partitions.sort(key=lambda name: name in there)
    errors: list[str] = []
    if not partitions and _whole_estate_is_fresh(workspace):
        return errors
    with open_driver(workspace) as driver:
        try:
            for partition in partitions:
                errors += driver.run_partition(partition)
        finally:
            workspace.dismiss_readers()
        # The whole estate waits when a partition stopped, so that what is live stays as it is.
        if not errors and not _whole_estate_is_fresh(workspace):
            errors += driver.run_whole_estate()
    return errors


def _whole_estate_is_fresh(workspace: Workspace) -> bool:
    return all(stage.is_fresh(workspace) for stage in whole_estate.GLOBAL)


def _report(
    workspace: Workspace, collections: Sequence[str], outcomes: Sequence[Outcome], errors: list[str]
) -> RunReport:
    from pipeline.index.pointer import find_pointer

    lake, pointer = workspace.lake, find_pointer(workspace.index_root)
    took: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    seconds: defaultdict[str, float] = defaultdict(float)
    for outcome in outcomes:
        seconds[outcome.stage] += outcome.seconds
        for name, count in outcome.counts.items():
            took[outcome.stage][name] += count
    changes = {kind: sum(workspace.scan(name).count(kind) for name in collections) for kind in CHANGE_KINDS}
    failed, no_content = document_problems(lake, workspace.partitions)
    pages, chunks = workspace.rows(s.PARSED_PAGES), workspace.rows(s.CHUNKS)
    strings = sum(workspace.rows(table) for table in embedding_tables(workspace))
    parsed, added, computed = (
        took["parsed_pages"]["parsed"],
        took["chunks"]["added"],
        took["embeddings"]["computed"],
    )
    return RunReport(
        documents=changes | {"failed": len(failed), "no_content": no_content},
        pages={"parsed": parsed, "reused": pages - parsed, **page_routes(lake, workspace.partitions)},
        chunks={"added": added, "removed": took["chunks"]["removed"], "kept": chunks - added},
        embeddings={"computed": computed, "reused": strings - computed},
        clusters=cluster_counts(workspace),
        index=_index(workspace, {outcome.stage: outcome for outcome in outcomes}, errors),
        seconds=dict(seconds),
        peak_rss_mb=peak_rss_mb(),
        figures=figure_counts(lake, workspace.partitions, workspace.config.figures),
        contexts=context_counts(lake, workspace.partitions, workspace.config.context),
        failed=failed,
        refused=chunk_problems(lake, workspace.partitions),
        behind=str(pointer.behind) if pointer and pointer.behind else "",
        errors=tuple(errors),
        coverage=tuple(read_coverage(lake, workspace.partitions).to_dicts()),
    )


def _index(workspace: Workspace, outcomes: Mapping[str, Outcome], errors: Sequence[str]) -> dict[str, Any]:
    """The build that this run made, and whether it went live; what was live before if it made none."""
    from pipeline.index.pointer import find_pointer

    built, decided = outcomes.get(whole_estate.INDEX.name), outcomes.get(whole_estate.LIVE_INDEX.name)
    if decided is not None:
        found = decided.details
    else:
        pointer = find_pointer(workspace.index_root)
        found = {
            "table": pointer.current.table if pointer else None,
            "version": pointer.current.version if pointer else None,
            "promoted": not errors,
            "reason": f"a stage stopped; {'what was live stays' if pointer else 'nothing is live yet'}"
            if errors
            else "nothing changed",
        }
    changes = built.counts if built else {}
    return {
        **{key: found[key] for key in ("table", "version")},
        **{key: changes.get(key, 0) for key in ("inserted", "updated", "deleted")},
        **{key: found[key] for key in ("promoted", "reason")},
    }


def peak_rss_mb() -> float:
    """Largest resident memory of this process so far, in MiB (getrusage(2): KiB on Linux, bytes on macOS)."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
