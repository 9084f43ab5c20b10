"""Exit codes of the command line, and one line for each error."""

import os
import shutil
import socket

import pytest

from pipeline.estate.guard import MassDeleteError
from pipeline.estate.source import NoSourceError, SourceError
from pipeline.index.errors import (
    BuildRefusedError,
    IndexMissingError,
    NoIndexYetError,
    NoSuchBuildError,
    SearchIndexError,
)
from pipeline.line.lock import RUN, LockedError, holding
from pipeline.retrieval.reranking import RerankerError
from pipeline.tables.lake import LakeError
from tests.command import kesit, one_line
from tests.line.projects import Project


@pytest.mark.slow
def test_documents_that_fail_are_named_and_the_rest_is_indexed(tmp_path):
    """B94 and B76: done with failures is 1; a document without text is no failure."""
    import docx
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen.canvas import Canvas

    project = Project(tmp_path / "p")
    project.write("gut.md", "# Pumpe\n\nThe pump is checked each day.")
    project.write("kaputt.pdf", "%PDF-1.7\nnothing that a reader could use")
    canvas = Canvas(str(project.docs / "gesperrt.pdf"), encrypt=StandardEncryption("user", "owner"))
    canvas.drawString(72, 700, "Geheim")
    canvas.save()
    project.write("nur_kommentar.html", "<html><body><!-- nothing --></body></html>")
    docx.Document().save(str(project.docs / "leer.docx"))
    done = kesit(project, "run", "--json")
    assert done.code == 1
    failed = {problem["document"]: problem for problem in done.json["failed"]}
    assert {name: problem["reason"] for name, problem in failed.items()} == {
        "docs/kaputt.pdf": "corrupt", "docs/gesperrt.pdf": "encrypted",
    }  # fmt: skip
    assert not any("Traceback" in problem["detail"] for problem in failed.values())
    assert (done.json["documents"]["failed"], done.json["documents"]["no_content"]) == (2, 2)
    assert done.json["errors"] == []
    assert [result["uri"] for result in kesit(project, "search", "pump", "--json").json["results"]] == [
        "gut.md"
    ]
    told = kesit(project, "run")
    assert told.code == 1, "failed documents stay failed until somebody mends them"
    assert "failed      docs/gesperrt.pdf: encrypted" in told.out
    assert "Traceback" not in told.out + told.err
    assert kesit(project, "run", "--allow-partial").code == 0


def test_only_broken_documents(tmp_path):
    project = Project(tmp_path / "p")
    project.write("kaputt.pdf", "%PDF-1.7\nnothing that a reader could use")
    done = kesit(project, "run", "--json")
    assert done.code == 1
    assert [problem["document"] for problem in done.json["failed"]] == ["docs/kaputt.pdf"]


@pytest.mark.parametrize(
    ("toml", "named"),
    [
        ("[lake]\nrot = 'x'\n", "lake.rot: unknown key; allowed here: root"),
        ("[gate]\nflag_below = 2\n", "gate.flag_below = 2"),
        ("[lake\n", "kesit.toml"),
        ("[embedding]\nmodels = ['no-such-model']\n", "no-such-model"),
    ],
)
def test_a_wrong_configuration_is_one_line(tmp_path, toml, named):
    project = Project(tmp_path / "p")
    project.config_file.write_text(project.config_file.read_text(encoding="utf-8") + toml, encoding="utf-8")
    done = kesit(project, "run", "--json")
    assert done.code == 2
    assert named in one_line(done)


def test_wrong_arguments(estate, tmp_path):
    asked = [
        ("search",),
        ("search", "pump", "--queries", "x.jsonl"),
        ("search", "--queries", "no-such-file.jsonl"),
        ("search", " "),
        ("search", "pump", "--k", "0"),
        ("search", "pump", "--as-of", "yesterday"),
        ("run", "--only", "nope"),
        ("run", "--no-such-option"),
        ("exceptions", "--collection", "nope"),
        ("run", "--only", ""),  # of a variable that is not set: not everything, and not today
        ("run", "--since", ""),
        ("search", "pump", "--as-of", ""),
        ("duplicates", "--collection", ""),
        ("review", "--collection", ""),
        ("eval", "--questions", "no-such-file.jsonl"),
        ("rollback", "nope@1"),
        ("--config", str(tmp_path / "none.toml"), "status"),
        ("no-such-command",),
    ]
    for arguments in asked:
        done = kesit(estate.project, *arguments)
        assert (done.code, done.out) == (2, ""), arguments
        assert done.err
        assert "Traceback" not in done.err


def test_before_the_first_run(tmp_path):
    """B88."""
    project = Project(tmp_path / "p")
    done = kesit(project, "search", "pump", "--json")
    assert done.code == 2
    assert "no index yet" in one_line(done)
    assert kesit(project, "status", "--json").json["live"] is None
    assert "`kesit run` does it" in kesit(project, "status").out
    assert "no runs yet" in kesit(project, "history").out
    assert kesit(project, "builds", "--json").json == []
    assert kesit(project, "exceptions", "--json").json == []
    assert kesit(project, "rollback").code == 2


def test_an_empty_folder_is_an_estate_without_documents(tmp_path):
    project = Project(tmp_path / "p")
    done = kesit(project, "run", "--json")
    assert done.code == 0
    assert set(done.json["documents"].values()) == {0}
    assert kesit(project, "search", "pump", "--json").json["results"] == []
    assert "nothing found" in kesit(project, "search", "pump").out


