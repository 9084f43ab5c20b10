"""Search measured: XQuAD in three languages, German statutes, editions by day, and 200,000 rows beside raw LanceDB.

    python benchmarks/retrieval.py xquad|statutes|rows SAMPLES FOLDER

SAMPLES holds `xquad/` and `german_law/`; FOLDER keeps projects with their vectors, so that a second run only searches.
"""

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from retrieval_estates import LANGUAGES, statutes, xquad

from pipeline.config import RetrievalConfig
from pipeline.evaluation.metrics import judge
from pipeline.evaluation.questions import load_questions
from pipeline.index.reader import open_live
from pipeline.line.workspace import Workspace
from pipeline.retrieval.query import Query
from pipeline.retrieval.search import Searcher

PER_LANGUAGE = 300  # XQuAD questions, of 1,190
DIMS, ASKED = 384, 60


def contenders(workspace: Workspace) -> dict[str, Searcher]:
    """Each encoder alone, full text alone, hybrids; with boosts and caps as they are by default."""
    opened = open_live(workspace.index_root).opened
    encoders = {encoder.slug: encoder for encoder in workspace.encoders_for(opened.build.models)}
    config, mute = RetrievalConfig(), RetrievalConfig(text_weight=0)

    def searcher(slugs: Sequence[str], config: RetrievalConfig) -> Searcher:
        return Searcher(opened.table, {slug: Remembered(encoders[slug]) for slug in slugs}, config)

    found = {f"dense {slug}": searcher([slug], mute) for slug in encoders}
    found["full text"] = searcher([], config)
    found |= {f"hybrid {slug}": searcher([slug], config) for slug in encoders}
    if len(encoders) > 1:
        found["hybrid all"] = searcher(list(encoders), config)
    return found


class Remembered:
    """An encoder that encodes a question once, whoever asks it."""

    known: dict[tuple[str, str], np.ndarray] = {}  # noqa: RUF012 - shared on purpose

    def __init__(self, encoder: Any) -> None:
        self._encoder = encoder

    def encode_queries(self, texts: Sequence[str]) -> np.ndarray:
        slug = self._encoder.slug
        new = [text for text in dict.fromkeys(texts) if (slug, text) not in self.known]
        self.known.update(
            {
                (slug, text): vector
                for text, vector in zip(new, self._encoder.encode_queries(new), strict=True)
            }
        )
        return np.stack([self.known[slug, text] for text in texts])


def run_xquad(samples: Path, folder: Path, models: Sequence[str]) -> None:
    """Recall@5 by language of question (rows of the pair) and of the paragraph that is asked for."""
    workspace, questions = xquad(samples, folder / "xquad", models)
    dice = random.Random(1)
    chosen = [
        question
        for language in LANGUAGES
        for question in dice.sample([each for each in questions if each["lang"] == language], PER_LANGUAGE)
    ]
    print(f"{PER_LANGUAGE} questions a language; recall@5 of the paragraph in the language behind the dash")
    print("| | " + " | ".join(f"{asked}-{found}" for asked in LANGUAGES for found in LANGUAGES) + " |")
    for name, searcher in contenders(workspace).items():
        hits: dict[tuple[str, str], list[bool]] = defaultdict(list)
        for wanted in LANGUAGES:
            # Across languages the paragraph in the question's own language is an answer too, so each pair is asked apart.
            answers = searcher.search_many([Query(each["query"], languages=(wanted,)) for each in chosen])
            for question, answer in zip(chosen, answers, strict=True):
                uri = f"{wanted}/p{question['paragraph']:03}.txt"
                hits[question["lang"], wanted].append(uri in {result.uri for result in answer.results})
        mixed = searcher.search_many([Query(each["query"]) for each in chosen])
        any_language = np.mean(
            [
                any(result.uri[3:] == f"p{each['paragraph']:03}.txt" for result in answer.results)
                for each, answer in zip(chosen, mixed, strict=True)
            ]
        )
        cells = [f"{np.mean(hits[asked, found]):.3f}" for asked in LANGUAGES for found in LANGUAGES]
        print(
            f"| {name} | " + " | ".join(cells) + f" | unfiltered, any language: {any_language:.3f}",
            flush=True,
        )


