"""How well and how fast PDF files become trees: the engines of this project beside pypdf, pdfplumber and docling.

    python benchmarks/parsing.py SAMPLES [--readers geometry,pypdf] [--files NAME] [--details]

SAMPLES is a folder of PDF files with `groundtruth/`: `NAME.json` is docling's exported document (text and headings are
compared with it), `NAME-str.xml` the ICDAR 2013 structure of tables. Every reader runs in a process of its own; one that
is not installed is left out. Peers: `pip install "kesit[bench]"`.

Columns: text = mean normalised edit similarity in reading order; headings = F1 over all headings; tables = mean over
documents of the F1 of adjacency relations (the competition's measure), and over all relations together; pages a second of
wall and of CPU time in one process, over all files whose pages have a text layer; peak = resident memory of the process.
The reference is a converter's output and not always right. Where it is plainly wrong and we keep to the page, this costs us:
the number of a chapter that it lists as a heading of its own ("1") starts the heading below it; of a back cover's lines in
one style it takes some for headings and some for text. "docling with bundled model" is docling's pipeline with our layout and
table plugins. Headings are also given for half of the files each (first, third, ... and second, fourth, ... by name), which
shows a rule that fits one half only.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from parsing_scores import (
    Cell,
    Reading,
    cells,
    docling_truth,
    f1,
    heading_counts,
    icdar_truth,
    table_counts,
    text_similarity,
)

Reader = Callable[[Path], Reading]


def ours(layout: str) -> Reader:
    from pipeline.config import ParsingConfig
    from pipeline.parsing.engines import engines_of
    from pipeline.parsing.paged import read_all
    from pipeline.parsing.tree import finish

    engines = engines_of(ParsingConfig.model_validate({"layout": layout}))

    def read(path: Path) -> Reading:
        pages = read_all("pdf", path.read_bytes(), engines)
        rows = finish(pages)
        blocks = [block for row in rows for block in row["blocks"]]
        tables = [cells(block["rows"], _spans(block)) for block in blocks if block["kind"] == "table"]
        in_order = iter(tables)
        return Reading(
            "\n".join(_block_text(block, in_order) for block in blocks),
            len(rows),
            [block["text"] for block in blocks if block["kind"] in ("title", "heading")],
            tables,
            Counter(row["engine"] for row in rows),
        )

    return read


def _spans(table: dict[str, Any]) -> list[tuple[int, int, int, int]]:
    return [
        (
            span["row"],
            span["row"] + span["rows"] - 1,
            span["column"],
            span["column"] + span["columns"] - 1,
        )
        for span in table["spans"]
    ]


def _block_text(block: dict[str, Any], tables: Iterator[list[Cell]]) -> str:
    if block["kind"] == "table":
        return "\n".join([block["caption"], *(cell[4] for cell in next(tables))])
    if block["kind"] == "figure":  # the insides of pictures are left out of the reference, too
        return block["caption"]
    return f"{block['anchor']} {block['text']}" if block["kind"] == "footnote" else block["text"]


def pypdf() -> Reader:
    import pypdf

    def read(path: Path) -> Reading:
        pages = [page.extract_text() for page in pypdf.PdfReader(path).pages]
        return Reading("\n".join(pages), len(pages))

    return read


def pdfplumber() -> Reader:
    import pdfplumber

    def read(path: Path) -> Reading:
        texts: list[str] = []
        tables = []
        with pdfplumber.open(path) as document:
            for page in document.pages:
                texts.append(page.extract_text())
                tables += [
                    cells([[cell or "" for cell in row] for row in table]) for table in page.extract_tables()
                ]
        return Reading("\n".join(texts), len(texts), None, tables)

    return read


def docling(name: str) -> Reader:
    """A reader of `parsing_peers.py`: docling's own pipelines."""
    import parsing_peers

    return parsing_peers.READERS[name]()


def layout_model_alone() -> Reader:
    """The bundled layout model on every page and nothing else: what a page costs before its text is read."""
    import pypdfium2

    from pipeline.parsing.regions import SCALE, find_regions

    def read(path: Path) -> Reading:
        with pypdfium2.PdfDocument(path) as document:
            for page in document:
                find_regions(page.render(scale=SCALE).to_pil(), 1 / SCALE)
            return Reading(None, len(document))

    return read


READERS: dict[str, Callable[[], Reader]] = {
    "automatic": lambda: ours("auto"),
    "geometry": lambda: ours("geometry"),
    "bundled model": lambda: ours("model"),
    "pypdf": pypdf,
    "pdfplumber": pdfplumber,
    "docling native": lambda: docling("docling native"),
    "docling with bundled model": lambda: docling("docling, bundled model"),
    "layout model alone": layout_model_alone,
}


def has_text(path: Path) -> bool:
    """Whether every page has a text layer worth the name."""
    import pypdfium2

    with pypdfium2.PdfDocument(path) as document:
        return all(page.get_textpage().count_chars() >= 25 for page in document)


