"""The stages of the whole estate: clusters → candidate index → evaluation → live pointer."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from pipeline.line.clustering import (
    advance_clusters,
    cluster_counts,
    cluster_fingerprint,
    clusters_fresh,
    duplicate_share,
)
from pipeline.line.former_vectors import forget_vectors
from pipeline.line.judging import judge, judged, kept_back, newest_judged, rules_fingerprint
from pipeline.line.keeping_up import keep_up
from pipeline.line.lock import holding
from pipeline.line.outcome import Outcome
from pipeline.line.policy import documents_of_today, keep_policy
from pipeline.line.scans import guard_removed_collections, obsolete_partitions
from pipeline.line.stages import embedding_tables
from pipeline.line.versions import forget_versions
from pipeline.line.workspace import WHOLE, Workspace
from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from pipeline.tables.fingerprint import fingerprint

if TYPE_CHECKING:
    from pipeline.index.approximate import VectorIndex
    from pipeline.index.build import BuildResult
    from pipeline.index.pointer import Build


@dataclass(frozen=True)
class Work:
    """What a stage of the whole estate did: hash of the content that now stands, rows, and facts for the report."""

    digest: str
    rows: dict[str, int]
    counts: dict[str, int]
    details: dict[str, Any]


@dataclass(frozen=True)
class GlobalStage:
    """A stage that works on the whole estate at once.

    Attributes:
        name: of its asset.
        description: starts with the grain, if the stage writes rows.
        needs_partitions: the partitioned stages before it.
        needs: the stages of the whole estate before it.
        fingerprint: hash of its code version and the settings that it reads.
        is_fresh: whether nothing moved that it is made from.
        make: does the work, or, told that all is fresh, only says what stands. Safe to repeat.
        kinds: technologies, as the Dagster UI shows them.
        pool: the scarce thing that it uses, or None.
    """

    name: str
    description: str
    needs_partitions: tuple[str, ...]
    needs: tuple[str, ...]
    fingerprint: Callable[[Workspace], str]
    is_fresh: Callable[[Workspace], bool]
    make: Callable[[Workspace, bool], Work]
    kinds: tuple[str, ...]
    pool: str | None = None

    def run(self, workspace: Workspace) -> Outcome:
        """Do the work, and record what happened.

        Raises:
            LockedError: another process has been writing the index for hours.
        """
        started = time.monotonic()
        with holding(workspace, WHOLE):
            fresh = self.is_fresh(workspace)
            work = self.make(workspace, fresh)
        outcome = Outcome(
            stage=self.name,
            partition="",
            digest=work.digest,
            rows=work.rows,
            counts=work.counts,
            details=work.details,
            seconds=time.monotonic() - started,
            fresh=fresh,
        )
        workspace.record(outcome)
        return outcome


# clusters ---------------------------------------------------------------------------------------------------------------


def _make_clusters(workspace: Workspace, fresh: bool) -> Work:
    details = {} if fresh else advance_clusters(workspace)
    state = workspace.lake.state(s.CLUSTERS, WHOLE)
    assert state is not None  # it was published now or before
    details["share_of_copies"] = round(duplicate_share(workspace), 4)
    return Work(state.digest, {s.CLUSTERS.name: state.rows}, cluster_counts(workspace), details)


# index ------------------------------------------------------------------------------------------------------------------


def _build_fingerprint(workspace: Workspace) -> str:
    """What forces a new table beside the live one."""
    from pipeline.chunking.stage import chunking_fingerprint
    from pipeline.index.rows import index_fingerprint

    chunks = chunking_fingerprint(workspace.config, workspace.counter)
    return index_fingerprint({encoder.slug: encoder.fingerprint for encoder in workspace.encoders}, chunks)


def _index_inputs(workspace: Workspace) -> str:
    tables = (s.DOCUMENTS, s.SECTIONS, s.CHUNKS, *embedding_tables(workspace))
    digests = [*(workspace.digest(table) for table in tables), workspace.lake.digest(s.CLUSTERS)]
    config = workspace.config
    index = config.index.model_dump_json(exclude={"root", "rollback_days", "policy_minutes"})
    settings = (config.retrieval.parent_tokens, index, workspace.dating)
    return fingerprint(_build_fingerprint(workspace), *settings, *digests)


def held_back(workspace: Workspace) -> str:
    """Why what a run would build does not go live: a person went back from such a build. "" when none did."""
    from pipeline.index.pointer import find_pointer

    pointer = find_pointer(workspace.index_root)
    if pointer is None or not pointer.held:
        return ""
    if pointer.held == _build_fingerprint(workspace):
        return (
            "no new build goes live: somebody went back from what kesit.toml asks for;"
            " set it back to the settings of what is live, or `kesit rollback` to the other build"
        )
    if pointer.held == _index_inputs(workspace):
        return "nothing goes live: somebody went back from this build, until something else changes"
    return ""


def _index_fresh(workspace: Workspace) -> bool:
    from pipeline.index.pointer import newest_build
    from pipeline.index.reader import is_there

    newest = newest_build(workspace.index_root)
    if newest is None or newest.inputs != _index_inputs(workspace) or obsolete_partitions(workspace):
        return False
    return is_there(workspace.index_root, newest)  # what the files claim must be there


def _make_index(workspace: Workspace, fresh: bool) -> Work:
    from pipeline.index.build import apply_build
    from pipeline.index.pointer import Build, newest_build, write_candidate
    from pipeline.index.rows import index_rows, table_name

    newest = newest_build(workspace.index_root)
    if fresh and newest is not None:
        return _index_work(newest)
    # What is no longer configured goes, and is guarded, here: every way of running comes through here.
    obsolete = guard_removed_collections(workspace)
    if obsolete:
        forget_versions(workspace)
    for partition in obsolete:
        _drop_partition(workspace, partition)
    config = workspace.config
    inputs = _index_inputs(workspace)
    rows = index_rows(
        workspace.read(s.DOCUMENTS),
        workspace.read(s.SECTIONS),
        # Without those that an encoder has no vector for.
        workspace.read(s.CHUNKS).join(workspace.read(s.CHUNK_EXCEPTIONS), on=c.CHUNK_ID, how="anti"),
        workspace.lake.current(s.CLUSTERS, WHOLE),
        parent_tokens=config.retrieval.parent_tokens,
        dating=workspace.dating,
    )
    build_fingerprint = _build_fingerprint(workspace)
    table = table_name(build_fingerprint)
    result = apply_build(
        workspace.index_root,
        table,
        rows,
        config.index,
        partial(_completed, workspace),
        before=_known_indices(workspace, table),
    )
    for column, known in result.vector_indices.items():
        if known.exact:
            workspace.say(
                f"warning: index: the approximate index of {column} finds {known.recall:.3f} of the nearest rows, less than"
                f" index.min_vector_recall = {config.index.min_vector_recall:g}: searches are exact, and slower"
            )
    build = Build(
        table=result.table,
        version=result.version,
        fingerprint=build_fingerprint,
        rows=result.rows,
        promoted_at=workspace.now(),
        models=config.embedding.models,
        encoders={encoder.slug: encoder.fingerprint for encoder in workspace.encoders},
        chunking=config.chunking.model_dump(mode="json"),
        inputs=inputs,
        vector_indices=dict(result.vector_indices),
    )
    write_candidate(workspace.index_root, build)
    return _index_work(build, result)


def _known_indices(workspace: Workspace, table: str) -> "Mapping[str, VectorIndex]":
    """What the latest build in this table knew of its vector indices."""
    from pipeline.index.pointer import named_builds

    held = [build for build in named_builds(workspace.index_root) if build.table == table]
    return max(held, key=lambda build: build.version).vector_indices if held else {}


def _completed(workspace: Workspace, rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Batches of the rows with all columns. Only vectors of these rows are read."""
    from pipeline.index.build import as_they_are
    from pipeline.index.rows import completed

    wanted = rows.select(c.EMBED_HASH).unique()
    vectors: dict[str, pl.DataFrame] = {}
    for encoder, table in zip(workspace.encoders, embedding_tables(workspace), strict=True):
        parts = (workspace.lake.read(table, name) for name in workspace.partitions)
        found = pl.concat(
            [table.empty(), *(part.join(wanted, on=c.EMBED_HASH, how="semi") for part in parts)]
        )
        # A string that stands in several partitions has its vector in each.
        vectors[encoder.slug] = found.unique(c.EMBED_HASH)
    for batch in as_they_are(rows):
        yield completed(batch, vectors)


