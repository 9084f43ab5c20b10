"""The file of verdicts that the report's page saves, and the error table that is made of it."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pipeline.config import UserError
from pipeline.report.review.rows import PAGE, READING
from pipeline.report.review.sampling import BAND, BANDS
from pipeline.tables import columns as c

FORMAT: Final = "kesit verdicts"
FORMAT_VERSION: Final = 1
GOOD: Final = "good"
VERDICTS: Final = {
    GOOD: "good",
    "wrong_order": "wrong reading order",
    "wrong_text": "wrong text",
    "wrong_table": "wrong table",
    "wrong_heading": "wrong heading",
    "missing_text": "missing text",
    "should_reject": "should be rejected",
    "should_pass": "should have passed",
}
"""Every verdict and its words; the keys 1 to 8 in the browser."""

Verdict = Literal[
    "good", "wrong_order", "wrong_text", "wrong_table", "wrong_heading", "missing_text", "should_reject", "should_pass"
]  # fmt: skip
DIMENSIONS: Final = (c.DOCUMENT_CLASS, c.ENGINE, BAND, c.ROUTE)
_Z95: Final = 1.959963984540054  # 97.5 % quantile of the standard normal distribution
_LISTED: Final = 20


class ReviewError(UserError):
    """A file of verdicts cannot be used. The message is one line: which file, what is wrong, what to do."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class JudgedPage(_Strict):
    """A page as it was when it was judged, and the verdicts on it; none where only a note was written."""

    doc_id: str
    version_id: str
    page_no: Annotated[int, Field(ge=0)]
    reading: str
    collection: str
    uri: str
    document_class: str
    engine: str
    language: str
    band: str
    route: str
    quality: float | None
    verdicts: tuple[Verdict, ...]
    note: str
    judged_at: str


class VerdictFile(_Strict):
    """What the page saves. `estate` counts the estate's pages by band, for an estimate of the whole."""

    format: Literal["kesit verdicts"]
    version: Literal[1]
    report: str
    made_at: str
    saved_at: str
    sampled: int
    estate: dict[str, int]
    pages: tuple[JudgedPage, ...]


@dataclass(frozen=True)
class Summary:
    """The error table of a file of verdicts.

    Attributes:
        file: its name.
        sampled: pages in the report.
        judged: pages with a verdict that count below.
        tables: for "overall" and each of DIMENSIONS, one row per value: value, judged, faulty (pages with any fault), share,
            low, high (Wilson 95 % interval of the share), and the number of pages with each fault.
        estimate: share of faulty pages in the estate, each band weighted by its pages there; None unless pages of every band were judged.
        worst: the faulty pages, most faults first, then the lowest quality.
        stale: pages whose document has another version by now, or is gone; they count nowhere.
        reread: pages that count, and were read or scored anew since.
        notes: pages with a note and no verdict.
    """

    file: str
    sampled: int
    judged: int
    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    estimate: float | None
    worst: Sequence[Mapping[str, Any]]
    stale: Sequence[Mapping[str, Any]]
    reread: int
    notes: Sequence[Mapping[str, Any]]

    def as_json(self) -> dict[str, Any]:
        """Plain dictionaries, lists and numbers."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def lines(self) -> Iterable[str]:
        """The table for a person."""
        yield f"{self.judged} of {self.sampled} pages judged ({self.file})"
        for name, rows in self.tables.items():
            if rows:
                yield ""
                yield from _table_lines(name.replace("_", " "), rows)
        yield ""
        if self.estimate is not None:
            yield f"about {self.estimate:.0%} of the estate's pages have a fault (each score band weighted by its pages there)"
        yield "these are shares of the sample, in which the worst pages are more frequent than in the estate"
        if self.worst:
            yield ""
            yield "faulty pages"
            yield from (f"  {_named(page)}" for page in self.worst[:_LISTED])
            if len(self.worst) > _LISTED:
                yield f"  … and {len(self.worst) - _LISTED} more (--json lists all)"
        for title, pages in (
            ("noted without a verdict", self.notes),
            ("stale: the document has changed or is gone since it was judged; not counted", self.stale),
        ):
            if pages:
                yield ""
                yield title
                yield from (f"  {_named(page)}" for page in pages)
        if self.reread:
            yield ""
            yield f"{self.reread} of the pages that count were read or scored anew since: `kesit review` shows them as they are now"


def read_verdicts(path: Path) -> VerdictFile:
    """Read a file of verdicts.

    Raises:
        ReviewError: there is none, or it is not what the report saves, or another version saved it.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise ReviewError(f"{path}: no such file; save the verdicts in the report first") from None
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise ReviewError(f"{path}: cannot be read as JSON ({str(error).splitlines()[0]})") from None
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise ReviewError(f"{path}: is no file of verdicts; “Save verdicts” in the report writes one")
    if raw.get("version") != FORMAT_VERSION:
        raise ReviewError(
            f"{path}: was saved by a report of format {raw.get('version')!r}, this version reads {FORMAT_VERSION};"
            " run `kesit review` and judge anew"
        )
    try:
        file = VerdictFile.model_validate_json(json.dumps(raw))
    except ValidationError as error:
        problem = error.errors()[0]
        key = ".".join(map(str, problem["loc"]))
        raise ReviewError(
            f"{path}: {key}: {problem['msg']}; the file was changed after it was saved"
        ) from None
    keys = [(page.doc_id, page.version_id, page.page_no) for page in file.pages]
    if len(set(keys)) != len(keys):
        raise ReviewError(f"{path}: judges a page twice; the file was changed after it was saved")
    return file