def test_a_missing_source(estate, tmp_path):
    shutil.copytree(estate.project.folder, tmp_path / "copy")
    shutil.rmtree(tmp_path / "copy" / "docs")
    done = kesit(tmp_path / "copy", "run", "--json")
    assert done.code == 1, "it was there before: a share that is not mounted, no wrong setting"
    assert f"collection 'docs': source = {str(tmp_path / 'copy' / 'docs')!r}: No such file" in one_line(done)
    assert kesit(tmp_path / "copy", "search", "pump", "--json").json["results"][0]["uri"] == "a.txt"
    new = Project(tmp_path / "new")
    new.docs.rmdir()
    assert kesit(new, "run").code == 2, "it never was"


def test_an_index_that_is_damaged_is_no_wrong_setting(estate, tmp_path):
    shutil.copytree(estate.project.folder, tmp_path / "copy")
    (pointer,) = (tmp_path / "copy").rglob("live.json")
    pointer.write_text("{", encoding="utf-8")
    for command in (("search", "pump"), ("rollback",)):
        done = kesit(tmp_path / "copy", *command)
        assert (done.code, "live.json is damaged" in one_line(done)) == (1, True)


@pytest.mark.parametrize("command", ["scan", "run"])
def test_what_a_run_would_stumble_over_later_is_said_at_once(estate, tmp_path, command):
    shutil.copytree(estate.project.folder, tmp_path / "copy")
    (tmp_path / "copy" / "questions.jsonl").unlink()
    done = kesit(tmp_path / "copy", command, "--json")
    assert done.code == 2
    assert "evaluation.questions" in one_line(done)
    assert "questions.jsonl" in done.err
    config = tmp_path / "copy" / "kesit.toml"
    settings = config.read_text(encoding="utf-8").replace(
        "[evaluation]", '[embedding]\nmodels = ["nope"]\n[evaluation]'
    )
    config.write_text(settings, encoding="utf-8")
    (tmp_path / "copy" / "questions.jsonl").write_text("", encoding="utf-8")
    line = one_line(kesit(tmp_path / "copy", command, "--json"))
    assert line.startswith("kesit: embedding.models: 'nope' is not on this machine")
    config.write_text(
        settings.replace("[embedding]\nmodels", "[retrieval]\nreranker").replace('["nope"]', '"nope"')
    )
    done = kesit(tmp_path / "copy", command, "--json")
    assert (done.code, one_line(done).partition(";")[0]) == (
        2,
        f"kesit: retrieval.reranker = {str(tmp_path / 'copy' / 'nope')!r}: no such folder",
    )


def test_a_search_with_a_reranker_that_is_not_there_is_one_line(estate, tmp_path):
    shutil.copytree(estate.project.folder, tmp_path / "copy")
    config = tmp_path / "copy" / "kesit.toml"
    config.write_text(
        config.read_text(encoding="utf-8") + '[retrieval]\nreranker = "nope"\n', encoding="utf-8"
    )
    done = kesit(tmp_path / "copy", "search", "pump pressure")
    assert done.code == 2
    assert "retrieval.reranker" in one_line(done)


def test_a_port_that_is_taken_is_said_before_anything_starts(estate):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = kesit(estate.project, "ui", "--port", str(port))
    assert (done.code, one_line(done)) == (
        2,
        f"kesit: --port {port}: in use by another program; choose another one",
    )


def test_a_file_without_questions_is_named(estate, tmp_path):
    empty = tmp_path / "empty.jsonl"
    empty.write_text("", encoding="utf-8")
    done = kesit(estate.project, "eval", "--questions", str(empty))
    assert (done.code, one_line(done)) == (2, f"kesit: {empty}: holds no gold question")


def test_every_error_for_the_user_has_its_exit_code():
    wanted = {
        LakeError: 1, SourceError: 1, SearchIndexError: 1, IndexMissingError: 1, BuildRefusedError: 1, NoSourceError: 2,
        NoIndexYetError: 2, NoSuchBuildError: 2, RerankerError: 2, MassDeleteError: 3, LockedError: 3,
    }  # fmt: skip
    assert {kind: kind.exit_code for kind in wanted} == wanted


def test_mass_deletion_is_refused(tmp_path):
    project = Project(tmp_path / "p")
    for n in range(12):
        project.write(f"{n:02}.txt", f"Pumpe {n} läuft seit {n + 3} Tagen.")
    project.run()
    for n in range(1, 12):
        (project.docs / f"{n:02}.txt").unlink()
    done = kesit(project, "run", "--json")
    assert (done.code, done.out) == (3, "")
    assert "11 of 12 documents would be deleted" in done.err
    assert "05.txt" in done.err
    assert "--allow-deletes 11" in done.err
    assert kesit(project, "run", "--json", "--allow-deletes", "11").json["documents"]["deleted"] == 11


def test_a_second_run_at_once_is_refused(estate):
    with holding(estate.project.workspace(), RUN, patience=0):
        for command in (("run", "--json"), ("rollback",)):
            done = kesit(estate.project, *command)
            assert done.code == 3
            assert f"process {os.getpid()}" in one_line(done)
        assert kesit(estate.project, "search", "pump", "--json").code == 0, "searching goes on"
