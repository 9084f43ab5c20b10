"""The command line as scripts see it: JSON, exit codes, one line for each error."""

import contextlib
import csv
import io
import itertools
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from pipeline.cli import main
from pipeline.config import load_config, parse_config
from pipeline.estate.guard import MassDeleteError
from pipeline.estate.source import SourceError
from pipeline.line.lock import RUN, LockedError, holding
from pipeline.line.project import DAGSTER_YAML, WORKSPACE_YAML
from pipeline.retrieval.reranking import RerankerError
from pipeline.tables.lake import LakeError
from tests.line.projects import Project, texts

ROOT = Path(__file__).resolve().parents[1]
HEAVY = {"polars", "numpy", "dagster", "torch", "lancedb", "docling", "pandera", "pyarrow", "sentence_transformers", "matplotlib"}  # fmt: skip


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self):
        """What was printed: one JSON value and nothing else."""
        return json.loads(self.out)


def kesit(project: Path | Project, *arguments: str) -> Done:
    """Run a command in the folder of a project, in this process."""
    folder = project.folder if isinstance(project, Project) else project
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        patch.chdir(folder)
        patch.delenv("KESIT_CONFIG", raising=False)
        patch.setattr(sys, "argv", ["kesit", *arguments])
        try:
            main()
        except SystemExit as ended:
            return Done(int(ended.code or 0), out.getvalue(), err.getvalue())
        finally:
            os.environ.pop("KESIT_CONFIG", None)
    return Done(0, out.getvalue(), err.getvalue())


def one_line(done: Done) -> str:
    """The message of an error: one line on stderr, no trace, nothing on stdout."""
    assert done.out == ""
    (line,) = done.err.splitlines()
    return line


class Estate(NamedTuple):
    project: Project
    first: Done


@pytest.fixture(scope="module")
def estate(tmp_path_factory) -> Estate:
    """A small estate that was run by the command line."""
    project = Project(
        tmp_path_factory.mktemp("cli") / "project",
        {"name": "docs", "source": "docs", "buckets": 1},
        evaluation={"questions": "questions.jsonl"},
    )
    project.write("a.txt", "The night shift records the pump pressure every two hours.")
    project.write("b.txt", "Der Öldruck muss vor dem Anfahren geprüft und eingetragen werden.")
    project.write("pay.txt", "Das Gehalt des Werkleiters beträgt 9.000 Euro.", acl_groups=["hr"])
    project.write("leer.txt", "")
    lines = (
        {"id": "1", "query": "pump pressure", "lang": "en", "gold": [{"document": "docs/a.txt", "quote": "pump pressure"}]},
        {"id": "2", "query": "Öldruck", "lang": "de", "gold": [{"document": "docs/b.txt", "quote": "Öldruck"}]},
        {"id": "3", "query": "Gehalt", "lang": "de", "gold": [{"document": "docs/nowhere.txt", "quote": "niemals"}]},
    )  # fmt: skip
    (project.folder / "questions.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8"
    )
    return Estate(project, kesit(project, "run", "--json"))


# the contract -------------------------------------------------------------------------------------------------------------


def test_run(estate):
    assert estate.first.code == 0, estate.first
    report = estate.first.json
    assert set(report) == {
        "documents", "pages", "chunks", "figures", "contexts", "embeddings", "clusters", "index", "seconds", "peak_rss_mb", "failed", "errors",
        "coverage",
    }  # fmt: skip
    assert report["documents"] == {
        "created": 4, "updated": 0, "renamed": 0, "deleted": 0, "metadata": 0, "unchanged": 0, "failed": 0, "no_content": 1,
    }  # fmt: skip
    assert set(report["pages"]) == {"parsed", "reused", "passed", "flagged", "rejected"}
    assert report["chunks"] == {"added": 3, "removed": 0, "kept": 0}
    assert report["embeddings"] == {"computed": 3, "reused": 0}
    assert set(report["clusters"]) == {"clusters", "exact", "near"}
    assert set(report["index"]) == {
        "table",
        "version",
        "inserted",
        "updated",
        "deleted",
        "promoted",
        "reason",
        "behind",
    }
    assert report["index"]["inserted"] == 3
    assert report["index"]["promoted"] is True
    overall = report["coverage"][0]
    assert overall == {
        "dimension": "all", "value": "all", "pages": 3, "passed": 1.0, "flagged": 0.0, "rejected": 0.0, "failed": 0.0,
    }  # fmt: skip
    assert [row["dimension"] for row in report["coverage"]][1:3] == ["collection", "document_class"]
    assert set(report["seconds"]) == {
        "documents", "parsed_pages", "gated_pages", "figure_descriptions", "contexts", "chunks", "signatures", "embeddings", "clusters", "index",
        "evaluation", "live_index",
    }  # fmt: skip
    assert report["peak_rss_mb"] > 1
    assert report["failed"] == report["errors"] == []
    assert estate.first.err == ""


