"""Builds measured: rows beside raw LanceDB calls, and the switch of encoders on the sample estate while searches run.

    OMP_NUM_THREADS=1 python benchmarks/builds.py rows [--rows 20000]
    python benchmarks/builds.py switch [--folder FOLDER] [--models use-multilingual e5-small-int8] [--documents 40]

`rows`: an index from nothing, nothing changed, and 1 % changed (half edited, a quarter new, a quarter gone), each beside the
LanceDB calls that do the same when somebody else says which rows differ. CPU time of this process.
"""

import argparse
import shutil
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl

from assets.run import open_driver
from pipeline.config import IndexConfig, load_config
from pipeline.evaluation.questions import load_questions
from pipeline.index.approximate import VectorIndex, measured_recall
from pipeline.index.build import KEEP_VERSIONS, apply_build, as_they_are
from pipeline.index.pointer import Build, read_pointer
from pipeline.index.reader import open_build
from pipeline.index.rows import index_schema
from pipeline.index.tables import connect, one_of, read_columns, to_arrow
from pipeline.line.builds import build_lines, list_builds, roll_back, rollback_lines
from pipeline.line.demo import write_sample
from pipeline.line.run import run
from pipeline.line.searching import follow_live, searcher_for
from pipeline.line.workspace import Workspace
from pipeline.retrieval.answer import Answer
from pipeline.retrieval.query import Query

DIMS = 384
WORDS = 30_000


def rows_of(numbers: range, edition: int = 0) -> pl.DataFrame:
    """Index rows; a number and an edition always give the same row. Vectors lie about 500 topics."""
    generator = np.random.default_rng([numbers.start, edition])
    topics = np.random.default_rng(7).normal(size=(500, DIMS))
    count = len(numbers)
    vectors = topics[generator.integers(0, 500, count)] + 0.8 * generator.normal(size=(count, DIMS))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    drawn = np.minimum(generator.zipf(1.3, (count, 60)), WORDS - 1)
    texts = [" ".join(f"word{word}" for word in row) for row in drawn]
    ids = [f"{n:032x}" for n in numbers]
    schema = index_schema({"words": DIMS})
    given = {
        "chunk_id": ids,
        "doc_id": [f"{n // 20:032x}" for n in numbers],
        "version_id": ["v"] * count,
        "section_id": [f"{n // 4:032x}" for n in numbers],
        "text": texts,
        "search_text": texts,
        "parent_text": texts,
        "collection": [("a", "b", "c")[n % 3] for n in numbers],
        "language": [("tr", "de", "en")[n % 3] for n in numbers],
        "acl_groups": [["public"] if n % 4 else ["hr"] for n in numbers],
        "row_hash": [f"{n}:{edition}" for n in numbers],
        "vector_words": pl.Series(vectors.astype(np.float32), dtype=schema["vector_words"]),
    }
    blank: dict[Any, Any] = {pl.String: "", pl.Int32: 1, pl.Boolean: False}
    columns = [
        pl.Series(name, given[name], dtype=dtype)
        if name in given
        else pl.Series(name, [blank.get(dtype)] * count, dtype=dtype)
        for name, dtype in schema.items()
    ]
    return pl.DataFrame(columns)


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of this process, all threads, and the result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def raw_build(root: str, rows: pl.DataFrame, config: IndexConfig) -> None:
    """The table and its indices, as LanceDB's own calls."""
    from lancedb.index import FTS, Bitmap, BTree, HnswSq, LabelList

    table: Any = connect(root).create_table("t", to_arrow(rows))
    words = {"lower_case": False, "stem": False, "remove_stop_words": False, "ascii_folding": False}
    table.create_index("search_text", config=FTS(base_tokenizer="whitespace", max_token_length=None, **words))
    table.create_index("acl_groups", config=LabelList())
    for column in ("chunk_id", "doc_id", "valid_from", "valid_to"):
        table.create_index(column, config=BTree())
    for column in ("collection", "language", "document_class"):
        table.create_index(column, config=Bitmap())
    if rows.height >= config.flat_below:
        table.create_index("vector_words", config=HnswSq(distance_type="cosine"))
    table.optimize(cleanup_older_than=KEEP_VERSIONS)


def raw_delta(root: str, changed: pl.DataFrame, gone: Sequence[str]) -> None:
    """Upsert, delete, optimise."""
    table = connect(root).open_table("t")
    merge = table.merge_insert("chunk_id").when_matched_update_all().when_not_matched_insert_all()
    merge.execute(to_arrow(changed))
    table.delete(one_of("chunk_id", list(gone)))
    table.optimize(cleanup_older_than=KEEP_VERSIONS)


