import errno
import io
import os
import resource
import signal
import subprocess
import sys
import threading
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.tables import columns as c
from pipeline.tables import lake as lake_module
from pipeline.tables import schemas as s
from pipeline.tables.lake import STAGING, Lake, LakeError, content_digest, validate

TABLES = (*s.ALL, s.embeddings("some-encoder", 4))
SMALL = s.Table(
    name="small",
    grain="One row per key.",
    key=(c.DOC_ID,),
    schema=pl.Schema({c.DOC_ID: pl.String, c.TEXT: pl.String, c.LAST_SEEN: pl.Datetime("us", "UTC")}),
    nullable=frozenset({c.TEXT}),
    stamps=frozenset({c.LAST_SEEN}),
)
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def value(dtype, n):  # noqa: PLR0911 - one for each type
    """Some value of a type, different for each n."""
    match dtype:
        case pl.Struct():
            return {field.name: value(field.dtype, n) for field in dtype.fields}
        case pl.List():
            return [value(dtype.inner, n + k) for k in range(n % 3 + 1)]
        case pl.Array():
            return [value(dtype.inner, n + k) for k in range(dtype.size)]
    if dtype == pl.String:
        return f"ğ§ß {n}"
    if dtype == pl.Boolean:
        return n % 2 == 0
    if dtype == pl.Date:
        return date(2026, 1, 1) + timedelta(days=n)
    if dtype == pl.Datetime("us", "UTC"):
        return NOON + timedelta(microseconds=n)
    return n / 8 if dtype.is_float() else n


def row(table, n):
    made = {name: value(dtype, n) for name, dtype in table.schema.items()}
    made |= {name: allowed[n % len(allowed)] for name, allowed in table.allowed.items()}
    return made | {name: None for name in table.nullable if n % 2}


def rows(table, count):
    return table.frame([row(table, n) for n in range(count)])


def small(*texts, seen=NOON):
    return SMALL.frame([{c.DOC_ID: str(n), c.TEXT: text, c.LAST_SEEN: seen} for n, text in enumerate(texts)])


def run(code, **environment):
    """Run code in a process of its own; `this` is this module."""
    load = (
        "import importlib.util as u, sys; spec = u.spec_from_file_location('this', sys.argv[1]);"
        "this = u.module_from_spec(spec); spec.loader.exec_module(this)\n"
    )
    return subprocess.run(
        [sys.executable, "-c", load + code, __file__],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | environment,
        cwd=Path(__file__).parents[2],
    )


@pytest.fixture(params=["disk", "memory"])
def lake(request, tmp_path):
    if request.param == "disk":
        return Lake(str(tmp_path / "a lake"))
    return Lake(f"memory://{tmp_path.name}")


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
            "print(*(this.content_digest(table, this.rows(table, 7)) for table in this.TABLES))",
            PYTHONHASHSEED="77", TZ="Asia/Tokyo",
        )  # fmt: skip
        assert out.stdout.split() == [content_digest(table, rows(table, 7)) for table in TABLES]


