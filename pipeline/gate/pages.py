"""The gate: every parsed page scored, read again where it is poor, and passed, flagged or rejected."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import polars as pl

from pipeline.config import LANGUAGES, Config, GateConfig
from pipeline.gate.judgement import goes_on, judge
from pipeline.gate.second_pass import Reread, Tried, read_poor_pages_again
from pipeline.language.version import language_version
from pipeline.parsing.dates import date_of_page
from pipeline.parsing.ocr import engine_versions
from pipeline.parsing.rejoin import rejoined
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import stage_fingerprint
from pipeline.tables.schemas import GATED_PAGES, PARSED_PAGES

CODE_VERSION: Final = "6"
GATE_INPUT_HASH: Final = "gate_input_hash"
_TEXT: Final = "_text"


def gate_fingerprint(config: Config) -> str:
    """What a page's decision depends on besides the page and its collection's languages: the code, the thresholds, the engines."""
    settings = config.gate.model_dump_json(exclude={"warn_rejected_above"})
    engines = (
        (config.parsing.ocr, config.parsing.layout, *engine_versions()) if config.gate.second_pass else ()
    )
    return stage_fingerprint("gated_pages", CODE_VERSION, (settings, language_version(), *engines))


def gate_pages(
    parsed: pl.DataFrame,
    documents: pl.DataFrame,
    config: GateConfig,
    languages: Mapping[str, Sequence[str]],
    *,
    engine: str,
    engines: Sequence[str],
    reread: Reread | None,
) -> pl.DataFrame:
    """Score pages, read poor ones again, and decide about all.

    Args:
        parsed: PARSED_PAGES rows and a string column `gate_input_hash`, which becomes the result's `input_hash`. Failed
            rows are left out: they are the exception register's.
        documents: DOCUMENTS rows of these pages.
        config: the thresholds.
        languages: by collection, the languages that its documents are expected in.
        engine: that reads scans first.
        engines: that are installed, for the second pass.
        reread: reads pages again; None: there is no second pass.

    Returns:
        GATED_PAGES rows, sorted by key, one for each page that was parsed. A blank page passes and has no blocks. The rows of
        a table over several pages count for the page that each stands on, wherever the table's block is.
    """
    about = documents.select(*c.VERSION_KEY, c.COLLECTION, c.LANGUAGE_HINT, c.DOCUMENT_CLASS)
    pages = (
        parsed.filter(pl.col(c.STATUS) == "ok")
        .join(about, on=c.VERSION_KEY, how="left")
        .sort(GATED_PAGES.key)
    )
    pages = pages.join(_texts(parsed), on=PARSED_PAGES.key, how="left")
    tried = [_first(page, languages, config) for page in pages.iter_rows(named=True)]
    if config.second_pass and reread is not None:
        read_poor_pages_again(tried, engine, engines, reread)
    rows = [_row(each, config) for each in tried]
    return GATED_PAGES.frame(_put_back(rows, tried)).sort(GATED_PAGES.key)


def _texts(parsed: pl.DataFrame) -> pl.DataFrame:
    """What stands on each page: its key and `_text`, blocks in reading order, one line for each, or row of a long table."""
    key = list(PARSED_PAGES.key)
    blocks = (
        parsed.select(*key, c.BLOCKS)
        .sort(key)
        .explode(c.BLOCKS)
        .drop_nulls(c.BLOCKS)
        .with_row_index("_block")
        .select(*key, "_block", pl.col(c.BLOCKS).struct.unnest())
        .with_columns(_long=pl.col("row_pages").list.n_unique() > 1)
    )
    caption = pl.col("caption").fill_null("")
    rows = (
        blocks.filter("_long")
        .select(*key, "_block", "rows", "row_pages")
        .explode("rows", "row_pages")
        .with_columns(pl.col("row_pages").alias(c.PAGE_NO), pl.col("rows").list.join("\t").alias(_TEXT))
    )
    return (
        pl.concat(
            [
                blocks.filter(~pl.col("_long")).select(
                    *key, "_block", (pl.col("text") + "\n" + caption).alias(_TEXT)
                ),
                blocks.filter("_long").select(*key, "_block", caption.alias(_TEXT)),
                rows.select(*key, "_block", _TEXT),
            ]
        )
        .sort(*key, "_block", maintain_order=True)
        .group_by(key, maintain_order=True)
        .agg(pl.col(_TEXT).str.join("\n"))
    )


def _first(page: dict[str, Any], languages: Mapping[str, Sequence[str]], config: GateConfig) -> Tried:
    expected = tuple(sorted(set(languages.get(page[c.COLLECTION] or "", LANGUAGES)))) or LANGUAGES
    found = judge(page, expected, page[c.LANGUAGE_HINT], text=page[_TEXT] or "")
    enough, _ = config.limits(found.language, page[c.DOCUMENT_CLASS])
    return Tried.first(page, expected, found, enough)


def _row(tried: Tried, config: GateConfig) -> dict[str, Any]:
    """The row of GATED_PAGES."""
    page, best, found = tried.page, tried.best, tried.judgement
    flag_below, reject_below = config.limits(found.language, page[c.DOCUMENT_CLASS])
    route = "reject" if found.quality < reject_below else "flag" if found.quality < flag_below else "pass"
    return {
        **{name: page[name] for name in (*c.VERSION_KEY, c.PAGE_NO)},
        **{name: best[name] for name in (c.WIDTH, c.HEIGHT, c.ROTATION, c.SOURCE, c.ENGINE)},
        c.LANGUAGE: found.language,
        c.SCORES: found.scores,
        c.QUALITY: found.quality,
        c.ROUTE: route,
        c.BLANK: found.blank,
        c.ATTEMPTS: tried.attempts,
        c.CHOSEN_ATTEMPT: tried.chosen,
        # A digit misread by an engine would make another date of it, as good as the true one.
        c.DATE_READ: date_of_page(best[c.BLOCKS], page[c.FURNITURE])
        if page[c.PAGE_NO] == 1 and best[c.SOURCE] == "native" and route == "pass"
        else None,
        # A table that begins on a page of specks may have rows on the pages after it.
        c.BLOCKS: [] if found.blank and not any(map(goes_on, best[c.BLOCKS])) else best[c.BLOCKS],
        c.INPUT_HASH: page[GATE_INPUT_HASH],
    }


def _put_back(rows: list[dict[str, Any]], tried: Sequence[Tried]) -> list[dict[str, Any]]:
    """The rows, pages that were read again made parts of their documents."""
    versions: dict[tuple[str, str], list[int]] = {}
    for position, row in enumerate(rows):
        versions.setdefault((row[c.DOC_ID], row[c.VERSION_ID]), []).append(position)
    for positions in versions.values():
        again = [tried[position].chosen > 0 for position in positions]
        if any(again):
            furniture = [line for position in positions for line in tried[position].page[c.FURNITURE]]
            blocks = rejoined([rows[position][c.BLOCKS] for position in positions], again, furniture)
            for position, joined in zip(positions, blocks, strict=True):
                rows[position][c.BLOCKS] = joined
    return rows
