"""The live pointer: one file, replaced whole."""

import datetime as dt
from pathlib import Path

import pytest

from pipeline.index.errors import NoIndexYetError, SearchIndexError
from pipeline.index.pointer import (
    Build,
    Pointer,
    discard_candidate,
    find_pointer,
    promote,
    read_candidate,
    read_pointer,
    write_candidate,
)


def _build(version: int, table: str = "t") -> Build:
    at = dt.datetime(2026, 1, version, tzinfo=dt.UTC)
    return Build(table=table, version=version, fingerprint="f", rows=3, promoted_at=at)


def test_before_the_first_build_there_is_no_index_yet(tmp_path: Path) -> None:
    root = str(tmp_path / "index")
    with pytest.raises(NoIndexYetError, match=r"no index yet at .*index: run `kesit run` first"):
        read_pointer(root)
    assert find_pointer(root) is None
    assert not Path(root).exists()


def test_promotion_pushes_what_was_live_down(tmp_path: Path) -> None:
    root = str(tmp_path)
    for version in (1, 2, 3):
        pointer = promote(root, _build(version))
    assert pointer == read_pointer(root)
    assert [build.name for build in pointer.builds] == ["t@3", "t@2", "t@1"]


def test_promoting_what_is_live_changes_its_evaluation_only(tmp_path: Path) -> None:
    root = str(tmp_path)
    promote(root, _build(1))
    later = _build(1).model_copy(
        update={"promoted_at": dt.datetime(2026, 2, 1, tzinfo=dt.UTC), "evaluation": {"r": 1}}
    )
    pointer = promote(root, later)
    assert pointer.previous == ()
    assert pointer.current.promoted_at == _build(1).promoted_at
    assert pointer.current.evaluation == {"r": 1}


def test_the_candidate_is_one_until_it_goes_live(tmp_path: Path) -> None:
    root = str(tmp_path)
    assert read_candidate(root) is None
    discard_candidate(root)
    write_candidate(root, _build(2))
    promote(root, _build(1))
    assert read_candidate(root) == _build(2)
    promote(root, _build(2))
    assert read_candidate(root) is None


def test_an_object_store_works_the_same_way() -> None:
    root = "memory://kesit-test-pointer"
    assert promote(root, _build(1)) == read_pointer(root) == Pointer(current=_build(1))
    write_candidate(root, _build(2))
    assert read_candidate(root) == _build(2)
    discard_candidate(root)
    assert read_candidate(root) is None


@pytest.mark.parametrize("content", ["", "{", '{"current": {"table": "t"}}', '{"other": 1}'])
def test_a_damaged_pointer_is_said_so(tmp_path: Path, content: str) -> None:
    (tmp_path / "live.json").write_text(content)
    with pytest.raises(SearchIndexError, match=r"live\.json is damaged"):
        read_pointer(str(tmp_path))


def test_a_failed_write_leaves_the_pointer_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = str(tmp_path)
    promote(root, _build(1))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(SearchIndexError, match="No space left on device; the pointer stays as it was"):
        promote(root, _build(2))
    assert read_pointer(root).current == _build(1)
    assert [path.name for path in tmp_path.iterdir()] == ["live.json"]
