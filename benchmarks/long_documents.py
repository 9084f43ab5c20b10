"""Long documents: time and peak memory by length, and what a killed run has to read again.

    python benchmarks/long_documents.py [--pdf 50,100,200,350] [--docx 100,400,872] [--real FILE]

Documents are written first (a dense book of about 500 words a page, with chapters, running headers and page numbers); each is read in
a process of its own by one worker. Peak resident memory is the kernel's count (VmHWM) for the parent and for its workers;
`whole` is the same document read by the same engines in one go, without ranges. Then the longest one is read, the whole
process group is killed with SIGKILL half-way, and it is read again.
"""

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

WORDS = [
    "Die",
    "Leitstelle",
    "meldet",
    "jede",
    "Störung",
    "an",
    "den",
    "Betreiber",
    "und",
    "hält",
    "Druck",
    "Temperatur",
    "Zeitpunkt",
    "der",
    "Anlage",
    "sowie",
    "Wartung",
    "Prüfung",
    "fest",
]


def write_pdf(path: Path, pages: int) -> None:
    """A dense book as PDF."""
    from reportlab.pdfgen.canvas import Canvas

    chance, canvas = random.Random(7), Canvas(str(path), pagesize=(595, 842))
    for number in range(1, pages + 1):
        canvas.setFont("Helvetica", 8)
        canvas.drawString(60, 815, "Betriebshandbuch Ausgabe 7")
        canvas.drawString(290, 28, str(number))
        if number % 5 == 1:
            canvas.setFont("Helvetica-Bold", 16)
            canvas.drawString(60, 785, f"{number // 5 + 1} Kapitel der Anlage")
        canvas.setFont("Helvetica", 10)
        for line in range(45):
            canvas.drawString(60, 750 - 15 * line, " ".join(chance.choices(WORDS, k=11)))
        canvas.showPage()
    canvas.save()


def write_docx(path: Path, pages: int) -> None:
    """The same as a Word file: 7 paragraphs of 70 words make a page."""
    from docx import Document

    chance, document = random.Random(7), Document()
    for number in range(1, pages + 1):
        if number % 5 == 1:
            document.add_heading(f"Kapitel {number // 5 + 1}", level=1)
        for _ in range(7):
            document.add_paragraph(" ".join(chance.choices(WORDS, k=70)) + ".")
    document.save(str(path))


def read(path: str, folder: str, per_range: int) -> None:
    """Read one document as the parsing stage does, and print what that took. Runs in a process of its own."""
    import polars as pl

    from pipeline.config import ParsingConfig
    from pipeline.parsing.pages import parse_documents
    from pipeline.tables.lake import frame_digest

    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    row = {"doc_id": "d", "version_id": digest, "uri": Path(path).name, "media_type": "", "location": path,
           "error": None, "input_hash": "h"}  # fmt: skip
    peaks: dict[str, int] = {}
    begun: set[int] = set()
    threading.Thread(target=_watch, args=(peaks,), daemon=True).start()

    def progress(told: Any) -> None:
        if told.page:
            begun.add(told.page)
            print(json.dumps({"page": told.page}), flush=True)

    started = time.monotonic()
    config = ParsingConfig(workers=1, pages_per_range=per_range, layout="geometry", timeout_seconds=1800)
    frame = parse_documents(
        pl.DataFrame([row], schema=dict.fromkeys(row, pl.String)),
        config,
        folder=Path(folder),
        progress=progress,
    )
    print(json.dumps({"seconds": time.monotonic() - started, "rows": frame.height, "digest": frame_digest(frame)[:12],
                      "read": len(begun), "parent": _peak("self"), "worker": max(peaks.values(), default=0),
                      "blocks": int(frame["blocks"].list.len().sum())}), flush=True)  # fmt: skip


def _watch(peaks: dict[str, int]) -> None:
    me = os.getpid()
    while True:
        for task in Path(f"/proc/{me}/task").iterdir():
            for pid in (task / "children").read_text().split():
                peaks[pid] = max(peaks.get(pid, 0), _peak(pid))
        time.sleep(0.05)


def _peak(pid: str) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0)


def _start(path: Path, folder: Path, per_range: int) -> "subprocess.Popen[str]":
    command = [sys.executable, __file__, "--read", str(path), str(folder), str(per_range)]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True, env=environment
    )


def measure(path: Path, folder: Path, per_range: int) -> dict[str, Any]:
    """What reading a document took."""
    run = _start(path, folder, per_range)
    *_, last = run.communicate()[0].splitlines()
    return json.loads(last)


def _line(name: str, found: dict[str, Any]) -> str:
    return (f"{name:34} {found['seconds']:8.1f} {found['parent']:8} {found['worker']:8} {found['rows']:6} {found['blocks']:7}"
            f" {found['read']:6}  {found['digest']}")  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pdf", default="50,100,200,350")
    parser.add_argument("--docx", default="100,400,872")
    parser.add_argument("--real", type=Path, action="append", default=[])
    given = parser.parse_args()
    print(
        f"{'document':34} {'seconds':>8} {'parent':>8} {'worker':>8} {'rows':>6} {'blocks':>7} {'read':>6}  digest of the rows"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        longest: Path | None = None
        for number, pages in enumerate(int(part) for part in given.pdf.split(",") if part):
            longest = folder / f"{pages}.pdf"
            write_pdf(longest, pages)
            print(_line(f"PDF, {pages} pages", measure(longest, folder / f"a{number}", 50)), flush=True)
            print(
                _line(f"PDF, {pages} pages, whole", measure(longest, folder / f"b{number}", 100_000)),
                flush=True,
            )
        for number, pages in enumerate(int(part) for part in given.docx.split(",") if part):
            path = folder / f"{pages}.docx"
            write_docx(path, pages)
            print(_line(f"DOCX, {pages} pages", measure(path, folder / f"c{number}", 50)), flush=True)
        for number, path in enumerate(given.real):
            print(_line(path.name[:34], measure(path, folder / f"d{number}", 50)), flush=True)
        if longest is not None:
            killed(longest, folder / "killed")


def killed(path: Path, folder: Path) -> None:
    """Kill a run half-way, start it again, and print both."""
    half = int(path.stem) // 2
    run = _start(path, folder, 50)
    assert run.stdout is not None
    begun = 0
    while begun < half:
        begun = json.loads(run.stdout.readline()).get("page", half)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    print(f"killed at page {begun} of {path.stem}; started again:")
    print(_line(f"PDF, {path.stem} pages, again", measure(path, folder, 50)))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read"]:
        read(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        main()
