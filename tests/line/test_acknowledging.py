"""Exceptions that were looked at: not counted, kept, and back when the file is another."""

import pytest

from pipeline.config import ConfigError
from pipeline.line.acknowledging import acknowledge, reopen
from pipeline.line.status import status
from pipeline.report.exceptions import read_register
from tests.line.projects import Project


@pytest.fixture
def project(tmp_path) -> Project:
    project = Project(tmp_path / "project")
    project.write("gut.txt", "Die Pumpe läuft seit drei Tagen.")
    for name in ("a.pdf", "b.pdf"):
        project.write(name, f"{name} ist kein PDF")
    return project


def failed(report) -> list[str]:
    return [problem.document for problem in report.failed]


def test_an_acknowledged_document_is_no_failure_until_it_changes(project):
    assert failed(project.run()) == ["docs/a.pdf", "docs/b.pdf"]
    (entry,) = acknowledge(project.workspace(), "docs/a.pdf").iter_rows(named=True)
    assert (entry["uri"], entry["reason"]) == ("a.pdf", "corrupt")
    assert failed(project.run()) == ["docs/b.pdf"]
    assert status(project.workspace()).exceptions_open == 1
    lake = project.workspace().lake
    assert read_register(lake, status="acknowledged")["uri"].to_list() == ["a.pdf"]
    assert read_register(lake, status="all").height == 2
    acknowledge(project.workspace(), "b.pdf")
    (project.docs / "b.pdf").rename(project.docs / "c.pdf")
    assert failed(project.run()) == [], "a name is no change"
    project.write("a.pdf", "auch das ist kein PDF")
    assert failed(project.run()) == ["docs/a.pdf"]


def test_it_can_be_taken_back(project):
    project.run()
    acknowledge(project.workspace(), "a.pdf")
    with pytest.raises(ConfigError, match=r"'a\.pdf': has no open entry"):
        acknowledge(project.workspace(), "a.pdf")
    reopen(project.workspace(), "docs/a.pdf")
    assert failed(project.run()) == ["docs/a.pdf", "docs/b.pdf"]
    with pytest.raises(ConfigError, match="has no acknowledged entry"):
        reopen(project.workspace(), "a.pdf")


def test_another_setting_does_not_bring_it_back(project):
    project.run()
    acknowledge(project.workspace(), "a.pdf")
    project.configure(parsing={"workers": 1, "max_pages": 3})
    assert failed(project.run()) == ["docs/b.pdf"], "the same file is damaged in the same way"
