"""Collections that keep what a document said before it was edited in place."""

import os
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

import pytest

from pipeline.line.status import status
from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from tests.line.projects import Project, assert_same, content
from tests.line.test_editions import holders
from tests.line.test_law import Crash, crashing, rebuilt

pytestmark = pytest.mark.slow
DOCS: Mapping[str, Any] = {"name": "docs", "source": "docs", "buckets": 2, "history": "keep"}
TEXT = "Der Grenzwert des Drucks am Kessel beträgt {} bar, gemessen am Stutzen."
FIRST, SECOND, THIRD = date(2024, 3, 1), date(2025, 3, 1), date(2026, 3, 1)


@pytest.fixture
def project(tmp_path) -> Project:
    return Project(tmp_path / "project", DOCS)


def write(project: Project, words: str, day: date, *, uri: str = "a.txt", **metadata: Any) -> None:
    path = project.write(uri, TEXT.format(words), **metadata)
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp()
    os.utime(path, (noon, noon))


def answers(project: Project, day: date | None = None, **options: Any) -> list[str]:
    """The words in the texts that answer, sorted."""
    found = project.search("Grenzwert des Drucks am Kessel", k=20, as_of=day, **options)
    return sorted(each.text.partition("beträgt ")[2].partition(" bar")[0] for each in found)


def kept_files(project: Project) -> int:
    folder = project.folder / "data" / "lake" / "versions" / "docs"
    return len(list(folder.iterdir())) if folder.exists() else 0


def edited_twice(project: Project) -> None:
    for words, day in (("sechs", FIRST), ("sieben", SECOND), ("acht", THIRD)):
        write(project, words, day)
        project.run()


def test_each_day_is_answered_by_the_text_of_that_day_and_today_by_the_new_one_alone(project, tmp_path):
    write(project, "sechs", FIRST)
    project.run()
    write(project, "sieben", SECOND)
    report = project.run()
    assert (report.documents["updated"], report.documents["created"]) == (1, 0)
    assert (report.pages["parsed"], report.embeddings["computed"]) == (1, 1), (
        "the old text is not read or embedded again"
    )
    write(project, "acht", THIRD)
    project.run()
    assert answers(project) == ["acht"]
    assert answers(project, date(2020, 1, 1)) == ["sechs"]
    assert answers(project, date(2025, 2, 28)) == ["sechs"]
    assert answers(project, date(2025, 3, 1)) == ["sieben"]
    assert answers(project, date(2026, 3, 1)) == ["acht"]
    (old,) = project.search("Grenzwert", as_of=date(2025, 6, 1))
    (new,) = project.search("Grenzwert")
    assert old.uri.startswith("a.txt/")
    assert (old.external_id, new.uri) == ("a.txt", "a.txt")
    assert old.newer is not None
    assert old.newer.uri == new.uri
    assert_same(content(project), content(rebuilt(project, tmp_path / "again")))
    assert project.run().documents["unchanged"] == 1
    found = status(project.workspace())
    assert (found.documents, found.earlier_editions, found.stale) == (1, 2, ())


def test_metadata_says_when_the_new_text_takes_effect_and_what_the_old_one_was_called(project):
    write(project, "sechs", FIRST, effective_date=date(2019, 1, 1), version_label="A", title="Kessel")
    project.run()
    write(project, "sieben", SECOND, effective_date=date(2025, 7, 1), version_label="B", title="Kessel")
    project.run()
    assert [answers(project, day) for day in (date(2018, 1, 1), date(2025, 6, 30), date(2025, 7, 1))] == [
        [],
        ["sechs"],
        ["sieben"],
    ]
    (old,) = project.search("Grenzwert", as_of=date(2020, 1, 1))
    assert (old.version_label, old.title, old.effective_date) == ("A", "Kessel", date(2019, 1, 1))
    # A date that stayed as it was says nothing of the edit.
    write(project, "acht", THIRD, effective_date=date(2025, 7, 1), version_label="B", title="Kessel")
    project.run()
    assert (answers(project, date(2026, 2, 28)), answers(project, date(2026, 3, 1))) == (["sieben"], ["acht"])


def test_a_text_that_comes_back_is_one_document(project, tmp_path):
    write(project, "sechs", FIRST)
    project.run()
    write(project, "sieben", SECOND)
    project.run()
    write(project, "sechs", THIRD)
    report = project.run()
    assert (report.pages["parsed"], report.embeddings["computed"]) == (0, 0)
    assert project.workspace().read(s.DOCUMENTS)[c.VERSION_ID].is_unique().all()
    assert (answers(project), answers(project, date(2024, 1, 1))) == (["sechs"], ["sechs"])
    assert answers(project, date(2025, 6, 1)) == ["sechs", "sieben"]
    write(project, "acht", date(2026, 6, 1))
    project.run()
    assert (answers(project), answers(project, date(2026, 4, 1))) == (["acht"], ["sechs"])
    assert project.workspace().read(s.DOCUMENTS).height == 3
    assert_same(content(project), content(rebuilt(project, tmp_path / "again")))


