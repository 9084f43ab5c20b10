"""Hostile files beside good ones, in one run: what each bad one costs, and that it costs nobody else anything.

    python benchmarks/hostile.py SAMPLES [--good 20] [--memory-mb 4096]

SAMPLES is a folder with `hostile/`, `pdf/` and `office/`. The documents and parsed_pages of one collection are made twice by
the stages of the line, with all files and with the good ones alone; both runs read a source that is write-protected and are
refused network sockets by the kernel. Printed: the reason of each hostile file, and the checks.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

# Beside what tests/end_to_end/offline.py watches: every file that a Python process opens for writing, or makes.
WRITES = """
def _written(event, args):
    if event == "open" and args[0] == os.environ["KESIT_TEST_NETWORK_LOG"]:
        return
    if event == "open" and args[0] is not None and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        _tell("write", os.path.abspath(os.fsdecode(args[0])) if not isinstance(args[0], int) else f"fd{args[0]}")
    elif event == "os.mkdir" and os.path.isdir(args[0]) or event == "os.remove" and args[1] != -1:
        return  # it is there already; or relative to a folder that is being removed
    elif event in ("os.mkdir", "os.rename", "os.remove", "os.link", "os.symlink"):
        _tell("write", os.path.abspath(os.fsdecode(args[0])) if isinstance(args[0], (str, bytes, os.PathLike)) else args[0])
    elif event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"):
        _tell("program", args[0])
sys.addaudithook(_written)
"""


def chosen(samples: Path, count: int) -> list[Path]:
    """Good files: small ones first, Word and the like before PDF, no scans."""
    office = sorted((samples / "office").iterdir(), key=lambda path: path.stat().st_size)
    pdf = sorted((samples / "pdf").glob("*.pdf"), key=lambda path: path.stat().st_size)
    fit = [path for path in office if path.suffix not in (".doc", ".rtf")][: count // 2]
    return fit + [path for path in pdf if "ocr" not in path.name][: count - len(fit)]


def run(config: Path) -> None:
    """Make documents and pages, and print what it took. Runs in a process of its own."""
    from pipeline.config import load_config
    from pipeline.line.stage import update
    from pipeline.line.stages import DOCUMENTS, PARSED_PAGES
    from pipeline.line.workspace import Workspace
    from pipeline.tables import schemas

    peaks: dict[str, int] = {}
    threading.Thread(target=_watch, args=(peaks,), daemon=True).start()
    workspace = Workspace(load_config(config))
    for partition in workspace.partitions:
        update(workspace, DOCUMENTS, partition)
        update(workspace, PARSED_PAGES, partition)
    workspace.dismiss_readers()
    documents, pages = workspace.read(schemas.DOCUMENTS), workspace.read(schemas.PARSED_PAGES)
    named = pages.join(documents.select("doc_id", "uri"), on="doc_id")
    rows = {uri: [] for uri in documents["uri"]}
    for row in named.sort("uri", "page_no").iter_rows(named=True):
        rows[row["uri"]].append({key: row[key] for key in row if key != "uri"})
    print(
        json.dumps(
            {
                "rows": rows,
                "workers": peaks,
                "parent": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            }
        )
    )


def _watch(peaks: dict[str, int]) -> None:
    me = os.getpid()
    while True:
        for task in Path(f"/proc/{me}/task").iterdir():
            for pid in (task / "children").read_text().split():
                try:
                    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
                except OSError:
                    continue
                found = [
                    int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith("VmHWM")
                ]
                peaks[pid] = max([peaks.get(pid, 0), *found])
        time.sleep(0.05)


def guarded(folder: Path, files: list[Path], memory_mb: int) -> tuple[dict[str, Any], list[str]]:
    """What a run over some files gave, and what it was seen to do."""
    from tests.end_to_end.offline import WATCH

    source = folder / "source"
    source.mkdir(parents=True)
    for path in files:
        shutil.copy(path, source / path.name)
    source.chmod(0o555)
    (folder / "kesit.toml").write_text(
        f"[[collections]]\nname = 'files'\nsource = 'source'\nbuckets = 1\n[parsing]\nmemory_mb = {memory_mb}\n"
        "workers = 2\ntimeout_seconds = 120\n"
    )
    watch, log = folder / "watch", folder / "log"
    watch.mkdir()
    (watch / "sitecustomize.py").write_text(WATCH + WRITES)
    environment = os.environ | {
        "KESIT_TEST_NETWORK_LOG": str(log), "PYTHONPATH": f"{watch}{os.pathsep}{ROOT}", "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    command = [sys.executable, __file__, "--run", str(folder / "kesit.toml")]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1]), log.read_text().splitlines()


def main() -> None:
    """Print reasons and checks; exit 1 if a check fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("samples", type=Path)
    parser.add_argument("--good", type=int, default=20)
    parser.add_argument("--memory-mb", type=int, default=4096)
    given = parser.parse_args()
    good = chosen(given.samples, given.good)
    hostile = sorted(path for path in (given.samples / "hostile").rglob("*") if path.is_file())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        alone, _ = guarded(folder / "alone", good, given.memory_mb)
        both, seen = guarded(folder / "both", [*good, *hostile], given.memory_mb)
        lake = str(folder / "both" / "data")
        written = {line.split(" ", 1)[1] for line in seen if line.startswith("write")}
        outside = sorted(
            path
            for path in written
            if not path.startswith((lake, "/dev/", "fd", str(folder / "both" / "log")))
        )
    print(f"{'hostile file':66} {'pages':>5}  reason")
    for path in hostile:
        rows = both["rows"][path.name]
        reasons = [f"{row['reason']}: {row['error']}" for row in rows if row["reason"]]
        print(
            f"{path.name:66} {sum(not row['reason'] for row in rows):5}  {'; '.join(reasons)[:110] or 'read'}"
        )
    checks = {
        f"{len(good)} good files have the rows that they have alone": all(
            both["rows"][path.name] == alone["rows"][path.name] and any(row["blocks"] for row in alone["rows"][path.name])
            for path in good
        ),
        "every hostile file is in the table": all(both["rows"].get(path.name) for path in hostile),
        f"workers stayed below {given.memory_mb} MiB (most: {max(both['workers'].values())})": max(both["workers"].values()) < given.memory_mb,
        f"the main process has {both['parent']} MiB, alone {alone['parent']}": both["parent"] < 1.5 * alone["parent"],
        "nothing looked up a name or connected": not [line for line in seen if line.startswith(("lookup", "connect"))],
        f"nothing was written outside the lake {outside[:3] or ''}": not outside,
        # The standard library asks `uname` what machine this is, when a reader is loaded.
        "no program was started": not [line for line in seen if line.startswith("program") and line != "program uname"],
    }  # fmt: skip
    for what, holds in checks.items():
        print(f"{'holds' if holds else 'FAILS':6} {what}")
    sys.exit(not all(checks.values()))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        from tests.end_to_end.offline import refuse_network

        refuse_network()
        run(Path(sys.argv[2]))
    else:
        main()
