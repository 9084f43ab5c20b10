"""Writes that fail and files that are torn or strange: what was published before stands."""

import errno
import os
import resource
import signal
import threading
from pathlib import Path

import polars as pl
import pytest

from pipeline.tables import columns as c
from pipeline.tables import lake as lake_module
from pipeline.tables.lake import STAGING, Lake, LakeError
from tests.tables.small import SMALL, run, small


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
            "from pipeline.tables import lake\n"
            "from tests.tables.small import SMALL, small\n"
            "lake._replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
            f"lake.Lake({published.root!r}).publish(SMALL, 'p', small('after'), 'j')"
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
