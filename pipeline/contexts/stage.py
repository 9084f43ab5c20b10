"""The stage: from chunks to the table `contexts`. Nothing is asked twice, and no more than agreed."""

from collections.abc import Callable, Sequence
from typing import Final

import polars as pl

from pipeline.config import Config, ContextConfig
from pipeline.contexts.questions import PROMPT, PROMPT_VERSION, questions
from pipeline.endpoint.asking import AskedTable, Question
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import fingerprint, stage_fingerprint
from pipeline.tables.schemas import CONTEXTS

CODE_VERSION: Final = "2"
ASKED: Final = AskedTable(
    CONTEXTS,
    question=c.QUESTION_HASH,
    answer=c.SENTENCE,
    answered="written",
    unset="context.endpoint is not set: nothing is sent",
    limit="the limit of tokens for one run is reached",
    one_line=True,
)


def contexts_fingerprint(config: Config) -> str:
    """Hash of what decides which chunks are asked about, whom, and how."""
    context = config.context
    settings = (context.endpoint, context.answer_tokens, ",".join(context.collections))
    return fingerprint(question_fingerprint(context), *settings)


def question_fingerprint(config: ContextConfig) -> str:
    """Hash of what decides the question about a chunk, besides the chunk and its document."""
    return stage_fingerprint(
        "contexts", CODE_VERSION, (PROMPT_VERSION, config.model, config.shown_characters)
    )


def context_rows(
    sections: pl.DataFrame,
    chunks: pl.DataFrame,
    known: pl.DataFrame,
    config: ContextConfig,
    count: Callable[[Sequence[str]], Sequence[int]],
) -> tuple[pl.DataFrame, list[Question]]:
    """The rows of chunks, with the sentences that are known already, and what is to be asked for the others.

    Args:
        sections: rows of `sections` of whole documents.
        chunks: rows of `chunks` of these documents.
        known: rows of `contexts` of this and of other partitions.
        config: the model, how much of the document it is shown, and how much it may answer.
        count: tokens of strings.

    Returns:
        Rows of `contexts`; the questions of those that wait, in the order of the documents, each once. They cost tokens.
    """
    asked = questions(sections, chunks, config)
    tokens = pl.Series(c.TOKEN_COUNT, count(asked[PROMPT].to_list()), dtype=pl.Int32)
    rows = ASKED.with_known(asked.with_columns(tokens), known, config)
    waiting = (
        rows.filter(status="waiting")
        .unique(c.QUESTION_HASH, keep="first", maintain_order=True)
        .sort(ASKED.choked, maintain_order=True)
        .select(c.QUESTION_HASH, PROMPT, c.TOKEN_COUNT)
    )
    return rows.select(CONTEXTS.schema.names()), [
        Question(question, prompt, cost=size + config.answer_tokens)
        for question, prompt, size in waiting.iter_rows()
    ]