def measure(name: str, samples: Path, wanted: str) -> dict[str, Any]:
    """Run one reader over the samples. Called in a process of its own."""
    try:
        read = READERS[name]()
    except ImportError as error:
        return {"reader": name, "absent": str(error)}
    files = sorted(path for path in samples.glob("*.pdf") if wanted in path.name)
    wanted_files = [
        path for path in files if has_text(path) or (samples / "groundtruth" / f"{path.stem}.json").exists()
    ]
    read(files[0])  # loads what is loaded once
    texts: dict[str, float] = {}
    headings: dict[str, tuple[int, int, int]] = {}
    tables: dict[str, tuple[int, int, int]] = {}
    engines: Counter[str] = Counter()
    seconds = busy = pages = 0.0
    failed: list[str] = []
    for path in wanted_files:
        start, start_busy = time.perf_counter(), time.process_time()
        try:
            found = read(path)
        except Exception as error:  # noqa: BLE001 - a peer's failure is a result
            failed.append(f"{path.name}: {type(error).__name__}")
            continue
        seconds += time.perf_counter() - start
        busy += time.process_time() - start_busy
        pages += found.pages
        engines += found.engines
        truth = samples / "groundtruth" / f"{path.stem}.json"
        if truth.exists() and found.text is not None:
            reference = docling_truth(truth)
            texts[path.stem] = text_similarity(found.text, reference.text or "")
            if found.headings is not None:
                headings[path.stem] = heading_counts(found.headings, reference.headings or [])
        truth = samples / "groundtruth" / f"{path.stem}-str.xml"
        if truth.exists() and found.tables is not None:
            tables[path.stem] = table_counts(found.tables, icdar_truth(truth))
    return {
        "reader": name,
        "texts": texts,
        "headings": headings,
        "tables": tables,
        "engines": dict(engines),
        "pages": pages,
        "rate": pages / seconds if seconds else 0.0,
        "busy_rate": pages / busy if busy else 0.0,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "failed": failed,
    }


def _total(counts: dict[str, tuple[int, int, int]]) -> tuple[int, int, int]:
    right, found, true = (sum(column) for column in zip((0, 0, 0), *counts.values(), strict=True))
    return right, found, true


def _halves(counts: dict[str, tuple[int, int, int]]) -> list[dict[str, tuple[int, int, int]]]:
    names = sorted(counts)
    return [{name: counts[name] for name in names[first::2]} for first in (0, 1)]


def rows(results: list[dict[str, Any]]) -> Iterator[str]:
    """The table in Markdown."""
    yield "| reader | text | heading F1 (P / R) | table F1, mean of documents | all relations (P / R) | pages/s | pages/CPU-s | peak MB |"
    yield "|---|---|---|---|---|---|---|---|"
    for result in results:
        if "absent" in result:
            yield f"| {result['reader']} | not installed ({result['absent']}) | | | | | | |"
            continue
        text = f"{mean(result['texts'].values()):.3f}" if result["texts"] else ""
        heading = table = relation = ""
        if result["headings"]:
            right, found, true = _total(result["headings"])
            halves = [f1(*_total(half)) for half in _halves(result["headings"])]
            heading = f"{f1(right, found, true):.3f} ({right / max(found, 1):.2f} / {right / max(true, 1):.2f}; halves {halves[0]:.2f}, {halves[1]:.2f})"
        if result["tables"]:
            table = f"{mean(f1(*counts) for counts in result['tables'].values()):.3f}"
            right, found, true = _total(result["tables"])
            relation = (
                f"{f1(right, found, true):.3f} ({right / max(found, 1):.2f} / {right / max(true, 1):.2f})"
            )
        yield (
            f"| {result['reader']} | {text} | {heading} | {table} | {relation} | {result['rate']:.1f} | {result['busy_rate']:.1f} | {result['peak']:.0f} |"
        )


def details(result: dict[str, Any]) -> Iterator[str]:
    yield f"{result['reader']}: {result.get('engines')} failed: {result.get('failed')}"
    for name, value in result.get("texts", {}).items():
        yield f"  {name:40} text {value:.3f}  headings {result['headings'].get(name, '')}"
    for name, counts in result.get("tables", {}).items():
        yield f"  {name:40} table {f1(*counts):.3f}  {counts}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("samples", type=Path, help="folder of PDF files with groundtruth/")
    parser.add_argument("--readers", default=",".join(READERS), help="comma-separated names")
    parser.add_argument("--files", default="", help="only files with this in their name")
    parser.add_argument("--details", action="store_true", help="one line for each document as well")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one, options.samples, options.files)))
        return
    results: list[dict[str, Any]] = []
    for name in options.readers.split(","):
        command = [sys.executable, __file__, str(options.samples), "--one", name, "--files", options.files]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{name}: {done.stderr[-2000:]}")
        results.append(json.loads(done.stdout.splitlines()[-1]))
    if options.details:
        print("\n".join(line for result in results for line in details(result)))
    print("\n".join(rows(results)))


if __name__ == "__main__":
    main()
