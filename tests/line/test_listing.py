"""A collection with a change feed, through the whole line."""

import json

import pytest

from pipeline.estate.folder import Folder
from pipeline.line.stage import is_fresh, update
from pipeline.line.stages import DOCUMENTS
from pipeline.tables import schemas as s
from tests.line.projects import Project, assert_same, content, plain_driver


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project that was run once, and whose next runs must not list."""
    folder = tmp_path_factory.mktemp("fed")
    project = Project(folder, {"name": "docs", "source": "docs", "buckets": 1, "feed": "events.jsonl"})
    (folder / "events.jsonl").touch()
    project.write("a.md", "# Pumpe\n\nDie Pumpe wird jede Woche geprüft und das Ergebnis notiert.")
    project.write("b.md", "# Kessel\n\nDer Kessel wird jedes Jahr geprüft und das Ergebnis notiert.")
    project.run()
    return project


def tell(project, **event):
    with (project.folder / "events.jsonl").open("a") as file:
        file.write(json.dumps(event) + "\n")


def test_a_run_by_the_feed_leaves_what_a_rebuild_leaves(project, monkeypatch, tmp_path):
    listing = Folder.listing
    project.write("b.md", "# Kessel\n\nDer Kessel wird alle zwei Jahre geprüft und das Ergebnis notiert.")
    project.write("c.md", "# Tank\n\nDer Tank wird nie geprüft.", acl_groups=["board"])
    for uri in ("c.md", "b.md", "c.md"):
        tell(project, kind="update", uri=uri)
    monkeypatch.setattr(Folder, "listing", lambda *_: pytest.fail("a full listing"))
    report = project.run()
    assert (report.documents["updated"], report.documents["created"], report.documents["unchanged"]) == (
        1,
        1,
        1,
    )
    assert project.run().documents["unchanged"] == 3
    monkeypatch.setattr(Folder, "listing", listing)
    rebuilt = Project(tmp_path, {"name": "docs", "source": str(project.docs), "buckets": 1})
    rebuilt.run()
    assert_same(content(project), content(rebuilt))


def test_the_cursor_moves_only_when_all_is_published(project):
    class Stops:
        def __init__(self, workspace):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def run_partition(self, partition):
            return [f"{partition}: stopped"]

        def run_whole_estate(self):
            return []

    def cursor():
        return project.workspace().lake.read(s.FEEDS).row(0, named=True)["position"]

    project.write("d.md", "# Rohr\n\nDas Rohr wird gespült.")
    tell(project, kind="create", uri="d.md")
    before = cursor()
    assert project.run(Stops).errors
    assert cursor() == before
    assert project.run(plain_driver).documents["created"] == 1
    assert cursor() > before


def test_whatever_publishes_the_last_partition_moves_the_cursor(tmp_path):
    """Runs that Dagster starts bring up one partition each, in a process of its own."""
    project = Project(tmp_path, {"name": "docs", "source": "docs", "buckets": 2, "feed": "events.jsonl"})
    (tmp_path / "events.jsonl").touch()
    for n in range(4):  # some in each bucket
        project.write(f"{n}.md", f"# Pumpe {n}\n\nDie Pumpe wird alle {n + 2} Wochen geprüft.")
    update(project.workspace(), DOCUMENTS, "docs.0")
    assert project.workspace().lake.read(s.FEEDS).is_empty()
    update(project.workspace(), DOCUMENTS, "docs.1")
    assert project.workspace().lake.read(s.FEEDS)["position"].to_list() == [0]
    project.write("4.md", "# Rohr\n\nDas Rohr wird gespült.")
    tell(project, kind="create", uri="4.md")
    workspace = project.workspace()
    (changed,) = [name for name in workspace.partitions if not is_fresh(workspace, DOCUMENTS, name)]
    update(workspace, DOCUMENTS, changed)
    assert project.workspace().lake.read(s.FEEDS)["position"].item() > 0


def test_why_all_is_listed_is_said(project):
    said = []
    workspace = project.workspace()
    workspace.say = said.append
    (project.folder / "events.jsonl").write_text("")
    workspace.scan("docs")
    assert said == ["docs: listing all, the feed does not suffice: it was cut or written anew"]
    (project.folder / "events.jsonl").unlink()
    other = project.workspace()
    other.say = said.append
    assert other.scan("docs").count("failed") == 0
    assert said[-1] == "docs: the feed cannot be read: No such file or directory"
