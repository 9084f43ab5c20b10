"""A run on small estates of text: what changed is done, what is gone is gone, what did not change is left alone."""

import os
import shutil
from datetime import UTC, date, datetime

import pytest

from pipeline.config import ConfigError
from pipeline.estate.guard import MassDeleteError
from pipeline.estate.source import SourceError
from pipeline.index.errors import IndexMissingError, NoIndexYetError
from pipeline.index.pointer import find_pointer, read_candidate
from pipeline.line.builds import list_builds, roll_back
from pipeline.line.run import run
from pipeline.line.status import status
from pipeline.line.workspace import RunOptions
from tests.line.projects import DOCS, Project, assert_same, content, plain_driver, texts

LONG_AGO = 1_700_000_000


@pytest.fixture
def project(tmp_path) -> Project:
    return Project(tmp_path / "project")


def found(project: Project, query: str, **options) -> set[str]:
    return {result.uri for result in project.search(query, **options)}


def holds(project: Project, word: str) -> bool:
    """Whether the word can be found by search (full text and vectors) at all."""
    return any(word in result.text for result in project.search(word, k=20))


def test_what_was_asked_of_one_run_is_over_with_it(project):
    """A run that takes one document, agrees to deletions and is recorded leaves a workspace that does none of this."""
    project.write("a.txt", "The pump is checked every night.")
    project.write("b.txt", "The boiler is cleaned every spring.")
    workspace, elsewhere = project.workspace(), []
    workspace.record = elsewhere.append
    first = run(workspace, plain_driver, limit=1, since=datetime(2020, 1, 1, tzinfo=UTC), allow_deletes=99)
    assert first.documents["created"] == 1
    assert elsewhere == []
    assert workspace.options == RunOptions()
    assert workspace.scan("docs").count("created") == 1  # the one that had to wait
    with pytest.raises(ConfigError):
        run(workspace, plain_driver, only="nothing", allow_deletes=99)
    workspace.record(first)
    assert (elsewhere, workspace.options) == ([first], RunOptions())
    assert run(workspace, plain_driver).documents["created"] == 1


# what changed -------------------------------------------------------------------------------------------------------------


def test_an_edit_that_leaves_size_and_time_alone_is_seen(project):
    """B02: a coarse clock must not hide an edit."""
    path = project.write("limit.txt", "Grenzwert Kessel 3: 6,0 bar")
    os.utime(path, (LONG_AGO, LONG_AGO))
    project.run()
    path.write_text("Grenzwert Kessel 3: 8,5 bar", encoding="utf-8")
    os.utime(path, (LONG_AGO, LONG_AGO))
    report = project.run()
    assert report.documents["updated"] == 1
    assert "8,5 bar" in project.search("Grenzwert Kessel 3")[0].text
    assert "6,0 bar" not in texts(project)


def test_a_file_that_moves_is_renamed_and_embedded_no_second_time(project):
    """B06."""
    path = project.write(
        "alt/handbuch.txt", "Der Öldruck muss vor dem Anfahren geprüft und eingetragen werden."
    )
    project.write("anderes.txt", "The night shift records the pump pressure every two hours.")
    before = project.run()
    (project.docs / "neu").mkdir()
    path.rename(project.docs / "neu" / "handbuch_2026.txt")
    report = project.run()
    assert report.documents["renamed"] == 1
    assert report.documents["created"] == report.documents["deleted"] == 0
    assert report.embeddings == {"computed": 0, "reused": 2}
    assert report.chunks["kept"] == before.chunks["added"]
    assert report.index["inserted"] == report.index["deleted"] == 0
    assert project.search("Öldruck")[0].uri == "neu/handbuch_2026.txt"
    assert "alt/handbuch.txt" not in found(project, "Öldruck", k=20)


