import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.tables import columns as c
from pipeline.tables.fingerprint import fingerprint
from pipeline.tables.incremental import advance
from pipeline.tables.schemas import Table

LINES = Table(
    name="lines",
    grain="One row per line of a version.",
    key=(c.DOC_ID, c.VERSION_ID, c.ORDINAL),
    schema=pl.Schema(
        {
            c.DOC_ID: pl.String,
            c.VERSION_ID: pl.String,
            c.ORDINAL: pl.Int32,
            c.TEXT: pl.String,
            c.INPUT_HASH: pl.String,
        }
    ),
)
LENGTHS = Table(
    name="lengths",
    grain="One row per version.",
    key=(c.DOC_ID, c.VERSION_ID),
    schema=pl.Schema(
        {c.DOC_ID: pl.String, c.VERSION_ID: pl.String, "length": pl.Int32, c.INPUT_HASH: pl.String}
    ),
)
TABLES = (LINES, LENGTHS)


def inputs(estate, stage="1"):
    """One row per version of an estate {(doc_id, version_id): text}."""
    return pl.DataFrame(
        [(d, v, text, fingerprint(stage, text)) for (d, v), text in estate.items()],
        schema={c.DOC_ID: pl.String, c.VERSION_ID: pl.String, c.TEXT: pl.String, c.INPUT_HASH: pl.String},
        orient="row",
    )


def compute(stale):
    lines, lengths = [], []
    for row in stale.iter_rows(named=True):
        key = {n: row[n] for n in (c.DOC_ID, c.VERSION_ID, c.INPUT_HASH)}
        lines += [key | {c.ORDINAL: n, c.TEXT: line} for n, line in enumerate(row[c.TEXT].split())]
        lengths.append(key | {"length": len(row[c.TEXT])})
    return {LINES.name: LINES.frame(lines), LENGTHS.name: LENGTHS.frame(lengths)}


VERSION = st.tuples(st.sampled_from("abc"), st.sampled_from("12"))
ESTATE = st.dictionaries(VERSION, st.text("xy ", max_size=5), max_size=5)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(ESTATE, st.sampled_from("12")), min_size=1, max_size=5))
def test_any_sequence_of_changes_ends_where_a_start_from_nothing_ends(states):
    previous = {}
    for estate, stage in states:
        wanted = inputs(estate, stage)
        advanced = advance(TABLES, previous, wanted.sample(fraction=1.0, shuffle=True, seed=1), compute)
        nothing = advance(TABLES, {}, wanted, compute)
        for table in TABLES:
            assert advanced.frames[table.name].equals(nothing.frames[table.name])
        assert advanced.computed + advanced.reused == wanted.height
        previous = advanced.frames


def test_only_what_moved_is_computed():
    asked = []

    def watched(stale):
        asked.append(stale.select(c.DOC_ID, c.VERSION_ID).rows())
        return compute(stale)

    first = advance(TABLES, {}, inputs({("a", "1"): "x", ("b", "1"): "y y"}), watched)
    second = advance(
        TABLES, first.frames, inputs({("a", "1"): "x", ("b", "1"): "y z", ("c", "1"): "w"}), watched
    )
    assert asked == [[("a", "1"), ("b", "1")], [("b", "1"), ("c", "1")]]
    assert (second.computed, second.reused) == (2, 1)


def test_nothing_is_asked_when_nothing_moved():
    first = advance(TABLES, {}, inputs({("a", "1"): "x"}), compute)
    again = advance(TABLES, first.frames, inputs({("a", "1"): "x"}), lambda _: 1 / 0)
    assert again.frames[LINES.name].equals(first.frames[LINES.name])
    assert (again.computed, again.reused) == (0, 1)


def test_a_retried_version_is_made_anew_with_all_its_rows():
    first = advance(TABLES, {}, inputs({("a", "1"): "x bad", ("b", "1"): "y"}), compute)
    asked = []

    def repaired(stale):
        asked.extend(stale[c.DOC_ID])
        return compute(stale.with_columns(pl.lit("x good").alias(c.TEXT)))

    again = advance(
        TABLES,
        first.frames,
        inputs({("a", "1"): "x bad", ("b", "1"): "y"}),
        repaired,
        retry=pl.col(c.TEXT) == "bad",
    )
    assert asked == ["a"]
    assert again.frames[LINES.name][c.TEXT].to_list() == ["x", "good", "y"]


def test_the_last_document_leaves_no_row():
    first = advance(TABLES, {}, inputs({("a", "1"): "x"}), compute)
    gone = advance(TABLES, first.frames, inputs({}), compute)
    assert [frame.height for frame in gone.frames.values()] == [0, 0]
    assert gone.frames[LINES.name].schema == LINES.schema