def test_scan(estate, tmp_path):
    shutil.copytree(estate.project.folder, tmp_path / "copy")
    docs = tmp_path / "copy" / "docs"
    assert kesit(tmp_path / "copy", "scan", "--json").json["documents"]["unchanged"] == 4
    (docs / "a.txt").write_text("Another text.", encoding="utf-8")
    (docs / "b.txt").rename(docs / "c.txt")
    (docs / "leer.txt").unlink()
    (docs / "neu.txt").write_text("Neu.", encoding="utf-8")
    (docs / "pay.txt.meta.toml").write_text('acl_groups = ["board"]\n', encoding="utf-8")
    done = kesit(tmp_path / "copy", "scan", "--json")
    assert done.json["documents"] == {
        "created": 1, "updated": 1, "renamed": 1, "deleted": 1, "metadata": 1, "unchanged": 0, "failed": 0,
    }  # fmt: skip
    changes = {(change["kind"], change["document"]) for change in done.json["changes"]}
    assert changes == {
        ("created", "docs/neu.txt"), ("updated", "docs/a.txt"), ("renamed", "docs/c.txt"), ("deleted", "docs/leer.txt"),
        ("metadata", "docs/pay.txt"),
    }  # fmt: skip
    assert kesit(tmp_path / "copy", "scan", "--json").json == done.json, "a scan does nothing"
    assert "deleted    docs/leer.txt" in kesit(tmp_path / "copy", "scan").out


def test_search(estate):
    done = kesit(estate.project, "search", "pump pressure", "--k", "3", "--json")
    assert (done.code, done.err) == (0, "")
    assert set(done.json) == {"query", "as_of", "groups", "build", "results"}
    assert set(done.json["results"][0]) == {
        "rank", "score", "chunk_id", "doc_id", "uri", "title", "section_path", "pages", "effective_date", "date_source", "language",
        "kind", "low_confidence", "text", "parent_text", "also_in", "collection", "version_label", "newer", "neighbours",
    }  # fmt: skip
    assert done.json["results"][0]["uri"] == "a.txt"
    assert [result["rank"] for result in done.json["results"]] == [1, 2]


def test_search_shows_a_closed_document_to_its_group_alone(estate):
    asked = [
        kesit(estate.project, "search", "Gehalt Werkleiter", "--json", "--groups", groups)
        for groups in ("", "legal", "legal, hr")
    ]
    found = [{result["uri"] for result in done.json["results"]} for done in asked]
    assert ["pay.txt" in uris for uris in found] == [False, False, True]


def test_search_answers_a_file_of_questions_line_by_line(estate, tmp_path):
    file = tmp_path / "queries.jsonl"
    file.write_text('{"query": "pump"}\n\n{"query": "Gehalt", "groups": ["hr"], "k": 1}\n', encoding="utf-8")
    done = kesit(estate.project, "search", "--queries", str(file))
    first, second = map(json.loads, done.out.splitlines())
    assert (first["query"], first["results"][0]["uri"]) == ("pump", "a.txt")
    assert [result["uri"] for result in second["results"]] == ["pay.txt"]