def run_statutes(samples: Path, folder: Path, models: Sequence[str]) -> None:
    """Gold questions by language, with the questions that are lost; then the edition of every day."""
    workspace, editions = statutes(samples, folder / "statutes", models)
    questions = load_questions(samples / "german_law" / "questions_dev.jsonl")
    print("| | " + " | ".join(f"{language} recall@5, MRR" for language in LANGUAGES) + " | halves of all |")
    for name, searcher in contenders(workspace).items():
        asked = [Query(each.query.text, k=10) for each in questions]
        judged = [
            judge(question, answer.results)
            for question, answer in zip(questions, searcher.search_many(asked), strict=True)
        ]
        cells = [[each.values for each in judged if each.question.lang == language] for language in LANGUAGES]
        halves = [np.mean([each.values["recall@5"] for each in judged[start::2]]) for start in (0, 1)]
        figures = [
            f"{np.mean([each['recall@5'] for each in cell]):.3f}, {np.mean([each['mrr'] for each in cell]):.3f}"
            for cell in cells
        ]
        print(f"| {name} | " + " | ".join(figures) + " | {:.3f}, {:.3f} |".format(*halves))
        lost = [each.question.id for each in judged if not each.values["recall@5"]]
        print(f"  lost: {' '.join(lost)}", flush=True)
    right, pairs = 0, 0
    searcher = contenders(workspace)["full text"]
    for edition in editions:
        title = next(
            line.removeprefix("# ")
            for line in (folder / "statutes" / "docs" / edition.uri).read_text(encoding="utf-8").split("\n")
            if line.startswith("# ")
        )
        of_statute = {other.uri for other in editions if other.statute == edition.statute}
        last = edition.until - timedelta(days=1) if edition.until else date(2026, 1, 1)
        for day in {edition.since, last}:
            results = searcher.search(Query(title, as_of=day, k=20)).results
            found = {result.uri for result in results} & of_statute
            pairs, right = pairs + 1, right + (found == {edition.uri})
    print(f"editions: the one in force, and no other, answered {right} of {pairs} pairs of edition and day")


def run_rows(folder: Path, rows: int) -> None:
    """The whole query beside LanceDB's own hybrid query on one table, question by question in turn."""
    from lancedb.query import MatchQuery
    from lancedb.rerankers import RRFReranker

    table, texts, vectors = synthetic(folder / f"rows{rows}", rows)

    class Given:
        def encode_queries(self, asked: Sequence[str]) -> np.ndarray:
            return np.stack([vectors[text] for text in asked])

    searcher = Searcher(table, {"words": Given()}, RetrievalConfig(), today=lambda: date(2026, 6, 1))
    where = "array_has_any(acl_groups, ['public', 'g1', 'g2'])"
    took: dict[str, list[float]] = defaultdict(list)
    for text in texts:
        start = time.perf_counter()
        (
            table.search(query_type="hybrid", vector_column_name="vector_words", fts_columns="search_text")
            .vector(vectors[text])
            .text(MatchQuery(text, "search_text"))
            .distance_type("cosine")
            .where(where, prefilter=True)
            .rerank(RRFReranker())
            .limit(100)
            .to_arrow()
        )
        middle = time.perf_counter()
        answer = searcher.search(Query(text, groups=("g1", "g2")))
        took["raw LanceDB hybrid, 100 rows"].append(middle - start)
        took["Kesit, whole query"].append(time.perf_counter() - middle)
        assert len(answer.results) == 5
    print(f"{rows} rows, {DIMS} dimensions, {len(texts)} questions, vectors of questions given")
    for name, seconds in took.items():
        p50, p95 = np.percentile(seconds[3:], [50, 95]) * 1000
        print(f"| {name} | p50 {p50:.0f} ms | p95 {p95:.0f} ms |")
    raw, whole = (np.array(seconds[3:]) for seconds in took.values())
    print(
        f"ratio p50 {np.median(whole) / np.median(raw):.2f}, median of the pairs {np.median(whole / raw):.2f}"
    )


