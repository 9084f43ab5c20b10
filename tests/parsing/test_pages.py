import multiprocessing
import os
import signal
import threading
import time
from pathlib import Path

import polars as pl
import pytest

from pipeline.config import Config, ParsingConfig
from pipeline.parsing.errors import ParseError
from pipeline.parsing.isolation import Limits, Task, read_isolated
from pipeline.parsing.pages import parse_documents, parsing_fingerprint
from pipeline.tables.schemas import PARSED_PAGES
from tests.parsing.documents import lines, written

COLUMNS = dict.fromkeys(
    ("doc_id", "version_id", "uri", "media_type", "location", "error", "input_hash"), pl.String
)


def _documents(folder, files):
    rows = []
    for number, (name, data) in enumerate(files.items()):
        path = folder / name
        if data is not None:
            path.write_bytes(data)
        error = None if data is not None else "Permission denied"
        rows.append(dict(zip(COLUMNS, (f"d{number}", "v", name, "", str(path), error, "h"), strict=True)))
    return pl.DataFrame(rows, schema=COLUMNS)


def _good(page):
    lines(page, ["Die Leitstelle ist besetzt und meldet jede Störung."])


@pytest.mark.slow
def test_every_document_has_rows_and_bad_ones_a_reason(tmp_path):
    files = {
        "gut.pdf": written(_good),
        "leer.txt": b"",
        "kommentar.html": b"<html><!-- nichts --><body><script>x()</script></body></html>",
        "kaputt.pdf": b"%PDF-1.7\nkaputt",
        "unbekannt.xyz": b"x",
        "gesperrt.txt": None,
        "gut.txt": "Der Öldruck ist gut.".encode(),
    }
    seen = []
    frame = parse_documents(_documents(tmp_path, files), ParsingConfig(workers=1), progress=seen.append)
    PARSED_PAGES.pandera.validate(frame)
    reasons = dict(frame.sort("page_no", descending=True).select("doc_id", "reason").iter_rows())
    assert reasons == {
        "d0": "", "d1": "no_content", "d2": "no_content", "d3": "corrupt", "d4": "unsupported", "d5": "unreadable", "d6": ""
    }  # fmt: skip
    assert frame.filter(doc_id="d3")["page_no"].to_list() == [0]
    assert frame.filter(doc_id="d2")["reason"].to_list() == ["no_content", ""]
    assert seen[-1].done == seen[-1].total == 7
    assert "Permission denied" in frame.filter(doc_id="d5")["error"][0]


def _limits(**changes):
    return Limits(**({"workers": 1, "timeout_seconds": 120, "memory_mb": 4096, "documents_per_worker": 50, "max_pages": 100,
                      "ocr": "rapidocr"} | changes))  # fmt: skip


def _heavy_json(path, depth):
    # A valid file whose reading takes long and much memory: half a million small objects.
    path.write_text("[" + ",".join(f'{{"k{n}": {{"a": [{n}]}}}}' for n in range(depth)) + "]")
    return str(path)


@pytest.mark.slow
def test_a_document_that_takes_too_long_costs_only_itself(tmp_path):
    slow, good = _heavy_json(tmp_path / "slow.json", 400_000), tmp_path / "good.txt"
    good.write_text("Der Öldruck ist gut.")
    tasks = [Task(0, slow, ""), Task(1, str(good), "")]
    found = dict(read_isolated(tasks, _limits(timeout_seconds=2)))
    assert isinstance(found[0], ParseError)
    assert found[0].reason == "timeout"
    assert found[1][0]["blocks"][0]["text"] == "Der Öldruck ist gut."


@pytest.mark.slow
def test_a_document_that_needs_too_much_memory_costs_only_itself(tmp_path):
    large, good = _heavy_json(tmp_path / "large.json", 400_000), tmp_path / "good.txt"
    good.write_text("Der Öldruck ist gut.")
    tasks = [Task(0, large, ""), Task(1, str(good), "")]
    found = dict(read_isolated(tasks, _limits(memory_mb=400)))
    assert found[0].reason in ("out_of_memory", "crash")
    assert found[1][0]["blocks"]


@pytest.mark.slow
def test_a_worker_that_dies_costs_only_its_document(tmp_path):
    slow, good = _heavy_json(tmp_path / "slow.json", 400_000), tmp_path / "good.txt"
    good.write_text("Der Öldruck ist gut.")

    def kill():
        time.sleep(3)
        for child in multiprocessing.active_children():
            os.kill(child.pid, signal.SIGSEGV)

    threading.Thread(target=kill).start()
    found = dict(read_isolated([Task(0, slow, ""), Task(1, str(good), "")], _limits()))
    assert found[0].reason == "crash"
    assert found[1][0]["blocks"]


def _try_network():
    import socket

    from pipeline.parsing.isolation import confine

    confine(4096)
    try:
        socket.create_connection(("127.0.0.1", 9), timeout=1)
    except OSError as error:
        os._exit(7 if "no network" in str(error) else 1)


def test_workers_have_no_network():
    process = multiprocessing.get_context("spawn").Process(target=_try_network)
    process.start()
    process.join(60)
    assert process.exitcode == 7


def test_the_fingerprint_moves_only_with_what_changes_the_output():
    def of(**parsing):
        return parsing_fingerprint(
            Config.model_validate({"collections": [{"name": "a", "source": "a"}], "parsing": parsing})
        )

    assert of() == of(workers=3, timeout_seconds=9, memory_mb=600)
    assert of() != of(ocr="tesseract")


@pytest.mark.slow
def test_the_cases_that_users_reported(cases):
    wanted = {
        "B08": "Übergabe",
        "B10": "Basınç sınırı 6 bar olarak belirlendi.",
        "B12": "Öl-Wasser-Abscheider",
        "B98": "Hauptverteiler",
    }
    refused = ("8 bar", "KANARYA", "\ufeff", "\ufffe", "ﾃ", "Ã", "\ufffd", "Einund", "None | None")
    files = [path for name in (*wanted, "B16", "B18", "B20", "B22", "B24", "B90") for path in sorted((cases / name).iterdir())
             if path.suffix not in (".json", ".py")]  # fmt: skip
    rows = [
        dict(
            zip(
                COLUMNS,
                (f"{path.parent.name}/{path.name}", "v", path.name, "", str(path), None, "h"),
                strict=True,
            )
        )
        for path in files
        if path.name != "canary.txt"
    ]
    frame = parse_documents(pl.DataFrame(rows, schema=COLUMNS), ParsingConfig(workers=1))
    text = {
        name: "\n".join(
            b["text"]
            for row in frame.iter_rows(named=True)
            if row["doc_id"].startswith(name)
            for b in row["blocks"]
        )
        for name in {Path(row["doc_id"]).parts[0] for row in rows}
    }
    for name, words in wanted.items():
        assert words in text[name]
    assert not [word for word in refused if any(word in content for content in text.values())]
    assert not any("KANARYA" in error for error in frame["error"])
    assert all(text["B24"].split().count(f"innen{n}") == 1 for n in range(1, 5))
    assert "Kuzey\tK-3\t13" in text["B20"]
    assert set(frame.filter(pl.col("doc_id").is_in(["B90/lachen.docx", "B90/xxe.docx"]))["reason"]) == {"dtd"}
