"""Faults of the parse stage that users reported: each case is read as the stage reads it, and held against what is expected."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from pipeline.parsing.errors import ParseError
from pipeline.parsing.isolation import Workers
from pipeline.parsing.reading import read_documents
from pipeline.parsing.tree import finish
from pipeline.parsing.worker import Task, done, read
from tests.parsing.documents import blocks, lines, texts, written
from tests.parsing.readings import limits, read_document


def _rows(path):
    return finish(read_document(str(path), "", max_pages=50, ocr="rapidocr", layout="geometry"))


def _text(path):
    return "\n".join(texts(_rows(path)))


def _check(folder):
    return json.loads((folder / "expect.json").read_text(encoding="utf-8"))["check"]


def test_b08_byte_order_marks(cases):
    check = _check(cases / "B08")
    (table,) = [block for block in blocks(_rows(cases / "B08/werte.csv")) if block["kind"] == "table"]
    assert table["rows"][0][0] == check["header0"]
    note = blocks(_rows(cases / "B08/notiz.md"))
    assert (note[0]["kind"], note[0]["text"]) in [("heading", check["heading"]), ("title", check["heading"])]
    assert note[1]["section_path"] == [check["heading"]]
    assert "\ufeff" not in str(note) + str(table)


def test_b10_tracked_changes(cases):
    check, text = _check(cases / "B10"), _text(cases / "B10/izlenen.docx")
    assert all(words in text for words in check["must_contain"])
    assert not any(words in text for words in check["must_not_contain"])


def test_b12_line_ends(cases):
    check = _check(cases / "B12")
    for name in ("trennung.pdf", "trennung.txt"):
        text = _text(cases / "B12" / name)
        assert all(words in text for words in check["must_contain"])
        assert not any(words in text for words in check["must_not_contain"])


def test_b14_passwords(cases):
    with pytest.raises(ParseError) as caught:
        _rows(cases / "B14/user_pw.pdf")
    assert caught.value.reason == "encrypted"
    assert all(texts(_rows(cases / "B14" / name)) for name in ("owner_pw_only.pdf", "offen.pdf"))


def test_b16_running_headers(cases):
    check, rows = _check(cases / "B16"), _rows(cases / "B16/kopfzeile.pdf")
    text = "\n".join(texts(rows))
    assert all(words in text for words in check["must_contain"])
    assert all(text.count(words) <= most for words, most in check["max_occurrences"].items())
    pages = {n: row["page_no"] for row in rows for n in range(400, 406) if f"KZ-{n}" in str(row["blocks"])}
    assert pages == {400 + n: n + 1 for n in range(6)}


def test_b18_a_bloated_workbook(cases):
    check, rows = _check(cases / "B18"), _rows(cases / "B18/sisirilmis.xlsx")
    table = next(block for block in blocks(rows) if block["kind"] == "table")
    assert (len(table["rows"]), len(table["rows"][0])) == (check["rows"], check["cols"])
    assert not any(words in str(rows) for words in check["must_not_contain"])
    assert any("hidden sheet left out" in note for row in rows for note in row["furniture"])


def test_b20_merged_cells(cases):
    (table,) = [block for block in blocks(_rows(cases / "B20/vmerge.docx")) if block["kind"] == "table"]
    assert all(len(row) == 3 for row in table["rows"])
    assert [row for row in table["rows"] if row in _check(cases / "B20")["row_pairs"]] == _check(
        cases / "B20"
    )["row_pairs"]


def test_b22_paragraphs_in_a_cell(cases):
    check = _check(cases / "B22")
    (table,) = [block for block in blocks(_rows(cases / "B22/satirlar.docx")) if block["kind"] == "table"]
    assert (len(table["rows"]), len(table["rows"][0])) == (check["rows"], check["cols"])
    cell = next(row[1] for row in table["rows"] if check["cell_1_1_contains"][0] in row[1])
    places = [cell.index(words) for words in check["cell_1_1_contains"]]
    assert places == sorted(places)


def test_b24_nested_tables(cases):
    words = re.findall(r"\w+", _text(cases / "B24/verschachtelt.html"))
    assert {word: words.count(word) for word in _check(cases / "B24")["occurrences"]} == _check(
        cases / "B24"
    )["occurrences"]


@pytest.mark.parametrize("name", ["lachen.docx", "xxe.docx", "xxe.svg.html", "xxe.xml"])
def test_b90_entities(cases, name):
    # As the stage reads it: an answer, whatever happens.
    path = cases / "B90" / name
    task = Task(0, str(path), "", hashlib.sha256(path.read_bytes()).hexdigest())
    found = done(task, limits(), lambda _page, _of: None)
    words = f"{found.reason} {found.message}" if isinstance(found, ParseError) else str(found)
    assert "KANARYA-7391" not in words
    assert len(words) < 100_000
    assert words.startswith(("dtd", "unsupported", "["))


@pytest.mark.slow
def test_b96_memory_of_a_worker_does_not_grow(cases, tmp_path):
    check = _check(cases / "B96")
    data = written(
        lambda page: [
            (lines(page, [f"Störung {n} der Anlage, Zeile {m}." for m in range(12)]), page.showPage())
            for n in range(3)
        ]
    )
    paths = [tmp_path / f"{n}.pdf" for n in range(60)]
    for n, path in enumerate(paths):
        path.write_bytes(data if n != 30 else data[:900])
    tasks = [Task(n, str(p), "", hashlib.sha256(p.read_bytes()).hexdigest()) for n, p in enumerate(paths)]
    resident = {}
    with Workers(read, limits(documents_per_worker=100, layout="geometry")) as workers:
        for number, found in enumerate(
            found for found in read_documents(tasks, workers, tmp_path) if found.last
        ):
            assert (found.error is not None) == (found.key == 30)
            resident[number + 1] = _resident(workers._workers[0].process.pid)
    assert resident[60] <= check["growth_ratio_max"] * resident[20]


def _resident(pid):
    return int(re.findall(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[0])


def test_b98_charsets(cases):
    check = _check(cases / "B98")
    expected = json.loads((cases / "B98/expected_words.json").read_text(encoding="utf-8"))
    for name, words in expected.items():
        text = _text((cases / "B98" / name).with_suffix(".html"))
        assert all(word in text for word in words), name
        assert not any(word in text for word in check["must_not_contain"]), name
