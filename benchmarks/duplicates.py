"""Duplicates: chunks with planted edits, ours beside a datasketch loop and rensa; real pairs; growth and a small change.

    python benchmarks/duplicates.py SAMPLES [--chunks 100000] [--growth 125000,250000,500000,1000000]

SAMPLES holds `german_law`, `turkish_law`, `chunk_eval` and `neardup`. Every contender runs in a process of its own, on the
same texts in memory; the truth is an exact join of all pairs by their word 3-shingles. rensa: `pip install kesit[bench]`.
"""

import argparse
import datetime as dt
import itertools
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

THRESHOLD = 0.8
SIZE = 3  # words in a shingle, for everybody


# texts ------------------------------------------------------------------------------------------------------------------


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


# contenders -------------------------------------------------------------------------------------------------------------


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


def ours(texts: list[str]) -> set[tuple[int, int]]:
    from pipeline.config import DedupConfig
    from pipeline.dedup.clusters import cluster
    from pipeline.dedup.stage import signatures

    config = DedupConfig(shingle_words=SIZE, threshold=THRESHOLD)
    chunks = chunks_of(texts)
    marks = signatures(chunks, config)
    made = cluster(lambda columns: [marks.select(columns)], policy_of(chunks), config)
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


def peak_mb() -> float:
    """Largest resident memory since `forget_peak`, in MiB."""
    line = next(
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")
    )
    return int(line.split()[1]) / 1024


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def run_contender(name: str, folder: Path) -> None:
    texts = json.loads((folder / "texts.json").read_text())
    CONTENDERS[name](texts[:50])  # imports and first calls are nobody's speed
    forget_peak()
    before, start, cpu = peak_mb(), time.perf_counter(), time.process_time()
    found = CONTENDERS[name](texts)
    result = {
        "wall": time.perf_counter() - start, "cpu": time.process_time() - cpu, "peak": peak_mb(), "before": before,
        "pairs": sorted(found),
    }  # fmt: skip
    (folder / f"{name}.json").write_text(json.dumps(result))


def led(pairs: dict[tuple[int, int], float], count: int) -> dict[int, int]:
    """Who leads whom if all true pairs are known: each joins the first leader before it."""
    near: dict[int, list[int]] = {}
    for one, other in pairs:
        near.setdefault(other, []).append(one)
    leader: dict[int, int] = {}
    for number in range(count):
        heads = [one for one in sorted(near.get(number, ())) if one not in leader]
        if heads:
            leader[number] = heads[0]
    return leader


