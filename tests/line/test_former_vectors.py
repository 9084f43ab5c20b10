"""Vectors of an encoder that is no longer configured: how long they stay, and of which documents."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from pipeline.index.pointer import read_pointer
from tests.line.projects import Project, assert_same, content

FORMER = "e5_small_int8"
BOTH, ONE = ({"models": models} for models in (["use-multilingual", "e5-small-int8"], ["use-multilingual"]))


@pytest.fixture
def project(tmp_path) -> Project:
    """Two encoders, and then one: what is live has vectors of one, the build before it of both."""
    project = Project(tmp_path / "project", embedding=BOTH)
    project.write("a.txt", "Die Kantine öffnet um elf Uhr.")
    project.write("b.txt", "Der Kompressor steht in Halle vier.")
    project.run()
    project.configure(embedding=ONE)
    project.run()
    return project


def former(project: Project) -> list[int]:
    """Rows in each file of the former encoder."""
    folder = project.folder / "data" / "lake" / "embeddings" / FORMER
    return [pl.read_parquet(file).height for file in sorted(folder.glob("*.parquet"))]


def test_they_stay_for_who_goes_back_but_those_of_a_deleted_document(project, tmp_path):
    assert former(project) == [2]
    (project.docs / "b.txt").unlink()
    project.run()
    assert former(project) == [1]
    project.write("b.txt", "Der Kompressor steht in Halle vier.")
    project.configure(embedding=BOTH)
    assert project.run().embeddings["computed"] == 2, (
        "one by each encoder; the other string was known to both"
    )
    assert_same(content(project), content(project.rebuilt(tmp_path / "rebuilt")))


def test_they_go_with_the_last_build_that_names_their_encoder(project, monkeypatch):
    project.configure(index={"rollback_days": 0})
    monkeypatch.setattr("pipeline.index.retention.GRACE", timedelta(0))
    later = datetime.now(UTC) + timedelta(days=1)
    monkeypatch.setattr("pipeline.line.workspace.Workspace.now", lambda _self: later)
    project.run()
    assert read_pointer(project.workspace().index_root).previous == ()
    assert former(project) == []
    project.configure(embedding=BOTH)
    assert project.run().index["promoted"]
