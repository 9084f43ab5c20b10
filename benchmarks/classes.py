"""The class of a document from its first page: precision and recall by class, and what a confidence is worth.

    python benchmarks/classes.py SAMPLES

Truth is a person's label by folder and file (`LABELS`): statutes, contracts, reports, handbooks, depositions; everything else
is "other": encyclopedia articles, news, papers, tables without text. Files whose ending says their class (HTML, mail) are left out,
as the classifier is never asked about them.
"""

import argparse
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipeline.chunking.classifier import SURE, Guess, class_of, classify
from pipeline.chunking.plain import plain_sections
from pipeline.config import UNDECLARED
from pipeline.parsing.engines import Engines
from pipeline.parsing.worker import Limits, Task, done

READ = 20_000  # characters of a text: more than a first page
LABELS = {
    "chatlogs.md": "transcript", "finance.md": "financial_report", "deposition_01.derived.gt.txt": "transcript", "deposition_02.derived.gt.txt": "transcript",
    "unstructured__handbook-872p.docx": "manual", "docling__redp5110_sampled.pdf": "manual", "docling__amt_handbook_sample.pdf": "manual",
    "camelot__budget.pdf": "financial_report", "unstructured__reliance.pdf": "financial_report", "pdfplumber__federal-register-2020-17221.pdf": "regulation",
}  # fmt: skip
FOLDERS = {"german_law": "regulation", "turkish_law": "regulation", "contracts_en": "contract"}


def texts(samples: Path) -> Iterator[tuple[Path, str]]:
    """Documents that are text."""
    for pattern in ("german_law/**/*.md", "contracts_en/*.txt", "chunk_eval/corpora/*.md", "scans/**/*.txt"):
        for file in sorted(samples.glob(pattern)):
            yield file, file.read_text(encoding="utf-8", errors="replace")
    for file in sorted(samples.glob("turkish_law/*.json")):
        statute = json.loads(file.read_text(encoding="utf-8"))
        yield (
            file,
            "\n\n".join((f"# {statute['title']}", *(each["content"] for each in statute["provisions"]))),
        )
    for file in sorted(samples.glob("xquad/*.json")):
        for article in json.loads(file.read_text(encoding="utf-8"))["data"]:
            yield file, "\n\n".join(each["context"] for each in article["paragraphs"])
    for file in sorted(samples.glob("neardup/articles_100.train")):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines()[:20]:
            yield file, line.partition(" ")[2]


def pages(samples: Path) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    """Documents that have to be parsed; those without text on the first pages are left out."""
    engines = Engines(2000, ocr="off", layout="off", hidden_sheets="skip", artifacts_path="", passwords=())
    limits = Limits(1, 60, 4000, 100, pages_per_range=10**6, engines=engines)
    for pattern in ("office/*", "pdf/*.pdf", "contracts_en/*.pdf"):
        for file in sorted(samples.glob(pattern)):
            if file.suffix in (".html", ".eml"):
                continue
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            rows = done(Task(0, str(file), "", digest), limits, lambda _page, _of: None)
            if isinstance(rows, list) and any(block["text"] for row in rows for block in row["blocks"]):
                yield file, [row | {"route": "pass", "blank": False} for row in rows]


def guesses(samples: Path) -> Iterator[tuple[Path, Guess]]:
    """What the classifier says of each document."""
    for file, text in texts(samples):
        first = [section for _, section in plain_sections(text[:READ])]
        headings = dict.fromkeys(name for section in first for name in section.path)
        yield file, classify(headings, "\n".join(section.text for section in first))
    for file, rows in pages(samples):
        yield file, class_of(UNDECLARED, rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("samples", type=Path)
    samples = parser.parse_args().samples
    truth: Counter[str] = Counter()
    said: Counter[str] = Counter()
    right: Counter[str] = Counter()
    bins: defaultdict[int, list[bool]] = defaultdict(list)
    for file, guess in guesses(samples):
        label = LABELS.get(file.name, FOLDERS.get(file.relative_to(samples).parts[0], UNDECLARED))
        answer = guess.document_class if guess.confidence >= SURE else UNDECLARED
        truth[label] += 1
        said[answer] += 1
        right[answer] += answer == label
        if "not sure" not in guess.reason and guess.confidence:
            bins[int(guess.confidence * 10)].append(guess.document_class == label)
        if answer != label:
            print(
                f"{file.name[:50]:50} is {label}, said {guess.document_class} {guess.confidence:.2f}: {guess.reason[:90]}"
            )
    print(f"{'class':18} {'there':>6} {'said':>6} {'right':>6}")
    for name in sorted(truth | said):
        print(f"{name:18} {truth[name]:6} {said[name]:6} {right[name]:6}")
    for tenth in sorted(bins):
        print(
            f"confidence {tenth / 10:.1f} to {(tenth + 1) / 10:.1f}: {sum(bins[tenth])} of {len(bins[tenth])} right"
        )


if __name__ == "__main__":
    main()