class TestContract:
    DOCUMENT = row(s.DOCUMENTS, 0)
    VECTOR = s.embeddings("e", 2)

    @pytest.mark.parametrize(
        ("change", "named"),
        [
            ({c.STATUS: "gone\nforever"}, ["status", r"'gone\nforever'", "live"]),
            ({c.ACL_GROUPS: []}, ["acl_groups", "empty"]),
            ({c.ACL_GROUPS: ["a", None]}, ["acl_groups", "null"]),
            ({c.URI: None}, ["uri", "null"]),
            ({c.DOC_ID: None}, ["doc_id", "null"]),
        ],
    )
    def test_a_wrong_value_is_refused_in_one_line(self, lake, change, named):
        good = s.DOCUMENTS.frame([self.DOCUMENT])
        lake.publish(s.DOCUMENTS, "c.0", good, "i")
        bad = s.DOCUMENTS.frame([self.DOCUMENT | {c.DOC_ID: "good"}, self.DOCUMENT | change])
        with pytest.raises(LakeError) as error:
            lake.publish(s.DOCUMENTS, "c.0", bad, "j")
        for part in ["documents/c.0", *named]:
            assert part in str(error.value)
        assert "\n" not in str(error.value)
        assert lake.read(s.DOCUMENTS, "c.0").equals(good)

    def test_the_offending_row_is_named_by_its_key(self, lake):
        frame = s.DOCUMENTS.frame([self.DOCUMENT, self.DOCUMENT | {c.DOC_ID: "the bad one", c.STATUS: "x"}])
        with pytest.raises(LakeError, match="doc_id 'the bad one'"):
            lake.publish(s.DOCUMENTS, "c.0", frame, "i")

    def test_a_key_twice_is_refused(self, lake):
        with pytest.raises(LakeError, match=r"small/p: key doc_id breaks .*uniqueness.*doc_id '0'.*2 in all"):
            lake.publish(SMALL, "p", pl.concat([small("x"), small("y")]), "i")
        assert lake.state(SMALL, "p") is None

    def test_a_vector_of_zeros_is_refused_by_name(self, lake):
        """B54: a cosine with it is not a number."""
        frame = self.VECTOR.frame(
            [
                {c.EMBED_HASH: "a", c.ENCODER: "e", c.VECTOR: [0.0, -1.0]},
                {c.EMBED_HASH: "b", c.ENCODER: "e", c.VECTOR: [0.0, 0.0]},
            ]
        )
        with pytest.raises(
            LakeError, match=r"embeddings/e/p: vector breaks 'not zero'.*embed_hash 'b'.*1 in all"
        ):
            lake.publish(self.VECTOR, "p", frame, "i")

    @pytest.mark.parametrize("bad", [float("nan"), float("inf"), None])
    def test_a_vector_has_numbers_only(self, lake, bad):
        frame = self.VECTOR.frame(
            [
                {c.EMBED_HASH: "a", c.ENCODER: "e", c.VECTOR: [0.0, 1.0]},
                {c.EMBED_HASH: "b", c.ENCODER: "e", c.VECTOR: [1.0, bad]},
            ]
        )
        with pytest.raises(LakeError, match=r"embeddings/e/p: vector breaks 'finite'.*embed_hash 'b'"):
            lake.publish(self.VECTOR, "p", frame, "i")

    @pytest.mark.parametrize(
        ("column", "bad"),
        [
            (c.QUALITY, float("nan")),
            (c.SCORES, {"confidence": float("nan"), "known_words": None}),
            (c.ATTEMPTS, [{"engine": "e", "preprocessing": "", "quality": float("inf")}]),
            (c.BLOCKS, [row(s.GATED_PAGES, 0)[c.BLOCKS][0] | {"bbox": [1.0, float("nan")]}]),
        ],
    )
    def test_nan_is_found_however_deep_it_lies(self, lake, column, bad):
        with pytest.raises(LakeError, match=f"gated_pages/p: {column} breaks '(finite|not_nullable)'"):
            lake.publish(
                s.GATED_PAGES, "p", s.GATED_PAGES.frame([row(s.GATED_PAGES, 0) | {column: bad}]), "i"
            )

    def test_a_score_that_was_not_computed_is_null(self, lake):
        scores = dict.fromkeys(row(s.GATED_PAGES, 0)[c.SCORES])
        frame = s.GATED_PAGES.frame([row(s.GATED_PAGES, 0) | {c.SCORES: scores, c.ATTEMPTS: []}])
        lake.publish(s.GATED_PAGES, "p", frame, "i")
        assert lake.read(s.GATED_PAGES, "p").equals(frame)

    @pytest.mark.parametrize(
        ("frame", "named"),
        [
            (small("x").drop(c.TEXT), "text"),
            (small("x").drop(c.DOC_ID), "doc_id"),
            (small("x").with_columns(pl.col(c.DOC_ID).cast(pl.Int64)), "doc_id"),
            (pl.DataFrame(), "doc_id"),
        ],
    )
    def test_a_wrong_shape_is_refused(self, lake, frame, named):
        with pytest.raises(LakeError, match=f"^small/p: .*{named}.*$"):
            lake.publish(SMALL, "p", frame, "i")

    def test_validate_refuses_a_column_too_many(self):
        with pytest.raises(LakeError, match="extra"):
            validate(SMALL, "p", small("x").with_columns(extra=1))

    def test_a_long_value_is_cut(self):
        frame = s.DOCUMENTS.frame([self.DOCUMENT | {c.STATUS: "x" * 100_000}])
        with pytest.raises(LakeError) as error:
            validate(s.DOCUMENTS, "p", frame)
        assert len(str(error.value)) < 500


