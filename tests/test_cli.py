"""The command line as scripts see it: what is printed, as JSON and for a person."""

import json
import re
import resource
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from pipeline.line.output_files import check_output
from pipeline.line.sweeping import TOML_MARK
from pipeline.report.plots import PNG_MARK
from tests.command import kesit, one_line

ROOT = Path(__file__).resolve().parents[1]
HEAVY = {"polars", "numpy", "dagster", "torch", "lancedb", "docling", "pandera", "pyarrow", "sentence_transformers", "matplotlib"}  # fmt: skip


def test_run(estate):
    assert estate.first.code == 0, estate.first
    report = estate.first.json
    assert set(report) == {
        "documents", "pages", "chunks", "figures", "contexts", "embeddings", "clusters", "index", "seconds", "peak_rss_mb", "failed", "errors",
        "coverage", "refused", "behind",
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
    assert out.startswith("1. b (b.txt)\n   Der Öldruck muss")


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
        "documents", "pages", "chunks", "live", "stale", "held", "earlier_editions", "exceptions_open", "newest", "behind", "stages", "last_run", "exceptions",
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
    for option, file, mark in (("--plot", plot, PNG_MARK), ("--out", out, TOML_MARK.encode())):
        check_output(estate.project.config, option, file, mark=mark)  # it would replace its own
    for wrong, named in (
        ("--strategies=magic", "magic"),
        ("--sizes=x", "--sizes"),
        ("--sizes=160,160.9", "must be whole numbers"),
        ("--overlaps=,", "--overlaps"),
        ("--strategies=", "--strategies"),
        ("--prefix=maybe", "--prefix"),
        ("--sizes=8", "32"),
    ):
        refused = kesit(estate.project, "sweep", wrong)
        assert refused.code == 2
        assert named in one_line(refused)
