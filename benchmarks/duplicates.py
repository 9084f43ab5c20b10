"""Duplicates: chunks with planted edits, ours beside a datasketch loop and rensa; real pairs; growth and a small change.

    python benchmarks/duplicates.py SAMPLES [--chunks 100000] [--growth 125000,250000,500000,1000000]

SAMPLES holds `german_law`, `turkish_law`, `chunk_eval` and `neardup`. Every contender runs in a process of its own, on the
same texts in memory; the truth is an exact join of all pairs by their word 3-shingles. rensa: `pip install kesit[bench]`.
"""

import argparse
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
from duplicates_peers import CONTENDERS
from duplicates_texts import THRESHOLD, chunks_of, planted, policy_of, truth


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
        made = cluster(
            lambda columns, marks=marks: [marks.select(columns)], policy_of(chunks), config, None, None
        )
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
            made = cluster(
                lambda columns, marks=marks: [marks.select(columns)], policy_of(chunks), config, None, None
            )
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
    full = cluster(read, policy_of(ids), config, None, None)
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
    delta = cluster(lambda columns: read(columns, now), policy, config, full.bands, None)
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