def summarise(path: Path, file: VerdictFile, now: pl.DataFrame) -> Summary:
    """Turn verdicts into an error table.

    Args:
        path: of the file, for messages.
        file: its content.
        now: the pages of the estate as they are now: doc_id, version_id, page_no, reading.

    Raises:
        ReviewError: none of its documents is in this estate.
    """
    judged = pl.DataFrame(
        [page.model_dump() for page in file.pages],
        schema={
            **dict.fromkeys(c.VERSION_KEY, pl.String), c.PAGE_NO: pl.Int32, READING: pl.String, c.COLLECTION: pl.String,
            c.URI: pl.String, c.DOCUMENT_CLASS: pl.String, c.ENGINE: pl.String, c.LANGUAGE: pl.String, BAND: pl.String,
            c.ROUTE: pl.String, c.QUALITY: pl.Float64, "verdicts": pl.List(pl.String), "note": pl.String,
            "judged_at": pl.String,
        },
    )  # fmt: skip
    if judged.height and judged.join(now, on=c.DOC_ID, how="semi").is_empty():
        raise ReviewError(f"{path}: none of its documents is in this estate; is it of another project?")
    seen = judged.join(
        now.select(*PAGE, pl.col(READING).alias("_now")), on=PAGE, how="left", maintain_order="left"
    )
    fresh = seen.filter(pl.col("_now").is_not_null())
    counted = fresh.filter(pl.col("verdicts").list.len() > 0).with_columns(
        pl.col("verdicts").list.set_difference([GOOD]).list.len().alias("faults")
    )
    tables = {"overall": _table(counted.with_columns(pl.lit("all").alias("overall")), "overall")}
    tables |= {name: _table(counted, name) for name in DIMENSIONS}
    faulty = counted.filter(pl.col("faults") > 0).sort(
        "faults", c.QUALITY, *PAGE, descending=[True, *[False] * 4], nulls_last=False
    )
    return Summary(
        file=str(path),
        sampled=file.sampled,
        judged=counted.height,
        tables=tables,
        estimate=_estimate(tables[BAND], file.estate),
        worst=_shown(faulty),
        stale=_shown(seen.filter(pl.col("_now").is_null())),
        reread=counted.filter(pl.col("_now") != pl.col(READING)).height,
        notes=_shown(fresh.filter(pl.col("verdicts").list.len() == 0)),
    )