def test_earlier_editions_follow_a_rename_and_leave_with_the_document(project):
    edited_twice(project)
    write(project, "neun", FIRST, uri="b.txt")
    (project.docs / "a.txt").rename(project.docs / "kessel.md")
    report = project.run()
    assert (report.documents["renamed"], report.documents["created"], report.embeddings["computed"]) == (
        1,
        1,
        1,
    )
    assert answers(project, date(2020, 1, 1)) == ["neun", "sechs"]
    assert {each.uri.partition("/")[0] for each in project.search("Grenzwert", as_of=date(2020, 1, 1))} == {
        "b.txt",
        "kessel.md",
    }
    assert kept_files(project) == 4
    (project.docs / "kessel.md").unlink()
    assert project.run().documents["deleted"] == 1
    assert kept_files(project) == 1
    assert {word for word in ("sechs", "sieben", "acht") if holders(project, word)} == set()
    assert project.workspace().lake.read(s.KEPT_VERSIONS).is_empty()
    assert project.run().documents["unchanged"] == 1
    write(project, "sechs", THIRD, uri="kessel.md")  # what is written anew has no past
    project.run()
    assert (kept_files(project), project.workspace().read(s.DOCUMENTS).height) == (2, 2)


def test_who_may_no_longer_read_a_document_may_not_read_what_it_said(project):
    write(project, "sechs", FIRST)
    project.run()
    write(project, "sieben", SECOND)
    project.run()
    assert answers(project, date(2024, 6, 1)) == ["sechs"]
    write(project, "sieben", SECOND, acl_groups=["hr"])
    project.run()
    assert answers(project, date(2024, 6, 1)) == []
    assert answers(project, date(2024, 6, 1), groups=("hr",)) == ["sechs"]


def test_without_the_policy_earlier_editions_leave_at_the_next_run(project):
    edited_twice(project)
    assert kept_files(project) == 3
    project.collections = ({**DOCS, "history": "replace"},)
    project.configure()
    project.run()
    assert (kept_files(project), answers(project, date(2024, 6, 1))) == (0, ["acht"])
    assert {word for word in ("sechs", "sieben") if holders(project, word)} == set()
    project.collections = (DOCS,)  # from then on they are kept again
    project.configure()
    project.run()
    assert kept_files(project) == 1
    write(project, "neun", date(2026, 6, 1))
    project.run()
    assert answers(project, date(2024, 6, 1)) == ["acht"]


def test_the_policy_of_a_class_goes_before_that_of_its_collection(project):
    text = project.config_file.read_text(encoding="utf-8")
    text = text.replace('history = "keep"', 'history = "replace"\nhistory_of = { policy = "keep" }')
    project.config_file.write_text(text, encoding="utf-8")
    for words, day in (("sechs", FIRST), ("sieben", SECOND)):
        write(project, words, day, doc_type="policy")
        write(project, f"memo {words}", day, uri="b.txt", doc_type="memo")
        project.run()
    assert answers(project, date(2024, 6, 1)) == ["memo sieben", "sechs"]


@pytest.mark.parametrize("before", [True, False])
def test_a_run_that_dies_at_any_step_loses_no_edition(project, tmp_path, before):
    write(project, "sechs", FIRST)
    project.run()
    write(project, "sieben", SECOND)
    for at in range(1, 5):  # bytes, register, documents, pages
        with pytest.raises(Crash), crashing(at, before):
            project.run()
    project.run()
    assert (answers(project, date(2024, 6, 1)), answers(project)) == (["sechs"], ["sieben"])
    assert kept_files(project) == 2
    assert_same(content(project), content(rebuilt(project, tmp_path / "again")))


def test_an_edit_that_waits_is_no_edition_yet(project):
    write(project, "sechs", FIRST)
    project.run()
    write(project, "sieben", SECOND)
    project.run(limit=0)
    assert (answers(project), project.workspace().read(s.DOCUMENTS).height) == (["sechs"], 1)
    project.run()
    assert (answers(project), answers(project, date(2024, 6, 1))) == (["sieben"], ["sechs"])


def test_earlier_editions_are_no_documents_to_the_guard(project):
    for n in range(6):
        write(project, f"{n}", FIRST, uri=f"{n}.txt")
    for day in (SECOND, THIRD):
        for n in range(6):
            write(project, f"{n} seit {day.year}", day, uri=f"{n}.txt")
        project.run()
    for path in project.docs.iterdir():
        path.unlink()
    assert project.run().documents["deleted"] == 6
    assert kept_files(project) == 0


def test_all_that_was_kept_leaves_with_its_collection(project):
    (project.folder / "other").mkdir()
    edited_twice(project)
    project.collections = ({"name": "other", "source": "other"},)
    project.configure()
    project.run()
    assert kept_files(project) == 0
    assert project.workspace().lake.partitions(s.KEPT_VERSIONS) == []
