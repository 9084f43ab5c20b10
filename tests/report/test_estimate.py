import polars as pl
import pytest

from pipeline.report.estimate import Estimate, expected, expected_seconds, yields
from pipeline.tables import columns as c
from pipeline.tables import schemas as s

KNOWN = pl.DataFrame(
    {
        c.MEDIA_TYPE: ["application/pdf", "text/plain"],
        c.BYTES: [1000, 100],
        "pages": [10, 1],
        "chunks": [30, 4],
    }
)


def new(*files):
    return pl.DataFrame(files, schema={c.MEDIA_TYPE: pl.String, c.BYTES: pl.Int64}, orient="row")


def test_what_documents_gave_is_counted_by_type():
    documents = pl.DataFrame({
        c.DOC_ID: ["a", "b", "c", "never read"],
        c.MEDIA_TYPE: ["application/pdf", "application/pdf", "text/plain", "text/plain"],
        c.BYTES: [400, 600, 100, 10_000],
    })  # fmt: skip
    pages = pl.DataFrame({c.DOC_ID: ["a"] * 4 + ["b"] * 6 + ["c"]})
    chunks = pl.DataFrame({c.DOC_ID: ["a"] * 10 + ["b"] * 20 + ["c"] * 4})
    assert (
        yields(documents, pages, chunks).sort(c.MEDIA_TYPE).equals(KNOWN, null_equal=True)
        or yields(documents, pages, chunks).sort(c.MEDIA_TYPE).rows() == KNOWN.rows()
    )


@pytest.mark.parametrize(
    ("files", "pages_and_chunks"),
    [
        ((), (0, 0)),
        ((("application/pdf", 500), ("application/pdf", 1500)), (20, 60)),
        ((("text/plain", 200),), (2, 8)),
        ((("application/pdf", 1), ("application/pdf", 1)), (2, 0)),  # a document has a page, however small
        ((("image/png", 1100),), (11, 34)),  # as all others together
        ((("image/png", 1100), ("text/plain", 100)), (12, 38)),
    ],
)
def test_a_type_gives_what_it_gave_before(files, pages_and_chunks):
    assert expected(new(*files), KNOWN) == pages_and_chunks


def test_before_the_first_run_nothing_is_known():
    assert expected(new(("text/plain", 5)), KNOWN.clear()) is None
    assert expected(new(), KNOWN.clear()) == (0, 0)


def test_time_is_the_sum_over_the_stages():
    paces = s.PACES.frame([
        {c.STAGE: "parsed_pages", c.UNITS: 10.0, c.SECONDS: 5.0},
        {c.STAGE: "embeddings", c.UNITS: 100.0, c.SECONDS: 2.0},
    ])  # fmt: skip
    assert expected_seconds({"parsed_pages": 20, "embeddings": 50}, paces) == pytest.approx(11)
    assert expected_seconds({"parsed_pages": 0, "index": 0}, paces) == 0
    assert expected_seconds({"parsed_pages": 1, "index": 1}, paces) is None, "never measured"


@pytest.mark.parametrize(
    ("estimate", "lines"),
    [
        (Estimate(3, 12, 40, 7.4), ["a run would read 3 documents (about 12 pages, 40 chunks to embed) in about 7 s"]),
        (
            Estimate(3, None, None, None),
            ["a run would read 3 documents; how many pages and how long is known after the first run"],
        ),
        (
            Estimate(3, 12, 40, 7200, 9, 0.18),
            [
                "a run would read 3 documents (about 12 pages, 40 chunks to embed) in about 2 h 0 min",
                "and send at most 9 images to the vision model for 0.18",
            ],
        ),
        (
            Estimate(1, 2, 3, 600, 9),
            [
                "a run would read 1 documents (about 2 pages, 3 chunks to embed) in about 10 min",
                "and send at most 9 images to the vision model at no stated cost",
            ],
        ),
    ],
)  # fmt: skip
def test_lines(estimate, lines):
    assert list(estimate.lines()) == lines