def wilson(faulty: int, judged: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson 1927): (low, high), each 0 to 1; (0, 1) when nothing was judged."""
    if judged == 0:
        return 0.0, 1.0
    share, z2 = faulty / judged, _Z95**2
    middle = share + z2 / (2 * judged)
    spread = _Z95 * math.sqrt(share * (1 - share) / judged + z2 / (4 * judged**2))
    scale = 1 + z2 / judged
    # At the ends the bound is the end itself; rounding must not leave the range.
    low = 0.0 if faulty == 0 else (middle - spread) / scale
    high = 1.0 if faulty == judged else (middle + spread) / scale
    return low, high


def _table(counted: pl.DataFrame, name: str) -> list[dict[str, Any]]:
    """One row per value: counts, share of faulty pages and its interval. Bands the worst first, all else by name."""
    faults = [code for code in VERDICTS if code != GOOD]
    grouped = counted.group_by(name).agg(
        pl.len().alias("judged"),
        (pl.col("faults") > 0).sum().alias("faulty"),
        *(pl.col("verdicts").list.contains(code).sum().alias(code) for code in faults),
    )
    rows = sorted(
        grouped.to_dicts(), key=lambda row: (BANDS.index(row[name]) if row[name] in BANDS else 0, row[name])
    )
    made: list[dict[str, Any]] = []
    for row in rows:
        low, high = wilson(row["faulty"], row["judged"])
        made.append(
            {
                "value": row[name],
                "judged": row["judged"],
                "faulty": row["faulty"],
                "share": row["faulty"] / row["judged"],
                "low": low,
                "high": high,
                **{code: row[code] for code in faults},
            }
        )
    return made


def _estimate(bands: Sequence[Mapping[str, Any]], estate: Mapping[str, int]) -> float | None:
    """Share of faulty pages in the estate: the shares of the bands, weighted by their pages there."""
    shares = {row["value"]: row["share"] for row in bands}
    pages = {name: count for name, count in estate.items() if count > 0}
    if not pages or not pages.keys() <= shares.keys():
        return None
    return sum(shares[name] * count for name, count in pages.items()) / sum(pages.values())


def _shown(pages: pl.DataFrame) -> list[dict[str, Any]]:
    return pages.select(
        *PAGE, c.COLLECTION, c.URI, c.DOCUMENT_CLASS, c.ENGINE, BAND, c.ROUTE, c.QUALITY, "verdicts", "note"
    ).to_dicts()


def _table_lines(title: str, rows: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """Columns under their names; only faults that were found."""
    found = [code for code in VERDICTS if code != GOOD and any(row[code] for row in rows)]
    width = max(len(title), *(len(row["value"]) for row in rows))
    heads = [VERDICTS[code] for code in found]
    yield f"{title:{width}}  judged  faulty   share        95 %" + "".join(f"  {head}" for head in heads)
    for row in rows:
        interval = f"{row['low']:.0%}–{row['high']:.0%}"
        counts = "".join(f"  {row[code]:>{len(head)}}" for code, head in zip(found, heads, strict=True))
        yield (
            f"{row['value']:{width}}  {row['judged']:6}  {row['faulty']:6}  {row['share']:6.0%}  {interval:>10}{counts}".rstrip()
        )


def _named(page: Mapping[str, Any]) -> str:
    number = f" page {page[c.PAGE_NO]}" if page[c.PAGE_NO] else ""
    quality = "" if page[c.QUALITY] is None else f" {page[c.QUALITY]:.2f}"
    said = ", ".join(VERDICTS[code] for code in page["verdicts"])
    note = f" – {page['note']}" if page["note"] else ""
    text = f"{page[c.COLLECTION]}/{page[c.URI]}{number} ({page[c.ROUTE]}{quality}): {said}{note}"
    return "".join(sign if sign.isprintable() else " " for sign in text)
