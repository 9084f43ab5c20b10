"""What is live keeps up with the estate while a candidate of another kind stays back.

New and edited documents are cut by the settings and embedded by the encoders of the live build, which are kept with it.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from shutil import rmtree
from typing import TYPE_CHECKING, Final

import polars as pl
from pydantic import ValidationError

from pipeline.config import ChunkingConfig
from pipeline.embedding.sources import EncoderError
from pipeline.estate.identity import UNREAD_VERSION
from pipeline.index.errors import BuildRefusedError, SearchIndexError
from pipeline.line.contexts import sentences_of
from pipeline.line.cutting import cut, embedded_strings
from pipeline.line.figures import descriptions
from pipeline.line.judging import judge_against, kept_back
from pipeline.line.searching import encoders_of
from pipeline.line.workspace import WHOLE, Workspace
from pipeline.tables import columns as c
from pipeline.tables import schemas as s

if TYPE_CHECKING:
    from lancedb.table import Table

    from pipeline.embedding.encoders import Encoder, Refusal
    from pipeline.index.pointer import Behind, Build, Pointer

_JOURNALS: Final = "live_index"


def keep_up(workspace: Workspace, candidate: "Build") -> "Behind | None":
    """Bring to the live build what the candidate has newer, unless that is why the candidate stays back.

    A candidate of the same kind differs from the live build by newer documents only: these were refused with it. What a
    candidate of another kind has newer becomes a version of the live build that is judged as a candidate would be.

    Args:
        workspace: whose index; its lock is held.
        candidate: judged, and kept back.

    Returns:
        How far behind the live build still is, as the pointer says it then, too; None: not at all, or nothing is live.
    """
    from pipeline.index.pointer import Behind, find_pointer, read_pointer, write_pointer
    from pipeline.index.reader import open_build
    from pipeline.retrieval.search import IndexMismatchError

    root = workspace.index_root
    pointer = find_pointer(root)
    if pointer is None:
        return None
    live, reason = pointer.current, ""
    table = open_build(root, live).table
    newer = _newer(workspace, table)
    if newer.height and live.fingerprint == candidate.fingerprint:
        reason = f"the build with them {kept_back(candidate, pointer)}"
    elif newer.height:
        try:
            reason = _bring(workspace, pointer, table, newer)
        except (EncoderError, IndexMismatchError, SearchIndexError) as error:
            reason = str(error)
    behind = None
    if reason:
        since = pointer.behind.since if pointer.behind else workspace.now()
        behind = Behind(documents=newer.height, since=since, reason=reason)
    pointer = read_pointer(root)
    if pointer.behind != behind:
        write_pointer(root, pointer.model_copy(update={"behind": behind}))
    return behind


def tell_behind(workspace: Workspace, reason: str) -> None:
    """Say in the pointer which documents are newer than what is live, after a step that no run decided; its lock is held."""
    from pipeline.index.pointer import Behind, read_pointer, write_pointer
    from pipeline.index.reader import open_build

    root = workspace.index_root
    pointer = read_pointer(root)
    count = _newer(workspace, open_build(root, pointer.current).table).height
    if count:
        behind = Behind(documents=count, since=workspace.now(), reason=reason)
        write_pointer(root, pointer.model_copy(update={"behind": behind}))


def _newer(workspace: Workspace, table: "Table") -> pl.DataFrame:
    """doc_id and version_id of the documents that a build lacks, or has in another version or otherwise described.

    One that neither the build nor a candidate has a row of is in no build: it is no newer than what is live.
    """
    from pipeline.index.rows import DESCRIBED
    from pipeline.index.tables import read_columns

    known = [*c.VERSION_KEY, *DESCRIBED]
    held = read_columns(table, known).unique()
    refused = workspace.read(s.CHUNK_EXCEPTIONS, [c.CHUNK_ID])
    chunks = workspace.read(s.CHUNKS, [c.CHUNK_ID, c.DOC_ID]).join(refused, on=c.CHUNK_ID, how="anti")
    with_row = pl.concat([chunks.select(c.DOC_ID), held.select(c.DOC_ID)])
    return (
        workspace.read(s.DOCUMENTS, known)
        .filter(pl.col(c.VERSION_ID) != UNREAD_VERSION)
        .join(held, on=known, how="anti", nulls_equal=True)
        .join(with_row, on=c.DOC_ID, how="semi")
        .select(c.VERSION_KEY)
    )


def _bring(workspace: Workspace, pointer: "Pointer", table: "Table", newer: pl.DataFrame) -> str:
    """Make the live build anew with the newer documents. Why that does not go live; "" when it does."""
    from pipeline.index.build import apply_build
    from pipeline.index.pointer import promote
    from pipeline.index.tables import read_columns

    root, live = workspace.index_root, pointer.current
    rows, vectors = _rows(workspace, live, table, newer)
    held = read_columns(table, (c.CHUNK_ID, *c.VERSION_KEY, c.ACL_GROUPS, c.ROW_HASH))
    stay = held.join(workspace.read(s.DOCUMENTS, c.VERSION_KEY), on=c.VERSION_KEY, how="semi")
    stay = stay.join(newer, on=c.DOC_ID, how="anti").drop(c.VERSION_KEY)
    table.restore()  # a new version, on top of all others, with the content of the live one
    result = apply_build(
        root,
        live.table,
        pl.concat([stay, rows], how="diagonal"),
        workspace.config.index,
        partial(_completed, vectors),
        before=live.vector_indices,
    )
    build = live.model_copy(
        update={
            "version": result.version,
            "rows": result.rows,
            "promoted_at": workspace.now(),
            "inputs": "",
            "vector_indices": dict(result.vector_indices),
        }
    )
    build = judge_against(workspace, build, live)
    reason = kept_back(build, None)
    if not reason:
        promote(root, build, held=pointer.held)
        workspace.say(f"live index: {newer.height} new or changed documents went into {build.name}")
        rmtree(workspace.work_folder(_JOURNALS, WHOLE), ignore_errors=True)
    return f"with them what is live {reason}" if reason else ""


def _rows(
    workspace: Workspace, live: "Build", table: "Table", newer: pl.DataFrame
) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    """Index rows of the newer documents as the live build makes them, and the vectors of their strings by slug."""
    from pipeline.index.rows import index_rows
    from pipeline.index.tables import read_columns

    encoders, chunking = encoders_of(workspace, live), _chunking(live)
    sections, chunks = [s.SECTIONS.empty()], [s.CHUNKS.empty()]
    for partition in workspace.partitions:
        documents = workspace.lake.read(s.DOCUMENTS, partition).join(newer, on=c.VERSION_KEY, how="semi")
        if documents.height:
            gated = workspace.lake.read(s.GATED_PAGES, partition)
            told = descriptions(workspace, partition)
            documents = documents.with_columns(pl.lit("").alias(c.INPUT_HASH))
            made = cut(
                workspace,
                documents,
                gated,
                told=told,
                config=chunking,
                encoders=encoders,
                sentences=sentences_of(workspace, partition),
            )
            sections.append(made[0])
            chunks.append(made[1])
    documents, cut_anew = workspace.read(s.DOCUMENTS), pl.concat(chunks)
    # Clusters are those of the candidate's chunks: a chunk that is here already stays in its own, a new one is alone.
    clusters = read_columns(table, (c.CHUNK_ID, c.CLUSTER_ID, c.CANONICAL_CHUNK_ID)).drop_nulls()
    rows = index_rows(
        documents,
        pl.concat(sections),
        cut_anew,
        clusters,
        parent_tokens=workspace.config.retrieval.parent_tokens,
        dating=workspace.dating,
    )
    vectors = _vectors(workspace, encoders, table, newer, embedded_strings(cut_anew, documents))
    for frame in vectors.values():  # without strings that an encoder refuses
        rows = rows.join(frame, on=c.EMBED_HASH, how="semi", maintain_order="left")
    return rows, vectors


def _vectors(
    workspace: Workspace,
    encoders: Sequence["Encoder"],
    table: "Table",
    newer: pl.DataFrame,
    strings: pl.DataFrame,
) -> dict[str, pl.DataFrame]:
    """Vectors of the strings by slug; those that the documents had before are taken from the build."""
    from pipeline.embedding.store import CALLED, embed
    from pipeline.index.build import BATCH
    from pipeline.index.rows import vector_column
    from pipeline.index.tables import one_of, read_columns

    columns = {encoder.slug: vector_column(encoder.slug) for encoder in encoders}
    ids = newer[c.DOC_ID].to_list()
    parts = [
        read_columns(table, (c.EMBED_HASH, *columns.values()), one_of(c.DOC_ID, ids[start : start + BATCH]))
        for start in range(0, len(ids), BATCH)
    ]
    held = pl.concat(parts).unique(c.EMBED_HASH)
    vectors: dict[str, pl.DataFrame] = {}
    for encoder in encoders:
        refused: dict[str, Refusal] = {}
        vectors[encoder.slug], _, _ = embed(
            strings,
            held.select(c.EMBED_HASH, pl.col(columns[encoder.slug]).alias(c.VECTOR)),
            encoder,
            batch_size=workspace.config.embedding.batch_size,
            journal=workspace.work_folder(_JOURNALS, WHOLE) / f"{encoder.slug}.journal",
            progress=lambda step: workspace.say(f"live index: {step.message}"),
            refused=refused,
        )
        called = dict(strings.select(c.EMBED_HASH, CALLED).iter_rows())
        for embed_hash, why in refused.items():
            workspace.say(f"warning: live index: {called[embed_hash]} left out: {encoder.name}: {why.detail}")
    return vectors


def _completed(vectors: Mapping[str, pl.DataFrame], rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
    from pipeline.index.build import as_they_are
    from pipeline.index.rows import completed

    for batch in as_they_are(rows):
        yield completed(batch, vectors)


def _chunking(live: "Build") -> ChunkingConfig:
    """The settings that a build's documents were cut by.

    Raises:
        BuildRefusedError: another version of Kesit made it and kept none, or such as this one does not know.
    """
    try:
        return ChunkingConfig.model_validate(live.chunking)
    except ValidationError:
        raise BuildRefusedError(
            f"{live.name} was made by another version of Kesit, and how it cut documents is not known; newer ones reach it"
            " only with a build that goes live"
        ) from None
