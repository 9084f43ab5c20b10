"""The list of builds, and what a rollback says it loses."""

import shutil
from datetime import timedelta

import pytest

from pipeline.index.pointer import read_pointer
from pipeline.index.tables import connect
from pipeline.line.builds import build_lines, list_builds, preview_rollback, roll_back, rollback_lines
from pipeline.line.lock import RUN, holding
from pipeline.line.status import status
from tests.line.projects import Project
from tests.line.test_stages import with_questions


@pytest.fixture
def project(tmp_path) -> Project:
    project = Project(tmp_path / "project")
    project.write("a.txt", "Die Kantine öffnet um elf Uhr.")
    project.write("b.txt", "Der Kompressor steht in Halle vier.", external_id="K-1")
    project.run()
    return project


def states(project: Project) -> list[str]:
    return [build["state"] for build in list_builds(project.workspace())]


def test_every_state_has_its_name(project, monkeypatch):
    project.write("a.txt", "Die Kantine öffnet um zwölf Uhr.")
    project.run()
    assert states(project) == ["live", "previous"]
    with_questions(project, ("a.txt", "Die Kantine öffnet um zwölf Uhr."), floor=0.0)
    project.write("a.txt", "Die Kantine ist geschlossen.")
    project.configure(evaluation={"questions": "questions.jsonl", "min_recall_at_5": 1.0})
    project.run()
    assert states(project) == ["live", "previous", "rejected"]
    rejected = list_builds(project.workspace())[-1]
    assert not rejected["evaluation"]["promote"]
    assert any("recall@5 0.000 on 1 questions" in line for line in build_lines([rejected]))
    later = project.workspace().now() + timedelta(days=60)
    monkeypatch.setattr("pipeline.line.workspace.Workspace.now", lambda _self: later)
    assert states(project) == ["live", "expired", "rejected"]
    root = project.workspace().index_root
    previous = read_pointer(root).previous[0]
    connect(root).open_table(previous.table).tags.create("audit", previous.version)
    held = list_builds(project.workspace())[1]
    assert (held["state"], held["tag"]) == ("previous", "audit")


def test_a_table_that_a_run_is_writing_is_not_called_expired(project):
    database = connect(project.workspace().index_root)
    database.create_table("build_next", data=[{"chunk_id": "1"}])
    with holding(project.workspace(), RUN):
        assert states(project) == ["live", "building"]
    assert states(project) == ["live", "expired"]
    holder = project.workspace().private_folder / ".locks" / f"{RUN}.holder"
    holder.write_text(str(2**22 + 1), encoding="utf-8")  # a run that was killed: no such process
    assert states(project) == ["live", "expired"]


def test_the_status_after_a_rollback_says_that_nothing_new_goes_live(project):
    before = read_pointer(project.workspace().index_root).current.name
    project.configure(chunking={"max_tokens": 64, "min_tokens": 0})
    project.run()
    roll_back(project.workspace(), before)
    project.write("c.txt", "Die Pumpe läuft.")
    found = status(project.workspace())
    assert "index" in found.stale
    assert "somebody went back from what kesit.toml asks for" in "\n".join(found.lines())
    assert "brings it up to date" not in "\n".join(found.lines())
    assert not project.run().index["promoted"]
    project.configure(chunking={})
    assert status(project.workspace()).held == ""
    assert project.run().index["promoted"]


def test_who_goes_back_twice_goes_back_from_the_first_build_still(project):
    root = project.workspace().index_root
    first = read_pointer(root).current.name
    project.write("a.txt", "Die Kantine öffnet um zwölf Uhr.")
    project.run()
    second = read_pointer(root).current.name
    project.write("a.txt", "Die Kantine ist geschlossen.")
    project.run()
    third = read_pointer(root).current.name
    roll_back(project.workspace(), second)
    roll_back(project.workspace(), first)
    assert not project.run().index["promoted"]
    roll_back(project.workspace(), third)  # and no longer when it is what answers again
    assert read_pointer(root).held == ""


def test_a_build_that_somebody_went_back_from_stays_back_wherever_it_is_shown(project):
    project.write("a.txt", "Die Kantine öffnet um zwölf Uhr.")
    project.run()
    roll_back(project.workspace(), None)
    project.run()
    assert states(project) == ["live", "previous", "rejected"]
    newest = status(project.workspace()).newest
    assert newest is not None
    shown = list_builds(project.workspace())[-1]
    assert (shown["build"], shown["reason"]) == (newest["build"], newest["reason"])
    assert "a person went back" in "\n".join(build_lines([shown]))


def test_what_a_rollback_leaves_newer_than_live_is_told_at_once(project):
    project.write("c.txt", "Die Pumpe läuft.")
    project.run()
    roll_back(project.workspace(), None)
    behind = read_pointer(project.workspace().index_root).behind
    assert behind is not None
    assert behind.documents == 1
    assert str(behind) in "\n".join(status(project.workspace()).lines())
    roll_back(project.workspace(), None)
    assert read_pointer(project.workspace().index_root).behind is None


def test_sizes_and_fingerprints_are_those_on_the_disk(project):
    (live,) = list_builds(project.workspace())
    folder = project.folder / "data" / "index" / f"{live['table']}.lance"
    assert live["table_bytes"] == sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    assert 0 < live["bytes"] < live["table_bytes"]
    text = "\n".join(build_lines([live]))
    assert live["fingerprint"][:16] in text
    assert "2 rows" in text
    assert "MB" in text


def test_what_nothing_names_and_what_is_gone_are_said(project):
    root = project.workspace().index_root
    index = project.folder / "data" / "index"
    first = read_pointer(root).current
    shutil.copytree(index / f"{first.table}.lance", index / "left_over.lance")
    project.configure(chunking={"max_tokens": 64, "min_tokens": 0})
    project.run()
    shutil.rmtree(index / f"{first.table}.lance")
    assert states(project) == ["live", "missing", "expired"]
    assert "left_over" in "\n".join(build_lines(list_builds(project.workspace())))


def test_a_rollback_says_which_documents_are_missing_or_older(project):
    before = read_pointer(project.workspace().index_root).current
    project.write("a.txt", "Die Kantine öffnet um zwölf Uhr.")
    project.write("c.txt", "Neu: die Pforte ist nachts besetzt.")
    project.write("b.txt", "Der Kompressor steht in Halle vier.", external_id="K-2")
    project.run()
    live = read_pointer(project.workspace().index_root)
    preview = preview_rollback(project.workspace(), None)
    assert read_pointer(project.workspace().index_root) == live
    assert preview["version"] == before.version
    assert preview["lost"] == {
        "missing": ("docs/c.txt",),
        "identified_anew": ("docs/b.txt",),
        "older": ("docs/a.txt",),
    }
    done = roll_back(project.workspace(), None)
    assert done["lost"] == preview["lost"]
    text = "\n".join(rollback_lines(done))
    assert "1 not in that build, so not found: docs/c.txt" in text
    found = {result.uri for result in project.search("Kompressor Pforte Kantine", k=20)}
    assert found == {"a.txt"}


def test_what_is_lost_when_the_live_build_is_gone_is_what_the_estate_has(project):
    project.write("c.txt", "Neu: die Pforte ist nachts besetzt.")
    project.configure(chunking={"max_tokens": 64, "min_tokens": 0})
    project.run()
    live = read_pointer(project.workspace().index_root).current
    shutil.rmtree(project.folder / "data" / "index" / f"{live.table}.lance")
    assert roll_back(project.workspace(), None)["lost"]["missing"] == ("docs/c.txt",)
