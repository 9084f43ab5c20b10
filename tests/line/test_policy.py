"""What is deleted or closed while a run goes on for hours: it leaves what is live at once, and what comes after never shows it."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from pipeline.index.pointer import read_pointer
from pipeline.line.builds import roll_back
from pipeline.line.policy import documents_of_today, look_again
from pipeline.line.workspace import Workspace
from tests.line.projects import PlainDriver, Project, plain_driver, texts

SALARY = "# Gehälter\n\nDas Gehalt der Leitung beträgt 9.000 Euro."
SPRUCE = "# Bäume\n\nDie Fichte am Tor wird im Herbst gefällt."
CANTEEN = "# Speisen\n\nDie Kantine öffnet um elf Uhr dreißig."


@pytest.fixture
def project(tmp_path) -> Project:
    project = Project(tmp_path / "project", chunking={"prefix": True})
    project.write("weg.md", SPRUCE)
    project.write("lohn.md", SALARY)
    project.write("bleibt.md", CANTEEN)
    project.run()
    return project


def found(project: Project, query: str, **options) -> set[str]:
    return {result.uri for result in project.search(query, k=20, **options)}


def change(project: Project) -> None:
    (project.docs / "weg.md").unlink()
    project.write("lohn.md", SALARY, acl_groups=["hr"])


def assert_changed(project: Project) -> None:
    assert "Fichte" not in texts(project)
    assert found(project, "Gehalt der Leitung") - {"neu.md"} == {"bleibt.md"}
    assert found(project, "Gehalt der Leitung", groups=("hr",)) - {"neu.md"} == {"bleibt.md", "lohn.md"}


@pytest.mark.parametrize("step", ["parsed", "embedded"])
def test_what_is_deleted_or_closed_during_long_work_reaches_blue_and_green(project, step):
    project.write("neu.md", "# Tore\n\nDas Tor bleibt offen.")  # it is read
    project.configure(chunking={"prefix": False})  # every string is another: all is embedded anew
    blue = read_pointer(project.workspace().index_root).current
    checked = []

    @contextmanager
    def interrupted(workspace: Workspace) -> Generator[PlainDriver]:
        def listen(message: str) -> None:
            if f": {step} " in message and not checked:
                change(project)
                workspace.looked_at = None  # so much time went by
                checked.append(message)

        first_say = workspace.say
        workspace.say = listen
        driver = PlainDriver(workspace)
        whole = driver.run_whole_estate

        def after_partitions() -> list[str]:
            assert read_pointer(workspace.index_root).current.table == blue.table
            assert_changed(project)
            return whole()

        driver.run_whole_estate = after_partitions
        yield driver
        workspace.say = first_say

    report = project.run(interrupted)
    assert checked
    assert report.index["promoted"]
    green = read_pointer(project.workspace().index_root).current
    assert green.table != blue.table
    assert_changed(project)
    # The run after it, which scans anew, comes to the same.
    project.run(plain_driver)
    assert_changed(project)


def test_a_look_changes_nothing_for_the_stages_of_the_run(project):
    workspace = project.workspace()
    before = workspace.scan("docs")
    change(project)
    workspace.looked_at = None
    look_again(workspace)
    assert workspace.scan("docs") is before
    assert workspace.read(_documents()).height == 3
    assert_changed(project)


def test_a_look_is_taken_only_when_the_last_one_is_old(project):
    workspace = project.workspace()
    workspace.scan("docs")
    change(project)
    look_again(workspace)
    assert "Fichte" in texts(project)
    project.configure(index={"policy_minutes": 0})
    never = project.workspace()
    look_again(never)
    assert "Fichte" in texts(project)


def test_a_source_that_cannot_be_listed_deletes_nothing(project):
    said: list[str] = []
    workspace = Workspace(project.config, say=said.append)
    shutil.move(project.docs, project.folder / "elsewhere")
    assert documents_of_today(workspace).height == 3
    assert any("warning" in line and "docs" in line for line in said)


def test_a_look_that_fails_stops_no_run(project):
    said: list[str] = []
    workspace = Workspace(project.config, say=said.append)
    table = read_pointer(workspace.index_root).current.table
    shutil.rmtree(project.folder / "data" / "index" / f"{table}.lance")
    look_again(workspace)
    assert len(said) == 1
    assert table in said[0]
    look_again(workspace)
    assert len(said) == 1  # the next one when it is due


def test_a_rollback_knows_what_was_deleted_since_the_last_run(project):
    project.write("bleibt.md", CANTEEN + " Neu.")
    project.run()
    change(project)
    roll_back(project.workspace(), None)
    assert_changed(project)


def _documents():
    from pipeline.tables.schemas import DOCUMENTS

    return DOCUMENTS
