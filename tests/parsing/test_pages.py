import hashlib
import io
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import polars as pl
import pytest

from pipeline.config import Config, ParsingConfig
from pipeline.estate.faults import unreadable
from pipeline.parsing.errors import ParseError, classify
from pipeline.parsing.isolation import Workers
from pipeline.parsing.pages import parse_documents, parsing_fingerprint
from pipeline.parsing.reading import read_documents
from pipeline.parsing.worker import Task, read
from pipeline.tables.schemas import PARSED_PAGES
from tests.parsing.documents import lines, written
from tests.parsing.readings import limits

COLUMNS = dict.fromkeys(
    ("doc_id", "version_id", "uri", "media_type", "location", "error", "input_hash"), pl.String
)


def _documents(folder, files):
    rows = []
    for number, (name, data) in enumerate(files.items()):
        path = folder / name
        if data is not None:
            path.write_bytes(data)
        error = None if data is not None else unreadable("Permission denied")
        rows.append(
            dict(
                zip(
                    COLUMNS,
                    (f"d{number}", hashlib.sha256(data or b"").hexdigest(), name, "", str(path), error, "h"),
                    strict=True,
                )
            )
        )
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


def _sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _tasks(*paths):
    return [Task(key, str(path), "", _sha256(path)) for key, path in enumerate(paths)]


def read_isolated(tasks, limits):
    """(key, rows or the reason why not) of documents that are read in workers of their own."""
    rows = {}
    with tempfile.TemporaryDirectory() as folder, Workers(read, limits) as workers:
        for found in read_documents(tasks, workers, Path(folder)):
            rows.setdefault(found.key, []).extend(found.rows)
            if found.last:
                yield found.key, found.error or rows[found.key]


def _texts(folder, number):
    paths = [folder / f"text{n}.txt" for n in range(number)]
    for n, path in enumerate(paths):
        path.write_text(f"Die Leitstelle meldet Störung {n}.")
    return paths


def _heavy_json(path, depth):
    # A valid file whose reading takes long and much memory: half a million small objects.
    path.write_text("[" + ",".join(f'{{"k{n}": {{"a": [{n}]}}}}' for n in range(depth)) + "]")
    return str(path)


@pytest.mark.slow
def test_a_document_that_takes_too_long_costs_only_itself(tmp_path):
    slow, good = _heavy_json(tmp_path / "slow.json", 900_000), tmp_path / "good.txt"
    good.write_text("Der Öldruck ist gut.")
    found = dict(read_isolated(_tasks(slow, good), limits(timeout_seconds=4)))
    assert isinstance(found[0], ParseError)
    assert found[0].reason == "timeout"
    assert found[1][0]["blocks"][0]["text"] == "Der Öldruck ist gut."


@pytest.mark.slow
def test_a_document_that_needs_too_much_memory_costs_only_itself(tmp_path):
    large, good = _heavy_json(tmp_path / "large.json", 400_000), tmp_path / "good.txt"
    good.write_text("Der Öldruck ist gut.")
    found = dict(read_isolated(_tasks(large, good), limits(memory_mb=700)))
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
    found = dict(read_isolated(_tasks(slow, good), limits()))
    assert found[0].reason == "crash"
    assert found[1][0]["blocks"]


def test_a_worker_that_dies_idle_costs_nothing(tmp_path):
    killed = []

    def kill():  # both of them, while they start
        while len(killed) < 2:
            for child in multiprocessing.active_children():
                if child.pid not in killed and len(killed) < 2:
                    os.kill(child.pid, signal.SIGKILL)
                    killed.append(child.pid)
            time.sleep(0.01)

    threading.Thread(target=kill).start()
    found = dict(read_isolated(_tasks(*_texts(tmp_path, 6)), limits(workers=2)))
    assert [found[n][0]["blocks"][0]["text"] for n in range(6)] == [
        f"Die Leitstelle meldet Störung {n}." for n in range(6)
    ]
    assert len(killed) == 2


def test_workers_that_never_start_are_no_fault_of_the_documents(tmp_path):
    done = threading.Event()

    def kill():
        while not done.wait(0.01):
            for child in multiprocessing.active_children():
                os.kill(child.pid, signal.SIGKILL)

    threading.Thread(target=kill).start()
    try:
        with pytest.raises(OSError, match="before they are ready"):
            list(read_isolated(_tasks(*_texts(tmp_path, 2)), limits()))
    finally:
        done.set()


