"""Texts for `duplicates.py`: runs of real words with planted edits, the truth about their pairs, and frames of them."""

import datetime as dt
import json
import re
from pathlib import Path

import numpy as np
import polars as pl

THRESHOLD = 0.8
SIZE = 3  # words in a shingle, for everybody


def corpus(samples: Path) -> list[str]:
    """Words of statutes, court-room prose, articles and chats, in lower case, letters and digits only."""
    files = sorted((samples / "german_law" / "current").glob("*.md"))
    files += sorted((samples / "turkish_law").glob("*.json"))
    files += sorted(p for p in (samples / "chunk_eval" / "corpora").rglob("*") if p.is_file())
    words: list[str] = []
    for file in files:
        text = file.read_text(encoding="utf-8", errors="ignore")
        text = json.dumps(json.loads(text), ensure_ascii=False) if file.suffix == ".json" else text
        words += re.findall(r"[a-zäöüçğışşß0-9]+", text.replace("İ", "i").lower().replace("ß", "ss"))
    return words


def planted(samples: Path, count: int, *, low: int = 90, high: int = 130, seed: int = 1) -> list[str]:
    """A fifth of the texts are runs of the corpus; the others copies of these, edited to a Jaccard over 0.3 to 1."""
    words, rng = corpus(samples), np.random.default_rng(seed)
    runs: list[list[str]] = []
    texts: list[str] = []
    for number in range(count):
        if number % 5 == 0:
            start, length = int(rng.integers(len(words) - high)), int(rng.integers(low, high))
            runs.append(words[start : start + length])
            texts.append(" ".join(runs[-1]))
            continue
        run = list(runs[int(rng.integers(len(runs)))])
        if rng.random() >= 0.1:
            wanted, shingles = rng.uniform(0.3, 1.0), len(run) - SIZE + 1
            edits = round(shingles * (1 - wanted) / (1 + wanted) / SIZE)
            # Apart from each other, so that each edit costs all the shingles that it can.
            places = rng.permutation(len(run) // SIZE)[:edits] * SIZE + 1
            for place in places.tolist():
                run[place] = words[int(rng.integers(len(words)))]
        texts.append(" ".join(run))
    order = rng.permutation(count)
    return [texts[place] for place in order]


def truth(texts: list[str], threshold: float = THRESHOLD) -> dict[tuple[int, int], float]:
    """All pairs that reach the threshold, by a join of all shingles with all."""
    from scipy.sparse import csr_array

    numbers: dict[tuple[str, ...], int] = {}
    rows: list[list[int]] = []
    for text in texts:
        words = text.split()
        rows.append(
            sorted({numbers.setdefault(s, len(numbers)) for s in zip(*(words[n:] for n in range(SIZE)), strict=False)})
        )  # fmt: skip
    sizes = np.array([len(row) for row in rows])
    matrix = csr_array(
        (np.ones(sizes.sum(), np.int32), np.concatenate([np.array(r, np.int64) for r in rows]), np.r_[0, sizes.cumsum()]),
        shape=(len(rows), len(numbers)),
    )  # fmt: skip
    turned = matrix.T.tocsr()
    found: dict[tuple[int, int], float] = {}
    for begin in range(0, len(rows), 2000):
        common = (matrix[begin : begin + 2000] @ turned).tocoo()
        one, other = common.coords[0] + begin, common.coords[1]
        jaccard = common.data / (sizes[one] + sizes[other] - common.data)
        kept = (one < other) & (jaccard >= threshold)
        found |= dict(
            zip(
                zip(one[kept].tolist(), other[kept].tolist(), strict=True),
                jaccard[kept].tolist(),
                strict=True,
            )
        )
    return found


def chunks_of(texts: list[str], first: int = 0) -> pl.DataFrame:
    return pl.DataFrame({name: [f"c{n:08}" for n in range(first, first + len(texts))] for name in ("chunk_id", "doc_id")}).with_columns(
        pl.Series("text", texts), version_id=pl.lit("v"), kind=pl.lit("prose"), language=pl.lit("en"), input_hash=pl.lit("i")
    )  # fmt: skip


def policy_of(ids: pl.DataFrame, better: int = 0) -> pl.DataFrame:
    """All alike, so that the id decides; every `better`-th from a better source."""
    moved = pl.int_range(pl.len()) % better == 0 if better else pl.lit(value=False)
    return ids.select("chunk_id", "doc_id").with_columns(
        language=pl.lit("en"), authority=pl.when(moved).then(60).otherwise(50).cast(pl.Int16), superseded=pl.lit(value=False),
        effective_date=pl.lit(None, pl.Date), modified_at=pl.lit(dt.datetime(2026, 1, 1), pl.Datetime("us", "UTC")),
        low_confidence=pl.lit(value=False), quality=pl.lit(1.0), media_type=pl.lit("text/plain"),
    )  # fmt: skip
