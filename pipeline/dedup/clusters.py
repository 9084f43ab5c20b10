"""Clusters of duplicates, each around a canonical chunk that the election policy names."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.config import DedupConfig
from pipeline.dedup.bands import Items, band_hashes
from pipeline.dedup.election import RANK, elected_first, reason_expr, values_of
from pipeline.dedup.jaccard import Shingles
from pipeline.dedup.leaders import Alike, Gathering
from pipeline.tables import columns as c
from pipeline.tables.schemas import BANDS, CLUSTERS

# Reads columns of `signatures`, of all chunks, part by part.
Read = Callable[[Sequence[str]], Iterable[pl.DataFrame]]
# Reads the embeddings of chunks: float32 (chunks, dims), unit length.
ReadVectors = Callable[[pl.Series], NDArray[np.float32]]

_SLICE: Final = 10_000  # signatures made dense at once, to bound memory
_TEXTS: Final = (c.CHUNK_ID, c.EXACT_HASH, c.N_SHINGLES)
_FIRST: Final = "first"
_PLACE: Final = "place"
_LED_BY: Final = "led_by"
_WINNER: Final = ":winner"


@dataclass(frozen=True)
class Clustering:
    """What stands after a clustering.

    Attributes:
        clusters: rows of `clusters`: the chunks that are in a cluster of two or more, and the canonical itself.
        bands: rows of `bands`, for the next one.
        fresh: texts that were new, changed, or stand elsewhere in the order of election.
        compared: pairs whose similarity was computed.
    """

    clusters: pl.DataFrame
    bands: pl.DataFrame
    fresh: int
    compared: int


def cluster(
    read: Read,
    policy: pl.DataFrame,
    config: DedupConfig,
    standing: pl.DataFrame | None,
    vectors: ReadVectors | None,
) -> Clustering:
    """Find exact and near duplicates and elect the canonical of each cluster.

    Every member is itself similar to its canonical; the result does not depend on the order of the rows, nor on
    `standing`, which only saves work. Exact copies are put together first, so that a passage in thousands of documents
    costs one comparison. With a threshold of 1 only exact copies cluster.

    Args:
        read: gives the signatures; chunk ids and sizes are read of all, the rest of those that are compared.
        policy: one row per chunk: chunk_id, doc_id, language, authority, superseded (bool), effective_date, modified_at,
            low_confidence, quality, media_type, and embed_hash if vectors are given. Chunks without a row here take no part.
        config: threshold, length of the signatures, criteria of the election.
        standing: `bands` as an earlier clustering with the same settings left it; None: from nothing.
        vectors: gives embeddings, asked for if `min_cosine` is set.
    """
    ranked = _ranked(read, policy, config)
    texts = _compared(ranked, config)
    earlier = BANDS.empty() if standing is None else standing
    bands, fresh = _bands(texts, earlier, read, config)
    leader, similarity = _where_they_stood(texts, earlier, fresh)
    gathering = Gathering(
        bands,
        texts[c.N_SHINGLES].to_numpy().astype(np.int64),
        Shingles(texts.height, lambda items: _shingles(read, texts[c.CHUNK_ID].gather(items))),
        threshold=config.threshold,
        leader=leader,
        similarity=similarity,
        alike=_alike(texts, vectors, config.min_cosine),
    )
    gathering.settle()
    made = texts.with_columns(
        pl.Series(c.BANDS, bands).cast(pl.List(pl.UInt32)) if texts.height else BANDS.empty()[c.BANDS],
        texts[c.EXACT_HASH].gather(gathering.leader).alias(c.LEADER),
        texts[RANK].gather(gathering.leader).alias(_LED_BY),
        pl.Series(c.SIMILARITY, gathering.similarity, dtype=pl.Float32),
    )
    near = made.select(pl.col(RANK).alias(_FIRST), pl.col(_LED_BY).alias(c.LEADER), c.SIMILARITY)
    return Clustering(
        clusters=_rows(ranked, near, config),
        bands=made.select(BANDS.schema.names()).sort(BANDS.key),
        fresh=int(fresh.sum()),
        compared=gathering.compared,
    )


def _ranked(read: Read, policy: pl.DataFrame, config: DedupConfig) -> pl.DataFrame:
    """All chunks with words in the order of election, and the rank of the first of each one's exact copies."""
    known = [pl.DataFrame(schema={name: BANDS.schema.get(name, pl.String) for name in _TEXTS}), *read(_TEXTS)]
    return (
        elected_first(policy, config.election)
        .join(pl.concat(known).filter(pl.col(c.EXACT_HASH) != ""), on=c.CHUNK_ID, how="inner")
        .sort(RANK)
        .with_columns(pl.col(RANK).min().over(c.EXACT_HASH).alias(_FIRST))
    )


def _compared(ranked: pl.DataFrame, config: DedupConfig) -> pl.DataFrame:
    """The texts that are compared: one chunk stands for all of its exact copies, the one elected first."""
    first, long = pl.col(RANK) == pl.col(_FIRST), pl.col(c.N_SHINGLES) >= config.min_shingles
    return ranked.filter(first & long & pl.lit(config.threshold < 1)).select(
        RANK, c.CHUNK_ID, c.EXACT_HASH, c.N_SHINGLES, _standing_expr(config)
    )


def _standing_expr(config: DedupConfig) -> pl.Expr:
    """All that decides where a text stands in the order, and whom it is similar to, besides its words."""
    names = [*values_of(config.election), c.LANGUAGE, *([c.EMBED_HASH] if config.min_cosine else [])]
    parts = (pl.col(name).cast(pl.String).fill_null("") for name in names)
    return pl.concat_str(*parts, separator="|").alias(c.STANDING)