def test_a_document_that_shrinks_leaves_no_old_sections_behind(project):
    """B62: ten sections become three."""
    subjects = (
        "Förderband",
        "Öldruck",
        "Schlauch",
        "Ventil",
        "Kessel",
        "Kran",
        "Lager",
        "Motor",
        "Filter",
        "Tank",
    )
    parts = [
        f"## Teil {n}\n\nFür {subject} gilt eine eigene Regel. Marke M{n:02}.\n"
        for n, subject in enumerate(subjects)
    ]
    project.write("buch.md", "# Buch\n\n" + "\n".join(parts))
    first = project.run()
    project.write("buch.md", "# Buch\n\n" + "\n".join(parts[n] for n in (0, 4, 9)))
    report = project.run()
    assert first.chunks["added"] == 10
    assert report.chunks == {"added": 0, "removed": 7, "kept": 3}
    assert report.embeddings == {"computed": 0, "reused": 3}
    assert report.index["deleted"] == 7
    marks = {f"M{n:02}" for n in range(10) if holds(project, f"M{n:02}")}
    assert marks == {"M00", "M04", "M09"}
    ordinals = content(project)["chunks"]["ordinal"].sort().to_list()
    assert ordinals == list(range(len(ordinals)))


@pytest.mark.parametrize("stays", ["a.txt", "b.txt"])
def test_of_two_equal_files_the_one_that_stays_answers(project, stays):
    """B70: whichever of the two was canonical."""
    text = "The night shift records the pump pressure every two hours."
    for name in ("a.txt", "b.txt"):
        project.write(name, text)
    project.write("c.txt", "If the reading leaves the green band, the valve is closed by hand.")
    project.run()
    assert project.search("night shift pump pressure")[0].also_in
    gone = {"a.txt": "b.txt", "b.txt": "a.txt"}[stays]
    (project.docs / gone).unlink()
    report = project.run()
    assert (report.index["deleted"], report.index["inserted"], report.embeddings["computed"]) == (1, 0, 0)
    first = project.search("night shift pump pressure")[0]
    assert (first.uri, first.text, first.also_in) == (stays, text, ())
    (project.docs / stays).unlink()
    project.run()
    assert not holds(project, "night shift")


def test_a_large_document_that_did_not_change_is_left_alone(project):
    """B72: its chunks cross the borders of several batches."""
    project.configure(embedding={"batch_size": 8}, chunking={"max_tokens": 40, "min_tokens": 0})
    project.write(
        "gross.txt", "\n\n".join(f"Satz {n}: Pumpe {n * 7} läuft seit Tag {n}." for n in range(150))
    )
    first = project.run()
    assert first.chunks["added"] > 20
    pointer = find_pointer(project.workspace().index_root)
    report = project.run()
    assert report.embeddings == {"computed": 0, "reused": first.embeddings["computed"]}
    assert report.chunks == {"added": 0, "removed": 0, "kept": first.chunks["added"]}
    assert [report.index[key] for key in ("inserted", "updated", "deleted")] == [0, 0, 0]
    assert find_pointer(project.workspace().index_root) == pointer


def test_a_table_of_the_index_that_was_deleted_is_built_again(project):
    """B74: what the state claims must be there."""
    for n, word in enumerate(("Tanne", "Fichte", "Lärche")):
        project.write(f"{n}.txt", f"Der Baum heißt {word}.")
    project.run()
    root = project.workspace().index_root
    for table in project.folder.joinpath("data", "index").glob("*.lance"):
        shutil.rmtree(table)
    with pytest.raises(IndexMissingError, match="kesit run"):
        project.search("Tanne")
    assert "index" in status(project.workspace()).stale
    report = project.run()
    assert report.index["inserted"] == 3
    assert all(holds(project, word) for word in ("Tanne", "Fichte", "Lärche"))
    assert find_pointer(root) is not None