def test_search_for_a_person_cites(estate):
    out = kesit(estate.project, "search", "Öldruck").out
    assert out.startswith("1. b, page 1 (b.txt)\n   Der Öldruck muss")


def test_eval(estate):
    done = kesit(estate.project, "eval", "--json")
    assert (done.code, done.err) == (0, "")
    measured = done.json
    assert set(measured) == {"build", "questions", "overall", "slices", "failures"}
    assert set(measured["overall"]) == {
        "recall@1", "recall@5", "recall@10", "mrr", "precision@1", "recall@1000tok", "recall@2000tok", "ndcg@10",
        "context_recall@5", "redundancy@5", "leaks",
    }  # fmt: skip
    assert measured["questions"] == 3
    assert measured["overall"]["recall@5"] == pytest.approx(2 / 3, abs=1e-3)
    assert measured["overall"]["leaks"] == 0
    assert {"lang", "kind", "class", "tabular"} <= set(measured["slices"])
    assert set(measured["slices"]["lang"]) == {"de", "en"}
    (failure,) = measured["failures"]
    assert {"id", "query", "expected", "got"} <= set(failure)
    assert failure["id"] == "3"
    assert failure["absent"] == "no document is called docs/nowhere.txt"


def test_two_builds_are_compared(estate, tmp_path):
    live = kesit(estate.project, "builds", "--json").json[0]["build"]
    done = kesit(
        estate.project, "eval", "--compare", "live", live, "--plot", str(tmp_path / "p.png"), "--json"
    )
    assert (done.code, done.err) == (0, "")
    assert (done.json["before"], done.json["after"]) == (live, live)
    recall = done.json["slices"]["overall"]["overall"]["recall@5"]
    assert (recall["questions"], recall["change"], recall["won"], recall["lost"]) == (3, 0, 0, 0)
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    wrong = kesit(estate.project, "eval", "--compare", "live", "t@9")
    assert wrong.code == 2
    assert f"build 't@9': there is none of that name; there are: {live}, live" in one_line(wrong)


def test_status(estate):
    done = kesit(estate.project, "status", "--json")
    assert set(done.json) == {
        "documents", "pages", "chunks", "live", "stale", "held", "behind", "earlier_editions", "exceptions_open", "newest", "stages", "last_run", "exceptions",
    }  # fmt: skip
    assert (done.json["documents"], done.json["chunks"], done.json["exceptions_open"]) == (4, 3, 1)
    assert set(done.json["live"]) == {"table", "version", "fingerprint", "promoted_at"}
    assert done.json["live"]["version"] == estate.first.json["index"]["version"]
    assert set(done.json["pages"]) == {"passed", "flagged", "rejected"}
    shown = kesit(estate.project, "status").out
    assert "exceptions  1 open: 1 no_content; `kesit exceptions` says what to do" in shown
    assert re.search(r"live +\S+ version \d+ since \d{4}-\d\d-\d\d \d\d:\d\d UTC\n", shown)


def test_builds(estate):
    (build,) = kesit(estate.project, "builds", "--json").json
    index = estate.first.json["index"]
    assert build["build"] == f"{index['table']}@{index['version']}"
    assert (build["state"], build["rows"], build["models"]) == ("live", 3, ["use-multilingual"])


def test_review(estate, tmp_path):
    file = tmp_path / "r.html"
    done = kesit(estate.project, "review", "--pages", "2", "--out", str(file), "--json")
    assert done.code == 0, done
    assert set(done.json) == {"file", "pages", "estate", "bands", "strata", "pictures", "undrawn"}
    assert (done.json["pages"], done.json["estate"]) == (2, 4)
    data = json.loads(re.search(r'id="data">(.*?)</script>', file.read_text(encoding="utf-8"))[1])
    judged = data["pages"][0] | {"verdicts": ["wrong_text"], "note": "", "judged_at": "now"}
    verdicts = tmp_path / "verdicts.json"
    verdicts.write_text(
        json.dumps(data | {"saved_at": "now", "sampled": 2, "pages": [judged]}), encoding="utf-8"
    )
    done = kesit(estate.project, "review", "--summary", str(verdicts), "--json")
    assert (done.code, done.json["judged"], len(done.json["worst"])) == (0, 1, 1)
    assert "wrong text" in kesit(estate.project, "review", "--summary", str(verdicts)).out


