"""Many rows: building, a delta and the whole query beside plain LanceDB calls, in one run on the same rows."""

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import polars as pl

from pipeline.config import IndexConfig, RetrievalConfig
from pipeline.index.approximate import measured_recall
from pipeline.index.build import BuildResult, apply_build, as_they_are
from pipeline.index.rows import index_schema, row_hashes
from pipeline.index.tables import to_arrow
from pipeline.retrieval.filters import visible
from pipeline.retrieval.query import Query
from pipeline.retrieval.search import Searcher

DIMS, ASKED, WORDS, TOPICS = 384, 60, 30_000, 500
BATCH = 20_000
CHANGED = 0.01  # of the rows get other groups in the delta, half as many go, half as many come


class Estate:
    """Rows of made-up documents: words by Zipf's law, vectors around topics, a third of the rows in clusters."""

    def __init__(self, rows: int) -> None:
        dice = np.random.default_rng(7)
        self.rows = rows
        self.topics = dice.normal(size=(TOPICS, DIMS)).astype(np.float32)
        asked = self.topics[dice.integers(0, TOPICS, ASKED)] + 0.5 * dice.normal(size=(ASKED, DIMS))
        self.texts = [self.words(dice, 1, 8)[0] for _ in range(ASKED)]
        self.questions = dict(zip(self.texts, unit(asked), strict=True))

    @staticmethod
    def words(dice: np.random.Generator, rows: int, length: int) -> list[str]:
        ranks = np.minimum(dice.zipf(1.3, (rows, length)), WORDS - 1)
        return [" ".join(f"word{rank}" for rank in row) for row in ranks.tolist()]

    def batches(self, start: int, end: int) -> Iterator[pl.DataFrame]:
        for at in range(start, end, BATCH):
            yield self.batch(at, min(at + BATCH, end))

    def batch(self, start: int, end: int) -> pl.DataFrame:
        dice, n = np.random.default_rng([7, start]), end - start
        at = list(range(start, end))
        texts = self.words(dice, n, 60)
        vectors = self.topics[dice.integers(0, TOPICS, n)] + 0.7 * dice.normal(size=(n, DIMS)).astype(
            np.float32
        )
        clusters = zip(dice.integers(0, self.rows // 10, n), dice.random(n) < 1 / 3, strict=True)
        given: dict[str, Any] = {
            "chunk_id": [f"c{one:07}" for one in at], "doc_id": [f"d{one // 12}" for one in at],
            "section_id": [f"s{one // 3}" for one in at], "uri": [f"folder/d{one // 12}.pdf" for one in at],
            "section_path": [["Part", f"Section {one // 3}"] for one in at], "pages": [[1]] * n,
            "acl_groups": [["public"] if one % 3 else [f"g{one % 7}"] for one in at],
            "cluster_id": [f"k{cluster}" if clustered else None for cluster, clustered in clusters],
            "text": texts, "parent_text": texts, "search_text": texts, "vector_words": unit(vectors),
            "title": "A title", "collection": "estate", "document_class": "policy", "kind": "prose", "language": "en",
            "low_confidence": False, "authority": 50, "token_count": 90, "parent_tokens": 250, "ordinal": 0,
        }  # fmt: skip
        schema = index_schema({"words": DIMS})
        columns = [
            pl.Series(name, given[name], dtype=dtype).alias(name)
            if isinstance(given.get(name), list | np.ndarray)
            else pl.lit(given.get(name), dtype=dtype).alias(name)
            for name, dtype in schema.items()
        ]
        frame = pl.select(pl.int_range(n).alias("n")).with_columns(columns).select(schema.names())
        return frame.with_columns(row_hashes(frame.drop("search_text", "vector_words", "row_hash")))

    def encode_queries(self, asked: Sequence[str]) -> np.ndarray:
        return np.stack([self.questions[text] for text in asked])


def unit(values: np.ndarray) -> np.ndarray:
    return (values / np.linalg.norm(values, axis=1, keepdims=True)).astype(np.float32)


def run_rows(folder: Path, rows: int) -> None:
    """Print CPU seconds of builds and deltas, and milliseconds of questions, each beside plain LanceDB."""
    estate = Estate(rows)
    everything = pl.concat(list(estate.batches(0, rows)))
    print(f"{rows} rows, {DIMS} dimensions", flush=True)
    plain = lancedb.connect(folder / "plain")
    ours = folder / "ours"
    built = None
    if not lancedb.connect(ours).list_tables().tables:
        with Clock("build: plain LanceDB"):
            build_plain(plain, everything)
        with Clock("build: Kesit"):
            built = apply_build(str(ours), "rows", everything, IndexConfig(), as_they_are, before={})
    ask(lancedb.connect(ours).open_table("rows"), estate)
    if built:
        delta(ours, plain, estate, everything, built)


class Clock:
    """Prints how much CPU time, of all threads, its block took, and how long it lasted."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        self.cpu, self.wall = time.process_time(), time.perf_counter()

    def __exit__(self, *_: object) -> None:
        cpu, wall = time.process_time() - self.cpu, time.perf_counter() - self.wall
        print(f"| {self.name} | {cpu:.1f} CPU s | {wall:.1f} s |", flush=True)


def build_plain(database: Any, rows: pl.DataFrame) -> None:
    """What LanceDB's guide does: the same rows and the same indices, nothing compared and nothing checked."""
    from lancedb.index import FTS, Bitmap, BTree, HnswSq, LabelList

    batches = list(rows.iter_slices(10_000))
    table = database.create_table("rows", to_arrow(batches[0]))
    for batch in batches[1:]:
        table.add(to_arrow(batch))
    plain: Any = FTS
    words = plain(
        base_tokenizer="whitespace",
        max_token_length=None,
        lower_case=False,
        stem=False,
        remove_stop_words=False,
        ascii_folding=False,
    )
    table.create_index("search_text", config=words)
    table.create_index("acl_groups", config=LabelList())
    for column in ("chunk_id", "doc_id", "cluster_id", "valid_from", "valid_to"):
        table.create_index(column, config=BTree())
    for column in ("collection", "language", "document_class"):
        table.create_index(column, config=Bitmap())
    table.create_index("vector_words", config=HnswSq(distance_type="cosine"))
    table.optimize()


def delta(ours: Path, plain: Any, estate: Estate, rows: pl.DataFrame, built: BuildResult) -> None:
    """A night: some rows get other groups, some go, some come. Kesit is given all rows and finds out itself.

    What the build before knew of its vector index is handed on, as the line does it.
    """
    moved, gone = int(rows.height * CHANGED), int(rows.height * CHANGED / 2)
    other = rows.head(moved).with_columns(
        acl_groups=pl.lit(["g1"], dtype=pl.List(pl.String)), row_hash=pl.lit("moved")
    )
    come = estate.batch(rows.height, rows.height + gone)
    wanted = pl.concat([other, rows.slice(moved, rows.height - moved - gone), come])
    table = plain.open_table("rows")
    with Clock("delta: plain LanceDB, told what changed"):
        upsert = table.merge_insert("chunk_id").when_matched_update_all().when_not_matched_insert_all()
        upsert.execute(to_arrow(pl.concat([other, come])))
        names = ", ".join(f"'{name}'" for name in rows.tail(gone)["chunk_id"])
        table.delete(f"chunk_id IN ({names})")
        table.optimize()
    with Clock("delta: Kesit, finds out itself"):
        apply_build(str(ours), "rows", wanted, IndexConfig(), as_they_are, before=built.vector_indices)
    table = lancedb.connect(ours).open_table("rows")
    with Clock("recall of the index measured again, when a tenth of the rows have changed"):
        measured_recall(table, "vector_words", IndexConfig().recall_sample)


def ask(table: Any, estate: Estate) -> None:
    """The whole query beside LanceDB's own hybrid query, question by question in turn."""
    from lancedb.query import MatchQuery
    from lancedb.rerankers import RRFReranker

    today = date(2026, 6, 1)
    searcher = Searcher(table, {"words": estate}, RetrievalConfig(), today=lambda: today)
    where = visible(Query("?", groups=("g1", "g2")), today)  # the same access and days for both
    match: Any = MatchQuery
    took: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for text in estate.texts:
        start = time.perf_counter(), time.process_time()
        (
            table.search(query_type="hybrid", vector_column_name="vector_words", fts_columns="search_text")
            .vector(estate.questions[text])
            .text(match(text, "search_text"))
            .distance_type("cosine")
            .where(where, prefilter=True)
            .rerank(RRFReranker())
            .limit(100)
            .to_arrow()
        )
        middle = time.perf_counter(), time.process_time()
        answer = searcher.search(Query(text, groups=("g1", "g2")))
        end = time.perf_counter(), time.process_time()
        assert len(answer.results) == 5
        for name, (one, two) in {"plain LanceDB hybrid": (start, middle), "Kesit": (middle, end)}.items():
            took[name].append((two[0] - one[0], two[1] - one[1]))
    figures = {name: np.array(pairs[3:]) * 1000 for name, pairs in took.items()}  # the first three warm up
    for name, pairs in figures.items():
        (p50, c50), (p95, c95) = np.percentile(pairs, [50, 95], axis=0)
        print(f"| {name} | p50 {p50:.0f} ms, CPU {c50:.0f} | p95 {p95:.0f} ms, CPU {c95:.0f} |")
    raw, whole = figures.values()
    middle, high = np.percentile(whole, [50, 95], axis=0) / np.percentile(raw, [50, 95], axis=0)
    print(
        f"ratio: p50 {middle[0]:.2f} (CPU {middle[1]:.2f}), p95 {high[0]:.2f} (CPU {high[1]:.2f}),"
        f" median of the pairs {np.median(whole[:, 0] / raw[:, 0]):.2f}",
        flush=True,
    )