def test_a_worker_is_replaced_after_its_share_and_nothing_is_lost(tmp_path):
    tasks = _tasks(*_texts(tmp_path, 5))
    found = dict(read_isolated(tasks, limits(workers=2, documents_per_worker=1)))
    assert sorted(found) == [0, 1, 2, 3, 4]
    assert all(rows[0]["blocks"] for rows in found.values())
    assert not multiprocessing.active_children()


@pytest.mark.slow
def test_workers_die_with_the_run(tmp_path):
    slow = _heavy_json(tmp_path / "slow.json", 400_000)
    script = (
        "import hashlib, pathlib\n"
        "from pipeline.parsing.isolation import Workers\n"
        "from pipeline.parsing.reading import read_documents\n"
        "from pipeline.parsing.worker import Task, read\n"
        "from tests.parsing.readings import limits\n"
        "if __name__ == '__main__':\n"
        f"    path = pathlib.Path({slow!r})\n"
        "    task = Task(0, str(path), '', hashlib.sha256(path.read_bytes()).hexdigest())\n"
        "    workers = Workers(read, limits())\n"
        "    list(read_documents([task], workers, path.parent))\n"
    )
    (tmp_path / "run.py").write_text(script)
    environment = os.environ | {"PYTHONPATH": str(Path.cwd())}
    run = subprocess.Popen([sys.executable, str(tmp_path / "run.py")], env=environment)
    try:
        worker = _wait_for(lambda: _worker_of(run.pid))
        time.sleep(1)  # it reads by now
    finally:
        run.kill()
        run.wait()
    _wait_for(lambda: not _alive(worker))


def _read_office_like_a_worker(path, pipe):
    from pipeline.parsing.confinement import hide_unused
    from pipeline.parsing.worker import done

    hide_unused()
    rows = done(Task(0, path, "", _sha256(path)), limits(), lambda page, of: None)
    pipe.send(([block["text"] for block in rows[0]["blocks"]], {"torch", "transformers"} & set(sys.modules)))


def test_a_worker_reads_without_the_packages_it_has_no_use_for(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("# Druck\n\nDer Druck betrug 6 bar.")
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_read_office_like_a_worker, args=(str(path), theirs)
    )
    process.start()
    assert ours.poll(60)
    assert ours.recv() == (["Druck", "Der Druck betrug 6 bar."], set())
    process.join(60)


def _worker_of(run):
    """A process that a server of processes of a run has made."""
    servers = [pid for pid in _children(run) if b"forkserver" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    return next((worker for server in servers for worker in _children(server)), None)


def _children(parent):
    return [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


def _alive(pid):
    try:
        return "(zombie)" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def _wait_for(what, seconds=15):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := what():
            return found
        time.sleep(0.1)
    raise AssertionError("did not happen in time")


def test_a_file_that_changed_since_the_scan_is_not_given_its_old_name(tmp_path):
    frame = _documents(tmp_path, {"a.txt": b"Der Druck betrug 6 bar.", "b.txt": b"Der Druck betrug 7 bar."})
    (tmp_path / "a.txt").write_text("Der Druck betrug 8 bar.")
    (tmp_path / "b.txt").unlink()
    pages = parse_documents(frame, ParsingConfig(workers=1))
    assert dict(pages.select("doc_id", "reason").iter_rows()) == {"d0": "changed", "d1": "unreadable"}
    assert not any(pages["blocks"].list.len())


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (MemoryError(), "out_of_memory"),
        (RuntimeError("Failed to allocate memory for requested buffer of size 7"), "out_of_memory"),
        (ImportError("lib.so: failed to map segment from shared object"), "crash"),
        (SystemError("error return without exception set"), "crash"),
        (ValueError("x"), "corrupt"),
    ],
)
def test_a_file_is_not_blamed_for_what_the_process_lacks(fault, reason):
    wrapped = ValueError("wrapped")
    wrapped.__cause__ = fault
    assert classify(fault).reason == classify(wrapped).reason == reason


def test_the_same_fault_has_the_same_words_in_every_run():
    faults = [
        classify(ValueError(f"file {stream!r} is no Word file")) for stream in (io.BytesIO(), io.BytesIO())
    ]
    assert faults[0].message == faults[1].message
    assert faults[0].detail == "(ValueError: file <_io.BytesIO object> is no Word file)"


def _try_network():
    import socket

    from pipeline.parsing.confinement import confine

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

    assert of() == of(workers=3, timeout_seconds=9, memory_mb=2600)
    assert of() != of(ocr="tesseract")
    assert of() != of(layout="docling") != of(layout="docling", artifacts_path="/models")


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
                (f"{path.parent.name}/{path.name}", _sha256(path), path.name, "", str(path), None, "h"),
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