def test_what_arrived_while_a_new_build_waited_is_in_it_when_it_goes_live(project):
    """B86: green is built of an older state, blue moves on, green is switched to."""
    project.write("a.txt", "Stand eins: Fichte.")
    questions = project.folder / "questions.jsonl"
    questions.write_text(
        '{"id": "1", "query": "Fichte", "gold": [{"document": "docs/a.txt", "quote": "Quitte"}]}\n',
        encoding="utf-8",
    )
    small = {"max_tokens": 64, "min_tokens": 0}
    project.run()
    blue = find_pointer(project.workspace().index_root).current
    project.configure(chunking=small, evaluation={"questions": "questions.jsonl", "min_recall_at_5": 0.9})
    report = project.run()
    assert not report.index["promoted"]
    green = read_candidate(project.workspace().index_root)
    assert green.table != blue.table
    assert holds(project, "Fichte")
    project.write("a.txt", "Stand zwei: Tanne.")
    project.write("b.txt", "Neu dazu: Lärche.")
    project.configure(chunking={"max_tokens": 320}, evaluation={"questions": "questions.jsonl"})
    assert project.run().index["promoted"]
    assert find_pointer(project.workspace().index_root).current.table == blue.table
    project.configure(chunking=small)
    report = project.run()
    assert report.index["promoted"]
    assert report.index["table"] == green.table
    assert holds(project, "Tanne")
    assert holds(project, "Lärche")
    assert not holds(project, "Fichte")


def test_a_change_of_access_groups_parses_and_embeds_nothing(project):
    project.write("pay.txt", "Das Gehalt des Werkleiters beträgt 9.000 Euro.")
    project.write("pump.txt", "The pump is checked each day.")
    project.run()
    assert "pay.txt" in found(project, "Gehalt Werkleiter")
    project.write("pay.txt", "Das Gehalt des Werkleiters beträgt 9.000 Euro.", acl_groups=["hr"])
    report = project.run()
    assert report.documents["metadata"] == 1
    assert report.pages["parsed"] == report.chunks["added"] == report.embeddings["computed"] == 0
    assert [report.index[key] for key in ("inserted", "updated", "deleted")] == [0, 1, 0]
    assert "pay.txt" not in found(project, "Gehalt Werkleiter")
    assert "pay.txt" in found(project, "Gehalt Werkleiter", groups=("hr",))


def test_a_run_after_a_run_does_nothing(project):
    path = project.write("a.txt", "The pump is checked each day.")
    os.utime(path, (LONG_AGO, LONG_AGO))
    project.grow_old()
    project.run()
    report = project.run()
    assert report.seconds == {}
    assert report.documents == dict.fromkeys(report.documents, 0) | {"unchanged": 1}
    assert report.index == {
        "table": find_pointer(project.workspace().index_root).current.table,
        "version": find_pointer(project.workspace().index_root).current.version,
        "inserted": 0, "updated": 0, "deleted": 0, "promoted": True, "reason": "nothing changed",
    }  # fmt: skip
    assert status(project.workspace()).stale == ()


def test_another_number_of_buckets_moves_documents_and_loses_none(project, tmp_path):
    for n in range(6):
        project.write(f"{n}.txt", f"Pumpe {n} läuft seit {n + 3} Tagen ohne Störung.")
    project.run()
    project.collections = (dict(DOCS) | {"buckets": 3},)
    project.configure()
    report = project.run()
    assert report.documents["deleted"] == 0
    assert report.embeddings["computed"] == 0
    assert_same(content(project), content(project.rebuilt(tmp_path / "again")))


def test_a_collection_that_is_no_longer_configured_leaves_the_index(tmp_path):
    project = Project(tmp_path / "p", DOCS, {"name": "old", "source": "old", "buckets": 1})
    project.write("a.txt", "The pump is checked each day.")
    (project.folder / "old" / "b.txt").write_text("Der Öldruck wird geprüft.", encoding="utf-8")
    project.run()
    assert "b.txt" in found(project, "Öldruck")
    project.collections = (DOCS,)
    project.configure()
    project.run()
    assert found(project, "Öldruck") == {"a.txt"}
    assert content(project)["chunks"].height == 1


def test_only_one_collection_leaves_the_others_as_they_are(tmp_path):
    project = Project(tmp_path / "p", DOCS, {"name": "other", "source": "other", "buckets": 1})
    project.write("a.txt", "The pump is checked each day.")
    (project.folder / "other" / "b.txt").write_text("Der Öldruck wird geprüft.", encoding="utf-8")
    report = project.run(only="docs")
    assert report.documents["created"] == 1
    assert found(project, "Öldruck") == {"a.txt"}
    with pytest.raises(ConfigError, match="there are: docs, other"):
        project.run(only="nope")


