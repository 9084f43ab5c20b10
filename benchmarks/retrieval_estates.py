"""The estates of `retrieval.py`: real files as Kesit projects, indexed by the line itself.

A second run on the same folder finds everything done already, vectors included.
"""

import json
import os
import shutil
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from assets.run import open_driver
from pipeline.config import load_config
from pipeline.line.run import run
from pipeline.line.workspace import Workspace

LANGUAGES = ("de", "en", "tr")


@dataclass(frozen=True)
class Edition:
    """A statute as it stood from one day to the day before another (None: to this day)."""

    statute: str
    uri: str
    since: date
    until: date | None


def xquad(samples: Path, folder: Path, models: Sequence[str]) -> tuple[Workspace, list[dict[str, Any]]]:
    """Each paragraph a text file; questions: lang, query, paragraph (its number; it is the same in each language)."""
    questions: list[dict[str, Any]] = []
    docs = folder / "docs"
    for language in LANGUAGES:
        raw = json.loads((samples / "xquad" / f"xquad.{language}.json").read_text(encoding="utf-8"))
        paragraphs = [paragraph for article in raw["data"] for paragraph in article["paragraphs"]]
        for number, paragraph in enumerate(paragraphs):
            write(docs / language / f"p{number:03}.txt", paragraph["context"])
            questions += [
                {"lang": language, "query": qa["question"], "paragraph": number, "id": qa["id"]}
                for qa in paragraph["qas"]
            ]
    return indexed(folder, docs, models), questions


def statutes(samples: Path, folder: Path, models: Sequence[str]) -> tuple[Workspace, list[Edition]]:
    """German statutes, of six of them older editions too, each in force until the next one."""
    source, docs = samples / "german_law", folder / "docs"
    editions: dict[str, list[tuple[date, str]]] = defaultdict(list)
    for entry in json.loads((source / "versions.json").read_text(encoding="utf-8")):
        editions[entry["statute"]].append((date.fromisoformat(entry["author_date"][:10]), entry["file"]))
    for path in sorted((source / "current").glob("*.md")):
        copy(path, docs / "current" / path.name)
    known: list[Edition] = []
    for statute, dated in sorted(editions.items()):
        ordered = sorted(dated)
        for at, (since, uri) in enumerate(ordered):
            until = ordered[at + 1][0] if at + 1 < len(ordered) else None
            copy(source / uri, docs / uri)
            last = [f"expiry_date = {until - timedelta(days=1)}"] if until else []
            sidecar = [f"effective_date = {since}", *last]
            write(docs / f"{uri}.meta.toml", "\n".join(sidecar) + "\n")
            known.append(Edition(statute, uri, since, until))
    return indexed(folder, docs, models), known


def indexed(folder: Path, docs: Path, models: Sequence[str]) -> Workspace:
    """The workspace of a project over these files, after the line has run."""
    listed = ", ".join(f'"{model}"' for model in models)
    config = f'[[collections]]\nname = "docs"\nsource = "{docs}"\nbuckets = 1\n\n[embedding]\nmodels = [{listed}]\n'
    write(folder / "kesit.toml", config)
    os.environ["KESIT_CONFIG"] = str(folder / "kesit.toml")
    workspace = Workspace(load_config(folder / "kesit.toml"))
    report = run(workspace, open_driver)
    if report.errors:
        raise SystemExit(f"the line stopped: {report.errors}")
    return Workspace(load_config(folder / "kesit.toml"))


def write(path: Path, text: str) -> None:
    """Write a file unless it says so already: an untouched file is not read again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def copy(source: Path, target: Path) -> None:
    """Copy a file unless it is there."""
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
