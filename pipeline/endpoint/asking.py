"""The rows of a table that a model is to fill: what it said before, and asking about those that wait, within a budget."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import polars as pl

from pipeline.config import ServiceConfig
from pipeline.endpoint.chat import CUT_OFF, AnswerError, Budget, Endpoint, EndpointError, cut_off
from pipeline.tables import columns as c
from pipeline.tables.schemas import Table

_NOTHING: Final = ("-", "–", "—")  # answers by which a model says that there is nothing to say
_PATIENCE: Final = (
    2  # questions in a row that a service could not be asked; then it is left alone until the next run
)
_KEPT_EVERY: Final = 20  # answers after which they are kept, so that a killed run does not ask again


@dataclass(frozen=True)
class Said:
    """What becomes of a question: an answer, or why there is none and whether it may be asked again."""

    status: str
    answer: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Question:
    """What is asked.

    Attributes:
        hash: of the question, as in the rows that wait for its answer.
        prompt: its words.
        cost: in what the budget counts.
        image: PNG.
        fault: why it cannot be asked after all.
    """

    hash: str
    prompt: str
    cost: int = 1
    image: bytes | None = None
    fault: Said | None = None


@dataclass(frozen=True)
class AskedTable:
    """A table whose rows hold what a model said.

    Attributes:
        table: it has `status` (waiting, failed, or `answered`) and `detail` (why a row waits or failed).
        question: column with the hash of the question; rows of one question have one answer.
        answer: column of the answer; "" where there is none, or nothing to say.
        answered: status of a row with an answer.
        unset: why rows wait when no service is named.
        limit: why rows wait when the budget of a run is spent.
        one_line: an answer is made one line.
    """

    table: Table
    question: str
    answer: str
    answered: str
    unset: str
    limit: str
    one_line: bool = False

    def with_known(self, rows: pl.DataFrame, known: pl.DataFrame, config: ServiceConfig) -> pl.DataFrame:
        """Rows with what was said of their questions before, wherever that was; the others wait.

        Args:
            rows: the columns of the table without status, answer and detail.
            known: rows of the table, of this and of other partitions.
            config: of the service.
        """
        rank = pl.col(c.STATUS).replace_strict({self.answered: 0, "failed": 1, "waiting": 2})
        met = (
            known.filter(~cut_elsewhere(config))
            .sort(rank, self.answer, c.DETAIL)
            .unique(self.question, keep="first", maintain_order=True)
            .select(self.question, c.STATUS, self.answer, c.DETAIL)
        )
        return rows.join(met, on=self.question, how="left", maintain_order="left").with_columns(
            pl.col(c.STATUS).fill_null("waiting"),
            pl.col(self.answer).fill_null(""),
            pl.col(c.DETAIL).fill_null("" if config.endpoint else self.unset),
        )

    @property
    def choked(self) -> pl.Expr:
        """Whether the service choked on the question of a row. Such questions are to be asked last."""
        return ~pl.col(c.DETAIL).is_in(("", self.unset, self.limit))

    def counts(self, rows: pl.DataFrame) -> dict[str, int]:
        """Rows by status."""
        return {
            status: int((rows[c.STATUS] == status).sum()) for status in (self.answered, "waiting", "failed")
        }

    def ask(
        self,
        rows: pl.DataFrame,
        questions: Iterable[Question],
        endpoint: Endpoint,
        budget: Budget,
        *,
        keep: Callable[[pl.DataFrame], None],
        progress: Callable[[int, int], None],
    ) -> pl.DataFrame:
        """Ask one question after another, as long as the budget lasts and the service answers.

        What is wrong with one question or answer is written into its rows and stops nothing. When the service cannot be asked
        two questions in a row, the rest waits for the next run.

        Args:
            rows: of the table.
            questions: of the rows that wait.
            endpoint: of the model.
            budget: what may be sent.
            keep: takes all rows now and then, so that a killed run does not ask again.
            progress: takes the number of questions asked and of all that wait.

        Returns:
            The rows.
        """
        waiting = rows.filter(status="waiting")[self.question].n_unique()
        said: dict[str, Said] = {}
        misses = 0
        for done, question in enumerate(questions, start=1):
            if budget.left < question.cost:
                break
            made = said[question.hash] = question.fault or self._said(question, endpoint, budget)
            if question.fault is None:
                misses = misses + 1 if made.status == "waiting" else 0
            if misses >= _PATIENCE:
                budget.close(made.detail)
            if done % _KEPT_EVERY == 0:
                keep(self._with(rows, said))
            progress(done, waiting)
        left = (pl.col(c.STATUS) == "waiting") & ~self.choked
        reason = pl.when(left).then(pl.lit(budget.closed or self.limit)).otherwise(c.DETAIL)
        return self._with(rows, said).with_columns(reason.alias(c.DETAIL))

    def _said(self, question: Question, endpoint: Endpoint, budget: Budget) -> Said:
        try:
            text = endpoint.ask(question.prompt, budget, image=question.image, cost=question.cost)
        except AnswerError as error:
            return Said("failed", detail=str(error))
        except EndpointError as error:
            return Said("waiting", detail=str(error))
        text = " ".join(text.split()) if self.one_line else text
        return Said(self.answered, "" if text in _NOTHING else text)

    def _with(self, rows: pl.DataFrame, said: dict[str, Said]) -> pl.DataFrame:
        names = (self.question, c.STATUS, self.answer, c.DETAIL)
        found = [(question, made.status, made.answer, made.detail) for question, made in said.items()]
        answers = pl.DataFrame(found, schema=dict.fromkeys(names, pl.String), orient="row")
        return rows.update(answers, on=self.question, how="left")


def cut_elsewhere(config: ServiceConfig) -> pl.Expr:
    """Whether the answer of a row did not fit into another `answer_tokens` than is allowed now: it is asked for again."""
    detail = pl.col(c.DETAIL)
    return detail.str.starts_with(CUT_OFF) & (detail != cut_off(config.answer_tokens))
