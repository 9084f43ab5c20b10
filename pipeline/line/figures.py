"""The stage `figure_descriptions`: what a vision model says about figures, for document classes that the configuration names."""

from typing import Final

import polars as pl

from pipeline.line.asking import keep_answers, known_answers, service_of, unfinished
from pipeline.line.fetching import with_local_copies
from pipeline.line.policy import tell_progress
from pipeline.line.stage import Made, Stage
from pipeline.line.workspace import Workspace
from pipeline.tables import columns as c
from pipeline.tables import schemas as s

_PLACE: Final = [*c.VERSION_KEY, c.PAGE_NO]


def _wanted(workspace: Workspace, partition: str) -> pl.DataFrame:
    from pipeline.figures.wanted import wanted_figures

    documents = workspace.lake.read(s.DOCUMENTS, partition)
    gated = (
        workspace.lake.read(s.GATED_PAGES, partition, [*_PLACE, c.ROUTE, c.LANGUAGE, c.BLOCKS])
        if workspace.config.figures.classes
        else s.GATED_PAGES.empty()
    )
    return wanted_figures(documents, gated, workspace.config.figures)


def descriptions(workspace: Workspace, partition: str) -> pl.DataFrame:
    """What was written of the figures of each document of a partition: doc_id, version_id, image_hash, description."""
    from pipeline.figures.wanted import descriptions_of

    described = workspace.lake.read(s.FIGURE_DESCRIPTIONS, partition)
    return descriptions_of(_wanted(workspace, partition), described)


def figure_settings(workspace: Workspace) -> str:
    """What of the configuration decides which descriptions go into chunks."""
    figures = workspace.config.figures
    return f"{','.join(figures.classes)}:{figures.uncaptioned}"


def _make(workspace: Workspace, partition: str) -> Made:
    from pipeline.figures.stage import ASKED, description_rows

    config = workspace.config.figures
    wanted = _wanted(workspace, partition)
    known = (
        known_answers(workspace, s.FIGURE_DESCRIPTIONS, partition)
        if wanted.height
        else s.FIGURE_DESCRIPTIONS.empty()
    )
    rows = description_rows(wanted, known, config)
    if config.endpoint and ASKED.counts(rows)["waiting"]:
        rows = _asked(workspace, partition, wanted, rows)
    return Made({s.FIGURE_DESCRIPTIONS.name: rows}, ASKED.counts(rows))


def _asked(workspace: Workspace, partition: str, wanted: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    from pipeline.figures.stage import ASKED, figure_questions
    from pipeline.parsing.pages import limits_of

    config = workspace.config.figures
    budget = workspace.figure_budget
    endpoint = service_of(config, "figures", budget)
    waiting = ASKED.counts(rows)["waiting"]
    sent = min(waiting, budget.left)
    workspace.say(f"{partition}: {_estimate(sent, waiting, config.cost_per_image)}")
    with with_local_copies(workspace, partition, _places(workspace, partition, wanted)) as places:
        questions = figure_questions(rows, places, limits_of(workspace.config.parsing), sent)
        return ASKED.ask(
            rows,
            questions,
            endpoint,
            budget,
            keep=lambda made: keep_answers(workspace, s.FIGURE_DESCRIPTIONS, partition, made),
            progress=lambda done, total: tell_progress(
                workspace, partition, f"described {done}/{total} figures"
            ),
        )


def _estimate(sent: int, waiting: int, cost: float) -> str:
    price = f", {sent * cost:.2f} in all" if cost else ""
    return f"sending at most {sent} of {waiting} images to the vision model{price}"


def _places(workspace: Workspace, partition: str, wanted: pl.DataFrame) -> pl.DataFrame:
    """The figures with what is needed to take their images out of the files."""
    pages = workspace.lake.read(s.PARSED_PAGES, partition, [*_PLACE, c.WIDTH, c.ROTATION])
    documents = workspace.lake.read(
        s.DOCUMENTS, partition, [*c.VERSION_KEY, c.URI, c.MEDIA_TYPE, c.BYTES, c.ERROR]
    )
    locations = workspace.scan(workspace.collection_of(partition).name).locations
    place = pl.col(c.URI).replace_strict(locations, default="", return_dtype=pl.String)
    return (
        wanted.join(pages, on=_PLACE, maintain_order="left")
        .join(documents, on=c.VERSION_KEY, maintain_order="left")
        .with_columns(place.alias(c.LOCATION))
    )


def _unfinished(workspace: Workspace, partition: str) -> str:
    return unfinished(workspace, s.FIGURE_DESCRIPTIONS, partition, workspace.config.figures)


def _fingerprint(workspace: Workspace) -> str:
    from pipeline.figures.stage import figures_fingerprint

    return figures_fingerprint(workspace.config)


FIGURE_DESCRIPTIONS: Final = Stage(
    name="figure_descriptions",
    description=f"{s.FIGURE_DESCRIPTIONS.grain} Empty unless the configuration names classes; nothing is sent unless it names a service.",
    reads=lambda _: (s.DOCUMENTS, s.PARSED_PAGES, s.GATED_PAGES),
    writes=lambda _: (s.FIGURE_DESCRIPTIONS,),
    fingerprint=_fingerprint,
    make=_make,
    needs=("documents", "parsed_pages", "gated_pages"),
    observed=_unfinished,
    pool="figures",
)