def run_rows(count: int) -> None:
    config = IndexConfig(flat_below=min(20_000, count))  # pyright: ignore[reportCallIssue]
    part = count // 400
    before = rows_of(range(count))
    edited, new = rows_of(range(part, 3 * part), edition=1), rows_of(range(count, count + part))
    kept = before.slice(3 * part)
    after = pl.concat([edited, kept, new])
    gone = before["chunk_id"].head(part).to_list()
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = f"{folder}/ours", f"{folder}/raw"
        known: dict[str, VectorIndex] = {}

        def build(rows: pl.DataFrame) -> Any:
            result = apply_build(ours, "t", rows, config, as_they_are, before=known)
            known.update(result.vector_indices)
            return result

        print(
            f"{count} rows, {DIMS} dimensions\n\n| | Kesit, CPU-s | raw LanceDB, CPU-s | ratio |\n|---|---|---|---|"
        )
        tell("from nothing", cpu(lambda: build(before))[0], cpu(lambda: raw_build(theirs, before, config))[0])
        seconds, same = cpu(lambda: build(before))
        print(f"| nothing changed | {seconds:.2f} | | |")
        assert (same.inserted, same.updated, same.deleted) == (0, 0, 0)
        changed = pl.concat([edited, new])
        seconds, result = cpu(lambda: build(after))
        assert (result.inserted, result.updated, result.deleted) == (part, 2 * part, part)
        tell("1 % changed", seconds, cpu(lambda: raw_delta(theirs, changed, gone))[0])
        table = connect(ours).open_table("t")
        stats = [table.index_stats(index.name) for index in table.list_indices()]
        print(f"\nrows without a place in an index: {sum(each.num_unindexed_rows for each in stats if each)}")
        for column, index in known.items():
            seconds, recall = cpu(lambda: measured_recall(table, column, config.recall_sample))  # noqa: B023
            print(
                f"{column}: recall {index.recall:.4f} when made, {recall:.4f} after the delta ({seconds:.1f} CPU-s)"
            )


def tell(name: str, ours: float, theirs: float) -> None:
    print(f"| {name} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.2f} |", flush=True)


class Askers:
    """Two threads that ask questions by turns, until the block ends.

    Args:
        workspace: whose live index they follow.
        questions: what they ask.
    """

    def __init__(self, workspace: Workspace, questions: Sequence[Query]) -> None:
        self.seen: list[tuple[int, Answer]] = []
        self.failures: list[Exception] = []
        self._questions = questions
        self._ended = threading.Event()
        self._followed = follow_live(workspace, follow_seconds=1)
        self._threads = [threading.Thread(target=self._ask) for _ in range(2)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        time.sleep(3)  # to notice the last build
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _ask(self) -> None:
        at = 0
        while not self._ended.is_set():
            try:
                self.seen.append((at, self._followed.search(self._questions[at])))
            except Exception as error:  # noqa: BLE001 - counted
                self.failures.append(error)
            at = (at + 1) % len(self._questions)
            time.sleep(0.05)


def run_switch(folder: Path, models: Sequence[str], documents: int) -> None:
    """The sample estate with the first encoder, then the second under searches, then back after a deletion."""
    file = folder / "kesit.toml"
    print("\n".join(write_sample(file, documents=documents, seed=0)))
    text = file.read_text(encoding="utf-8")

    def configured(model: str) -> Workspace:
        lines = (
            f'models = ["{model}"]' if line.startswith("models = ") else line for line in text.split("\n")
        )
        file.write_text("\n".join(lines), encoding="utf-8")
        return Workspace(load_config(file))

    run(configured(models[0]), open_driver)
    workspace = Workspace(load_config(file))
    blue = read_pointer(workspace.index_root).current
    configured_questions = workspace.config.resolve(str(workspace.config.evaluation.questions))
    questions = [each.query for each in load_questions(configured_questions)][:12]
    started = time.monotonic()
    with Askers(workspace, questions) as askers:
        report = run(configured(models[1]), open_driver)
    embedding = report.seconds.get("embeddings", 0)
    print(
        f"\n{models[0]} to {models[1]}: {time.monotonic() - started:.0f} s, embedding {embedding:.0f} s of them"
    )
    print(f"promoted: {report.index['promoted']}; {report.index['reason']}")
    builds: dict[str, Build] = {build.name: build for build in read_pointer(workspace.index_root).builds}
    reference = {
        (name, at): told(searcher_for(workspace, build).search(question))
        for name, build in builds.items()
        for at, question in enumerate(questions)
    }
    mixed = sum(told(answer) != reference.get((answer.build, at)) for at, answer in askers.seen)
    answered = Counter(answer.build for _, answer in askers.seen)
    by_build = ", ".join(f"{name} {count}" for name, count in answered.items())
    print(
        f"searches meanwhile: {len(askers.seen)} ({by_build}), failed {len(askers.failures)}, mixed {mixed}"
    )
    go_back(folder, blue)


def go_back(folder: Path, build: Build) -> None:
    """Delete a document, run, and go back to a build that has it."""
    file = folder / "kesit.toml"
    victim = min((folder / "data/estate/policies/wiki").glob("*.md"))
    uri = victim.relative_to(folder / "data/estate/policies").as_posix()
    victim.unlink()
    run(Workspace(load_config(file)), open_driver)
    workspace = Workspace(load_config(file))
    held = rows_with(open_build(workspace.index_root, build).table, uri)
    done = roll_back(workspace, build.name)
    left = rows_with(connect(workspace.index_root).open_table(done["table"]), uri)
    print(f"\n{uri} deleted; the build of before held {held} rows of it; live after the rollback: {left}")
    print("\n".join(rollback_lines(done)))
    print("\n".join(build_lines(list_builds(workspace))))


def rows_with(table: Any, uri: str) -> int:
    """How many rows of a document a table holds."""
    return read_columns(table, ("uri",)).filter(pl.col("uri") == uri).height


def told(answer: Answer) -> list[tuple[str, float]]:
    return [(result.chunk_id, result.score) for result in answer.results]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("rows", "switch"))
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--models", nargs=2, default=("use-multilingual", "e5-small-int8"))
    parser.add_argument("--documents", type=int, default=40)
    given = parser.parse_args()
    if given.part == "rows":
        run_rows(given.rows)
        return
    folder = given.folder or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    try:
        run_switch(folder, given.models, given.documents)
    finally:
        if given.folder is None:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
