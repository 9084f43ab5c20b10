"""The two estates of `incremental.py`, and what may happen to documents of theirs in a night."""

import random
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from pipeline.line.demo import write_sample
from pipeline.line.project import write_dagster_files
from pipeline.sample.document import Block, Document, Grid, Items, Para, Raw
from pipeline.sample.estate import document_bytes
from pipeline.sample.mixture import documents as sample_documents

SEED = 7
COLLECTIONS = ("policies", "memos", "manuals")
CONFIG = "".join(f'[[collections]]\nname = "{name}"\nsource = "estate/{name}"\n' for name in COLLECTIONS)

SUBJECTS = (
    "Die Pumpe",
    "Das Ventil",
    "Der Verdichter",
    "Kazan",
    "Vardiya defteri",
    "The gearbox",
    "The boiler",
    "Die Presse",
)
VERBS = (
    "läuft seit",
    "wird geprüft nach",
    "kontrol edilir",
    "is overhauled after",
    "steht still für",
    "is replaced within",
)
PLACES = ("Leipzig", "İzmir", "Avon", "Aliağa", "Halle", "Denizli", "Leeds", "Bursa", "Kassel", "Dover")


class Estate(Protocol):
    """Numbered documents in a folder."""

    def write(self, folder: Path, documents: int) -> None:
        """Write so many documents and the configuration."""
        ...

    def path(self, folder: Path, n: int) -> Path:
        """Where a document lies."""
        ...

    def edit(self, folder: Path, n: int) -> None:
        """Change a sentence of a document."""
        ...


def rename(path: Path) -> None:
    """Give a document another name, its sidecar with it."""
    new = path.with_name(f"renamed-{path.name}")
    path.rename(new)
    if _sidecar(path).exists():
        _sidecar(path).rename(_sidecar(new))


def close(path: Path) -> None:
    """Leave a document to one group of readers."""
    place = _sidecar(path)
    lines = place.read_text(encoding="utf-8").splitlines() if place.exists() else []
    kept = (line for line in lines if not line.startswith("acl_groups"))
    place.write_text("\n".join(('acl_groups = ["audit"]', *kept, "")), encoding="utf-8")


def _sidecar(path: Path) -> Path:
    return path.with_name(f"{path.name}.meta.toml")


def text(n: int, edition: int = 0) -> str:
    """A short text that no other number shares; a dozen of sentences."""
    draw = random.Random(f"{n}:{edition}")
    sentences = (
        f"{draw.choice(SUBJECTS)} {draw.randrange(10_000)} {draw.choice(VERBS)} {draw.randrange(2, 900)} h in"
        f" {draw.choice(PLACES)}, {draw.choice(SUBJECTS)} {draw.randrange(10_000)} {draw.choice(VERBS)} {draw.randrange(900)}."
        for _ in range(12)
    )
    return f"# Bericht {n}\n\n" + " ".join(sentences) + "\n"


class Texts:
    """Short texts of one chunk each, so that what a run costs beside its documents weighs as much as it can."""

    def write(self, folder: Path, documents: int) -> None:
        """Three collections of two partitions."""
        for name in COLLECTIONS:
            (folder / "estate" / name).mkdir(parents=True, exist_ok=True)
        (folder / "kesit.toml").write_text(CONFIG, encoding="utf-8")
        write_dagster_files(folder)
        for n in range(documents):
            path = self.path(folder, n)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text(n), encoding="utf-8")

    def path(self, folder: Path, n: int) -> Path:
        """Forty documents a folder."""
        return folder / "estate" / COLLECTIONS[n % len(COLLECTIONS)] / f"{n % 40:02}" / f"{n:05}.md"

    def edit(self, folder: Path, n: int) -> None:
        """All of its sentences."""
        self.path(folder, n).write_text(text(n, edition=1), encoding="utf-8")


class Sample:
    """The estate of `kesit demo`: PDF, Word, workbooks, mails, pages, chats and scans in eight partitions.

    Args:
        models: encoders, in place of those of the demo.
    """

    def __init__(self, models: Iterable[str]) -> None:
        self._models = ", ".join(f'"{model}"' for model in models)
        self._documents: list[Document] = []

    def write(self, folder: Path, documents: int) -> None:
        """As `kesit demo --documents` writes it."""
        folder.mkdir(parents=True, exist_ok=True)
        for _ in write_sample(folder / "kesit.toml", documents=documents, seed=SEED):
            pass
        lines = (folder / "kesit.toml").read_text(encoding="utf-8").splitlines()
        chosen = [f"models = [{self._models}]" if line.startswith("models =") else line for line in lines]
        (folder / "kesit.toml").write_text("\n".join(chosen), encoding="utf-8")
        self._documents = sample_documents(documents, SEED)

    def path(self, folder: Path, n: int) -> Path:
        """Below the folder of its collection."""
        return folder / "data" / "estate" / self._documents[n].path

    def edit(self, folder: Path, n: int) -> None:
        """One paragraph, line or cell; a scan is scanned anew."""
        document = self._documents[n]
        blocks = list(document.blocks)
        at = max(at for at, block in enumerate(blocks) if isinstance(block, Para | Items | Raw | Grid))
        blocks[at] = _amended(blocks[at])
        edited = replace(document, blocks=tuple(blocks))
        self.path(folder, n).write_bytes(document_bytes(edited, SEED))


def _amended(block: Block) -> Block:
    match block:
        case Para(text, mark):
            return Para(f"{text} 4711.", mark)
        case Items(texts):
            return Items((*texts[:-1], f"{texts[-1]} 4711."))
        case Raw(text):
            return Raw(f"{text}[16:58] Ali: 4711.\n")
        case Grid(rows, sheet, caption):
            *others, last = rows
            return Grid((*others, (f"{last[0]} 4711", *last[1:])), sheet, caption)
        case _:
            return block