def test_a_review_that_cannot_be_says_why(estate, tmp_path):
    (tmp_path / "v.json").write_text("{}", encoding="utf-8")
    for arguments, says in (
        (("--summary", str(tmp_path / "v.json")), "is no file of verdicts"),
        (("--collection", "nowhere"), "'nowhere' is not configured"),
        (("--out", "docs/r.html"), "must not lie inside the source"),
    ):
        done = kesit(estate.project, "review", *arguments)
        assert done.code == 2
        assert says in one_line(done)


@pytest.mark.slow
def test_cells_that_a_spreadsheet_would_run_are_kept_as_they_are_and_harmless_in_what_is_written(tmp_path):
    """B92."""
    project = Project(tmp_path / "p")
    starts = (
        "=2*3",
        "+49 7 1234",
        "-5",
        "@SUM(A1:A2)",
        "\t=2+2",
        '=HYPERLINK("http://127.0.0.1/x","tıkla")',
        "normal",
    )
    quoted = ('"' + text.replace('"', '""') + '"' for text in starts)
    rows = "".join(f'"{letter}",{text}\n' for letter, text in zip("abcdefg", quoted, strict=True))
    words = "".join(
        f'"Pompa {n}","Basınç her vardiyada kontrol edilir ve deftere yazılır."\n' for n in range(9)
    )
    project.write("hucreler.csv", f'"Ad","Açıklama"\n{words}{rows}')
    for name in ("=BUGÜN().txt", "+makro.txt", "@a.txt", "-5.txt", "normal.txt"):
        project.write(name, "")  # no content: the register names them
        project.write(
            f"x/{name}", f"Pumpe {name} läuft seit drei Tagen ohne Störung und wird jede Woche geprüft."
        )
        project.write(
            f"y/{name}", f"Pumpe {name} läuft seit drei Tagen ohne Störung und wird jede Woche geprüft."
        )
    project.run()
    text = texts(project)
    assert all(cell.strip() in text for cell in starts)
    for command, name in (("exceptions", "e.csv"), ("duplicates", "d.csv")):
        assert kesit(project.folder, command, "--csv", str(tmp_path / name)).code == 0
        with (tmp_path / name).open(encoding="utf-8-sig", newline="") as file:
            header, *found = csv.reader(file)
        assert len(found) >= 5
        for cell in itertools.chain(header, *found):
            assert not cell.startswith(("=", "+", "@", "\t", "\r")), cell
            assert not cell.startswith("-") or float(cell) < 0, "a number stays one"
    (shown,) = (
        row for row in kesit(project.folder, "exceptions", "--json").json if row["uri"] == "=BUGÜN().txt"
    )
    assert shown["reason"] == "no_content"


@pytest.mark.parametrize(
    ("command", "option", "ending"),
    [
        (("review",), "--out", ".html"),
        (("exceptions",), "--csv", ".csv"),
        (("duplicates",), "--csv", ".csv"),
        (("duplicates", "show", "x"), "--csv", ".csv"),
        (("sweep",), "--out", ".toml"),
        (("sweep",), "--plot", ".png"),
        (("eval", "--compare", "live", "live"), "--plot", ".png"),
    ],
)
def test_what_a_command_writes_replaces_nothing_that_it_did_not_write(
    estate, tmp_path, command, option, ending
):
    config = estate.project.config_file
    before = config.read_bytes()
    mine = tmp_path / "mine.txt"
    mine.write_text("mine", encoding="utf-8")
    for place in (config, mine):
        done = kesit(estate.project, *command, option, str(place))
        assert done.code == 2
        assert f"was not written by {option}" in one_line(done)
    assert "must not lie inside" in one_line(kesit(estate.project, *command, option, f"docs/x{ending}"))
    assert (config.read_bytes(), mine.read_text(encoding="utf-8")) == (before, "mine")


