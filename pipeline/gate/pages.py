"""The gate: every parsed page scored, and passed, flagged or rejected."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import polars as pl

from pipeline.config import Config, GateConfig
from pipeline.gate.quality import quality
from pipeline.gate.scores import score_text
from pipeline.language.detection import LANGUAGES, UNKNOWN, detect
from pipeline.language.version import language_version
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import stage_fingerprint
from pipeline.tables.schemas import GATED_PAGES, PARSED_PAGES

CODE_VERSION: Final = "3"
GATE_INPUT_HASH: Final = "gate_input_hash"

# Specks that a scanner left on an empty sheet are read as a few characters, with little confidence.
_SPECKS: Final = 12
_SPECK_CONFIDENCE: Final = 0.85

_TEXT: Final = "_text"
_FIGURE: Final = "_figure"
_EXPECTED: Final = "_expected"

# A table that begins on a page of specks may have rows on the pages after it.
_HAS_ROWS: Final = (
    pl.col(c.BLOCKS).list.eval(pl.element().struct.field("row_pages").list.n_unique() > 1).list.any()
)


def gate_fingerprint(config: Config) -> str:
    """What a page's decision depends on besides the page and its collection's languages: the code, the thresholds."""
    return stage_fingerprint("gated_pages", CODE_VERSION, (config.gate.model_dump_json(), language_version()))


def gate_pages(
    parsed: pl.DataFrame, documents: pl.DataFrame, config: GateConfig, languages: Mapping[str, Sequence[str]]
) -> pl.DataFrame:
    """Score pages and decide about them.

    Args:
        parsed: PARSED_PAGES rows and a string column `gate_input_hash`, which becomes the result's `input_hash`. Failed
            rows are left out: they are the exception register's.
        documents: DOCUMENTS rows of these pages.
        config: the thresholds.
        languages: by collection, the languages that its documents are expected in.

    Returns:
        GATED_PAGES rows, sorted by key, one for each page that was parsed. A blank page passes and has no blocks. The rows of
        a table over several pages count for the page that each stands on, wherever the table's block is.
    """
    pages = (
        parsed.filter(pl.col(c.STATUS) == "ok")
        .join(
            documents.select(c.DOC_ID, c.VERSION_ID, c.COLLECTION, c.LANGUAGE_HINT),
            on=[c.DOC_ID, c.VERSION_ID],
            how="left",
        )
        .join(_texts(parsed), on=PARSED_PAGES.key, how="left")
        .with_columns(
            pl.col(c.BLOCKS)
            .list.eval(pl.element().struct.field("kind") == "figure")
            .list.any()
            .alias(_FIGURE),
        )
        .sort(GATED_PAGES.key)
    )
    rows = [
        _decide(page, _expected(page[c.COLLECTION], languages), config)
        for page in pages.select(
            _TEXT, _FIGURE, c.SOURCE, c.ENGINE, c.COLLECTION, c.LANGUAGE_HINT, c.SCORES
        ).iter_rows(named=True)
    ]
    made = (c.LANGUAGE, c.SCORES, c.QUALITY, c.ROUTE, "blank", c.ATTEMPTS, c.CHOSEN_ATTEMPT)
    decided = pl.DataFrame(rows, schema={name: GATED_PAGES.schema[name] for name in made})
    kept = pages.drop(c.SCORES, c.INPUT_HASH, strict=False).rename({GATE_INPUT_HASH: c.INPUT_HASH})
    nothing = pl.lit([], dtype=GATED_PAGES.schema[c.BLOCKS])
    return (
        pl.concat([kept, decided], how="horizontal")
        .with_columns(pl.when(pl.col("blank") & ~_HAS_ROWS).then(nothing).otherwise(c.BLOCKS).alias(c.BLOCKS))
        .select(GATED_PAGES.schema.names())
    )


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


def _expected(collection: str | None, languages: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    return tuple(sorted(set(languages.get(collection or "", LANGUAGES)))) or LANGUAGES


def _decide(page: Mapping[str, Any], expected: tuple[str, ...], config: GateConfig) -> dict[str, Any]:
    """The columns of GATED_PAGES that the gate makes."""
    text: str = page[_TEXT] or ""
    scanned = page[c.SOURCE] == "ocr"
    confidence: float | None = (page[c.SCORES] or {}).get("ocr") if scanned else None
    language = _language(text, page[c.LANGUAGE_HINT], expected)
    scores = score_text(text, expected if language == UNKNOWN else (language,))
    value, _ = quality(scores, confidence)
    few = scores.characters <= _SPECKS and scores.known_words is None
    blank = scores.characters == 0 or (
        scanned and few and confidence is not None and confidence < _SPECK_CONFIDENCE
    )
    if blank and scores.symbols > 0.5:
        blank = False  # nothing but glyph numbers is no empty page
    if blank:
        value = 1.0
    if blank and page[_FIGURE]:
        blank = False
        value = 0.0 if scanned else 1.0  # something is on the sheet and none of it could be read
    route = "reject" if value < config.reject_below else "flag" if value < config.flag_below else "pass"
    return {
        c.LANGUAGE: language,
        c.SCORES: {
            "confidence": confidence,
            "known_words": scores.known_words,
            "symbols": scores.symbols,
            "single_letters": scores.single_letters,
            "repeated_lines": scores.repeated_lines,
            "characters": scores.characters,
        },
        c.QUALITY: value,
        c.ROUTE: route,
        "blank": blank,
        c.ATTEMPTS: [{"engine": page[c.ENGINE], "preprocessing": "none", "quality": value}],
        c.CHOSEN_ATTEMPT: 0,
    }


def _language(text: str, hint: str | None, expected: tuple[str, ...]) -> str:
    """The page's language; of a page that says too little, the one its document names."""
    found = detect([text], expected)[0]
    named = (hint or "")[:2].lower()
    return named if found == UNKNOWN and named in expected else found
