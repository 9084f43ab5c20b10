"""Readers are pinned: whatever a writer does, they see one build."""

import datetime as dt
import shutil
import threading
from pathlib import Path

import pytest

from pipeline.config import IndexConfig
from pipeline.index.build import BuildResult
from pipeline.index.errors import IndexMissingError, NoIndexYetError
from pipeline.index.pointer import Build, promote
from pipeline.index.reader import OpenBuild, is_there, open_build, open_live
from tests.index.builds import apply_build

CONFIG = IndexConfig()  # pyright: ignore[reportCallIssue]
NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)


def _live(root: str, result: BuildResult) -> Build:
    build = Build(
        table=result.table, version=result.version, fingerprint="f", rows=result.rows, promoted_at=NOW
    )
    promote(root, build)
    return build


def _answers(opened: OpenBuild, word: str) -> tuple[list[str], list[str], list[str]]:
    """Ids by full text, by vector and by both."""
    table = opened.table
    query = table.search(word, query_type="fts", fts_columns="search_text").limit(3)
    words = [row["chunk_id"] for row in query.to_list()]
    vector = table.search().limit(1).to_list()[0]["vector_demo"]
    near = [
        row["chunk_id"] for row in table.search(vector, vector_column_name="vector_demo").limit(50).to_list()
    ]
    hybrid = table.search(query_type="hybrid", vector_column_name="vector_demo", fts_columns="search_text")
    both = [row["chunk_id"] for row in hybrid.vector(vector).text(word).limit(50).to_list()]
    return words, sorted(near), sorted(both)


def test_nothing_live_nothing_to_open(tmp_path: Path) -> None:
    with pytest.raises(NoIndexYetError):
        open_live(str(tmp_path))


def test_a_pinned_reader_sees_its_build_in_every_kind_of_search(tmp_path: Path, make_rows) -> None:
    root = str(tmp_path)
    _live(root, apply_build(root, "t", make_rows({"a": ["Tanne"], "b": ["Fichte"]}), CONFIG))
    live = open_live(root)
    before = _answers(live.opened, "fichte")
    assert before[0] == ["b-0"]
    result = apply_build(root, "t", make_rows({"a": ["Tanne"], "c": ["Lärche"]}), CONFIG)
    assert not live.refresh()
    assert _answers(live.opened, "fichte") == before
    _live(root, result)
    assert _answers(live.opened, "fichte") == before
    assert live.refresh()
    assert _answers(live.opened, "fichte") == ([], ["a-0", "c-0"], ["a-0", "c-0"])
    assert not live.refresh()


def test_readers_never_see_a_mixture_while_builds_come_and_go(tmp_path: Path, make_rows) -> None:
    root = str(tmp_path)
    states = [{doc: [f"Stand {n}"] for doc in "abcde"} for n in range(6)]
    _live(root, apply_build(root, "t", make_rows(states[0]), CONFIG))
    stop = threading.Event()
    seen: list[set[str]] = []
    failures: list[BaseException] = []

    def read() -> None:
        live = open_live(root)
        try:
            while not stop.is_set():
                live.refresh()
                opened = live.opened
                seen.append({row["text"] for row in opened.table.search().limit(50).to_list()})
                _answers(opened, "stand")
        except BaseException as error:  # noqa: BLE001 - the main thread reports it
            failures.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    for state in states[1:]:
        _live(root, apply_build(root, "t", make_rows(state), CONFIG))
    stop.set()
    reader.join()
    assert failures == []
    assert seen
    assert all(len(texts) == 1 for texts in seen)


def test_a_pointer_to_nothing_names_the_last_good_build(tmp_path: Path, make_rows) -> None:
    root = str(tmp_path)
    good = _live(root, apply_build(root, "old", make_rows({"a": ["eins"]}), CONFIG))
    bad = _live(root, apply_build(root, "new", make_rows({"a": ["zwei"]}), CONFIG))
    shutil.rmtree(tmp_path / "new.lance")
    with pytest.raises(
        IndexMissingError,
        match=rf"names {bad.name}, but table new is not there; the last good build is {good.name}",
    ):
        open_live(root)
    shutil.rmtree(tmp_path / "old.lance")
    with pytest.raises(IndexMissingError, match="`kesit run` builds anew"):
        open_live(root)


def test_a_missing_version_is_said_so(tmp_path: Path, make_rows) -> None:
    root = str(tmp_path)
    result = apply_build(root, "t", make_rows({"a": ["eins"]}), CONFIG)
    absent = Build(table="t", version=result.version + 7, fingerprint="f", rows=1, promoted_at=NOW)
    with pytest.raises(IndexMissingError, match=rf"version {absent.version} of table t is not there"):
        open_build(root, absent)


def test_what_is_there_is_told_without_opening_it(tmp_path: Path, make_rows, monkeypatch) -> None:
    root = str(tmp_path)
    first = apply_build(root, "t", make_rows({"a": ["eins"]}), CONFIG)
    second = apply_build(root, "t", make_rows({"a": ["zwei"]}), CONFIG)
    builds = [_live(root, result) for result in (first, second)]
    lost = builds[1].model_copy(update={"version": second.version + 1})
    assert [is_there(root, build) for build in (*builds, lost)] == [True, True, False]
    with monkeypatch.context() as patched:  # the names of files are enough
        patched.setattr("pipeline.index.reader.connect", None)
        assert all(is_there(root, build) for build in builds)
    shutil.rmtree(tmp_path / "t.lance")
    assert not is_there(root, builds[0])
