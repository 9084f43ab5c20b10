"""What each stage's inputs are: everything that moves its output moves them, and nothing else does."""

import json
import unicodedata
from datetime import UTC, datetime, timedelta

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from pipeline.estate.guard import MassDeleteError
from pipeline.index.pointer import read_candidate, read_pointer
from pipeline.line.lock import LockedError, holding
from pipeline.line.stage import update
from pipeline.line.stages import DOCUMENTS, GATED_PAGES, PARSED_PAGES
from pipeline.line.whole_estate import GLOBAL
from pipeline.line.workspace import Workspace
from pipeline.tables import schemas as s
from tests.line.projects import PlainDriver, Project, assert_same, content, texts

ROWS = "Die Pumpe läuft seit dem Umbau ohne Störung und wird jede Woche geprüft.\n"


@pytest.fixture
def project(tmp_path) -> Project:
    return Project(tmp_path / "project")


def test_a_file_named_in_decomposed_letters_is_read(project):
    """Shares of other systems and archives write names in Unicode form NFD."""
    name = unicodedata.normalize("NFD", "Übergabe_şartları.txt")
    (project.docs / name).write_text(ROWS, encoding="utf-8")
    report = project.run()
    assert (report.failed, report.chunks["added"]) == ((), 1)
    assert project.search("Pumpe")[0].uri == unicodedata.normalize("NFC", name)


def test_documents_that_a_killed_run_had_read_are_not_read_again(project):
    """A run that ends before it publishes: what it read is in the journal, and only there."""
    path = project.write("a.txt", ROWS)
    workspace = project.workspace()
    (partition,) = [name for name in workspace.partitions if workspace.scan("docs").partition(name).height]
    update(workspace, DOCUMENTS, partition)
    made = PARSED_PAGES.make(workspace, partition)
    folder = workspace.work_folder(s.PARSED_PAGES.name, partition)
    assert list(folder.iterdir())
    workspace.dismiss_readers()
    text = path.read_text(encoding="utf-8")
    again = project.workspace()
    again.scan("docs")
    path.write_text(
        text.replace("Pumpe", "Probe"), encoding="utf-8"
    )  # whoever read it now would find other bytes
    update(again, PARSED_PAGES, partition)
    assert again.lake.read(s.PARSED_PAGES, partition).equals(made.frames[s.PARSED_PAGES.name])
    assert not folder.exists()


def test_wrong_metadata_keeps_no_document_from_being_read_again(project):
    """A sidecar that is no TOML, one of no document, one that claims another's name: only bytes that are gone are a fault."""
    for name in ("a.txt", "b.txt", "c.txt", "d.txt"):
        project.write(name, f"{name}: {ROWS}")

    def published() -> Workspace:
        workspace = project.workspace()
        for stage in (DOCUMENTS, PARSED_PAGES, GATED_PAGES):
            for partition in workspace.partitions:
                update(workspace, stage, partition)
        workspace.dismiss_readers()
        return workspace

    published()
    (project.docs / "a.txt.meta.toml").write_text("title =", encoding="utf-8")
    (project.docs / "b.meta.toml").write_text('acl_groups = ["board"]', encoding="utf-8")
    (project.docs / "c.txt.meta.toml").write_text('external_id = "one"', encoding="utf-8")
    (project.docs / "d.txt.meta.toml").write_text('external_id = "one"', encoding="utf-8")
    project.configure(parsing={"workers": 1, "max_pages": 3})
    workspace = published()
    pages = workspace.read(s.PARSED_PAGES)
    assert (pages["status"].to_list(), pages["page_no"].to_list()) == (["ok"] * 4, [1] * 4)
    register = workspace.read(s.PAGE_EXCEPTIONS).filter(status="open")
    assert sorted(register.select("uri", "reason").rows()) == [
        (name, "bad_metadata") for name in ("a.txt", "b.txt", "d.txt")
    ]


def test_readers_live_through_the_partitions_of_a_run(project):
    workspace = project.workspace()
    assert workspace.readers is workspace.readers
    before = workspace.readers
    workspace.dismiss_readers()
    assert workspace.readers is not before


