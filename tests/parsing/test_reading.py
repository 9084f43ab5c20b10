"""Long documents: ranges give what the whole gives, a killed run loses nothing, a bad page costs itself."""

import hashlib
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from pipeline.parsing.isolation import Workers
from pipeline.parsing.paged import open_paged, put_together, sheets_of
from pipeline.parsing.reading import read_documents
from pipeline.parsing.tree import finish
from pipeline.parsing.worker import Task, read
from pipeline.tables.records import Records, on_disk
from tests.parsing.documents import canvas, lines
from tests.parsing.readings import engines, limits, read_document
from tests.parsing.spoilt import read_spoilt


def _book(pages):
    """A book with a running header, page numbers, chapters, and a table that goes on over pages."""
    page, buffer = canvas()
    for number in range(1, pages + 1):
        lines(page, ["Betriebshandbuch Ausgabe 7"], y=815, size=8)
        y = 780
        if number % 4 == 1:
            y = lines(page, [f"{number // 4 + 1} Kapitel der Anlage"], y=y, size=16, bold=True) - 10
        y = lines(page, [f"Abschnitt {number}: Prüfung der Pumpe"], y=y, size=12, bold=True) - 6
        y = lines(
            page,
            [
                f"Die Leitstelle meldet Störung {number} und {n} an den Betreiber der Anlage."
                for n in range(9)
            ],
            y=y,
        )
        lines(page, [str(number)], x=290, y=30, size=8)
        page.showPage()
    page.save()
    return buffer.getvalue()


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    path = tmp_path_factory.mktemp("book") / "buch.pdf"
    path.write_bytes(_book(23))
    return path


def _task(path, name="buch"):
    return Task(0, str(path), "", hashlib.sha256(Path(path).read_bytes()).hexdigest(), name)


def _read(path, folder, work=read, **changes):
    rows, pages = [], []
    with Workers(work, limits(**changes)) as workers:
        for found in read_documents([_task(path)], workers, folder):
            rows += found.rows
            pages += [found.page] if found.page else []
            error = found.error
    return error or rows, pages


@pytest.mark.slow
def test_a_document_is_the_same_however_it_was_divided(book, tmp_path):
    whole = finish(read_document(str(book), "", max_pages=2000, ocr="rapidocr"))
    titles = [block for row in whole for block in row["blocks"] if block["kind"] == "heading"]
    assert len({block["level"] for block in titles}) == 2
    assert all("Betriebshandbuch Ausgabe 7" in row["furniture"] for row in whole)
    for size, workers in ((7, 2), (22, 1)):
        folder = tmp_path / str(size)
        folder.mkdir()
        rows, pages = _read(book, folder, pages_per_range=size, workers=workers)
        assert rows == whole
        assert sorted(pages) == list(range(1, 24))


@pytest.mark.parametrize(
    "name",
    [
        "icdar2013__us-012.pdf",
        "pdfplumber__federal-register-2020-17221.pdf",
        "unstructured__multi-column-2p.pdf",
    ],
)
def test_real_documents_are_the_same_from_disk(samples, tmp_path, name):
    data = (samples / "pdf" / name).read_bytes()
    way = engines(max_pages=6, layout="geometry")
    file = open_paged("pdf", data, way)
    count = min(len(file), 6)
    sheets = list(sheets_of(file, range(1, count + 1)))
    with Records.open(tmp_path / "a") as records:
        for sheet in sheets:
            records.append(sheet)
        stored = records.all()
        assert put_together(file, stored, way, keep=on_disk) == put_together(file, sheets, way)


def test_a_run_goes_on_where_the_one_before_was_killed(book, tmp_path):
    whole, _ = _read(book, tmp_path, pages_per_range=100)
    script = (
        "import sys\nfrom pathlib import Path\n"
        "from tests.parsing.readings import limits\nfrom tests.parsing.test_reading import _task\n"
        "from pipeline.parsing.isolation import Workers\n"
        "from pipeline.parsing.reading import read_documents\n"
        "from pipeline.parsing.worker import read\n"
        "if __name__ == '__main__':\n"
        "    workers = Workers(read, limits(pages_per_range=5))\n"
        "    for found in read_documents([_task(sys.argv[1])], workers, Path(sys.argv[2])):\n"
        "        if found.page:\n            print(found.page, flush=True)\n"
    )
    (tmp_path / "run.py").write_text(script)
    run = subprocess.Popen(
        [sys.executable, str(tmp_path / "run.py"), str(book), str(tmp_path)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,
        text=True,
    )
    assert run.stdout is not None
    while int(run.stdout.readline()) < 13:
        pass
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    rows, pages = _read(book, tmp_path, pages_per_range=5)
    assert rows == whole
    assert (
        set(range(13, 24)) >= set(pages) >= set(range(16, 24))
    )  # 13 to 15 may have been read before the signal came


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("crash", "crash"),
        ("memory", "out_of_memory"),
        ("hang", "timeout"),
        ("odd", "corrupt"),
    ],
)
def test_a_page_that_ends_its_reader_costs_that_page(book, tmp_path, how, reason):
    rows, _ = _read(book, tmp_path, partial(read_spoilt, how, range(4, 5)), timeout_seconds=5)
    assert [(row["page_no"], row["reason"]) for row in rows if row["reason"]] == [(4, reason)]
    assert rows[3]["error"].startswith("Page 4 cannot be read")
    assert sum(bool(row["blocks"]) for row in rows) == 22


@pytest.mark.slow
def test_a_document_that_ends_reader_after_reader_is_given_up(book, tmp_path):
    rows, _ = _read(book, tmp_path, partial(read_spoilt, "exit", range(4, 99)))
    assert [row["page_no"] for row in rows if not row["reason"]] == [1, 2, 3]
    assert {row["reason"] for row in rows[3:]} == {"crash"}
    assert "given up" in rows[-1]["error"]
