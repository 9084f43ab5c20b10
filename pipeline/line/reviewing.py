"""The parse read by hand: a report of sampled pages, and the error table of the verdicts on them."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.estate.identity import partitions_of
from pipeline.estate.source import spelled
from pipeline.estate.sources import open_source
from pipeline.line.fetching import local_copies
from pipeline.line.output_files import check_output
from pipeline.line.workspace import Workspace
from pipeline.parsing.errors import UNSUPPORTED, ParseError
from pipeline.parsing.pages import limits_of
from pipeline.report.review import rows as r
from pipeline.report.review.cards import card
from pipeline.report.review.document import report_html, write_private
from pipeline.report.review.pictures import Picture, PictureTask, draw_pages
from pipeline.report.review.sampling import BAND, BANDS, STRATUM, sample
from pipeline.report.review.verdicts import FORMAT, ReviewError, Summary, read_verdicts, summarise
from pipeline.tables import columns as c
from pipeline.tables import schemas as s


@dataclass(frozen=True)
class Written:
    """What `kesit review --json` prints.

    Attributes:
        file: the report.
        pages: in it.
        estate: pages that it was drawn from.
        bands: pages in it by score band, the worst first.
        strata: combinations of class, engine and band in it, and in what it was drawn from.
        pictures: pages that were drawn.
        undrawn: pages that could not be; all others are of formats that are not drawn.
    """

    file: str
    pages: int
    estate: int
    bands: dict[str, int]
    strata: tuple[int, int]
    pictures: int
    undrawn: int

    def as_json(self) -> dict[str, Any]:
        """Plain dictionaries, lists and numbers."""
        return asdict(self)

    def lines(self) -> Iterable[str]:
        """The same for a person."""
        yield f"wrote {self.file}: {self.pages} of {self.estate} pages"
        yield "quality     " + ", ".join(f"{count} {band}" for band, count in self.bands.items())
        yield f"strata      {self.strata[0]} of {self.strata[1]} (class, engine, score band)"
        yield f"pictures    {self.pictures} drawn, {self.undrawn} could not be"
        yield "It shows text whatever the access groups of the documents say: keep it where others may not look."


def write_review(
    workspace: Workspace, *, pages: int, seed: int, collection: str | None, out: Path
) -> Written:
    """Draw pages, and write the report.

    Args:
        workspace: whose tables; they are read only.
        pages: how many at most.
        seed: another seed draws other pages.
        collection: draw from this one only; None: from all.
        out: the file; an earlier report is replaced.

    Raises:
        ConfigError: no such collection, or `out` is no file in a folder that is there, or lies inside a source, where it
            would be read as a document, or is there already and no report.
        ReviewError: there are no pages yet.
        OSError: the file cannot be written.
    """
    check_output(workspace.config, "--out", out, mark=FORMAT.encode())
    partitions = (
        workspace.partitions if collection is None else partitions_of(workspace.config.collection(collection))
    )
    everything = _reviewable(workspace, partitions)
    if everything.is_empty():
        raise ReviewError("there are no pages to review yet; `kesit run` reads them")
    drawn = r.in_reading_order(sample(everything, pages, seed))
    content = r.with_content(
        drawn, *(_of(workspace, table, partitions, drawn) for table in (s.PARSED_PAGES, s.GATED_PAGES, s.PAGE_EXCEPTIONS))
    )  # fmt: skip
    shown = content.to_dicts()
    pictures = _pictures(workspace, shown)
    estate = _by_band(everything)
    text = report_html(
        [card(row, pictures.get(number)) for number, row in enumerate(shown)],
        estate=estate,
        seed=seed,
        collection=collection,
        made_at=f"{workspace.now():%Y-%m-%d %H:%M} UTC",
    )
    write_private(out, text)
    return Written(
        file=str(out),
        pages=len(shown),
        estate=everything.height,
        bands=_by_band(drawn),
        strata=(drawn.select(STRATUM).n_unique(), everything.select(STRATUM).n_unique()),
        pictures=sum(isinstance(each, Picture) for each in pictures.values()),
        undrawn=sum(
            isinstance(each, ParseError) and each.reason != UNSUPPORTED for each in pictures.values()
        ),
    )


def summarise_review(workspace: Workspace, file: Path) -> Summary:
    """The error table of a file of verdicts.

    Raises:
        ReviewError: the file cannot be used.
    """
    found = read_verdicts(file)
    return summarise(file, found, _reviewable(workspace, workspace.partitions).select(*r.PAGE, r.READING))


def _reviewable(workspace: Workspace, partitions: Sequence[str]) -> pl.DataFrame:
    """The pages that can be reviewed, without their text."""
    wanted = ((s.DOCUMENTS, r.OF_DOCUMENTS), (s.PARSED_PAGES, r.OF_PARSED), (s.GATED_PAGES, r.OF_GATED))
    return r.reviewable(
        *(
            pl.concat([workspace.lake.read(table, partition, names) for partition in partitions])
            for table, names in wanted
        )
    )


def _of(workspace: Workspace, table: s.Table, partitions: Sequence[str], drawn: pl.DataFrame) -> pl.DataFrame:
    """The rows of the drawn pages, one partition in memory at a time."""
    parts = (workspace.lake.read(table, partition) for partition in partitions)
    return pl.concat([part.join(drawn, on=r.PAGE, how="semi") for part in parts])


def _pictures(workspace: Workspace, shown: Sequence[dict[str, Any]]) -> dict[int, Picture | ParseError]:
    """The pictures of the pages that have one, by their place in the report."""
    wanted = {number: row for number, row in enumerate(shown) if row[c.WIDTH] > 0 or row[c.ROUTE] == "failed"}
    with ExitStack() as opened:
        paths: dict[tuple[str, str], str] = {}
        for name in {row[c.COLLECTION] for row in wanted.values()}:
            uris = {row[c.URI] for row in wanted.values() if row[c.COLLECTION] == name}
            files = opened.enter_context(_files(workspace, name, uris))
            paths |= {(name, uri): path for uri, path in files.items()}
        return _drawn(workspace, wanted, paths)


@contextmanager
def _files(workspace: Workspace, collection: str, uris: Iterable[str]) -> Generator[dict[str, str]]:
    """Path on this machine of each file by uri; of one that cannot be had, where it should be."""
    source = open_source(workspace.config, workspace.config.collection(collection))
    places = {uri: source.location_of(uri) for uri in uris}
    with local_copies(workspace, collection, dict.fromkeys(places.values(), 0)) as copies:
        yield {
            uri: copy if isinstance(copy := copies[place], str) else place for uri, place in places.items()
        }


def _drawn(
    workspace: Workspace, wanted: Mapping[int, dict[str, Any]], paths: Mapping[tuple[str, str], str]
) -> dict[int, Picture | ParseError]:
    config = workspace.config
    tasks = [
        PictureTask(
            key=number,
            location=spelled(paths[row[c.COLLECTION], row[c.URI]]),
            media_type=row[c.MEDIA_TYPE],
            sha256=row[c.VERSION_ID],
            page_no=max(row[c.PAGE_NO], 1),  # of a document that failed as a whole, its first
            width=row[c.WIDTH],
            rotation=row[c.ROTATION],
        )
        for number, row in wanted.items()
    ]
    return draw_pages(
        tasks,
        limits_of(config.parsing),
        lambda done, total: workspace.say(f"review: drew {done}/{total} pages"),
    )


def _by_band(pages: pl.DataFrame) -> dict[str, int]:
    counts = dict(pages.group_by(BAND).len().iter_rows())
    return {band: counts[band] for band in BANDS if band in counts}