def synthetic(folder: Path, rows: int) -> tuple[Any, list[str], dict[str, np.ndarray]]:
    """A table with every column that a search reads; words by Zipf's law, a third of the rows in clusters."""
    import lancedb
    import pyarrow as pa
    from lancedb.index import FTS, HnswSq

    generator = np.random.default_rng(7)
    words = np.array([f"word{at}" for at in range(30_000)])
    topics = generator.normal(size=(500, DIMS)).astype(np.float32)

    def unit(values: np.ndarray) -> np.ndarray:
        return (values / np.linalg.norm(values, axis=1, keepdims=True)).astype(np.float32)

    asked_topics = generator.integers(0, 500, ASKED)
    asked = unit(topics[asked_topics] + 0.5 * generator.normal(size=(ASKED, DIMS)))
    texts = [" ".join(words[np.minimum(generator.zipf(1.3, 8), 29_999)]) for _ in range(ASKED)]
    database = lancedb.connect(folder)
    if "rows" in database.list_tables().tables:
        table = database.open_table("rows")
        return table, texts, dict(zip(texts, asked, strict=True))
    table: Any = None
    for start in range(0, rows, 20_000):
        n = min(20_000, rows - start)
        at = np.arange(start, start + n)
        lexical = words[np.minimum(generator.zipf(1.3, (n, 60)), 29_999)]
        text = pa.array([" ".join(row) for row in lexical])
        vectors = unit(
            topics[generator.integers(0, 500, n)] + 0.7 * generator.normal(size=(n, DIMS)).astype(np.float32)
        )
        cluster = generator.integers(0, 20_000, n)
        clustered = generator.random(n) < 1 / 3
        names = {
            "chunk_id": [f"c{one:06}" for one in at], "doc_id": [f"d{one // 12}" for one in at],
            "section_id": [f"s{one // 3}" for one in at], "uri": [f"folder/d{one // 12}.pdf" for one in at],
        }  # fmt: skip
        columns = {name: pa.array(values) for name, values in names.items()} | {
            "ordinal": pa.array(np.zeros(n, np.int32)),
            "title": pa.array(["A title"] * n), "collection": pa.array(["estate"] * n), "external_id": text,
            "document_class": pa.array(["policy"] * n), "version_label": pa.array([""] * n),
            "article": pa.nulls(n, pa.string()), "superseded_by": pa.nulls(n, pa.string()),
            "section_path": pa.array([["Part", f"Section {one // 3}"] for one in at]), "pages": pa.array([[1]] * n),
            "kind": pa.array(["prose"] * n), "language": pa.array(["en"] * n), "low_confidence": pa.array([False] * n),
            "authority": pa.array(np.full(n, 50, np.int16)), "effective_date": pa.nulls(n, pa.date32()),
            "valid_from": pa.nulls(n, pa.date32()), "valid_to": pa.nulls(n, pa.date32()),
            "acl_groups": pa.array([["public"] if one % 3 else [f"g{one % 7}"] for one in at]),
            "token_count": pa.array(np.full(n, 90, np.int32)), "parent_tokens": pa.array(np.full(n, 250, np.int32)),
            "text": text, "parent_text": text, "search_text": text,
            "cluster_id": pa.array([f"k{one}" if c else None for one, c in zip(cluster, clustered, strict=True)]),
            "canonical_chunk_id": pa.array([None] * n, pa.string()),
            "vector_words": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), DIMS),
        }  # fmt: skip
        batch = pa.table(columns)
        table = database.create_table("rows", batch) if table is None else table
        if start:
            table.add(batch)
    plain = FTS(
        base_tokenizer="whitespace",
        lower_case=False,
        stem=False,
        remove_stop_words=False,
        ascii_folding=False,
    )
    table.create_index("search_text", config=plain)
    table.create_index("vector_words", config=HnswSq(distance_type="cosine", num_partitions=1))
    table.optimize()
    return table, texts, dict(zip(texts, asked, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("xquad", "statutes", "rows"))
    parser.add_argument("samples", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", nargs="+", default=["use-multilingual", "e5-small"])
    parser.add_argument("--rows", type=int, default=200_000)
    asked = parser.parse_args()
    samples, folder = asked.samples.absolute(), asked.folder.absolute()
    if asked.what == "rows":
        run_rows(folder, asked.rows)
    else:
        {"xquad": run_xquad, "statutes": run_statutes}[asked.what](samples, folder, asked.models)


if __name__ == "__main__":
    main()