class TestFailures:
    """Whatever happens to a write, what was published before stands."""

    @pytest.fixture
    def published(self, tmp_path):
        lake = Lake(str(tmp_path))
        lake.publish(SMALL, "p", small("before"), "i")
        return lake

    def stands(self, lake):
        assert lake.read(SMALL, "p").equals(small("before"))
        assert lake.state(SMALL, "p").inputs == "i"
        assert lake.partitions(SMALL) == ["p"]
        assert pl.read_parquet(f"{lake.root}/small/*.parquet").equals(small("before"))

    def test_an_error_between_writing_and_moving(self, published, monkeypatch):
        def full(*_):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(lake_module, "_replace", full)
        with pytest.raises(LakeError, match=r"small/p: cannot be written: .*No space left"):
            published.publish(SMALL, "p", small("after"), "j")
        self.stands(published)
        assert list(Path(published.root, STAGING).iterdir()) == []

    def test_a_disk_that_takes_no_more(self, published):
        """The kernel itself refuses the write, as a full disk does."""
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, limits[1]))
        try:
            with pytest.raises(LakeError, match="small/p: cannot be written"):
                published.publish(SMALL, "p", small("after"), "j")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        self.stands(published)
        assert list(Path(published.root, STAGING).iterdir()) == []
        published.publish(SMALL, "p", small("after"), "j")
        assert published.read(SMALL, "p").equals(small("after"))

    def test_a_store_that_returns_other_bytes(self, published, monkeypatch):
        import fsspec

        monkeypatch.setattr(fsspec.get_filesystem_class("file"), "cat_file", lambda *_, **__: b"other")
        with pytest.raises(LakeError, match="small/p: the store returned other bytes"):
            published.publish(SMALL, "p", small("after"), "j")
        self.stands(published)

    def test_a_root_that_is_no_folder(self, tmp_path):
        (tmp_path / "lake").write_text("a file")
        lake = Lake(str(tmp_path / "lake"))
        for act in (
            lambda: lake.publish(SMALL, "p", small("x"), "i"),
            lambda: lake.state(SMALL, "p"),
            lambda: lake.read(SMALL, "p"),
            lambda: lake.current(SMALL, "p"),
            lambda: lake.drop(SMALL, "p"),
        ):
            with pytest.raises(LakeError, match=r"small/p: cannot be \w+: .*Not a directory"):
                act()

    def test_a_store_that_cannot_be_asked_is_no_absence(self, published, monkeypatch):
        def denied(*_, **__):
            raise PermissionError(errno.EACCES, "Permission denied")

        with monkeypatch.context() as patch:
            patch.setattr(lake_module, "_open", denied)
            for act in (published.state, published.read, published.current):
                with pytest.raises(LakeError, match=r"small/p: cannot be read: .*Permission denied"):
                    act(SMALL, "p")
        self.stands(published)

    def test_a_process_killed_between_writing_and_moving(self, published):
        out = run(
            "import os, signal\n"
            "this.lake_module._replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
            f"this.Lake({published.root!r}).publish(this.SMALL, 'p', this.small('after'), 'j')"
        )
        assert out.returncode == -signal.SIGKILL, out.stderr
        self.stands(published)
        (left,) = Path(published.root, STAGING).iterdir()

        published.publish(SMALL, "q", small("other"), "i")
        assert left.exists(), "it may be another process that is writing just now"
        os.utime(left, (0, 0))
        published.publish(SMALL, "q", small("other"), "i")
        assert not left.exists()

    def test_readers_see_one_whole_state_or_the_other(self, tmp_path):
        lake = Lake(str(tmp_path))
        states = [small(*["x" * 1000] * 400), small(*["y"] * 3)]
        lake.publish(SMALL, "p", states[0], "0")

        def write():
            for n in range(24):
                lake.publish(SMALL, "p", states[n % 2], str(n % 2))

        writers = [threading.Thread(target=write) for _ in range(2)]
        for writer in writers:
            writer.start()
        reads = 0
        while any(writer.is_alive() for writer in writers):
            assert lake.read(SMALL, "p").height in (400, 3)
            assert lake.state(SMALL, "p").rows in (400, 3)
            reads += 1
        assert reads > 1
        assert list((tmp_path / STAGING).iterdir()) == []


