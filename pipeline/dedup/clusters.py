"""Clusters of duplicates, each around a canonical chunk that the election policy names."""

import numpy as np
import polars as pl

from pipeline.config import DedupConfig
from pipeline.dedup.election import RANK, elected_first
from pipeline.dedup.leaders import gather
from pipeline.tables import columns as c
from pipeline.tables.schemas import CLUSTERS

_FIRST = "first"


def clusters(signatures: pl.DataFrame, policy: pl.DataFrame, config: DedupConfig) -> pl.DataFrame:
    """Find exact and near duplicates and elect the canonical of each cluster.

    Every member is itself similar to its canonical; the result does not depend on the order of the rows. Exact copies
    are put together first, so that a passage in thousands of documents costs one comparison. With a threshold of 1
    only exact copies cluster.

    Args:
        signatures: rows of `signatures`, of all documents.
        policy: one row per chunk: chunk_id, doc_id, authority, superseded (bool), effective_date, modified_at,
            low_confidence, media_type, uri. Chunks without a row here take no part.
        config: threshold, length of the signatures.

    Returns:
        Rows of `clusters`: the chunks that are in a cluster of two or more, and the canonical itself.
    """
    ranked = (
        elected_first(policy)
        .select(c.CHUNK_ID, RANK)
        .join(signatures.drop(c.INPUT_HASH), on=c.CHUNK_ID, how="inner")
        .filter(pl.col(c.EXACT_HASH) != "")
        .sort(RANK)
        .with_columns(pl.col(RANK).min().over(c.EXACT_HASH).alias(_FIRST))
    )
    # One stands for all of its exact copies: the one elected first.
    standing = ranked.filter(
        (pl.col(RANK) == pl.col(_FIRST)) & (pl.col(c.MINHASH).list.len() == config.permutations)
    )
    return _rows(ranked, _near(standing, config))


def _near(standing: pl.DataFrame, config: DedupConfig) -> pl.DataFrame:
    """Rank of each near-duplicate, rank of its leader, and the similarity."""
    ranks = standing[RANK].to_numpy()
    if config.threshold >= 1 or len(ranks) < 2:
        leader, similarity = np.arange(len(ranks)), np.ones(len(ranks), np.float32)
    else:
        leader, similarity = gather(
            standing[c.MINHASH].list.to_array(config.permutations).to_numpy(), config.threshold
        )
    moved = leader != np.arange(len(ranks))
    return pl.DataFrame(
        {_FIRST: ranks[moved], "leader": ranks[leader[moved]], c.SIMILARITY: similarity[moved]},
        schema={_FIRST: pl.UInt32, "leader": pl.UInt32, c.SIMILARITY: pl.Float32},
    )


def _rows(ranked: pl.DataFrame, near: pl.DataFrame) -> pl.DataFrame:
    names = ranked.select(pl.col(RANK).alias("leader"), pl.col(c.CHUNK_ID).alias(c.CANONICAL_CHUNK_ID))
    kind = (
        pl.when(pl.col(RANK) == pl.col("leader"))
        .then(pl.lit("canonical"))
        .when(pl.col(_FIRST) == pl.col("leader"))
        .then(pl.lit("exact"))
        .otherwise(pl.lit("near"))
    )
    return (
        ranked.join(near, on=_FIRST, how="left")
        .with_columns(pl.col("leader").fill_null(pl.col(_FIRST)), pl.col(c.SIMILARITY).fill_null(1.0))
        .filter(pl.len().over("leader") > 1)
        .join(names, on="leader", how="left")
        .with_columns(kind.alias(c.KIND), pl.col(c.CANONICAL_CHUNK_ID).alias(c.CLUSTER_ID))
        .select(CLUSTERS.schema.names())
        .sort(CLUSTERS.key)
    )
