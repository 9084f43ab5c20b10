"""Removal of what no pointer names, and of nothing else."""

import datetime as dt
import time
from pathlib import Path

from pipeline.config import IndexConfig
from pipeline.index.build import BuildResult
from pipeline.index.pointer import Build, promote, read_pointer, write_candidate
from pipeline.index.reader import open_build, open_live
from pipeline.index.retention import has_expired, remove_expired
from pipeline.index.tables import connect, table_names
from tests.index.builds import apply_build

CONFIG = IndexConfig()  # pyright: ignore[reportCallIssue]
NOTHING = dt.timedelta(0)


def _build(result: BuildResult, at: dt.datetime | None = None) -> Build:
    at = at or dt.datetime.now(dt.UTC)
    return Build(
        table=result.table, version=result.version, fingerprint="f", rows=result.rows, promoted_at=at
    )


def test_without_a_pointer_nothing_is_removed(tmp_path: Path, make_rows) -> None:
    apply_build(str(tmp_path), "t", make_rows({"a": ["x"]}), CONFIG)
    later = dt.datetime.now(dt.UTC) + dt.timedelta(days=99)
    assert remove_expired(str(tmp_path), 0, later).tables == ()


def test_builds_leave_when_their_window_is_over(tmp_path: Path, make_rows) -> None:
    root = str(tmp_path)
    start = dt.datetime.now(dt.UTC)
    for day, table in enumerate(("one", "two", "three")):
        result = apply_build(root, table, make_rows({"a": [table]}), CONFIG)
        promote(root, _build(result, start + dt.timedelta(days=day)))
    apply_build(root, "rejected", make_rows({"a": ["rejected"]}), CONFIG)
    write_candidate(root, _build(apply_build(root, "waiting", make_rows({"a": ["w"]}), CONFIG)))
    # "one" ceased to be live on day 1, "two" on day 2.
    early = remove_expired(root, 14, start + dt.timedelta(days=14))
    assert (early.builds, early.tables) == ((), ())
    removed = remove_expired(root, 14, start + dt.timedelta(days=15, hours=12))
    assert [name.split("@")[0] for name in removed.builds] == ["one"]
    assert removed.tables == ("one", "rejected")
    assert table_names(connect(root)) == ["three", "two", "waiting"]
    assert [build.table for build in read_pointer(root).builds] == ["three", "two"]


def test_old_versions_of_a_living_table_go_and_named_ones_stay(tmp_path: Path, make_rows) -> None:
    root = str(tmp_path)
    for word in ("eins", "zwei", "drei"):
        promote(root, _build(apply_build(root, "t", make_rows({"a": [word]}), CONFIG)))
        time.sleep(0.05)
    pointer = read_pointer(root)
    table = connect(root).open_table("t")
    before = len(table.list_versions())
    now = dt.datetime.now(dt.UTC)
    assert remove_expired(root, 14, now).versions == 0  # younger than the grace
    kept = remove_expired(root, 14, now, grace=dt.timedelta(milliseconds=5))
    assert kept.builds == ()
    for build in pointer.builds:
        assert open_build(root, build).table.count_rows() == 1
    assert len(connect(root).open_table("t").list_versions()) == before - kept.versions
    assert kept.versions > 0
    removed = remove_expired(root, 0, now, grace=dt.timedelta(milliseconds=5))
    assert len(removed.builds) == 2
    assert removed.versions > 0
    assert open_live(root).opened.table.search().to_list()[0]["text"] == "drei"


def test_what_a_tag_holds_stays_and_can_be_gone_back_to(tmp_path: Path, make_rows) -> None:
    root = str(tmp_path)
    for word in ("eins", "zwei", "drei"):
        promote(root, _build(apply_build(root, "t", make_rows({"a": [word]}), CONFIG)))
        time.sleep(0.05)
    other = apply_build(root, "other", make_rows({"a": ["x"]}), CONFIG)
    connect(root).open_table("other").tags.create("audit", other.version)
    held = read_pointer(root).previous[1]
    connect(root).open_table("t").tags.create("audit", held.version)
    now = dt.datetime.now(dt.UTC) + dt.timedelta(days=30)
    removed = remove_expired(root, 0, now, grace=dt.timedelta(milliseconds=5))
    assert len(removed.builds) == 1
    assert removed.tables == ()
    assert [build.name for build in read_pointer(root).previous] == [held.name]
    assert open_build(root, held).table.search().to_list()[0]["text"] == "eins"
    connect(root).open_table("t").tags.delete("audit")
    connect(root).open_table("other").tags.delete("audit")
    removed = remove_expired(root, 0, now, grace=dt.timedelta(milliseconds=5))
    assert removed.builds == (held.name,)
    assert removed.tables == ("other",)
    assert removed.versions > 0


def test_the_pointer_alone_tells_whether_a_build_has_expired(tmp_path: Path, make_rows) -> None:
    root = str(tmp_path)
    start = dt.datetime.now(dt.UTC)
    assert not has_expired(root, 0, start)
    for day, table in enumerate(("one", "two")):
        result = apply_build(root, table, make_rows({"a": [table]}), CONFIG)
        promote(root, _build(result, start + dt.timedelta(days=day)))
    # "one" ceased to be live on day 1.
    assert not has_expired(root, 14, start + dt.timedelta(days=14))
    assert has_expired(root, 14, start + dt.timedelta(days=15, hours=12))
    remove_expired(root, 14, start + dt.timedelta(days=15, hours=12))
    assert not has_expired(root, 14, start + dt.timedelta(days=99))
