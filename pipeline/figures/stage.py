"""The stage: from figures to the table `figure_descriptions`. Nothing is asked twice, and no more than agreed."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from pipeline.config import Config, FiguresConfig
from pipeline.endpoint.chat import KEPT_EVERY, NOTHING, PATIENCE, AnswerError, Budget, Endpoint, EndpointError
from pipeline.estate.source import spelled
from pipeline.figures.prompts import PROMPT_VERSION, PROMPTS
from pipeline.parsing.cutouts import CutOutTask, Wanted, cut_out_task
from pipeline.parsing.errors import PASSING, ParseError
from pipeline.parsing.isolation import isolated
from pipeline.parsing.worker import Limits
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import fingerprint, stage_fingerprint
from pipeline.tables.schemas import FIGURE_DESCRIPTIONS

CODE_VERSION: Final = "1"
LIMIT: Final = "the limit of images for one run is reached"
NO_ENDPOINT: Final = "figures.endpoint is not set: nothing is sent"

Row = dict[str, Any]


@dataclass(frozen=True)
class _Question:
    row: Row  # of the table
    place: Row  # where the image is


def figures_fingerprint(config: Config) -> str:
    """Hash of what decides which images are described, by whom, and how."""
    figures = config.figures
    settings = (figures.endpoint, figures.model, ",".join(figures.classes), figures.uncaptioned)
    return stage_fingerprint("figure_descriptions", CODE_VERSION, (PROMPT_VERSION, *settings))


def description_rows(wanted: pl.DataFrame, config: FiguresConfig) -> pl.DataFrame:
    """The rows that the table is to have, none of them described yet: one for each distinct image and language.

    Args:
        wanted: figures, as `wanted_figures` gives them.
        config: the model; image, language, model and prompt decide an answer.
    """
    distinct = wanted.select(c.IMAGE_HASH, c.LANGUAGE).unique()
    return FIGURE_DESCRIPTIONS.frame(
        [
            row
            | {
                c.STATUS: "waiting",
                c.DESCRIPTION: "",
                c.DETAIL: "" if config.endpoint else NO_ENDPOINT,
                c.INPUT_HASH: fingerprint(CODE_VERSION, PROMPT_VERSION, config.model, *row.values()),
            }
            for row in distinct.iter_rows(named=True)
        ]
    )


def with_known(rows: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """The rows with what was answered before, wherever the image was met, and why those wait that wait.

    Args:
        rows: as `description_rows` gives them.
        known: rows of `figure_descriptions` of this and of other partitions.
    """
    met = (
        known.sort(c.STATUS, c.INPUT_HASH, c.DESCRIPTION, c.DETAIL)  # described, failed, waiting
        .unique(c.INPUT_HASH, keep="first", maintain_order=True)
        .join(rows, on=c.INPUT_HASH, how="semi")
        .select(rows.columns)
    )
    return pl.concat([met, rows.join(met, on=c.INPUT_HASH, how="anti")]).sort(FIGURE_DESCRIPTIONS.key)


def describe(
    rows: pl.DataFrame,
    places: pl.DataFrame,
    endpoint: Endpoint,
    budget: Budget,
    limits: Limits,
    *,
    keep: Callable[[pl.DataFrame], None],
    progress: Callable[[int, int], None],
) -> pl.DataFrame:
    """Ask about the images that wait, as long as the budget lasts and the service answers.

    What is wrong with one image is written into its row and stops nothing. When the service cannot be asked about two images
    in a row, the rest waits for the next run.

    Args:
        rows: of `figure_descriptions`; those with the status `waiting` are asked about.
        places: where the images are: the columns of `wanted_figures`, width and rotation of the page, location (path of the
            file), media_type.
        endpoint: of the vision model.
        budget: what may be sent.
        limits: of the worker processes that take the images out of the files.
        keep: takes all rows now and then, so that a killed run does not ask again.
        progress: takes the number of images asked about and of all that wait.

    Returns:
        The rows, sorted by key.
    """
    answers = {(row[c.IMAGE_HASH], row[c.LANGUAGE]): row for row in rows.to_dicts()}
    waiting = _questions(rows, places)
    misses = 0
    for done, (question, image, fault) in enumerate(_images(waiting[: budget.left], limits), start=1):
        if image is None:
            made = fault
        else:
            made, unasked = _asked(question, image, endpoint, budget)
            misses = misses + 1 if unasked else 0
            if misses >= PATIENCE:
                budget.close(made[c.DETAIL])
        answers[question.row[c.IMAGE_HASH], question.row[c.LANGUAGE]] |= made
        if done % KEPT_EVERY == 0:
            keep(FIGURE_DESCRIPTIONS.frame(list(answers.values())))
        progress(done, len(waiting))
        if not budget.left:
            break
    for row in answers.values():
        if row[c.STATUS] == "waiting" and row[c.DETAIL] in ("", NO_ENDPOINT, LIMIT):
            row[c.DETAIL] = budget.closed or LIMIT
    return FIGURE_DESCRIPTIONS.frame(list(answers.values()))


def _asked(question: _Question, image: bytes, endpoint: Endpoint, budget: Budget) -> tuple[Row, bool]:
    """What to write into the row of an image, and whether the service could not be asked about it."""
    try:
        text = endpoint.ask(PROMPTS[question.row[c.LANGUAGE]], budget, image=image)
    except AnswerError as error:
        return _failed(str(error)), False
    except EndpointError as error:
        return {c.DETAIL: str(error)}, True
    return {c.STATUS: "described", c.DESCRIPTION: "" if text in NOTHING else text, c.DETAIL: ""}, False


def _failed(detail: str) -> Row:
    return {c.STATUS: "failed", c.DETAIL: detail}


def _questions(rows: pl.DataFrame, places: pl.DataFrame) -> list[_Question]:
    """What is to be asked, and the first place of each image. What the service choked on before comes last."""
    key = [c.IMAGE_HASH, c.LANGUAGE]
    where = {
        (place[c.IMAGE_HASH], place[c.LANGUAGE]): place
        for place in places.unique(key, keep="first", maintain_order=True).iter_rows(named=True)
    }
    waiting = rows.filter(status="waiting").to_dicts()
    questions = [_Question(row, where[row[c.IMAGE_HASH], row[c.LANGUAGE]]) for row in waiting]

    def order(question: _Question) -> tuple[bool, str, int, str]:
        choked = question.row[c.DETAIL] not in ("", NO_ENDPOINT, LIMIT)
        return choked, question.place[c.DOC_ID], question.place[c.PAGE_NO], question.row[c.IMAGE_HASH]

    return sorted(questions, key=order)


def _images(questions: Sequence[_Question], limits: Limits) -> Iterator[tuple[_Question, bytes | None, Row]]:
    """The image of each question as PNG, or None and why there is none."""
    of_file: defaultdict[tuple[str, str, str], list[_Question]] = defaultdict(list)
    for question in questions:
        place = question.place
        of_file[place[c.LOCATION], place[c.MEDIA_TYPE], place[c.VERSION_ID]].append(question)
    asked = list(of_file.values())
    tasks = [
        CutOutTask(
            number, spelled(location), media_type or "", sha256, tuple(_wanted(each.place) for each in file)
        )
        for number, ((location, media_type, sha256), file) in enumerate(of_file.items())
    ]
    for number, result in isolated(cut_out_task, tasks, limits):
        if isinstance(result, ParseError):
            passing = result.reason in PASSING
            fault = {c.DETAIL: result.message} if passing else _failed(result.message)
            yield from ((question, None, fault) for question in asked[number])
            continue
        found = {row[c.IMAGE_HASH]: row["png"] for row in result}
        for question in asked[number]:
            image = found.get(question.row[c.IMAGE_HASH])
            yield question, image, {} if image else _failed("the image cannot be taken out of the file")


def _wanted(place: Row) -> Wanted:
    return Wanted(
        place[c.IMAGE_HASH], place[c.PAGE_NO], place[c.ROTATION], place[c.WIDTH], tuple(place["bbox"])
    )
