"""The clusters of the whole estate: what decides them, and how the tables advance."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from pipeline.line.stages import embedding_tables
from pipeline.line.workspace import WHOLE, Workspace
from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from pipeline.tables.fingerprint import fingerprint
from pipeline.tables.lake import frame_digest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Raise it when the same signatures cluster otherwise.
CODE_VERSION: Final = "2"


def cluster_fingerprint(workspace: Workspace) -> str:
    """Hash of the code and the settings that decide clusters, and of the encoder where it is asked."""
    from pipeline.dedup.stage import signatures_fingerprint

    settings = workspace.config.dedup
    encoder = workspace.encoders[0].fingerprint if settings.min_cosine else ""
    return fingerprint(
        "clusters",
        CODE_VERSION,
        signatures_fingerprint(workspace.config),
        settings.threshold,
        settings.min_cosine,
        settings.election,
        encoder,
    )


def clusters_fresh(workspace: Workspace) -> bool:
    """Whether the published clusters were made from what is published before them. Reads no signature."""
    state = workspace.lake.state(s.CLUSTERS, WHOLE)
    return state is not None and state.inputs == _inputs(workspace)


def advance_clusters(workspace: Workspace) -> dict[str, Any]:
    """Bring bands and clusters up to date; what it took, for the metadata.

    Only texts that are new, changed, or moved in the order of election are compared with the standing bands.
    """
    from pipeline.dedup.clusters import cluster

    lake = workspace.lake
    inputs, settings = _inputs(workspace), cluster_fingerprint(workspace)

    def read(columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        return (lake.read(s.SIGNATURES, name, columns) for name in workspace.partitions)

    # Bands of other settings are bands of other signatures, or name other leaders.
    state = lake.state(s.BANDS, WHOLE)
    standing = lake.current(s.BANDS, WHOLE) if state and state.inputs == settings else None
    policy = _policy(workspace)
    made = cluster(read, policy, workspace.config.dedup, standing, _vectors(workspace, policy))
    lake.publish(s.BANDS, WHOLE, made.bands, settings)
    lake.publish(s.CLUSTERS, WHOLE, made.clusters, inputs)
    return {"texts_compared": made.fresh, "pairs_compared": made.compared}


def cluster_counts(workspace: Workspace) -> dict[str, int]:
    """Clusters, and the chunks in them that are exact and near copies of their canonical one."""
    kinds = workspace.lake.current(s.CLUSTERS, WHOLE, [c.KIND])[c.KIND]
    return {
        name: int((kinds == kind).sum())
        for name, kind in (("clusters", "canonical"), ("exact", "exact"), ("near", "near"))
    }


def duplicate_share(workspace: Workspace) -> float:
    """Share (0 to 1) of all chunks that are copies of others."""
    chunks, counts = workspace.rows(s.CHUNKS), cluster_counts(workspace)
    return (counts["exact"] + counts["near"]) / chunks if chunks else 0.0


def document_policy(workspace: Workspace) -> pl.DataFrame:
    """What decides which document holds the canonical copies, one row per document."""
    columns = [c.DOC_ID, c.AUTHORITY, c.STATUS, c.EFFECTIVE_DATE, c.MODIFIED_AT, c.MEDIA_TYPE]
    documents = workspace.read(s.DOCUMENTS, columns).sort(c.DOC_ID)
    return documents.with_columns(pl.col(c.STATUS) == "superseded").rename({c.STATUS: "superseded"})


def _inputs(workspace: Workspace) -> str:
    tables = (s.GATED_PAGES, s.CHUNKS, s.SIGNATURES)
    if workspace.config.dedup.min_cosine:
        tables += embedding_tables(workspace)[:1]
    digests = (workspace.digest(table) for table in tables)
    return fingerprint(cluster_fingerprint(workspace), *digests, frame_digest(document_policy(workspace)))


def _policy(workspace: Workspace) -> pl.DataFrame:
    """What decides which copy is canonical, one row per chunk."""
    pages = workspace.read(s.GATED_PAGES, [c.DOC_ID, c.QUALITY])
    quality = pages.group_by(c.DOC_ID).agg(pl.col(c.QUALITY).mean())
    chunks = workspace.read(s.CHUNKS, [c.CHUNK_ID, c.DOC_ID, c.LOW_CONFIDENCE, c.LANGUAGE, c.EMBED_HASH])
    return chunks.join(document_policy(workspace), on=c.DOC_ID).join(quality, on=c.DOC_ID, how="left")


def _vectors(workspace: Workspace, policy: pl.DataFrame) -> Any:
    """Reads the embeddings of chunks by the first configured encoder, if the settings ask for them."""
    if not workspace.config.dedup.min_cosine:
        return None
    table = embedding_tables(workspace)[0]

    def read(chunks: pl.Series) -> "NDArray[np.float32]":
        wanted = (
            pl.DataFrame({c.CHUNK_ID: chunks})
            .with_row_index("place")
            .join(policy.select(c.CHUNK_ID, c.EMBED_HASH), on=c.CHUNK_ID)
        )
        parts = [
            workspace.lake.read(table, name, [c.EMBED_HASH, c.VECTOR]).join(
                wanted.select(c.EMBED_HASH).unique(), on=c.EMBED_HASH, how="semi"
            )
            for name in workspace.partitions
        ]
        found = pl.concat(parts).unique(c.EMBED_HASH)
        # A string that the encoder refused is near to nothing.
        nothing = pl.lit(pl.Series([[0.0] * workspace.encoders[0].dims], dtype=found.schema[c.VECTOR]))
        vectors = wanted.join(found, on=c.EMBED_HASH, how="left").sort("place")
        return vectors.select(pl.col(c.VECTOR).fill_null(nothing)).to_series().to_numpy()

    return read
