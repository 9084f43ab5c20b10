"""Dates that documents say of themselves: which day they answer from, who says so, and what a change does again."""

import os
from datetime import UTC, date, datetime

import pytest

from tests.line.projects import DOCS, Project, assert_same, content

RULE = "# Reisekosten\n\n{}\n\nDie Pauschale für eine Reise mit dem eigenen Wagen beträgt {} Cent je Kilometer.\n"
ASKED = "Pauschale für eine Reise je Kilometer"
BEFORE, AFTER = date(2021, 6, 30), date(2023, 6, 30)


@pytest.fixture
def project(tmp_path) -> Project:
    return Project(tmp_path / "project")


def found(project, day=None):
    """What answers on a day: address, date, who says it."""
    results = project.search(ASKED, k=10, as_of=day)
    return {result.uri: (str(result.effective_date), result.date_source) for result in results}


def test_a_document_answers_from_the_day_that_it_says_it_is_from(project, tmp_path):
    project.write("gesagt.md", RULE.format("Gültig ab 1. März 2022", 30))
    project.write("metadaten.md", RULE.format("Gültig ab 1. März 2022", 35), effective_date=date(2020, 1, 1))
    project.write("nichts.md", RULE.format("Der Rat tagte am 1. März 2022", 38))
    project.write("zukunft.md", RULE.format("Gültig ab 1. März 2090", 41))
    project.write("abgelaufen.md", RULE.format("Stand: 01.03.2022", 44), expiry_date=date(2022, 2, 1))
    project.run()
    undated = {"nichts.md": ("None", None), "zukunft.md": ("None", None)}
    by_metadata = {"metadaten.md": ("2020-01-01", "metadata")}
    by_itself = {"gesagt.md": ("2022-03-01", "document")}
    ended = {"abgelaufen.md": ("None", None)}
    assert found(project) == undated | by_metadata | by_itself
    assert found(project, date(2022, 3, 1)) == undated | by_metadata | by_itself
    assert found(project, date(2022, 2, 28)) == undated | by_metadata
    assert found(project, BEFORE) == undated | by_metadata | ended
    assert_same(content(project), content(project.rebuilt(tmp_path / "rebuilt")))


def test_what_changes_a_date_does_again_only_what_follows_from_it(project, tmp_path):
    path = project.write("a.md", RULE.format("Stand: 01.03.2022", 30))
    project.run()
    assert found(project, BEFORE) == {}
    # The setting: no page is read, cut or embedded again.
    project.collections = (DOCS | {"read_dates": False},)
    project.configure()
    report = project.run()
    assert found(project, BEFORE) == found(project) == {"a.md": ("None", None)}
    assert (report.embeddings["computed"], report.chunks["added"]) == (0, 0)
    project.collections = (DOCS,)
    project.configure()
    project.run()
    assert found(project, BEFORE) == {}
    # Metadata come, and go.
    project.write("a.md", path.read_text(encoding="utf-8"), effective_date=date(2020, 1, 1))
    project.run()
    assert found(project, BEFORE) == {"a.md": ("2020-01-01", "metadata")}
    path.with_name("a.md.meta.toml").unlink()
    project.run()
    assert (found(project, BEFORE), found(project)) == ({}, {"a.md": ("2022-03-01", "document")})
    # A file that was last written before the day it names cannot be from that day.
    old = datetime(2021, 1, 1, tzinfo=UTC).timestamp()
    os.utime(path, (old, old))
    project.run()
    assert found(project, BEFORE) == {"a.md": ("None", None)}
    path.write_text(RULE.format("Stand: 01.05.2022", 30), encoding="utf-8")
    project.run()
    assert found(project, AFTER) == {"a.md": ("2022-05-01", "document")}
    assert_same(content(project), content(project.rebuilt(tmp_path / "rebuilt")))


def test_a_date_that_was_read_ends_no_other_edition(project, tmp_path):
    project.write("alt.md", RULE.format("Stand: 01.03.2022", 30), external_id="alt")
    neu = project.write("neu.md", RULE.format("Stand: 01.03.2023", 35), supersedes=["alt"])
    written = datetime(2024, 1, 1, tzinfo=UTC).timestamp()
    os.utime(neu, (written, written))
    project.run()
    # The successor's metadata do not say when it begins: the edition before answers until its file was written.
    assert set(found(project, date(2022, 6, 1))) == {"alt.md"}
    assert set(found(project, date(2023, 6, 1))) == {"alt.md", "neu.md"}
    assert set(found(project)) == {"neu.md"}
    assert_same(content(project), content(project.rebuilt(tmp_path / "rebuilt")))
