"""Which documents an estate of N has, and which questions can be asked of it."""

from collections.abc import Sequence
from itertools import zip_longest

from pipeline.sample.composed import further
from pipeline.sample.contracts import contract_questions, core_contracts
from pipeline.sample.document import Document, Question
from pipeline.sample.texts import (
    finance,
    forbidden,
    handbooks,
    memos,
    messages,
    policy_de,
    regulations_de,
    regulations_en,
    regulations_tr,
    scanned,
    wiki,
)

Unit = tuple[Document, ...]


def core(seed: int) -> list[Unit]:
    """The documents that every estate of the default size has, in units that are kept or left out together.

    The kinds take turns, so that a small estate has some of each.
    """
    families: list[list[Unit]] = [
        [
            each.documents()
            for pair in zip(
                regulations_tr.REGULATIONS,
                regulations_de.REGULATIONS,
                regulations_en.REGULATIONS,
                strict=True,
            )
            for each in pair
        ],
        [policy_de.DOCUMENTS],
        _singles(handbooks.DOCUMENTS),
        _singles([each.document for each in core_contracts(seed)]),
        _singles(memos.DOCUMENTS),
        [finance.DOCUMENTS[:2], *_singles(finance.DOCUMENTS[2:])],
        _singles(scanned.DOCUMENTS),
        _singles(messages.DOCUMENTS),
        _singles(wiki.DOCUMENTS),
    ]
    return [unit for turn in zip_longest(*families) for unit in turn if unit is not None]


def _singles(documents: Sequence[Document]) -> list[Unit]:
    return [(document,) for document in documents]


def documents(count: int, seed: int) -> list[Document]:
    """Exactly `count` documents: as much of the core as fits, then further ones.

    Raises:
        ValueError: `count` is below 1.
    """
    if count < 1:
        raise ValueError(f"documents = {count}: an estate has at least one document")
    chosen: list[Document] = []
    for unit in core(seed):
        if len(chosen) + len(unit) <= count:
            chosen += unit
    return chosen + [further(index, seed) for index in range(count - len(chosen))]


def questions(present: set[str], seed: int) -> list[tuple[str, Question]]:
    """The questions that documents at these paths can answer, each with an id that does not depend on the others."""
    every = (
        *regulations_tr.QUESTIONS,
        *regulations_de.QUESTIONS,
        *regulations_en.QUESTIONS,
        *policy_de.QUESTIONS,
        *handbooks.QUESTIONS,
        *wiki.QUESTIONS,
        *contract_questions(core_contracts(seed)),
        *memos.QUESTIONS,
        *finance.QUESTIONS,
        *scanned.QUESTIONS,
        *messages.QUESTIONS,
        *forbidden.QUESTIONS,
    )
    kept: list[tuple[str, Question]] = []
    for number, question in enumerate(every, start=1):
        gold = tuple(pair for pair in question.gold if pair[0] in present)
        hidden = tuple(pair for pair in question.forbidden if pair[0] in present)
        if gold or hidden:
            trimmed = Question(
                question.query,
                question.lang,
                question.kind,
                gold,
                question.groups,
                question.as_of,
                question.weight,
                hidden,
            )
            kept.append((f"q{number:03d}", trimmed))
    return kept
