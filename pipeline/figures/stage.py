"""The stage: from figures to the table `figure_descriptions`. Nothing is asked twice, and no more than agreed."""

from collections.abc import Iterator
from typing import Any, Final

import polars as pl

from pipeline.config import Config, FiguresConfig
from pipeline.endpoint.asking import AskedTable, Question, Said
from pipeline.estate.source import spelled
from pipeline.figures.prompts import PROMPT_VERSION, PROMPTS
from pipeline.parsing.cutouts import CutOutTask, Wanted, cut_out_task
from pipeline.parsing.errors import PASSING, ParseError
from pipeline.parsing.isolation import isolated
from pipeline.parsing.worker import Limits
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import fingerprint, stage_fingerprint
from pipeline.tables.schemas import FIGURE_DESCRIPTIONS

CODE_VERSION: Final = "2"
ASKED: Final = AskedTable(
    FIGURE_DESCRIPTIONS,
    question=c.INPUT_HASH,
    answer=c.DESCRIPTION,
    answered="described",
    unset="figures.endpoint is not set: nothing is sent",
    limit="the limit of images for one run is reached",
)

Row = dict[str, Any]


def figures_fingerprint(config: Config) -> str:
    """Hash of what decides which images are described, by whom, and how."""
    figures = config.figures
    settings = (figures.endpoint, figures.model, figures.answer_tokens)
    wanted = (",".join(figures.classes), figures.uncaptioned)
    return stage_fingerprint("figure_descriptions", CODE_VERSION, (PROMPT_VERSION, *settings, *wanted))


def description_rows(wanted: pl.DataFrame, known: pl.DataFrame, config: FiguresConfig) -> pl.DataFrame:
    """The rows that the table is to have, with the descriptions that are known: one for each distinct image and language.

    Args:
        wanted: figures, as `wanted_figures` gives them.
        known: rows of `figure_descriptions` of this and of other partitions.
        config: the model; image, language, model and prompt decide an answer.
    """
    distinct = wanted.select(c.IMAGE_HASH, c.LANGUAGE).unique()
    hashes = [fingerprint(PROMPT_VERSION, config.model, *row) for row in distinct.iter_rows()]
    rows = distinct.with_columns(pl.Series(c.INPUT_HASH, hashes, dtype=pl.String))
    names = FIGURE_DESCRIPTIONS.schema.names()
    return ASKED.with_known(rows, known, config).select(names).sort(FIGURE_DESCRIPTIONS.key)


def figure_questions(
    rows: pl.DataFrame, places: pl.DataFrame, limits: Limits, at_most: int
) -> Iterator[Question]:
    """What is to be asked about the images that wait, each image as PNG; what the service choked on before comes last.

    Args:
        rows: of `figure_descriptions`.
        places: where the images are: the columns of `wanted_figures`, width and rotation of the page, location (path of the
            file), media_type.
        limits: of the worker processes that take the images out of the files.
        at_most: questions.
    """
    key = [c.IMAGE_HASH, c.LANGUAGE]
    waiting = (
        rows.filter(status="waiting")
        .join(places.unique(key, keep="first", maintain_order=True), on=key)
        .sort(ASKED.choked, c.DOC_ID, c.PAGE_NO, c.IMAGE_HASH)
        .head(at_most)
    )
    files = waiting.partition_by(c.LOCATION, c.MEDIA_TYPE, c.VERSION_ID, maintain_order=True)
    tasks = [_task(number, file.to_dicts()) for number, file in enumerate(files)]
    for number, result in isolated(cut_out_task, tasks, limits):
        fault = Said("failed", detail="the image cannot be taken out of the file")
        images: dict[str, bytes] = {}
        if isinstance(result, ParseError):
            passing = result.reason in PASSING
            fault = Said("waiting" if passing else "failed", detail=result.message)
        else:
            images = {row[c.IMAGE_HASH]: row["png"] for row in result}
        for row in files[number].iter_rows(named=True):
            image = images.get(row[c.IMAGE_HASH])
            yield Question(
                row[c.INPUT_HASH], PROMPTS[row[c.LANGUAGE]], image=image, fault=None if image else fault
            )


def _task(number: int, rows: list[Row]) -> CutOutTask:
    """The task that takes the images of these rows out of their file."""
    file = rows[0]
    wanted = tuple(_wanted(row) for row in rows)
    return CutOutTask(number, spelled(file[c.LOCATION]), file[c.MEDIA_TYPE] or "", file[c.VERSION_ID], wanted)


def _wanted(place: Row) -> Wanted:
    return Wanted(
        place[c.IMAGE_HASH], place[c.PAGE_NO], place[c.ROTATION], place[c.WIDTH], tuple(place["bbox"])
    )
