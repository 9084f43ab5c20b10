"""Coverage: shares by group, and that no page is counted twice or lost."""

import polars as pl
import pytest

from pipeline.config import GateConfig
from pipeline.estate.faults import unreadable
from pipeline.gate.coverage import DIMENSIONS, SHARES, coverage, coverage_by_dimension
from pipeline.tables import columns as c
from pipeline.tables.schemas import GATED_PAGES
from tests.gate.pages_builder import DATE, documents, failed, gated_alone, page, parsed
from tests.gate.texts import GARBAGE, GOOD


def gated(pages, docs):
    return gated_alone(pages, docs, GateConfig(), {"hr": ("tr", "de", "en")})


DOCS = pl.concat([documents("a"), documents("b", **{c.EFFECTIVE_DATE: DATE, c.DOCUMENT_CLASS: "contract"})])
PAGES = parsed(
    page(GOOD["de"], number=1), page(GOOD["de"], number=2, confidence=0.82), page(GOOD["en"], number=3),
    page(GOOD["de"], number=4, confidence=0.6), page(GOOD["de"], number=5), page(GOOD["tr"], doc="b"),
)  # fmt: skip


def test_shares():
    made = coverage(DOCS, PAGES, gated(PAGES, DOCS))
    assert made.columns == [*DIMENSIONS, "pages", *SHARES]
    assert made.rows() == [
        ("hr", "contract", "tr", 2019, 1, 1.0, 0.0, 0.0, 0.0),
        ("hr", "policy", "de", None, 4, 0.5, 0.25, 0.25, 0.0),
        ("hr", "policy", "en", None, 1, 1.0, 0.0, 0.0, 0.0),
    ]
    assert made["pages"].sum() == gated(PAGES, DOCS).height


def test_each_dimension_by_itself():
    made = coverage_by_dimension(DOCS, PAGES, gated(PAGES, DOCS))
    assert made.select("dimension", "value", "pages").rows() == [
        ("all", "all", 6), ("collection", "hr", 6), ("document_class", "contract", 1), ("document_class", "policy", 5),
        ("language", "de", 4), ("language", "en", 1), ("language", "tr", 1), ("year", "undated", 5), ("year", "2019", 1),
    ]  # fmt: skip
    assert made.select(pl.sum_horizontal(SHARES)).to_series().to_list() == pytest.approx([1.0] * made.height)


def test_a_document_that_failed_entirely_is_one_failed_page():
    docs = pl.concat(
        [
            DOCS,
            documents("lost", **{c.LANGUAGE_HINT: "tr"}),
            documents("empty"),
            documents("unread", **{c.VERSION_ID: "", c.ERROR: unreadable("Permission denied")}),
        ]
    )
    more = parsed(
        failed("corrupt", doc="lost"), failed("no_content", doc="empty"), failed("corrupt", doc="a", number=6)
    )
    pages = pl.concat([PAGES, more])
    made = coverage_by_dimension(docs, pages, gated(PAGES, docs))
    overall = made.filter(dimension="all").row(0, named=True)
    assert (overall["pages"], round(overall["failed"] * 9)) == (9, 3), (
        "lost, unread, and page 6 of a; not the empty one"
    )
    languages = dict(made.filter(dimension="language").select("value", "pages").iter_rows())
    assert languages == {"de": 4, "en": 1, "tr": 2, "und": 2}


def test_empty_and_unknown():
    nothing = GATED_PAGES.empty()
    assert coverage(documents(), PAGES.clear(), nothing).height == 0
    assert coverage_by_dimension(documents(), PAGES.clear(), nothing).height == 0
    strange = parsed(page(GARBAGE["reversed"](GOOD["de"])))
    assert coverage(documents("b"), strange, gated(strange, documents("a"))).height == 0
