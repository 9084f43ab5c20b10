"""What a night costs: nothing changed, 1 % edited, 1 % renamed, 10 % with other access groups, against a run from nothing.

    python benchmarks/incremental.py [--documents 2000] [--estate sample] [--models use-multilingual] [--folder DIR]
    python benchmarks/incremental.py --documents 0 --growth 500,2000,8000

Each run is the command `kesit run --json` in a process of its own; its CPU time (its own and that of its worker processes) is
what is compared, because that is less touched by other work on the machine. The estate is that of `kesit demo`, or (`--estate
texts`, and for the growth) short texts, so that what a run costs beside its documents weighs as much as it can.
"""

import argparse
import ctypes
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from incremental_estates import Estate, Sample, Texts, close, rename

from pipeline.config import load_config
from pipeline.line.workspace import Workspace
from pipeline.tables import columns as c
from pipeline.tables import schemas as s

ROOT = Path(__file__).resolve().parents[1]
COMMAND = "from pipeline.cli import main; main()"
# A file that changed so shortly before a scan is looked at again in the next.
SETTLED_SECONDS = 2.5
_SET_CHILD_SUBREAPER = 36  # prctl(2)


class Cost(NamedTuple):
    """One run of the command."""

    cpu: float
    wall: float
    memory_mb: float
    report: dict[str, Any]


def start(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "KESIT_CONFIG": str(folder / "kesit.toml")}
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def run(folder: Path, *arguments: str) -> Cost:
    """Run the command to its end. Raises if it stopped."""
    began = time.monotonic()
    process = start(folder, *(arguments or ("run", "--json")))
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"kesit ended with {process.returncode}: {output.decode()[:2000]}")
    cost = used.ru_utime + used.ru_stime + sum(orphans())
    report = json.loads(output) if output.startswith(b"{") else {}
    return Cost(cost, time.monotonic() - began, used.ru_maxrss / 1024, report)


def adopt_orphans() -> None:
    """Let what a run leaves behind become ours: the process that its workers are copied from ends after the run, unwaited for."""
    if ctypes.CDLL(None, use_errno=True).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the CPU time of worker processes cannot be had")


def orphans() -> Iterator[float]:
    """Wait for them; CPU seconds of each and of those that it waited for."""
    while True:
        try:
            _, _, used = os.wait4(-1, 0)
        except ChildProcessError:
            return
        yield used.ru_utime + used.ru_stime


# nights -------------------------------------------------------------------------------------------------------------------


def nights(estate: Estate, folder: Path, documents: int) -> Iterator[tuple[str, float | None, Cost, int]]:
    """Each change with its aim (share of the full run), its cost, and how many strings are new by the tables."""
    order = random.Random(1).sample(range(documents), documents)
    one, ten = documents // 100, documents // 10
    changes: tuple[tuple[str, float | None, Callable[[int], None], list[int]], ...] = (
        ("from nothing", None, lambda _: None, []),
        ("nothing changed", 0.01, lambda _: None, []),
        ("1 % edited", 0.04, lambda n: estate.edit(folder, n), order[:one]),
        ("1 % renamed", 0.015, lambda n: rename(estate.path(folder, n)), order[one : 2 * one]),
        (
            "10 % other access groups",
            0.03,
            lambda n: close(estate.path(folder, n)),
            order[2 * one : 2 * one + ten],
        ),
    )
    for name, aim, change, chosen in changes:
        before = strings(folder)
        for n in chosen:
            change(n)
        time.sleep(SETTLED_SECONDS)
        cost = run(folder)
        yield name, aim, cost, strings(folder).join(before, on=c.EMBED_HASH, how="anti").height


def strings(folder: Path) -> pl.DataFrame:
    workspace = Workspace(load_config(folder / "kesit.toml"))
    return workspace.read(s.CHUNKS, [c.EMBED_HASH]).unique()


def show_nights(estate: Estate, folder: Path, documents: int) -> None:
    estate.write(folder, documents)
    started = run(folder, "--help").cpu
    print(f"{documents} documents; the process alone (`kesit --help`): {started:.1f} s CPU\n")
    print("| run | CPU s | of the full run | aim | wall s | embedded | new strings |")
    print("|---|---|---|---|---|---|---|")
    full = 0.0
    for name, aim, cost, new in nights(estate, folder, documents):
        full = full or cost.cpu
        embedded = cost.report["embeddings"]["computed"]
        aimed = "" if aim is None else f"{aim:.1%} + start"
        print(
            f"| {name} | {cost.cpu:.1f} | {cost.cpu / full:.1%} | {aimed} | {cost.wall:.0f} | {embedded} | {new} |",
            flush=True,
        )


# growth -------------------------------------------------------------------------------------------------------------------


def show_growth(sizes: list[int]) -> None:
    """Seconds of each stage and peak memory over the sizes, with the exponent of growth between the ends."""
    costs: list[Cost] = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as temporary:
            Texts().write(Path(temporary), size)
            costs.append(run(Path(temporary)))
    print("\n| | " + " | ".join(map(str, sizes)) + " | exponent |\n|---|" + "---|" * (len(sizes) + 1))
    rows = {"CPU s": [cost.cpu for cost in costs], "memory MiB": [cost.memory_mb for cost in costs]}
    for stage in costs[-1].report["seconds"]:
        rows[f"{stage} s"] = [cost.report["seconds"][stage] for cost in costs]
    for name, values in rows.items():
        exponent = (
            math.log(values[-1] / values[0]) / math.log(sizes[-1] / sizes[0]) if min(values) > 0 else math.nan
        )
        print(f"| {name} | " + " | ".join(f"{value:.2f}" for value in values) + f" | {exponent:.2f} |")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=2000, help="0: leave this part out")
    parser.add_argument("--estate", choices=("sample", "texts"), default="sample")
    parser.add_argument(
        "--models", default="use-multilingual", help="encoders of the sample estate, separated by commas"
    )
    parser.add_argument("--growth", default="", help="sizes of estates, separated by commas")
    parser.add_argument("--folder", type=Path, help="keep the estate and its tables there")
    asked = parser.parse_args()
    adopt_orphans()
    if asked.documents:
        with tempfile.TemporaryDirectory() as temporary:
            estate = Texts() if asked.estate == "texts" else Sample(asked.models.split(","))
            show_nights(estate, asked.folder or Path(temporary), asked.documents)
    if asked.growth:
        show_growth([int(size) for size in asked.growth.split(",")])


if __name__ == "__main__":
    main()