def _bands(
    texts: pl.DataFrame, standing: pl.DataFrame, read: Read, config: DedupConfig
) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """The band hashes of all texts, (texts, bands), and which texts are fresh: all others have kept theirs."""
    empty = band_hashes(np.empty((0, config.permutations), np.uint32), config.threshold)
    bands = np.zeros((texts.height, empty.shape[1]), np.uint32)
    same = [c.EXACT_HASH, c.CHUNK_ID, c.STANDING, c.N_SHINGLES]
    kept = texts.with_row_index(_PLACE).join(standing.select(*same, c.BANDS), on=same, how="inner")
    fresh = np.ones(texts.height, np.bool_)
    fresh[kept[_PLACE].to_numpy()] = False
    for part in kept.iter_slices(_SLICE):
        bands[part[_PLACE].to_numpy()] = _dense(part[c.BANDS], bands.shape[1])
    wanted = texts.select(c.CHUNK_ID).with_row_index(_PLACE).filter(pl.Series(fresh))
    for frame in read((c.CHUNK_ID, c.MINHASH)) if wanted.height else ():
        for part in frame.join(wanted, on=c.CHUNK_ID, how="inner").iter_slices(_SLICE):
            signatures = _dense(part[c.MINHASH], config.permutations)
            bands[part[_PLACE].to_numpy()] = band_hashes(signatures, config.threshold)
    return bands, fresh


def _where_they_stood(
    texts: pl.DataFrame, standing: pl.DataFrame, fresh: NDArray[np.bool_]
) -> tuple[Items, NDArray[np.float32]]:
    """Leader and similarity of each text that is not fresh and whose leader is not; the others are undecided."""
    places = texts.select(c.EXACT_HASH).with_row_index(_PLACE).filter(pl.Series(~fresh))
    kept = places.join(standing.select(c.EXACT_HASH, c.LEADER, c.SIMILARITY), on=c.EXACT_HASH).join(
        places.select(pl.col(c.EXACT_HASH).alias(c.LEADER), pl.col(_PLACE).alias(_LED_BY)), on=c.LEADER
    )
    leader = np.full(texts.height, texts.height, np.int64)
    similarity = np.zeros(texts.height, np.float32)
    leader[kept[_PLACE].to_numpy()] = kept[_LED_BY].to_numpy()
    similarity[kept[_PLACE].to_numpy()] = kept[c.SIMILARITY].to_numpy()
    return leader, similarity


def _shingles(read: Read, chunks: pl.Series) -> tuple[Items, NDArray[np.uint32]]:
    """Number of shingles of each chunk, and the shingles of one after the other."""
    wanted = pl.DataFrame({c.CHUNK_ID: chunks}).with_row_index(_PLACE)
    parts = [
        frame.join(wanted, on=c.CHUNK_ID, how="inner").select(_PLACE, c.SHINGLES)
        for frame in read((c.CHUNK_ID, c.SHINGLES))
    ]
    found = pl.concat(parts).sort(_PLACE)[c.SHINGLES]
    return found.list.len().to_numpy().astype(np.int64), found.explode().to_numpy()


def _alike(texts: pl.DataFrame, vectors: ReadVectors | None, least: float) -> Alike | None:
    """Whether the embeddings of pairs of texts reach a cosine; None: not asked."""
    if not least or vectors is None:
        return None

    def alike(first: Items, second: Items) -> NDArray[np.bool_]:
        items, places = np.unique(np.concatenate([first, second]), return_inverse=True)
        found = vectors(texts[c.CHUNK_ID].gather(items))
        one, other = found[places[: len(first)]], found[places[len(first) :]]
        return np.einsum("nd,nd->n", one, other) >= least

    return alike


def _dense(lists: pl.Series, width: int) -> NDArray[np.uint32]:
    """A column of lists of one length as an array: uint32 (rows, width)."""
    return lists.explode().to_numpy().reshape(len(lists), width)


def _rows(ranked: pl.DataFrame, near: pl.DataFrame, config: DedupConfig) -> pl.DataFrame:
    """Rows of `clusters` from all chunks in the order of election and the leaders of the texts that were compared."""
    kind = (
        pl.when(pl.col(RANK) == pl.col(c.LEADER))
        .then(pl.lit("canonical"))
        .when(pl.col(_FIRST) == pl.col(c.LEADER))
        .then(pl.lit("exact"))
        .otherwise(pl.lit("near"))
    )
    # The canonical is the first of its cluster; the next best comes after it.
    winners = [
        pl.when(pl.col(c.KIND) == "canonical")
        .then(pl.col(name).shift(-1).over(c.LEADER))
        .otherwise(pl.col(name).first().over(c.LEADER))
        .alias(name + _WINNER)
        for name in values_of(config.election)
    ]
    canonical = pl.col(c.CHUNK_ID).first().over(c.LEADER)
    return (
        ranked.join(near, on=_FIRST, how="left")
        .with_columns(pl.col(c.LEADER).fill_null(pl.col(_FIRST)), pl.col(c.SIMILARITY).fill_null(1.0))
        .filter(pl.len().over(c.LEADER) > 1)
        .sort(RANK)
        .with_columns(kind.alias(c.KIND))
        .with_columns(canonical.alias(c.CANONICAL_CHUNK_ID), canonical.alias(c.CLUSTER_ID), *winners)
        .with_columns(reason_expr(config.election, _WINNER).alias(c.REASON))
        .select(CLUSTERS.schema.names())
        .sort(CLUSTERS.key)
    )