def test_another_ending_is_read_by_another_reader(project, tmp_path):
    """A repair that a user makes: the same bytes, under a name that says what they are."""
    path = project.write("bericht.bak", ROWS)
    assert [problem.reason for problem in project.run().failed] == ["unsupported"]
    path.rename(path.with_suffix(".txt"))
    report = project.run()
    assert (report.documents["renamed"], report.failed) == (1, ())
    # A rename keeps the id of the document, which a rebuild does not know of: compare what was read.
    rebuilt = project.rebuilt(tmp_path / "rebuilt")
    assert texts(project) == texts(rebuilt)


def test_a_broken_limit_is_tried_once_more_and_whenever_the_limit_moves(project):
    # One document is too slow for any reader that has a second for it; what is slow is the size.
    project.write("gross.md", "\n\n".join(f"# Teil {n}\n\n{ROWS * 40}" for n in range(1500)))

    def read(seconds: int) -> tuple[bool, list[str]]:
        """Whether there was nothing to do, and the reason codes."""
        project.configure(parsing={"workers": 1, "timeout_seconds": seconds})
        workspace = project.workspace()
        update(workspace, DOCUMENTS, "docs.0")
        fresh = update(workspace, PARSED_PAGES, "docs.0").fresh
        return fresh, workspace.read(s.PARSED_PAGES)["reason"].unique().to_list()

    assert read(1) == (False, ["timeout"])
    assert read(1) == (False, ["timeout"])
    assert read(1) == (True, ["timeout"])  # it failed twice: it is left alone
    assert read(300) == (False, [""])


def test_an_encrypted_document_is_read_when_its_password_is_added_to_the_file_of_passwords(project, tmp_path):
    canvas = Canvas(str(project.docs / "a.pdf"), encrypt=StandardEncryption("geheim", strength=128))
    canvas.drawString(60, 700, "Die Pumpe läuft seit dem Umbau ohne Störung.")
    canvas.save()
    passwords = tmp_path / "passwords"
    passwords.write_text("falsch\n", encoding="utf-8")
    project.configure(parsing={"workers": 1, "passwords_file": str(passwords)})
    assert [problem.reason for problem in project.run().failed] == ["encrypted"]
    project.run()
    assert update(project.workspace(), PARSED_PAGES, "docs.0").fresh  # tried twice: it is left alone
    passwords.write_text("falsch\ngeheim\n", encoding="utf-8-sig")  # some editors put a mark in front
    report = project.run()
    assert (report.failed, report.pages["parsed"]) == ((), 1)


def test_a_document_type_that_cuts_alike_parses_gates_and_chunks_nothing(project):
    project.write("a.txt", ROWS, doc_type="memo")
    project.run()
    project.write("a.txt", ROWS, doc_type="policy")
    report = project.run()
    assert report.documents["metadata"] == 1
    assert (report.pages["parsed"], report.chunks["added"], report.embeddings["computed"]) == (0, 0, 0)
    tables = {
        name: project.workspace().read(table)
        for name, table in (("gated", s.GATED_PAGES), ("chunks", s.CHUNKS))
    }
    assert all(frame.height for frame in tables.values())


def test_every_way_of_running_is_guarded_against_mass_deletion(project):
    for n in range(14):
        project.write(f"{n}.txt", ROWS + str(n))
    project.run()
    for n in range(14):
        (project.docs / f"{n}.txt").unlink()
    with pytest.raises(MassDeleteError, match="14 of 14 documents would be deleted"):
        update(project.workspace(), DOCUMENTS, "docs.0")
    assert project.workspace().read(s.DOCUMENTS).height == 14


def test_a_partition_that_another_process_writes_is_waited_for(project):
    project.write("a.txt", ROWS)
    one, other = project.workspace(), project.workspace()
    with holding(one, "docs.0"):
        update(one, DOCUMENTS, "docs.0")  # who holds a lock can take it again
        with pytest.raises(LockedError, match="another run"), holding(other, "docs.0", patience=0):
            pass
    update(other, DOCUMENTS, "docs.0")


def test_a_file_that_was_replaced_after_the_scan_gives_its_bytes_to_no_other_version(project):
    path = project.write("a.txt", "alt: " + ROWS)
    workspace = project.workspace()
    update(workspace, DOCUMENTS, "docs.0")
    path.write_text("neu, und länger: " + ROWS, encoding="utf-8")
    update(workspace, PARSED_PAGES, "docs.0")
    pages = workspace.read(s.PARSED_PAGES)
    assert pages.select("status", "reason").rows() == [("failed", "changed")]
    report = project.run()
    assert report.failed == ()
    assert "neu, und länger" in texts(project)


