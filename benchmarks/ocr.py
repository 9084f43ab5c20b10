"""How well scans are read: character similarity with the known text, beside each engine's own score.

    python benchmarks/ocr.py SCANS [--engines rapidocr,tesseract] [--layouts auto,geometry]

SCANS is a folder tree of images, each with its text beside it (`NAME.gt.txt`, `NAME.derived.gt.txt` or `NAME.txt`).
"""

import argparse
import sys
import time
from pathlib import Path
from statistics import mean

sys.path.insert(0, str(Path(__file__).parent))
from parsing_scores import text_similarity, word_f1


def truth_of(image: Path) -> Path | None:
    candidates = [image.with_suffix(suffix) for suffix in (".gt.txt", ".derived.gt.txt", ".txt")]
    beside = [
        path
        for path in sorted(image.parent.glob("*.gt.txt"))
        if len(list(image.parent.glob("*.gt.txt"))) == 1
    ]
    return next((path for path in [*candidates, *beside] if path.exists()), None)


def main() -> None:
    from pipeline.parsing.paged import read_picture
    from pipeline.parsing.tree import finish

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scans", type=Path)
    parser.add_argument("--engines", default="rapidocr")
    parser.add_argument("--layouts", default="auto,geometry")
    options = parser.parse_args()
    images = sorted(path for path in options.scans.rglob("*") if path.suffix in (".png", ".jpg", ".tif"))
    print("| scan | engine | layout | similarity | words F1 | engine's score | s/page | blocks |")
    print("|---|---|---|---|---|---|---|---|")
    for engine in options.engines.split(","):
        for layout in options.layouts.split(","):
            scores: list[float] = []
            words: list[float] = []
            for image in images:
                truth = truth_of(image)
                if truth is None:
                    continue
                start = time.perf_counter()
                rows = finish(read_picture(image.read_bytes(), max_pages=10, ocr=engine, layout=layout))
                seconds = time.perf_counter() - start
                blocks = [block for row in rows for block in row["blocks"]]
                found = "\n".join(
                    [
                        *(text for row in rows for text in row["furniture"]),
                        *(block["text"] for block in blocks),
                    ]
                )
                scores.append(text_similarity(found, truth.read_text()))
                words.append(word_f1(found, truth.read_text()))
                own = rows[0]["scores"]["ocr"]
                kinds = ", ".join(sorted({block["kind"] for block in blocks}))
                print(
                    f"| {image.name} | {engine} | {layout} | {scores[-1]:.3f} | {words[-1]:.3f} | {own or 0:.3f} | {seconds:.1f} | {kinds} |",
                    flush=True,
                )
            print(
                f"| mean | {engine} | {layout} | {mean(scores):.3f} | {mean(words):.3f} | | | |", flush=True
            )


if __name__ == "__main__":
    main()