def test_a_page_that_is_no_report_is_not_replaced_by_one(estate, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<p>mine</p>", encoding="utf-8")
    done = kesit(estate.project, "review", "--out", str(page))
    assert (done.code, page.read_text(encoding="utf-8")) == (2, "<p>mine</p>")
    for _ in range(2):  # its own is
        assert kesit(estate.project, "review", "--out", str(tmp_path / "r.html")).code == 0


def test_exceptions(estate, tmp_path):
    (entry,) = kesit(estate.project, "exceptions", "--json").json
    assert (entry["uri"], entry["reason"], entry["page_no"]) == ("leer.txt", "no_content", 0)
    done = kesit(estate.project, "exceptions", "--csv", str(tmp_path / "register.csv"))
    assert "docs/leer.txt: no_content" in done.out
    assert (tmp_path / "register.csv").read_text(encoding="utf-8-sig").count("leer.txt") == 1
    assert kesit(estate.project, "exceptions", "--reason", "timeout", "--json").json == []


def test_an_exception_that_was_looked_at_is_acknowledged_and_reopened(estate):
    shown = kesit(estate.project, "exceptions", "--acknowledge", "docs/leer.txt")
    assert (shown.code, shown.out.startswith("acknowledged docs/leer.txt")) == (0, True)
    assert shown.out.endswith("1 entry acknowledged\n")
    assert kesit(estate.project, "status", "--json").json["exceptions_open"] == 0
    assert (
        kesit(estate.project, "exceptions", "--status", "acknowledged", "--json").json[0]["uri"] == "leer.txt"
    )
    again = kesit(estate.project, "exceptions", "--acknowledge", "docs/leer.txt")
    assert again.code == 2
    assert "has no open entry" in one_line(again)
    for more in (["--reopen", "leer.txt"], ["--reason", "timeout"], ["--csv", "r.csv"], ["--status", "all"]):
        refused = kesit(estate.project, "exceptions", "--acknowledge", "docs/leer.txt", *more)
        assert (refused.code, "nothing beside it" in one_line(refused)) == (2, True)
    assert "'': has no" in one_line(kesit(estate.project, "exceptions", "--reopen", ""))
    (entry,) = kesit(estate.project, "exceptions", "--reopen", "leer.txt", "--json").json
    assert entry["status"] == "open"
    assert kesit(estate.project, "status", "--json").json["exceptions_open"] == 1


def test_a_run_is_told_in_lines_and_a_rollback_brings_the_earlier_build_back(estate, tmp_path):
    shutil.copytree(estate.project.folder, tmp_path / "copy")
    (tmp_path / "copy" / "docs" / "b.txt").unlink()
    done = kesit(tmp_path / "copy", "run")
    assert done.code == 0, done
    assert done.out.startswith("documents   0 created, 0 updated, 0 renamed, 1 deleted")
    assert "scanning" in done.err
    again = kesit(tmp_path / "copy", "rollback", "--json")
    assert again.code == 0, again
    assert again.json["deleted"] == 1
    answer = kesit(tmp_path / "copy", "search", "Öldruck", "--json").json
    assert "b.txt" not in {result["uri"] for result in answer["results"]}
    assert answer["build"] == f"{again.json['table']}@{again.json['version']}"


# exit codes ---------------------------------------------------------------------------------------------------------------


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
    assert done.code == 2
    assert f"collection 'docs': source = {str(tmp_path / 'copy' / 'docs')!r}: No such file" in one_line(done)
    assert kesit(tmp_path / "copy", "search", "pump", "--json").json["results"][0]["uri"] == "a.txt"


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


def test_every_error_for_the_user_has_its_exit_code():
    assert {kind.__name__: kind.exit_code for kind in (LakeError, SourceError, RerankerError, MassDeleteError, LockedError)} == {
        "LakeError": 1, "SourceError": 2, "RerankerError": 2, "MassDeleteError": 3, "LockedError": 3,
    }  # fmt: skip


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


# a project ----------------------------------------------------------------------------------------------------------------


def test_init_writes_a_project_whose_comments_are_the_defaults(tmp_path):
    done = kesit(tmp_path, "init")
    assert (done.code, done.out.count("wrote ")) == (0, 3)
    file = tmp_path / "kesit.toml"
    wanted = parse_config({"collections": [{"name": "documents", "source": "documents"}]}, base=tmp_path)
    assert load_config(file) == wanted
    text = file.read_text(encoding="utf-8")
    shown = "\n".join(
        line.removeprefix("# ")
        if " = " in line and not line.endswith("...") and _is_toml(line.removeprefix("# "))
        else line
        for line in text.splitlines()
    )
    assert len(tomllib.loads(shown)) > 8, "every section has a key that is shown"
    assert parse_config(tomllib.loads(shown), base=tmp_path) == wanted
    before = text
    again = kesit(tmp_path, "init")
    assert again.code == 2
    assert "is there already" in one_line(again)
    assert file.read_text(encoding="utf-8") == before
    assert (tmp_path / "dagster.yaml").read_text(encoding="utf-8") == DAGSTER_YAML


def _is_toml(line: str) -> bool:
    try:
        tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return False
    return True


def test_the_files_of_dagster_at_the_root_are_those_of_a_new_project():
    assert (ROOT / "dagster.yaml").read_text(encoding="utf-8") == DAGSTER_YAML
    assert (ROOT / "workspace.yaml").read_text(encoding="utf-8") == WORKSPACE_YAML


# quickness ----------------------------------------------------------------------------------------------------------------

HELP = """
import sys
from pipeline.cli import main
try:
    main()
finally:
    print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


@pytest.mark.parametrize("arguments", [("--help",), ("run", "--help"), ("search", "--help")])
def test_help_is_quick_because_it_loads_nothing_heavy(arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", HELP, *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert "Usage:" in done.stdout
    assert not HEAVY & set(done.stderr.split())
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert spent < 0.7


def test_routing_shows_every_class_and_explains_a_document(estate):
    rows = kesit(estate.project, "routing", "--json").json
    assert {row["class"] for row in rows} >= {"regulation", "contract", "other"}
    assert all(row["strategy"] == "structure" for row in rows)
    assert "prose by" in kesit(estate.project, "routing").out
    found = kesit(estate.project, "routing", "docs/b.txt", "--json").json
    assert (found["document"], found["class"]) == ("docs/b.txt", "other")
    assert found["chunks"][0]["chunks"] == 1
    assert "docs/b.txt: other" in kesit(estate.project, "routing", "b.txt").out
    lost = kesit(estate.project, "routing", "docs/none.txt")
    assert lost.code == 2
    assert "docs/none.txt" in one_line(lost)


def test_a_sweep_measures_and_writes_the_winners(estate, tmp_path):
    plot, out = tmp_path / "sweep.png", tmp_path / "best.toml"
    done = kesit(
        estate.project, "sweep", "--strategies", "structure,sentence", "--sizes", "64", "--overlaps", "0,0.5",
        "--plot", str(plot), "--out", str(out), "--json",
    )  # fmt: skip
    names = [row["chunker"] for row in done.json["summary"]]
    assert names == ["as configured", "structure 64", "sentence 64", "sentence 64/32"]
    assert all(row["recall"] == 1.0 and row["chunks"] >= 3 for row in done.json["summary"])
    assert (done.json["questions"], done.json["unplaced"]) == (2, ["3"])
    assert plot.read_bytes().startswith(b"\x89PNG")
    tomllib.loads(out.read_text(encoding="utf-8"))
    for wrong, named in (
        ("--strategies=magic", "magic"),
        ("--sizes=x", "--sizes"),
        ("--prefix=maybe", "--prefix"),
        ("--sizes=8", "32"),
    ):
        refused = kesit(estate.project, "sweep", wrong)
        assert refused.code == 2
        assert named in one_line(refused)