def _drop_partition(workspace: Workspace, partition: str) -> None:
    """Remove a partition from every table; from `documents` last, so that a killed run finds it again."""
    for table in (*embedding_tables(workspace), *reversed(s.REBUILT)):
        workspace.lake.drop(table, partition)


def _index_work(build: "Build", result: "BuildResult | None" = None) -> Work:
    changes = (result.inserted, result.updated, result.deleted) if result else (0, 0, 0)
    refused = result.refused if result else ()
    return Work(
        digest=fingerprint(build.name, build.inputs),
        rows={build.table: build.rows},
        counts=dict(zip(("inserted", "updated", "deleted"), changes, strict=True)),
        details={
            "table": build.table,
            "version": build.version,
            "refused_chunks": ", ".join(refused[:20]),
            **{f"recall of {name}": round(known.recall, 4) for name, known in build.vector_indices.items()},
        },
    )


# evaluation and promotion -----------------------------------------------------------------------------------------------


def _make_evaluation(workspace: Workspace, _fresh: bool) -> Work:
    build = judge(workspace)
    evaluation = build.evaluation or {}
    measures = {key: value for key, value in evaluation.items() if not isinstance(value, dict | list)}
    return Work(fingerprint(build.name, str(evaluation)), {}, {}, {"build": build.name, **measures})


