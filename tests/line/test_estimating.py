import polars as pl
import pytest

from pipeline.line.estimating import estimate
from pipeline.report.scan_report import scan_report
from pipeline.tables import schemas as s
from tests.line.projects import Project


def dry_run(project):
    workspace = project.workspace()
    scans = [workspace.scan(each.name) for each in workspace.config.collections]
    return scan_report(scans, estimate(workspace, scans))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("estimated"))
    for n in range(4):
        project.write(
            f"{n}.md", f"# Teil {n}\n\nDer Druck des Kessels {n} wird jede Woche geprüft und notiert."
        )
    project.before = dry_run(project)
    project.run()
    return project


def test_before_the_first_run_the_number_of_documents_is_known(project):
    found = project.before.estimate
    assert (found.documents, found.pages, found.chunks, found.seconds, found.images) == (
        4,
        None,
        None,
        None,
        None,
    )
    assert project.before.warnings == ()


def test_nothing_changed_costs_nothing(project):
    found = dry_run(project).estimate
    assert (found.documents, found.pages, found.chunks, found.seconds) == (0, 0, 0, 0)


def test_what_changed_costs_what_its_like_took(project):
    path = project.write("neu.md", "# Neu\n\nDer Druck des Kessels 9 wird jede Woche geprüft und notiert.")
    try:
        found = dry_run(project).estimate
    finally:
        path.unlink()
    assert (found.documents, found.pages, found.chunks) == (1, 1, 1)
    whole = project.workspace().lake.read(s.PACES, "estate")["seconds"].sum()
    assert 0 < found.seconds <= whole


def test_a_run_without_work_leaves_the_pace_of_work_alone(project):
    def paces():
        return (
            project.workspace()
            .lake.read(s.PACES)
            .filter(pl.col("stage").is_in(("parsed_pages", "embeddings")))
        )

    before = paces()
    assert before.height == 2
    project.run()
    assert paces().equals(before)


def test_a_collection_that_would_lose_all_is_told_of(tmp_path):
    project = Project(tmp_path)
    assert dry_run(project).warnings == ("collection 'docs': its source holds no documents",)
    path = project.write("a.md", "# A\n\nText.")
    workspace = project.workspace()
    scan = workspace.scan("docs")
    workspace.lake.publish(s.DOCUMENTS, "docs.0", scan.documents, "x")
    path.unlink()
    report = dry_run(project)
    assert report.warnings == ("collection 'docs' would lose all its documents (1); is its source whole?",)
    assert "warning: " + report.warnings[0] in list(report.lines())


def test_what_a_run_would_refuse_is_said(tmp_path):
    project = Project(tmp_path)
    paths = [project.write(f"{n}.md", f"text {n}") for n in range(12)]
    workspace = project.workspace()
    workspace.lake.publish(s.DOCUMENTS, "docs.0", workspace.scan("docs").documents, "x")
    for path in paths[1:]:
        path.unlink()
    [line] = dry_run(project).warnings
    assert line == (
        "collection 'docs': 11 of 12 documents would be deleted; the limit is 10."
        " If that is right, run again with --allow-deletes 11"
    )
