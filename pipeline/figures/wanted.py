"""Which figures a vision model is to describe: those of named document classes, each distinct image once."""

from typing import Final

import polars as pl

from pipeline.config import LANGUAGES, FiguresConfig
from pipeline.figures.prompts import MARKS
from pipeline.tables import columns as c

_OTHERWISE: Final = "en"  # the language asked for when a document's own is not known


def wanted_figures(documents: pl.DataFrame, gated: pl.DataFrame, config: FiguresConfig) -> pl.DataFrame:
    """Figures of the configured classes that have an image, and stand on pages that the gate let through.

    Args:
        documents: rows of `documents` (doc_id, version_id, document_class, language_hint).
        gated: rows of `gated_pages` of these versions (page_no, route, language, blocks).
        config: classes, and whether figures without a caption count.

    Returns:
        One row per figure: doc_id, version_id, page_no, image_hash, language (of the document: tr, de or en), bbox; sorted.
    """
    named = documents.filter(pl.col(c.DOCUMENT_CLASS).is_in(config.classes))
    pages = gated.filter(pl.col(c.ROUTE) != "reject").join(named, on=c.VERSION_KEY, how="semi")
    block = pl.col(c.BLOCKS).struct
    figures = (
        pages.select(*c.VERSION_KEY, c.PAGE_NO, c.BLOCKS)
        .explode(c.BLOCKS, empty_as_null=False)
        .filter(block.field("kind") == "figure", block.field(c.IMAGE_HASH) != "")
        .filter((block.field("caption") != "") | config.uncaptioned)
        .select(*c.VERSION_KEY, c.PAGE_NO, block.field(c.IMAGE_HASH), block.field("bbox"))
    )
    return figures.join(_languages(named, pages), on=c.VERSION_KEY).sort(
        *c.VERSION_KEY, c.PAGE_NO, c.IMAGE_HASH
    )


def _languages(documents: pl.DataFrame, pages: pl.DataFrame) -> pl.DataFrame:
    """The language of each document: what its metadata say, else that of most of its pages."""
    usual = (
        pages.filter(pl.col(c.LANGUAGE).is_in(LANGUAGES))
        .group_by(*c.VERSION_KEY, c.LANGUAGE)
        .len()
        .sort(*c.VERSION_KEY, "len", c.LANGUAGE, descending=[False, False, True, False])
        .unique(c.VERSION_KEY, keep="first", maintain_order=True)
    )
    return documents.join(usual, on=c.VERSION_KEY, how="left").select(
        *c.VERSION_KEY,
        pl.coalesce(c.LANGUAGE_HINT, c.LANGUAGE, pl.lit(_OTHERWISE)).alias(c.LANGUAGE),
    )


def descriptions_of(wanted: pl.DataFrame, described: pl.DataFrame) -> pl.DataFrame:
    """What was written of the figures of each document.

    Args:
        wanted: as `wanted_figures` gives it.
        described: rows of `figure_descriptions`.

    Returns:
        doc_id, version_id, image_hash, description (marked as a machine's); one row per version and image.
    """
    written = described.filter((pl.col(c.STATUS) == "described") & (pl.col(c.DESCRIPTION) != ""))
    mark = pl.col(c.LANGUAGE).replace_strict(dict(MARKS), return_dtype=pl.String)
    return (
        wanted.join(written, on=[c.IMAGE_HASH, c.LANGUAGE])
        .select(
            *c.VERSION_KEY, c.IMAGE_HASH, pl.concat_str(mark, pl.lit(" "), c.DESCRIPTION).alias(c.DESCRIPTION)
        )
        .unique()
        .sort(*c.VERSION_KEY, c.IMAGE_HASH)
    )