# what is refused ----------------------------------------------------------------------------------------------------------


def test_mass_deletion_is_refused_until_it_is_agreed_to(project):
    for n in range(14):
        project.write(f"{n:02}.txt", f"Pumpe {n} läuft seit {n + 3} Tagen.")
    project.run()
    for n in range(2, 14):
        (project.docs / f"{n:02}.txt").unlink()
    with pytest.raises(MassDeleteError, match="--allow-deletes 12"):
        project.run()
    assert content(project)["documents"].height == 14
    assert project.run(allow_deletes=12).documents["deleted"] == 12
    assert content(project)["documents"].height == 2


def test_a_missing_source_is_an_error_and_the_index_answers_on(project):
    project.write("a.txt", "The pump is checked each day.")
    project.run()
    shutil.rmtree(project.docs)
    with pytest.raises(SourceError, match="docs"):
        project.run()
    assert found(project, "pump") == {"a.txt"}


# builds -------------------------------------------------------------------------------------------------------------------


def test_before_the_first_build_a_search_says_so(project):
    """B88."""
    with pytest.raises(NoIndexYetError, match="no index yet"):
        project.search("pump")
    project.run()  # of an empty folder
    assert project.search("pump") == ()
    project.write("a.txt", "The pump is checked each day.")
    project.run()
    assert found(project, "pump") == {"a.txt"}
    assert [build["state"] for build in list_builds(project.workspace())] == ["live", "previous"]


def test_a_pointer_to_a_missing_table_names_the_last_good_build(project):
    """B88: it does not fall back to an empty result."""
    project.write("a.txt", "The pump is checked each day.")
    project.run()
    good = find_pointer(project.workspace().index_root).current
    project.configure(chunking={"max_tokens": 64, "min_tokens": 0})
    bad = project.run().index["table"]
    assert bad != good.table
    shutil.rmtree(project.folder / "data" / "index" / f"{bad}.lance")
    with pytest.raises(IndexMissingError, match=f"{bad}.*last good build is {good.name}"):
        project.search("pump")
    roll_back(project.workspace(), None)
    assert found(project, "pump") == {"a.txt"}


def test_a_rollback_revives_nothing_that_was_deleted_or_forbidden_since(project):
    project.write("gone.txt", "Das Rezept der Legierung ist geheim.")
    project.write("closed.txt", "Das Gehalt des Werkleiters beträgt 9.000 Euro.")
    project.write("kept.txt", "The pump is checked each day.")
    project.run()
    before = find_pointer(project.workspace().index_root).current.name
    (project.docs / "gone.txt").unlink()
    project.write("closed.txt", "Das Gehalt des Werkleiters beträgt 9.000 Euro.", acl_groups=["hr"])
    project.run()
    done = roll_back(project.workspace(), before)
    assert (done["deleted"], done["updated"]) == (1, 1)
    assert "Legierung" not in texts(project)
    assert found(project, "Gehalt Werkleiter Legierung", k=20) == {"kept.txt"}
    assert found(project, "Gehalt Werkleiter", groups=("hr",), k=20) == {"closed.txt", "kept.txt"}


def test_editions_answer_for_their_own_days(project):
    project.write(
        "r19.txt",
        "Die Frist beträgt zehn Tage.",
        external_id="R-19",
        effective_date=date(2019, 1, 1),
        title="R",
    )
    project.write(
        "r26.txt", "Die Frist beträgt dreißig Tage.", external_id="R-26", effective_date=date(2026, 1, 1),
        supersedes=["R-19"], title="R",
    )  # fmt: skip
    project.run()
    assert found(project, "Frist") == {"r26.txt"}
    assert found(project, "Frist", as_of=date(2020, 6, 1)) == {"r19.txt"}
    assert found(project, "Frist", as_of=date(2018, 6, 1)) == set()
