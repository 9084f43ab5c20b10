"""`kesit sweep`: the documents of the lake and a file of gold questions, cut in many ways."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import polars as pl

from pipeline.chunking.blocks import read_blocks
from pipeline.chunking.classifier import class_of
from pipeline.chunking.sections import Section, build_sections
from pipeline.chunking.surroundings import with_surroundings
from pipeline.config import LANGUAGES, ConfigError
from pipeline.line.judging import questions_of
from pipeline.line.workspace import Workspace
from pipeline.tables import columns as c
from pipeline.tables import schemas as s

if TYPE_CHECKING:
    from pipeline.evaluation.chunk_benchmark import Asked
    from pipeline.evaluation.chunkers import Text
    from pipeline.evaluation.questions import Question

_GAP = "\n\n"
Number = TypeVar("Number", int, float)
TOML_MARK: Final = "# Written by `kesit sweep`: the best settings for each class of documents."
"""First line of the file that takes the winners."""


@dataclass(frozen=True)
class Sweep:
    """What a sweep found.

    Attributes:
        summary: one row per configuration, see `Results.summary`; the first is what is configured.
        winners: one row per class of documents.
        toml: the winners as configuration.
        questions: how many were asked.
        unplaced: ids of questions whose words stand in no document of the lake.
    """

    summary: pl.DataFrame
    winners: pl.DataFrame
    toml: str
    questions: int
    unplaced: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain dictionaries, lists and numbers."""
        return {
            "summary": self.summary.to_dicts(),
            "winners": self.winners.to_dicts(),
            "toml": self.toml,
            "questions": self.questions,
            "unplaced": list(self.unplaced),
        }


def sweep(
    workspace: Workspace,
    path: Path | None,
    *,
    strategies: Sequence[str],
    sizes: Sequence[int],
    overlaps: Sequence[float],
    prefixes: Sequence[bool],
) -> Sweep:
    """Cut the live documents of the lake in every way, embed with the first encoder, and ask the questions.

    Raises:
        ConfigError: a strategy or size that is not allowed, no questions, or none whose words stand in the lake.
    """
    from pipeline.evaluation.chunk_benchmark import ChunkingBenchmark
    from pipeline.evaluation.chunkers import kesit_chunker
    from pipeline.evaluation.sweep import grid, winners, winners_toml

    if not strategies:
        raise ConfigError("--strategies: must name one at least")
    try:
        configs = grid(workspace.config.chunking, strategies, sizes, overlaps, prefixes)
    except ValueError as error:
        raise ConfigError(f"sweep: {' '.join(str(error).split())}") from None
    documents = (
        workspace.read(s.DOCUMENTS).filter(status="live").unique(c.DOC_ID, keep="last", maintain_order=True)
    )
    texts = _texts(workspace, documents)
    asked, unplaced = _asked(questions_of(workspace, path), documents, {text.id: text for text in texts})
    if not asked:
        raise ConfigError(
            "sweep: there is no gold question whose words stand in a document of the lake; run `kesit run` first, and name questions with --questions"
        )
    encoder = _Remembering(workspace.encoders[0])
    chunkers = {
        name: kesit_chunker(config, workspace.counter, encoder.encode_passages)
        for name, config in configs.items()
    }
    workspace.say(f"sweep: {len(asked)} questions, {len(texts)} documents, {len(chunkers)} configurations")
    results = ChunkingBenchmark(texts, asked, chunkers, encoder=encoder).run(
        lambda name, number, of: workspace.say(f"sweep: {name} ({number} of {of})")
    )
    best = winners(results)
    return Sweep(
        results.summary(),
        best,
        winners_toml(best.iter_rows(named=True), configs),
        len(asked),
        tuple(unplaced),
    )


class _Remembering:
    """An encoder that encodes each passage once: configurations share many."""

    def __init__(self, encoder: Any) -> None:
        self._encoder = encoder
        self._vectors: dict[str, Any] = {}

    def encode_passages(self, texts: Sequence[str]) -> Any:
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        self._vectors |= dict(zip(new, self._encoder.encode_passages(new), strict=True))
        return np.stack([self._vectors[text] for text in texts])

    def encode_queries(self, texts: Sequence[str]) -> Any:
        return self._encoder.encode_queries(texts)


def _texts(workspace: Workspace, documents: pl.DataFrame) -> list["Text"]:
    from pipeline.evaluation.chunkers import Text

    gated = workspace.read(s.GATED_PAGES).join(documents.select(c.VERSION_KEY), on=c.VERSION_KEY, how="semi")
    pages = gated.partition_by(c.VERSION_KEY, as_dict=True)
    texts: list[Text] = []
    for row in documents.sort(c.DOC_ID).iter_rows(named=True):
        frame = pages.get((row[c.DOC_ID], row[c.VERSION_ID]))
        if frame is None:
            continue
        name = class_of(row[c.DOCUMENT_CLASS], frame.iter_rows(named=True)).document_class
        keyed = workspace.config.chunking.of(name).tables == "key-value"
        sections = build_sections(with_surroundings(read_blocks(frame.iter_rows(named=True))), keyed=keyed)
        placed: list[tuple[int, Section]] = []
        offset = 0
        for section in sections:
            placed.append((offset, section))
            offset += len(section.text) + len(_GAP)
        texts.append(
            Text(
                row[c.DOC_ID],
                _GAP.join(section.text for section in sections),
                tuple(placed),
                name,
                tuple(workspace.languages.get(row[c.COLLECTION], LANGUAGES)),
            )
        )
    return texts


def _asked(
    questions: Sequence["Question"], documents: pl.DataFrame, texts: dict[str, "Text"]
) -> tuple[list["Asked"], list[str]]:
    """The questions with the spans of their quotes, and the ids of those whose quotes stand nowhere."""
    from pipeline.evaluation.chunk_benchmark import Asked
    from pipeline.evaluation.quotes import Places

    addresses = documents.select(c.DOC_ID, c.COLLECTION, c.URI, c.EXTERNAL_ID).rows()
    places: dict[str, Places] = {}
    asked: list[Asked] = []
    unplaced: list[str] = []
    for question in questions:
        wanted: list[tuple[str, int, int]] = []
        for gold in question.gold:
            for doc_id, *address in addresses:
                if doc_id in texts and gold.names(*address):
                    places.setdefault(doc_id, Places(texts[doc_id].text))
                    span = places[doc_id].span(gold.quote)
                    if span is not None:
                        wanted.append((doc_id, *span))
        if wanted:
            asked.append(
                Asked(
                    question.id,
                    question.query.text,
                    tuple(wanted),
                    texts[wanted[0][0]].document_class,
                    question.weight,
                )
            )
        elif question.gold:
            unplaced.append(question.id)
    return asked, unplaced


def numbers(option: str, text: str, kind: type[Number]) -> list[Number]:
    """Numbers of 0 or more separated by commas, whole ones where `kind` is int. Raises ConfigError for anything else."""
    try:
        found = [kind(part) for part in text.split(",") if part.strip()]
    except ValueError:
        found = []
    if not found or not all(0 <= number < math.inf for number in found):
        whole = "whole " if kind is int else ""
        raise ConfigError(f"{option} = {text!r}: must be {whole}numbers separated by commas, each 0 or more")
    return found


def switches(option: str, text: str) -> list[bool]:
    """What "on", "off" and "both" stand for. Raises ConfigError for anything else."""
    known = {"on": [True], "off": [False], "both": [True, False]}
    if text not in known:
        raise ConfigError(f"{option} = {text!r}: must be on, off or both")
    return known[text]
