import io

import polars as pl
from PIL import Image

from pipeline.gate.coverage import SHARES
from pipeline.report.coverage import coverage_lines, coverage_png, read_coverage
from pipeline.tables.lake import Lake
from pipeline.tables.schemas import DOCUMENTS, GATED_PAGES, PARSED_PAGES
from tests.report.review.review_rows import document, gated, parsed


def row(dimension, value, pages, *shares) -> dict:
    return {"dimension": dimension, "value": value, "pages": pages, **dict(zip(SHARES, shares, strict=True))}


ROWS = [
    row("all", "all", 1400, 0.9, 0.06, 0.001, 0.039), row("collection", "docs", 400, 1.0, 0.0, 0.0, 0.0),
    row("collection", "scans", 1000, 0.999, 0.001, 0.0, 0.0),
]  # fmt: skip


def test_lines_for_a_person():
    assert list(coverage_lines(ROWS)) == [
        "coverage                       pages    passed   flagged  rejected    failed",
        "            all                1,400      90 %       6 %      <1 %       4 %  █████████████████████▓▒·",
        "            collection docs      400     100 %       0 %       0 %       0 %  ████████████████████████",
        "            collection scans   1,000     >99 %      <1 %       0 %       0 %  ███████████████████████▓",
    ]


def test_a_language_that_nobody_knows_is_said_in_words():
    assert "language unknown" in list(coverage_lines([row("language", "und", 1, 1.0, 0.0, 0.0, 0.0)]))[1]


def test_no_pages_no_lines():
    assert list(coverage_lines([])) == []


def test_of_many_values_those_with_the_most_pages_are_shown():
    rows = [row("year", str(1990 + n), n + 1, 1.0, 0.0, 0.0, 0.0) for n in range(30)]
    lines = list(coverage_lines(rows))
    assert len(lines) == 13
    assert "year 2008" in lines[1]
    assert "year 2019" in lines[-1]


def test_a_plot_is_a_picture_that_shows_the_shares():
    data = coverage_png(pl.DataFrame(ROWS))
    colours = {
        colour for _, colour in Image.open(io.BytesIO(data)).convert("RGB").getcolors(1 << 20) if _ > 50
    }
    assert {(0x22, 0x68, 0x4A), (0xE3, 0xB0, 0x4B), (0x8D, 0x7F, 0xB8)} <= colours
    assert data == coverage_png(pl.DataFrame(ROWS))
    odd = pl.DataFrame([row("document_class", "a_$b$_{c", 3, 1.0, 0.0, 0.0, 0.0)])
    Image.open(io.BytesIO(coverage_png(odd))).verify()
    Image.open(io.BytesIO(coverage_png(pl.DataFrame(ROWS).clear()))).verify()


def test_it_is_read_from_the_lake(tmp_path):
    lake = Lake(str(tmp_path))
    assert read_coverage(lake, ["hr.0"]).is_empty()
    lost = parsed("b", 0, status="failed", reason="corrupt")
    lake.publish(DOCUMENTS, "hr.0", DOCUMENTS.frame([document("a"), document("b")]), "x")
    lake.publish(PARSED_PAGES, "hr.0", PARSED_PAGES.frame([parsed("a"), lost]), "x")
    lake.publish(GATED_PAGES, "hr.0", GATED_PAGES.frame([gated("a")]), "x")
    overall = read_coverage(lake, ["hr.0"]).filter(dimension="all")
    assert overall.select("pages", "passed", "failed").rows() == [(2, 0.5, 0.5)]