# what is live ------------------------------------------------------------------------------------------------------------


def with_questions(project: Project, *quotes: tuple[str, str], floor: float) -> None:
    rows = [
        {"id": f"q{n}", "query": quote, "gold": [{"document": uri, "quote": quote}]}
        for n, (uri, quote) in enumerate(quotes)
    ]
    (project.folder / "questions.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )
    project.configure(evaluation={"questions": "questions.jsonl", "min_recall_at_5": floor})


def test_a_build_that_stays_back_holds_back_no_deletion_and_no_closed_access(project):
    project.write("weg.txt", "Die Fichte am Tor wird im Herbst gefällt.")
    project.write("lohn.txt", "Das Gehalt der Leitung beträgt 9.000 Euro.")
    project.write("bleibt.txt", "Die Kantine öffnet um elf Uhr dreißig.")
    with_questions(project, ("weg.txt", "Die Fichte am Tor wird im Herbst gefällt."), floor=0.5)
    assert project.run().index["promoted"]
    before = read_pointer(project.workspace().index_root).current
    (project.docs / "weg.txt").unlink()
    project.write("lohn.txt", "Das Gehalt der Leitung beträgt 9.000 Euro.", acl_groups=["hr"])
    report = project.run()
    assert not report.index["promoted"]
    after = read_pointer(project.workspace().index_root).current
    assert (after.table, after.rows) == (before.table, 2)
    assert "Fichte" not in texts(project)
    assert not any("Gehalt" in result.text for result in project.search("Gehalt der Leitung"))
    assert any("Gehalt" in result.text for result in project.search("Gehalt der Leitung", groups=("hr",)))
    # And nothing is left to do.
    assert all(stage.is_fresh(project.workspace()) for stage in GLOBAL)


def test_a_run_that_stops_holds_back_no_deletion(project):
    project.write("weg.txt", "Die Fichte am Tor wird im Herbst gefällt.")
    project.write("bleibt.txt", "Die Kantine öffnet um elf Uhr dreißig.")
    project.run()
    (project.docs / "weg.txt").unlink()

    class Stops:
        def __init__(self, workspace) -> None:
            self.workspace = workspace

        def __enter__(self):
            return self

        def __exit__(self, *_error) -> None:
            return None

        def run_partition(self, partition: str) -> list[str]:
            update(self.workspace, DOCUMENTS, partition)
            return [f"{partition}: parsed_pages: the disk is full"]

        def run_whole_estate(self) -> list[str]:
            raise AssertionError("it must wait")

    report = project.run(Stops)
    assert report.errors
    assert "Fichte" not in texts(project)
    assert "Kantine" in texts(project)


def test_a_rollback_is_not_undone_by_the_next_run(project):
    project.write("a.txt", "Alt: die Kantine öffnet um elf Uhr.")
    project.run()
    project.write("a.txt", "Neu: die Kantine öffnet um zwölf Uhr.")
    project.run()
    from pipeline.line.builds import roll_back

    roll_back(project.workspace(), None)
    report = project.run()
    assert not report.index["promoted"]
    assert "went back" in report.index["reason"]
    assert "elf Uhr" in texts(project)
    assert all(stage.is_fresh(project.workspace()) for stage in GLOBAL)
    # Another change is another build, and that one may go live.
    project.write("a.txt", "Neuer: die Kantine öffnet um dreizehn Uhr.")
    assert project.run().index["promoted"]
    assert "dreizehn" in texts(project)


def test_builds_expire_whoever_drives_the_stages(project, monkeypatch):
    project.configure(index={"rollback_days": 0})
    monkeypatch.setattr("pipeline.index.retention.GRACE", timedelta(0))
    for day, word in enumerate(("elf", "zwölf", "dreizehn")):
        now = datetime.now(UTC) + timedelta(days=day)
        monkeypatch.setattr("pipeline.line.workspace.Workspace.now", lambda _self, now=now: now)
        project.write("a.txt", f"Die Kantine öffnet um {word} Uhr.")
        driver = PlainDriver(project.workspace())  # as Dagster does it: nothing comes after the stages
        driver.run_partition("docs.0")
        driver.run_whole_estate()
    assert len(read_pointer(project.workspace().index_root).previous) == 1  # it ceased to be live just now


def test_builds_expire_in_a_quiet_estate_too(project, monkeypatch):
    project.write("a.txt", "Alt: die Kantine öffnet um elf Uhr.")
    project.run()
    project.write("a.txt", "Neu: die Kantine öffnet um zwölf Uhr.")
    project.run()
    root = project.workspace().index_root
    assert len(read_pointer(root).previous) == 1
    project.configure(index={"rollback_days": 0})
    monkeypatch.setattr("pipeline.index.retention.GRACE", timedelta(0))
    later = datetime.now(UTC) + timedelta(days=1)
    monkeypatch.setattr("pipeline.line.workspace.Workspace.now", lambda _self: later)
    assert "index" not in project.run().seconds
    assert read_pointer(root).previous == ()


def test_equal_rows_after_a_change_leave_nothing_to_do(project):
    """A touched file moves no row of text; the build that results is the one that is live."""
    path = project.write("a.txt", ROWS)
    project.run()
    path.touch()
    project.run()
    assert all(stage.is_fresh(project.workspace()) for stage in GLOBAL)
    assert read_candidate(project.workspace().index_root) is None


def test_the_law_over_real_stages(project, tmp_path):
    """Create, edit, delete, metadata, access, sidecar errors: in the end the tables of a rebuild, row for row."""
    for n in range(6):
        project.write(f"{n}.md", f"# Titel {n}\n\n" + ROWS * (n + 1))
    project.run()
    project.write("1.md", "# Titel 1\n\nGanz neuer Text über Ventile, Dichtungen und ihre Prüfung.")
    project.write("2.md", "# Titel 2\n\n" + ROWS * 3, acl_groups=["hr"], title="Zwei")
    (project.docs / "3.md").unlink()
    project.run()
    project.write("2.md.meta.toml", "acl_groups = []")
    project.write("6.md", "# Titel 6\n\n" + ROWS, supersedes=["0.md"], effective_date="2026-01-01")
    project.run()
    (project.docs / "2.md.meta.toml").write_text('acl_groups = ["legal"]', encoding="utf-8")
    project.run()
    assert_same(content(project), content(project.rebuilt(tmp_path / "rebuilt")))


def test_an_answer_that_was_taken_out_of_the_estate_is_not_held_against_the_next_build(project):
    """Closing, deleting and editing are intended; a build that follows them must not stay back for it."""
    sentences = {
        "zu.txt": "Das Gehalt der Leitung beträgt 9.000 Euro.",
        "weg.txt": "Die Fichte am Tor wird im Herbst gefällt.",
        "neu.txt": "Die Kantine öffnet um elf Uhr dreißig.",
        "bleibt.txt": "Der Kompressor steht in Halle vier.",
    }
    for uri, text in sentences.items():
        project.write(uri, text)
    with_questions(project, *sentences.items(), floor=0.0)
    assert project.run().index["promoted"]
    project.write("zu.txt", sentences["zu.txt"], acl_groups=["hr"])
    (project.docs / "weg.txt").unlink()
    project.write("neu.txt", "Die Kantine bleibt bis auf weiteres geschlossen.")
    report = project.run()
    assert report.index["promoted"], report.index["reason"]
    assert "on 1 question," in report.index["reason"]
    assert "geschlossen" in texts(project)


def test_a_setting_of_spreadsheets_reads_no_other_document_again(tmp_path):
    import openpyxl

    project = Project(tmp_path / "project")
    project.write("a.txt", "Pumpe läuft.")
    book = openpyxl.Workbook()
    book.active.append(["Ölçüm", "Değer"])
    book.active.append(["Basınç", 6])
    book.create_sheet("Gizli").append(["sır", 2])
    book["Gizli"].sheet_state = "hidden"
    book.save(project.docs / "b.xlsx")
    assert project.run().pages["parsed"] == 2
    project.configure(parsing={"workers": 1, "hidden_sheets": "read"})
    pages = project.run().pages
    assert (pages["parsed"], pages["reused"]) == (2, 1), "the sheet has two pages now"
    project.configure(parsing={"workers": 1, "hidden_sheets": "read", "layout": "geometry"})
    pages = project.run().pages
    assert pages["reused"] == 1, "a text has no layout to find"
    rebuilt = project.rebuilt(tmp_path / "rebuilt")
    assert_same(content(project), content(rebuilt))
