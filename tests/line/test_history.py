"""Every run leaves a row in the history, also one that stopped; and runs that take only some of the documents."""

import os
import time
from datetime import UTC, datetime, timedelta

import pytest

from pipeline.index.pointer import read_pointer, write_candidate
from pipeline.line.history import history_json, history_lines, read_history
from pipeline.line.status import status
from pipeline.tables import schemas as s
from pipeline.tables.lake import Lake, LakeError
from tests.line.projects import Project, assert_same, content, texts
from tests.line.receiver import receiver

OLD = "Der Kran in Halle zwei hebt höchstens vier Tonnen."
NEW = "Der Kran in Halle zwei hebt höchstens neun Tonnen."


@pytest.fixture
def project(tmp_path) -> Project:
    return Project(tmp_path / "p")


def runs(project: Project, limit: int = 20):
    return history_json(read_history(project.workspace().lake, limit=limit))


def test_each_run_is_a_row_and_the_latest_comes_first(project):
    project.write("a.txt", OLD)
    report = project.run()
    project.write("b.txt", NEW)
    project.run()
    last, first = runs(project)
    assert (first["changes"]["created"], first["computed"], first["outcome"]) == (1, 1, "complete")
    assert first["report"]["chunks"] == report.chunks
    assert last["started_at"] > first["started_at"]
    assert last["promoted"]
    assert last["build"] == status(project.workspace()).newest["build"]
    assert runs(project, limit=1) == [last]
    assert "1 created" in next(iter(history_lines([last])))


def test_history_and_status_have_the_same_words_for_how_a_run_ended(project):
    project.write("a.pdf", "kein PDF")
    project.run()
    words = "complete but for failed documents"
    assert words in next(iter(history_lines(runs(project))))
    assert any(words in line for line in status(project.workspace()).lines())


def test_a_month_is_a_partition(project):
    project.write("a.txt", OLD)
    project.run()
    lake = project.workspace().lake
    (month,) = lake.partitions(s.RUNS)
    earlier = lake.read(s.RUNS, month).with_columns(started_at=datetime(2020, 1, 31, tzinfo=UTC))
    lake.publish(s.RUNS, "2020-01", earlier, "")
    assert [run["started_at"][:4] == "2020" for run in runs(project)] == [False, True]
    assert len(runs(project, limit=1)) == 1


def test_a_run_that_stopped_is_in_the_history_the_status_and_the_alert(project, monkeypatch):
    from assets.run import open_driver

    project.write("a.txt", OLD)
    project.run()
    project.write("a.txt", NEW)
    publish = Lake.publish

    def refusing(lake, table, *rest):
        if table.name == "chunks":
            raise LakeError("chunks/docs.0: cannot be written: the store said no")
        return publish(lake, table, *rest)

    with receiver() as received, monkeypatch.context() as patched:
        project.configure(alerts={"webhook": received.url})
        patched.setattr(Lake, "publish", refusing)
        project.run(open_driver)
    error = "docs.0: chunks: chunks/docs.0: cannot be written: the store said no"
    assert (runs(project)[0]["outcome"], runs(project)[0]["errors"]) == ("stopped", [error])
    assert [body["errors"] for body in received.bodies] == [[error]]
    found = status(project.workspace())
    assert found.last_run["errors"] == [error]
    assert found.stages["chunks"]["stale"] == ["docs.0"]
    assert found.stages["parsed_pages"]["fresh"] == 1
    shown = "\n".join(found.lines())
    assert error in shown
    assert "chunks: 1 of 1 partitions (docs.0)" in shown


def test_that_a_run_cannot_be_kept_does_not_undo_it(project, monkeypatch):
    publish = Lake.publish

    def refusing(lake, table, *rest):
        if table is s.RUNS:
            raise LakeError("runs: the store said no")
        return publish(lake, table, *rest)

    project.write("a.txt", OLD)
    with monkeypatch.context() as patched:
        patched.setattr(Lake, "publish", refusing)
        assert project.run().errors == ()
    assert runs(project) == []
    assert "vier Tonnen" in texts(project)


def test_a_build_that_is_not_live_is_named_with_the_reason(project):
    project.write("a.txt", OLD)
    project.run()
    found = status(project.workspace())
    assert found.newest == {
        "build": f"{found.live['table']}@{found.live['version']}",
        "live": True,
        "reason": "",
    }
    root = project.workspace().index_root
    waiting = read_pointer(root).current.model_copy(
        update={"version": 99, "evaluation": {"promote": False, "reason": "recall fell by 4 %"}}
    )
    write_candidate(root, waiting)
    found = status(project.workspace())
    assert found.newest == {"build": waiting.name, "live": False, "reason": "recall fell by 4 %"}
    assert f"newest      {waiting.name} is not live: recall fell by 4 %" in list(found.lines())


def test_a_limit_takes_so_many_and_the_next_run_the_rest(project, tmp_path):
    for n in range(5):
        project.write(f"{n}.txt", OLD.replace("zwei", str(n)))
    report = project.run(limit=2)
    assert report.documents["created"] == 2
    assert all(f"Halle {n}" in texts(project) for n in (0, 1))
    assert "Halle 2" not in texts(project)
    assert project.run().documents["created"] == 3
    assert_same(content(project), content(project.rebuilt(tmp_path / "again")))


def test_a_limit_counts_over_the_collections(tmp_path):
    project = Project(tmp_path / "p", *({"name": n, "source": n, "buckets": 1} for n in ("a", "b")))
    for collection in ("a", "b"):
        for n in range(2):
            (project.folder / collection / f"{n}.txt").write_text(f"{collection} {OLD} {n}", encoding="utf-8")
    assert project.run(limit=3).documents["created"] == 3


def test_what_was_written_before_a_day_waits(project):
    ago = time.time() - 10 * 86_400
    os.utime(project.write("old.txt", OLD), (ago, ago))
    project.write("new.txt", NEW)
    project.run(since=datetime.now(UTC) - timedelta(days=2))
    assert "neun Tonnen" in texts(project)
    assert "vier Tonnen" not in texts(project)
    project.run()
    assert "vier Tonnen" in texts(project)


def test_who_may_no_longer_see_a_document_does_not_although_its_new_text_waits(project, tmp_path):
    project.write("a.txt", OLD)
    project.write("b.txt", OLD.replace("Kran", "Aufzug"))
    project.run()
    project.write("a.txt", NEW, acl_groups=["hr"])
    (project.docs / "b.txt").unlink()
    report = project.run(limit=0)
    assert (report.documents["updated"], report.documents["deleted"]) == (0, 1)
    assert project.search("Kran Halle") == ()
    assert project.search("Aufzug Halle") == ()
    (found,) = project.search("Kran Halle", groups=("hr",))
    assert "vier Tonnen" in found.text
    project.run()
    assert "neun Tonnen" in texts(project)
    assert_same(content(project), content(project.rebuilt(tmp_path / "again")))
