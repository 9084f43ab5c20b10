"""Coverage: shares by group, and that no page is counted twice or lost."""

import polars as pl

from pipeline.config import GateConfig
from pipeline.gate.coverage import GROUPS, coverage
from pipeline.gate.pages import gate_pages
from pipeline.tables import columns as c
from pipeline.tables.schemas import GATED_PAGES
from tests.gate.pages_builder import DATE, documents, page, parsed
from tests.gate.texts import GARBAGE, GOOD


def test_shares():
    docs = pl.concat(
        [documents("a"), documents("b", **{c.EFFECTIVE_DATE: DATE, c.DOCUMENT_CLASS: "contract"})]
    )
    pages = [
        page(GOOD["de"], number=1), page(GOOD["de"], number=2, confidence=0.86), page(GOOD["en"], number=3),
        page(GOOD["de"], number=4, confidence=0.6), page(GOOD["de"], number=5), page(GOOD["tr"], doc="b"),
    ]  # fmt: skip
    gated = gate_pages(parsed(*pages), docs, GateConfig(), {"hr": ("tr", "de", "en")})
    made = coverage(docs, gated)
    assert made.columns == [*GROUPS, "pages", "passed", "flagged", "rejected"]
    assert made.rows() == [
        ("hr", "contract", "tr", 2019, 1, 1.0, 0.0, 0.0),
        ("hr", "policy", "de", 2026, 4, 0.5, 0.25, 0.25),
        ("hr", "policy", "en", 2026, 1, 1.0, 0.0, 0.0),
    ]
    assert made["pages"].sum() == gated.height


def test_empty_and_unknown():
    assert coverage(documents(), GATED_PAGES.empty()).height == 0
    gated = gate_pages(parsed(page(GARBAGE["reversed"](GOOD["de"]))), documents("a"), GateConfig(), {})
    assert coverage(documents("b"), gated).height == 0
