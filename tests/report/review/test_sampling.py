"""The law of the sample: deterministic, every stratum there, the worst more often than their share."""

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.report.review.sampling import BAND, BANDS, STRATUM, sample, with_strata

KEY = ["doc_id", "version_id", "page_no"]
ROUTED = st.one_of(
    st.tuples(st.floats(0, 1, width=32), st.sampled_from(["pass", "flag", "reject"]), st.booleans()),
    st.just((None, "failed", False)),
)


def frame(rows) -> pl.DataFrame:
    """Pages of documents of ten pages each."""
    return with_strata(
        pl.DataFrame(
            [
                (f"d{number // 10}", "v", number % 10, name, engine, quality, route, blank)
                for number, (name, engine, (quality, route, blank)) in enumerate(rows)
            ],
            schema={
                "doc_id": pl.String, "version_id": pl.String, "page_no": pl.Int32, "document_class": pl.String,
                "engine": pl.String, "quality": pl.Float32, "route": pl.String, "blank": pl.Boolean,
            },
            orient="row",
        )
    )  # fmt: skip


ESTATES = st.lists(
    st.tuples(
        st.sampled_from(["policy", "contract", "chat"]),
        st.sampled_from(["geometry", "geometry+rapid-layout (scan)", "tesseract+geometry", ""]),
        ROUTED,
    ),
    max_size=60,
).map(frame)


@settings(max_examples=60, deadline=None)
@given(ESTATES, st.integers(0, 70), st.integers(), st.randoms())
def test_law(pages, count, seed, random):
    drawn = sample(pages, count, seed)
    assert drawn.columns == pages.columns
    assert drawn.height == min(count, pages.height)
    assert drawn.join(pages, on=pages.columns, how="semi", nulls_equal=True).height == drawn.height
    assert drawn.select(KEY).is_unique().all()
    # neither the order of the rows nor a second look changes anything
    order = list(range(pages.height))
    random.shuffle(order)
    assert drawn.equals(sample(pages[order], count, seed))
    # more pages are the same pages and others
    assert drawn.join(sample(pages, count + 1, seed), on=KEY, how="anti").is_empty()
    if count >= pages.select(STRATUM).n_unique():
        assert drawn.select(STRATUM).n_unique() == pages.select(STRATUM).n_unique()


def test_few_pages_still_show_every_class_engine_and_band():
    """More strata than pages: what can be covered is."""
    rows = [
        (f"class{n % 5}", f"engine{n // 5 % 4}", (quality, "pass", False))
        for n in range(600)
        for quality in (0.2, 0.6, 0.8, 0.9, 0.99)
    ]
    drawn = sample(frame(rows), 14, seed=3)
    assert drawn["document_class"].n_unique() == 5
    assert drawn["engine"].n_unique() == 4
    assert drawn[BAND].n_unique() == 5


def test_the_worst_are_over_represented_and_good_pages_are_not_forgotten():
    rows = [("policy", "geometry", (0.3 if n % 100 == 0 else 0.99, "pass", False)) for n in range(10_000)]
    bands = sample(frame(rows), 80, seed=7)[BAND]
    assert 25 <= (bands == "under 0.50").sum() <= 55, "one page in a hundred, about half of the sample"
    assert (bands == "0.95–1.00").sum() >= 25


def test_one_long_document_does_not_fill_the_sample():
    pages = frame([("policy", "geometry", (0.99, "pass", False))] * 600)
    book = pl.col("page_no").is_between(0, 9) & (pl.col("doc_id").str.slice(1).cast(pl.Int32) < 50)
    one_book = pages.with_columns(
        pl.when(book).then(pl.lit("book")).otherwise("doc_id").alias("doc_id"),
        pl.int_range(pl.len(), dtype=pl.Int32).alias("page_no"),
    )
    drawn = sample(one_book, 50, seed=1)
    assert 10 <= (drawn["doc_id"] == "book").sum() <= 27, (
        "500 of 600 pages are of one book, the others of ten documents"
    )


def test_another_seed_draws_other_pages():
    pages = frame([("policy", "geometry", (0.99, "pass", False))] * 500)
    assert not sample(pages, 50, 1).equals(sample(pages, 50, 2))


def test_bands_and_engines():
    rows = [
        ("c", "geometry+rapid-layout", (0.49999, "reject", False)), ("c", "geometry", (0.5, "flag", False)),
        ("c", "geometry", (0.7, "pass", False)), ("c", "geometry", (0.85, "pass", False)),
        ("c", "geometry", (0.95, "pass", False)), ("c", "geometry", (1.0, "pass", True)), ("c", "", (None, "failed", False)),
    ]  # fmt: skip
    pages = frame(rows)
    assert pages[BAND].to_list() == [*BANDS[1:], BANDS[0]]
    assert pages["engine"].to_list() == ["geometry+rapid-layout", *["geometry"] * 5, "none"]
