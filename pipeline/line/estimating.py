"""What a run would cost, by what the lake holds; and the paces of stages that runs leave for it."""

from collections import defaultdict
from collections.abc import Sequence

import polars as pl

from pipeline.estate.identity import UNREAD_VERSION
from pipeline.estate.scan import Scan
from pipeline.line import whole_estate
from pipeline.line.outcome import Outcome
from pipeline.line.stages import PARTITIONED
from pipeline.line.workspace import Workspace
from pipeline.report.estimate import Estimate, expected, expected_seconds, yields
from pipeline.tables import columns as c
from pipeline.tables import schemas as s

# What a stage has done is counted in these; every other stage in partitions, whatever their size.
_UNITS = {"parsed_pages": "parsed", "embeddings": "computed"}
_READ = ("created", "updated")


def remember_paces(workspace: Workspace, outcomes: Sequence[Outcome]) -> None:
    """Keep how long stages took. Each run halves the weight of those before it: machines and documents change."""
    units: defaultdict[str, float] = defaultdict(float)
    seconds: defaultdict[str, float] = defaultdict(float)
    for outcome in outcomes:
        done = outcome.counts.get(_UNITS[outcome.stage], 0) if outcome.stage in _UNITS else 1
        if done and not outcome.fresh:
            units[outcome.stage] += done
            seconds[outcome.stage] += outcome.seconds
    if not units:
        return
    known = workspace.lake.current(s.PACES, whole_estate.WHOLE)
    for stage, done, spent in known.select(c.STAGE, c.UNITS, c.SECONDS).rows():
        weight = 0.5 if stage in units else 1.0
        units[stage] += weight * done
        seconds[stage] += weight * spent
    rows = [{c.STAGE: stage, c.UNITS: units[stage], c.SECONDS: seconds[stage]} for stage in sorted(units)]
    workspace.lake.publish(s.PACES, whole_estate.WHOLE, s.PACES.frame(rows), "")


def estimate(workspace: Workspace, scans: Sequence[Scan]) -> Estimate:
    """What a run would do for what these scans found."""
    changed = pl.concat(scan.changes for scan in scans).filter(pl.col("kind") != "unchanged")
    documents = pl.concat(scan.documents for scan in scans)
    new = documents.join(changed.filter(pl.col("kind").is_in(_READ)), on=c.DOC_ID, how="semi")
    guess = expected(new.select(c.MEDIA_TYPE, c.BYTES), _yields(workspace))
    pages, chunks = guess or (None, None)
    seconds = None
    if guess is not None:
        moved = changed["partition"].n_unique()
        units: dict[str, float] = {stage.name: moved for stage in PARTITIONED}
        units |= {stage.name: bool(moved) for stage in whole_estate.GLOBAL}
        units |= {"parsed_pages": guess[0], "embeddings": guess[1]}
        seconds = expected_seconds(units, workspace.lake.current(s.PACES, whole_estate.WHOLE))
    images = _images(workspace, new, pages)
    price = workspace.config.figures.cost_per_image
    cost = images * price if images is not None and price else None
    questions = _questions(workspace, new, chunks)
    return Estimate(new.height, pages, chunks, seconds, images, cost, *questions)


def _yields(workspace: Workspace) -> pl.DataFrame:
    documents = workspace.read(s.DOCUMENTS, [*c.VERSION_KEY, c.MEDIA_TYPE, c.BYTES])
    documents = documents.filter(pl.col(c.VERSION_ID) != UNREAD_VERSION)
    pages = workspace.read(s.PARSED_PAGES, [*c.VERSION_KEY, c.PAGE_NO]).filter(pl.col(c.PAGE_NO) > 0)
    chunks = workspace.read(s.CHUNKS, c.VERSION_KEY)
    return yields(documents, pages.join(documents, on=c.VERSION_KEY, how="semi"), chunks)


def _images(workspace: Workspace, new: pl.DataFrame, pages: int | None) -> int | None:
    """Images that would be sent: as many a page as there were before, at most what one run may send."""
    figures = workspace.config.figures
    if not figures.endpoint:
        return None
    waiting = workspace.read(s.FIGURE_DESCRIPTIONS, [c.STATUS])[c.STATUS]
    known = workspace.read(s.PARSED_PAGES, [c.PAGE_NO]).height
    chosen = new.filter(pl.col(c.DOCUMENT_CLASS).is_in(figures.classes)).height
    share = chosen / new.height if new.height else 0.0
    fresh = (pages or 0) * share * len(waiting) / known if known else 0.0
    return min(round(fresh) + int((waiting == "waiting").sum()), figures.max_images)


def _questions(
    workspace: Workspace, new: pl.DataFrame, chunks: int | None
) -> tuple[int | None, int | None, float | None]:
    """Chunks that the language model would be asked about at most, the tokens of these questions, and what they cost.

    Of documents that are known: those that wait, and all chunks of partitions where nobody has counted yet. Of new ones: as many as
    they have chunks. A question has as many tokens as those before it had.
    """
    config = workspace.config.context
    if not config.endpoint:
        return None, None, None
    counted = workspace.read(s.CONTEXTS, [c.STATUS, c.TOKEN_COUNT])
    partitions = [
        name for name in workspace.partitions if workspace.collection_of(name).name in config.collections
    ]
    uncounted = sum(
        state.rows
        for name in partitions
        if not workspace.lake.current(s.CONTEXTS, name, [c.STATUS]).height
        and (state := workspace.lake.state(s.CHUNKS, name))
    )
    chosen = new.filter(pl.col(c.COLLECTION).is_in(config.collections)).height
    fresh = round((chunks or 0) * chosen / new.height) if new.height else 0
    waiting = counted.filter(status="waiting")
    questions = waiting.height + uncounted + fresh
    if not questions:
        return 0, 0, 0.0
    if counted.is_empty():
        return questions, None, None
    usual = counted[c.TOKEN_COUNT].sum() / counted.height
    tokens = int(waiting[c.TOKEN_COUNT].sum()) + round((uncounted + fresh) * usual)
    cost = config.cost(questions, tokens)
    return questions, tokens, cost or None
