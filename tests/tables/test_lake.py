"""Publishing and reading, and the digest of a table."""

import io
from datetime import timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from pipeline.tables.lake import Lake, content_digest
from tests.tables.small import NOON, SMALL, TABLES, rows, run, small


class TestRoundTrip:
    @pytest.mark.parametrize("table", TABLES, ids=lambda t: t.name)
    @pytest.mark.parametrize("count", [0, 1, 7])
    def test_what_is_published_is_read(self, lake, table, count):
        frame = rows(table, count)
        published = lake.publish(table, "contracts.0", frame, "inputs")
        assert lake.read(table, "contracts.0").equals(frame)
        assert lake.read(table, "contracts.0").schema == table.schema
        assert lake.read(table).equals(frame)
        assert lake.state(table, "contracts.0") == published
        assert (published.inputs, published.rows) == ("inputs", count)
        assert published.digest == content_digest(table, frame)
        assert lake.partitions(table) == ["contracts.0"]

    @pytest.mark.parametrize("table", TABLES, ids=lambda t: t.name)
    def test_plain_polars_reads_the_same_table(self, tmp_path, table):
        lake = Lake(str(tmp_path))
        frame = rows(table, 6)
        lake.publish(table, "b.1", frame[3:], "i")
        lake.publish(table, "a.0", frame[:3], "i")
        assert pl.read_parquet(f"{tmp_path}/{table.name}/*.parquet").equals(lake.read(table))
        assert lake.read(table).sort(table.key).equals(frame)

    def test_rows_are_sorted_by_key_and_foreign_columns_left_out(self, lake):
        frame = small("x", "y", "z")
        lake.publish(
            SMALL, "p", frame.reverse().with_columns(other=1).select("other", *reversed(frame.columns)), "i"
        )
        assert lake.read(SMALL, "p").equals(frame)

    def test_nothing_published_is_an_empty_table(self, lake):
        assert lake.read(SMALL, "p").equals(SMALL.empty())
        assert lake.read(SMALL).equals(SMALL.empty())
        assert lake.read(SMALL, columns=[c.TEXT]).schema == {c.TEXT: pl.String}
        assert lake.current(SMALL, "p").equals(SMALL.empty())
        assert lake.state(SMALL, "p") is None
        assert lake.partitions(SMALL) == []
        lake.drop(SMALL, "p")

    def test_chosen_columns_come_in_the_order_asked_for(self, lake):
        lake.publish(SMALL, "p", small("x"), "i")
        for partition in ("p", "absent", None):
            assert lake.read(SMALL, partition, [c.TEXT, c.DOC_ID]).columns == [c.TEXT, c.DOC_ID]
            with pytest.raises(KeyError, match="textt"):
                lake.read(SMALL, partition, ["textt"])

    def test_a_dropped_partition_is_gone(self, lake):
        lake.publish(SMALL, "p", small("x"), "i")
        lake.publish(SMALL, "q", small("y"), "i")
        lake.drop(SMALL, "p")
        assert lake.partitions(SMALL) == ["q"]
        assert lake.read(SMALL)[c.TEXT].to_list() == ["y"]

    def test_republishing_replaces(self, lake):
        lake.publish(SMALL, "p", small("x", "y"), "i")
        lake.publish(SMALL, "p", small("z"), "j")
        assert lake.read(SMALL, "p")[c.TEXT].to_list() == ["z"]
        assert lake.state(SMALL, "p").inputs == "j"

    def test_another_process_lake_sees_it_at_once(self, tmp_path):
        mine, theirs = Lake(str(tmp_path)), Lake(f"file://{tmp_path}")
        assert theirs.partitions(SMALL) == []
        mine.publish(SMALL, "p", small("x"), "i")
        assert theirs.partitions(SMALL) == ["p"]
        assert theirs.read(SMALL).equals(small("x"))


class TestDigest:
    def test_stamps_are_no_content(self, lake):
        first = lake.publish(SMALL, "p", small("x"), "i")
        later = lake.publish(SMALL, "p", small("x", seen=NOON + timedelta(days=1)), "j")
        other = lake.publish(SMALL, "p", small("y"), "i")
        assert first.digest == later.digest != other.digest

    def test_a_table_s_digest_moves_with_content_and_partition(self, lake):
        digests = [lake.digest(SMALL)]
        lake.publish(SMALL, "p", small("x"), "i")
        digests.append(lake.digest(SMALL))
        lake.publish(SMALL, "q", small("x"), "i")
        digests.append(lake.digest(SMALL))
        lake.drop(SMALL, "p")
        digests.append(lake.digest(SMALL))
        assert len(set(digests)) == 4
        lake.publish(SMALL, "q", small("x"), "j")
        assert lake.digest(SMALL) == digests[-1]

    LONG = st.text(max_size=30) | st.none()

    @settings(max_examples=40, deadline=None)
    @given(
        st.lists(st.tuples(LONG, st.lists(LONG, max_size=3), st.none() | st.integers(0, 9)), max_size=8),
        st.data(),
    )
    def test_it_is_of_the_values_and_not_of_their_form_in_memory(self, values, data):
        table = s.Table("t", "", ("k",), pl.Schema({
            "k": pl.Int32, "text": pl.String, "list": pl.List(pl.String), "n": pl.Int32, "both": pl.Struct({"a": pl.String}),
        }))  # fmt: skip
        made = [
            {"k": k, "text": text, "list": texts, "n": n, "both": {"a": text}}
            for k, (text, texts, n) in enumerate(values)
        ]
        plain = table.frame(made)
        cut = data.draw(st.integers(0, len(made)))
        chunked = pl.concat([table.frame(made[:cut]), table.frame(made[cut:])], rechunk=False)
        strangers = [row | {"k": 100 + row["k"]} for row in made]
        filtered = table.frame(made + strangers).filter(pl.col("k") < 100)
        sliced = table.frame(strangers[:1] + made).sort("k").slice(0, len(made))
        hidden = plain.with_columns(
            pl.col("text").fill_null("something that lies beneath a null"), pl.col("n").fill_null(7)
        )
        hidden = hidden.with_columns(
            text=pl.when(plain["text"].is_not_null()).then("text"),
            n=pl.when(plain["n"].is_not_null()).then("n"),
        )
        stored = io.BytesIO()
        plain.write_parquet(stored)
        stored.seek(0)
        for same in (chunked, filtered, sliced, hidden, pl.read_parquet(stored)):
            assert same.equals(plain)
            assert content_digest(table, same) == content_digest(table, plain)

    def test_it_tells_nulls_from_empty_values(self):
        table = s.Table("t", "", (), pl.Schema({"a": pl.String, "l": pl.List(pl.String)}))
        frames = [
            table.frame([{"a": a, "l": l}])
            for a in ("", None)
            for l in ([], [None], [""], None)  # noqa: E741
        ]
        assert len({content_digest(table, frame) for frame in frames}) == len(frames)

    def test_it_is_the_same_in_another_process_with_another_hash_seed(self):
        out = run(
            "from pipeline.tables.lake import content_digest\nfrom tests.tables.small import TABLES, rows\nprint(*(content_digest(table, rows(table, 7)) for table in TABLES))",
            PYTHONHASHSEED="77", TZ="Asia/Tokyo",
        )  # fmt: skip
        assert out.stdout.split() == [content_digest(table, rows(table, 7)) for table in TABLES]
