"""The stage: from chunks to the table `contexts`. Nothing is asked twice, and no more than agreed."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import polars as pl

from pipeline.config import Config, ContextConfig
from pipeline.contexts.questions import PROMPT, PROMPT_VERSION, questions
from pipeline.endpoint.chat import KEPT_EVERY, NOTHING, PATIENCE, AnswerError, Budget, Endpoint, EndpointError
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import fingerprint, stage_fingerprint
from pipeline.tables.schemas import CONTEXTS

CODE_VERSION: Final = "1"
LIMIT: Final = "the limit of tokens for one run is reached"
NO_ENDPOINT: Final = "context.endpoint is not set: nothing is sent"
_PLAIN: Final = ("", NO_ENDPOINT, LIMIT)  # details of questions that no fault keeps waiting

Row = dict[str, Any]


def contexts_fingerprint(config: Config) -> str:
    """Hash of what decides which chunks are asked about, whom, and how."""
    context = config.context
    return fingerprint(question_fingerprint(context), context.endpoint, ",".join(context.collections))


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
) -> tuple[pl.DataFrame, dict[str, str]]:
    """The rows of chunks, with the sentences that are known already, and what is to be asked for the others.

    Args:
        sections: rows of `sections` of whole documents.
        chunks: rows of `chunks` of these documents.
        known: rows of `contexts` of this and of other partitions.
        config: the model, and how much of the document it is shown.
        count: tokens of strings.

    Returns:
        Rows of `contexts`; question_hash → prompt, of those that wait, in the order of the documents.
    """
    asked = questions(sections, chunks, config)
    met = (
        known.sort(pl.col(c.STATUS) == "waiting", pl.col(c.STATUS) == "failed", c.SENTENCE, c.DETAIL)
        .unique(c.QUESTION_HASH, keep="first", maintain_order=True)
        .select(c.QUESTION_HASH, c.STATUS, c.SENTENCE, c.DETAIL)
    )
    detail = "" if config.endpoint else NO_ENDPOINT
    rows = (
        asked.with_columns(pl.Series(c.TOKEN_COUNT, count(asked[PROMPT].to_list()), dtype=pl.Int32))
        .join(met, on=c.QUESTION_HASH, how="left", maintain_order="left")
        .with_columns(
            pl.col(c.STATUS).fill_null("waiting"),
            pl.col(c.SENTENCE).fill_null(""),
            pl.col(c.DETAIL).fill_null(detail),
        )
    )
    waiting = rows.filter(status="waiting").select(c.QUESTION_HASH, PROMPT, c.DETAIL)
    # What the service choked on before comes last.
    choked = ~pl.col(c.DETAIL).is_in(_PLAIN)
    prompts = waiting.sort(choked, maintain_order=True).select(c.QUESTION_HASH, PROMPT)
    return rows.select(CONTEXTS.schema.names()), dict(prompts.iter_rows())


def ask(
    rows: pl.DataFrame,
    prompts: dict[str, str],
    endpoint: Endpoint,
    budget: Budget,
    answer_tokens: int,
    *,
    keep: Callable[[pl.DataFrame], None],
    progress: Callable[[int, int], None],
) -> pl.DataFrame:
    """Ask for the sentences that are missing, as long as the budget lasts and the service answers.

    What is wrong with one answer is written into its row and stops nothing. When the service cannot be asked two questions in
    a row, the rest waits for the next run.

    Args:
        rows: of `contexts`.
        prompts: as `context_rows` gives them.
        endpoint: of the language model.
        budget: tokens that may be sent and answered.
        answer_tokens: of one answer at most.
        keep: takes all rows now and then, so that a killed run does not ask again.
        progress: takes the number of questions asked and of all.

    Returns:
        The rows.
    """
    sizes = dict(rows.select(c.QUESTION_HASH, c.TOKEN_COUNT).iter_rows())
    answers: dict[str, Row] = {}
    misses = 0
    for done, (question, prompt) in enumerate(prompts.items(), start=1):
        cost = sizes[question] + answer_tokens
        if budget.left < cost:
            break
        answers[question], unasked = _asked(prompt, endpoint, budget, answer_tokens, cost)
        misses = misses + 1 if unasked else 0
        if misses >= PATIENCE:
            budget.close(answers[question][c.DETAIL])
        if done % KEPT_EVERY == 0:
            keep(_with_answers(rows, answers))
        progress(done, len(prompts))
    details = dict(rows.select(c.QUESTION_HASH, c.DETAIL).iter_rows())
    for question in prompts.keys() - answers.keys():
        if details[question] in _PLAIN:
            answers[question] = _waiting(budget.closed or LIMIT)
    return _with_answers(rows, answers)


def _asked(
    prompt: str, endpoint: Endpoint, budget: Budget, answer_tokens: int, cost: int
) -> tuple[Row, bool]:
    """What to write into the rows of a question, and whether the service could not be asked."""
    try:
        text = " ".join(endpoint.ask(prompt, budget, max_tokens=answer_tokens, cost=cost).split())
    except AnswerError as error:
        return {c.STATUS: "failed", c.SENTENCE: "", c.DETAIL: str(error)}, False
    except EndpointError as error:
        return _waiting(str(error)), True
    return {c.STATUS: "written", c.SENTENCE: "" if text in NOTHING else text, c.DETAIL: ""}, False


def _waiting(detail: str) -> Row:
    return {c.STATUS: "waiting", c.SENTENCE: "", c.DETAIL: detail}


def _with_answers(rows: pl.DataFrame, answers: dict[str, Row]) -> pl.DataFrame:
    """The rows with the answers to their questions; the same question in two rows has one answer."""
    found = pl.DataFrame(
        [{c.QUESTION_HASH: question, **answer} for question, answer in answers.items()],
        schema=dict.fromkeys((c.QUESTION_HASH, c.STATUS, c.SENTENCE, c.DETAIL), pl.String),
    )
    return rows.update(found, on=c.QUESTION_HASH, how="left")