def compare(samples: Path, count: int, names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = planted(samples, count)
        (folder / "texts.json").write_text(json.dumps(texts))
        pairs = truth(texts)
        print(f"\n{count:,} chunks of 90 to 130 words, {len(pairs):,} pairs of true Jaccard >= {THRESHOLD}\n")
        print(
            "| contender | chunks/s wall | chunks/CPU-s | peak MB (texts alone) | pair recall | pair precision |"
        )
        print("|---|---|---|---|---|---|")
        for contender in names:
            subprocess.run(
                [sys.executable, __file__, str(samples), "--contender", contender, "--folder", name],
                check=True,
            )
            result = json.loads((folder / f"{contender}.json").read_text())
            found = {tuple(pair) for pair in result["pairs"]}
            right = len(found & pairs.keys())
            if contender == "ours":
                best = led(pairs, count)
                recall = f"{len({m for _, m in found} & best.keys()) / len(best):.4f} of members"
                precision = f"{right / len(found):.4f} of links"
            else:
                recall, precision = f"{right / len(pairs):.4f}", f"{right / len(found):.4f}"
            print(
                f"| {contender} | {count / result['wall']:,.0f} | {count / result['cpu']:,.0f} |"
                f" {result['peak']:.0f} ({result['before']:.0f}) | {recall} | {precision} |",
                flush=True,
            )


# real pairs -------------------------------------------------------------------------------------------------------------


def news(samples: Path) -> None:
    """News articles with known pairs, of which most are rewritten: found from which threshold down, and false ones."""
    from pipeline.config import DedupConfig
    from pipeline.dedup.clusters import cluster
    from pipeline.dedup.stage import signatures

    print("\n| news articles | threshold | known pairs | found | false |\n|---|---|---|---|---|")
    for size, threshold in itertools.product((100, 1000), (0.8, 0.7, 0.6, 0.5, 0.4)):
        lines = (samples / "neardup" / f"articles_{size}.train").read_text(encoding="utf-8").splitlines()
        texts = dict(line.split(" ", 1) for line in lines if " " in line)
        lines = (samples / "neardup" / f"articles_{size}.truth").read_text().splitlines()
        known = {tuple(sorted(line.split())) for line in lines if line}
        chunks = chunks_of(list(texts.values())).with_columns(pl.Series("chunk_id", list(texts)))
        config = DedupConfig(threshold=threshold)
        marks = signatures(chunks, config)
        made = cluster(lambda columns, marks=marks: [marks.select(columns)], policy_of(chunks), config)
        groups = made.clusters.group_by("cluster_id").agg("chunk_id")["chunk_id"].to_list()
        found = {pair for group in groups for pair in itertools.combinations(sorted(group), 2)}
        print(
            f"| {size} | {threshold} | {len(known)} | {len(found & known)} | {len(found - known)} |",
            flush=True,
        )


def sections(file: Path) -> list[str]:
    """The paragraphs of a statute: what stands between two headings."""
    parts = re.split(r"(?m)^#+ .*$", file.read_text(encoding="utf-8"))
    return [part.strip() for part in parts if len(part.split()) >= 20]


def statutes(samples: Path) -> None:
    """Old and new editions: unchanged sections must be exact copies, changed ones none."""
    from pipeline.config import DedupConfig
    from pipeline.dedup.clusters import cluster
    from pipeline.dedup.stage import signatures

    print("\n| statute, two editions | same sections | exact copies | changed | near | told apart |")
    print("|---|---|---|---|---|---|")
    for folder in sorted((samples / "german_law" / "versions").iterdir()):
        new = sections(samples / "german_law" / "current" / f"{folder.name}.md")
        for file in sorted(folder.glob("*.md"))[:1]:
            old = sections(file)
            plain = [" ".join(re.findall(r"\w+", text.lower())) for text in (*new, *old)]
            same = [at for at in range(len(new), len(plain)) if plain[at] in plain[: len(new)]]
            chunks = chunks_of([*new, *old]).with_columns(language=pl.lit("de"))
            config = DedupConfig()
            marks = signatures(chunks, config)
            made = cluster(lambda columns, marks=marks: [marks.select(columns)], policy_of(chunks), config)
            kinds = dict(made.clusters.select("chunk_id", "kind").iter_rows())
            copies = sum(kinds.get(f"c{at:08}") == "exact" for at in same)
            changed = [at for at in range(len(new), len(plain)) if at not in same]
            near = sum(kinds.get(f"c{at:08}") == "near" for at in changed)
            print(
                f"| {file.stem} | {len(same)} | {copies} | {len(changed)} | {near} | {len(changed) - near} |"
            )


# growth -----------------------------------------------------------------------------------------------------------------


def grow(samples: Path, count: int, folder: Path) -> None:
    """Sign and cluster `count` short chunks from the lake, and then a change of 1 % of them; one JSON line."""
    from pipeline.config import DedupConfig
    from pipeline.dedup.clusters import cluster
    from pipeline.dedup.stage import signatures
    from pipeline.tables.lake import Lake
    from pipeline.tables.schemas import SIGNATURES

    config, lake, part = DedupConfig(), Lake(str(folder / "lake")), 50_000
    names = [f"p{start:08}" for start in range(0, count, part)]
    signing, start = 0.0, time.perf_counter()
    for place, name in enumerate(names):
        chunks = chunks_of(planted(samples, part, low=30, high=45, seed=place), place * part)
        cpu = time.process_time()
        marks = signatures(chunks, config)
        signing += time.process_time() - cpu
        lake.publish(SIGNATURES, name, marks, "")

    def read(columns: list[str], names: list[str] = names) -> object:
        return (lake.read(SIGNATURES, name, columns) for name in names)

    ids = pl.concat(read(["chunk_id", "doc_id"]))
    cpu = time.process_time()
    full = cluster(read, policy_of(ids), config)
    clustering, peak = time.process_time() - cpu, peak_mb()
    # 1 % of the chunks go, and as many new ones come.
    removed = ids.gather_every(100)
    fresh = chunks_of(planted(samples, count // 100, low=30, high=45, seed=10_000), 90_000_000)
    cpu = time.process_time()
    marks = signatures(fresh, config)
    delta_signing = time.process_time() - cpu
    lake.publish(SIGNATURES, "new", marks, "")
    now = [*names, "new"]
    policy = policy_of(
        pl.concat([ids.join(removed, on="chunk_id", how="anti"), fresh.select("chunk_id", "doc_id")])
    )
    cpu = time.process_time()
    delta = cluster(lambda columns: read(columns, now), policy, config, full.bands)
    delta_clustering = time.process_time() - cpu
    print(json.dumps({
        "chunks": count, "signing": signing, "clustering": clustering, "peak": peak, "wall": time.perf_counter() - start,
        "compared": full.compared, "in_clusters": full.clusters.height, "delta_signing": delta_signing,
        "delta_clustering": delta_clustering, "delta_compared": delta.compared, "delta_texts": delta.fresh,
    }))  # fmt: skip


def growth(samples: Path, counts: list[int]) -> None:
    print(
        "\n| short chunks | sign CPU-s | cluster CPU-s | peak MB | in clusters | pairs | 1 % change CPU-s | share | pairs |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    took: list[tuple[int, float]] = []
    for count in counts:
        with tempfile.TemporaryDirectory() as name:
            done = subprocess.run(
                [sys.executable, __file__, str(samples), "--grow", str(count), "--folder", name],
                check=True, capture_output=True, text=True,
            )  # fmt: skip
        row = json.loads(done.stdout.splitlines()[-1])
        whole, delta = row["signing"] + row["clustering"], row["delta_signing"] + row["delta_clustering"]
        took.append((count, whole))
        print(
            f"| {count:,} | {row['signing']:.1f} | {row['clustering']:.1f} | {row['peak']:.0f} | {row['in_clusters']:,} |"
            f" {row['compared']:,} | {delta:.2f} | {delta / whole:.3f} | {row['delta_compared']:,} |",
            flush=True,
        )
    if len(took) > 1:
        logs = np.log(np.array(took))
        print(f"\ngrowth exponent: {np.polyfit(logs[:, 0], logs[:, 1], 1)[0]:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("samples", type=Path)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--contenders", default=";".join(CONTENDERS))
    parser.add_argument("--growth", default="125000,250000,500000,1000000")
    parser.add_argument("--contender", help=argparse.SUPPRESS)
    parser.add_argument("--grow", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contender:
        run_contender(options.contender, options.folder)
        return
    if options.grow:
        grow(options.samples, options.grow, options.folder)
        return
    if options.chunks:
        compare(
            options.samples,
            options.chunks,
            [name for name in CONTENDERS if name in options.contenders.split(";")],
        )
    news(options.samples)
    statutes(options.samples)
    if options.growth:
        growth(options.samples, [int(count) for count in options.growth.split(",")])


if __name__ == "__main__":
    main()
