"""Who looks for the pairs in `duplicates.py`: ours, a datasketch loop, rensa."""

import numpy as np
import polars as pl
from duplicates_texts import SIZE, THRESHOLD, chunks_of, policy_of


def ours(texts: list[str]) -> set[tuple[int, int]]:
    from pipeline.config import DedupConfig
    from pipeline.dedup.clusters import cluster
    from pipeline.dedup.stage import signatures

    config = DedupConfig(shingle_words=SIZE, threshold=THRESHOLD)
    chunks = chunks_of(texts)
    marks = signatures(chunks, config)
    made = cluster(lambda columns: [marks.select(columns)], policy_of(chunks), config, None, None)
    links = made.clusters.filter(pl.col("kind") != "canonical").select("canonical_chunk_id", "chunk_id")
    return {(int(one[1:]), int(other[1:])) for one, other in links.iter_rows()}


def ours_pairs(texts: list[str]) -> set[tuple[int, int]]:
    """Every pair that the bands let through and the true Jaccard confirms: what clusters are made from."""
    from pipeline.config import DedupConfig
    from pipeline.dedup.bands import Buckets, band_hashes
    from pipeline.dedup.stage import signatures

    marks = signatures(chunks_of(texts), DedupConfig(shingle_words=SIZE))
    bands = band_hashes(marks["minhash"].explode().to_numpy().reshape(len(texts), -1), THRESHOLD)
    buckets = Buckets(bands, np.ones(len(texts), np.bool_))
    later, earlier = buckets.before(np.arange(len(buckets.item)))
    keys = np.unique(buckets.item[earlier] * len(texts) + buckets.item[later])
    lists = marks["shingles"].to_list()
    sets = [set(one) for one in lists]
    pairs = ((int(key) // len(texts), int(key) % len(texts)) for key in keys)
    return {
        (one, other)
        for one, other in pairs
        if len(sets[one] & sets[other]) >= THRESHOLD * len(sets[one] | sets[other])
    }


def shingles_of(text: str) -> list[str]:
    words = text.split()
    return [" ".join(words[place : place + SIZE]) for place in range(len(words) - SIZE + 1)]


def datasketch_loop(texts: list[str]) -> set[tuple[int, int]]:
    from datasketch import MinHash, MinHashLSH

    lsh = MinHashLSH(threshold=THRESHOLD, num_perm=128)
    marks, found = [], set()
    for number, text in enumerate(texts):
        mark = MinHash(num_perm=128)
        mark.update_batch([shingle.encode() for shingle in shingles_of(text)])
        found |= {(other, number) for other in lsh.query(mark) if marks[other].jaccard(mark) >= THRESHOLD}
        lsh.insert(number, mark)
        marks.append(mark)
    return found


def rensa_loop(texts: list[str]) -> set[tuple[int, int]]:
    from rensa import RMinHash, RMinHashLSH

    lsh = RMinHashLSH(threshold=THRESHOLD, num_perm=128, num_bands=16)
    marks, found = [], set()
    for number, text in enumerate(texts):
        mark = RMinHash(num_perm=128, seed=1)
        mark.update(shingles_of(text))
        found |= {(other, number) for other in lsh.query(mark) if marks[other].jaccard(mark) >= THRESHOLD}
        lsh.insert(number, mark)
        marks.append(mark)
    return found


CONTENDERS = {
    "ours": ours,
    "datasketch loop": datasketch_loop,
    "rensa": rensa_loop,
    "ours, all pairs": ours_pairs,
}
