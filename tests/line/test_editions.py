"""Editions over nights: chains, branches and circles of supersession; renamed, deleted and written again; and what must be gone."""

from datetime import date

import lancedb
import polars as pl
import pytest

from pipeline.index.pointer import find_pointer
from pipeline.line.builds import roll_back
from pipeline.line.stages import embedding_tables
from pipeline.tables import schemas as s
from tests.line.projects import Project, assert_same, content

TEXT = "Die Frist der Ausgabe {} beträgt {} Tage nach dem Eingang des Antrags."


@pytest.fixture
def project(tmp_path) -> Project:
    return Project(tmp_path / "project")


def edition(project, name, day, *, supersedes=(), uri=None, words=None):
    project.write(
        uri or f"{name}.txt",
        words or TEXT.format(name, len(name) * 7),
        external_id=name,
        effective_date=day,
        supersedes=list(supersedes),
    )


def answers(project, day=None) -> set[str]:
    return {result.uri for result in project.search("Frist der Ausgabe", k=20, as_of=day)}


def test_chains_branches_and_circles_answer_for_their_days(project):
    edition(project, "v1", date(2019, 1, 1))
    edition(project, "v2", date(2021, 1, 1), supersedes=["v1"])
    edition(
        project, "v2a", date(2022, 1, 1), supersedes=["v1"]
    )  # a branch: v1 ends with the earlier of the two
    edition(project, "v3", date(2024, 1, 1), supersedes=["v2", "v2a"])
    edition(project, "c1", date(2019, 1, 1), supersedes=["c2"])  # a circle contradicts itself: both answer
    edition(project, "c2", date(2020, 1, 1), supersedes=["c1"])
    project.run()
    circle = {"c1.txt", "c2.txt"}
    assert answers(project, date(2018, 12, 31)) == set()
    assert answers(project, date(2019, 1, 1)) == {"v1.txt", "c1.txt"}
    assert answers(project, date(2020, 12, 31)) == {"v1.txt", *circle}
    assert answers(project, date(2021, 1, 1)) == {"v2.txt", *circle}
    assert answers(project, date(2023, 1, 1)) == {"v2.txt", "v2a.txt", *circle}
    assert answers(project) == {"v3.txt", *circle}


def test_an_edition_that_is_renamed_deleted_and_written_again(project, tmp_path):
    edition(project, "alt", date(2019, 1, 1))
    edition(project, "neu", date(2024, 1, 1), supersedes=["alt"])
    project.run()
    for ending in ("", ".meta.toml"):
        (project.docs / f"alt.txt{ending}").rename(project.docs / f"archiv.txt{ending}")
    report = project.run()
    assert (report.documents["renamed"], report.embeddings["computed"]) == (1, 0)
    assert (answers(project), answers(project, date(2020, 1, 1))) == ({"neu.txt"}, {"archiv.txt"})
    # Without its successor an edition is in force again; with it, no more.
    for ending in ("", ".meta.toml"):
        (project.docs / f"neu.txt{ending}").unlink()
    report = project.run()
    assert (report.documents["deleted"], report.embeddings["computed"]) == (1, 0)
    assert (answers(project), answers(project, date(2020, 1, 1))) == ({"archiv.txt"}, {"archiv.txt"})
    edition(project, "neu", date(2024, 1, 1), supersedes=["alt"], uri="wieder.txt")
    assert project.run().documents["created"] == 1
    assert (answers(project), answers(project, date(2020, 1, 1))) == ({"wieder.txt"}, {"archiv.txt"})
    assert_same(content(project), content(project.rebuilt(tmp_path / "rebuilt")))


def test_a_document_with_all_its_editions_leaves_every_table_and_every_build(project):
    edition(project, "bleibt", date(2019, 1, 1))
    edition(project, "weg1", date(2019, 1, 1), words="Das Rezept der Legierung Zirkonia ist geheim.")
    edition(
        project,
        "weg2",
        date(2024, 1, 1),
        supersedes=["weg1"],
        words="Das neue Rezept der Legierung Zirkonia.",
    )
    project.run()
    first = find_pointer(project.workspace().index_root).current.name
    assert holders(project, "Zirkonia")
    project.configure(chunking={"prefix": False})  # another build beside the first
    project.run()
    for path in project.docs.glob("weg*"):
        path.unlink()
    assert project.run().documents["deleted"] == 2
    assert holders(project, "Zirkonia") == set()
    assert answers(project, date(2020, 1, 1)) == {"bleibt.txt"}
    roll_back(project.workspace(), first)
    assert {each.uri for each in project.search("Zirkonia Legierung", k=20, as_of=date(2020, 1, 1))} == {
        "bleibt.txt"
    }
    assert holders(project, "Zirkonia") == set()


def test_a_text_that_is_edited_in_place_leaves_with_the_edit(project):
    edition(project, "a", date(2019, 1, 1), words="Der Grenzwert beträgt Zirkonia sechs bar.")
    project.run()
    edition(project, "a", date(2019, 1, 1), words="Der Grenzwert beträgt acht bar.")
    assert project.run().documents["updated"] == 1
    assert holders(project, "Zirkonia") == set()


def holders(project, word) -> set[str]:
    """Tables and live build that hold a word in any of their columns."""
    workspace = project.workspace()
    frames = {table.name: workspace.lake.read(table) for table in (*s.REBUILT, *embedding_tables(workspace))}
    entry = find_pointer(workspace.index_root).current
    table = lancedb.connect(workspace.index_root).open_table(entry.table)
    table.checkout(entry.version)
    frames["live"] = pl.DataFrame(pl.from_arrow(table.to_arrow()))
    return {name for name, frame in frames.items() if word in str(frame.to_dicts())}