class TestForeignFiles:
    @pytest.fixture
    def lake(self, tmp_path):
        lake = Lake(str(tmp_path))
        lake.publish(SMALL, "p", small("x"), "i")
        return lake

    def file(self, lake):
        return Path(lake.root, "small", "p.parquet")

    @pytest.mark.parametrize("damage", [
        lambda data: data[:-20],
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: b"no Parquet at all " * 20,
    ])  # fmt: skip
    def test_a_torn_file_is_told_and_made_anew(self, lake, damage):
        file = self.file(lake)
        file.write_bytes(damage(file.read_bytes()))
        assert lake.state(SMALL, "p") is None
        assert lake.current(SMALL, "p").equals(SMALL.empty())
        with pytest.raises(
            LakeError, match=r"^small/p: cannot be read .*; delete .*p\.parquet and run again$"
        ):
            lake.read(SMALL, "p")
        lake.publish(SMALL, "p", small("x"), "i")
        assert lake.read(SMALL).equals(small("x"))

    def test_torn_content_under_a_whole_footer_is_told(self, lake):
        data = bytearray(self.file(lake).read_bytes())
        data[4:40] = bytes(36)
        self.file(lake).write_bytes(data)
        with pytest.raises(LakeError, match="small/p: cannot be read"):
            lake.read(SMALL, "p")
        assert lake.current(SMALL, "p").equals(SMALL.empty())

    @pytest.mark.parametrize(
        "frame",
        [
            pl.DataFrame({"a": [1]}),
            small("x").drop(c.TEXT),
            small("x").with_columns(extra=1),
            small("x").select(reversed(SMALL.schema.names())),
            small("x").with_columns(pl.lit(1).alias(c.TEXT)),
        ],
    )
    def test_a_file_of_another_shape_is_told_and_made_anew(self, lake, frame):
        """As an upgrade that changes a table finds them, or a stranger's file in the folder."""
        metadata = pl.read_parquet_metadata(self.file(lake))
        frame.write_parquet(
            self.file(lake), metadata={k: v for k, v in metadata.items() if k.startswith("kesit")}
        )
        assert lake.state(SMALL, "p") is None
        assert lake.current(SMALL, "p").equals(SMALL.empty())
        with pytest.raises(
            LakeError, match=r"^small/p: has other columns .*; delete .*p\.parquet and run again$"
        ):
            lake.read(SMALL, "p")

    def test_a_file_without_our_footer_is_not_what_a_stage_published(self, lake):
        small("x").write_parquet(self.file(lake))
        assert lake.state(SMALL, "p") is None

    def test_other_files_are_no_partitions(self, lake):
        for name in ("notes.txt", "p.parquet.bak", "._p.parquet", ".DS_Store"):
            self.file(lake).with_name(name).write_bytes(b"x")
        assert lake.partitions(SMALL) == ["p"]
        assert lake.read(SMALL).equals(small("x"))