def _live_fresh(workspace: Workspace) -> bool:
    """No candidate waits to go live, and what is live shows nothing that was deleted or closed."""
    from pipeline.index.pointer import find_pointer, read_candidate

    pointer = find_pointer(workspace.index_root)
    candidate = read_candidate(workspace.index_root)
    if candidate is None:
        return pointer is not None
    if not judged(candidate, workspace) or not kept_back(candidate, pointer):
        return False
    # A candidate that stays back would have brought these documents.
    return (candidate.evaluation or {}).get("policy") == workspace.digest(s.DOCUMENTS)


def _make_live(workspace: Workspace, _fresh: bool) -> Work:
    """Move the pointer to the candidate if its evaluation says so; else keep what is live true to the estate of today."""
    from pipeline.index.pointer import find_pointer, promote, read_candidate, write_candidate
    from pipeline.index.policy import kept_true

    root = workspace.index_root
    candidate = read_candidate(root)
    reason, moved, behind = "nothing changed", candidate is None, None
    if candidate is not None:
        # Never on the word of an earlier run: a run of this stage alone must not skip the evaluation.
        candidate = judge(workspace)
        pointer = find_pointer(root)
        reason = kept_back(candidate, pointer)
        moved = not reason
        if moved:
            reason = str((candidate.evaluation or {})["reason"])
            documents = documents_of_today(workspace)
            if workspace.documents_seen is not None:  # the build is of older documents than these
                candidate = kept_true(root, candidate, documents)
                write_candidate(root, candidate)
            promote(root, candidate.model_copy(update={"promoted_at": workspace.now()}))
        else:
            keep_policy(workspace)
            behind = keep_up(workspace, candidate)
            evaluation = (candidate.evaluation or {}) | {"policy": workspace.digest(s.DOCUMENTS)}
            write_candidate(root, candidate.model_copy(update={"evaluation": evaluation}))
    pointer = find_pointer(root)
    shown = pointer.current if moved and pointer else candidate
    details = {
        "table": shown.table if shown else None,
        "version": shown.version if shown else None,
        "promoted": moved,
        "reason": reason,
        "live": pointer.current.name if pointer else None,
        "behind": str(behind) if behind else "",
    }
    rows = {pointer.current.table: pointer.current.rows} if pointer else {}
    _forget(workspace)  # here, because every way of running comes through here
    return Work(fingerprint(pointer.current.name if pointer else ""), rows, {}, details)


def forget_expired(workspace: Workspace) -> None:
    """What `LIVE_INDEX` does after its work, for a run in which it had none: the time of a build for a rollback may be over all the same."""
    from pipeline.index.retention import has_expired

    with holding(workspace, WHOLE):
        if has_expired(workspace.index_root, workspace.config.index.rollback_days, workspace.now()):
            _forget(workspace)


def _forget(workspace: Workspace) -> None:
    """Remove builds whose time for a rollback is over, what was left over beside those that are named, and vectors that no build needs."""
    from pipeline.index.retention import remove_expired

    removed = remove_expired(workspace.index_root, workspace.config.index.rollback_days, workspace.now())
    if removed.builds:
        workspace.say(f"{', '.join(removed.builds)}: too old for a rollback, and removed")
    forget_vectors(workspace)


CLUSTERS: Final = GlobalStage(
    name="clusters",
    description=f"{s.CLUSTERS.grain} Exact and near copies, and which of them is canonical.",
    needs_partitions=("documents", "gated_pages", "chunks", "signatures", "embeddings"),
    needs=(),
    fingerprint=cluster_fingerprint,
    is_fresh=clusters_fresh,
    make=_make_clusters,
    kinds=("polars", "scipy"),
)
INDEX: Final = GlobalStage(
    name="index",
    description="One row per chunk of a live or superseded document, in LanceDB: the candidate beside what is live.",
    needs_partitions=("documents", "chunks", "embeddings"),
    needs=("clusters",),
    fingerprint=_build_fingerprint,
    is_fresh=_index_fresh,
    make=_make_index,
    kinds=("lancedb",),
    pool="index_writer",
)
EVALUATION: Final = GlobalStage(
    name="evaluation",
    description="One verdict per build: the answers to the gold questions judged, overall and by language and kind; kept with the build.",
    needs_partitions=(),
    needs=("index",),
    fingerprint=rules_fingerprint,
    is_fresh=newest_judged,
    make=_make_evaluation,
    kinds=("lancedb", "sentence-transformers"),
    pool="embed",
)
LIVE_INDEX: Final = GlobalStage(
    name="live_index",
    description="One row per chunk that searches see: the pointer moves to the candidate if the evaluation allows.",
    needs_partitions=(),
    needs=("index", "evaluation"),
    fingerprint=lambda _: fingerprint("live_index", "1"),
    is_fresh=_live_fresh,
    make=_make_live,
    kinds=("lancedb",),
    pool="index_writer",
)
GLOBAL: Final = (CLUSTERS, INDEX, EVALUATION, LIVE_INDEX)
