"""Runs killed at random moments: what was live stays whole, and the next run leaves what a run from nothing leaves.

    python benchmarks/kills.py [--kills 200] [--seed 1]

Each killed run is `kesit run` in a process group of its own, ended by SIGKILL after a share of its CPU time that is drawn
evenly between nothing and the whole, so that every stage is hit as often as it takes time, however busy the machine is. A
dozen of short documents in two partitions change between two runs; there are five states of them.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from assets.run import open_driver
from benchmarks.incremental import start, text
from pipeline.line.freshness import first_stale_stage
from pipeline.line.project import write_dagster_files
from pipeline.line.whole_estate import GLOBAL
from tests.line.projects import Project, assert_same, content, index_rows

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping

    import polars as pl

STATES = 5
DOCUMENTS = 12
FIRST_TIME = 1_750_000_000
_TICKS = os.sysconf("SC_CLK_TCK")
_LOOK_SECONDS = 0.01


def change(project: Project, state: int) -> None:
    """Bring the documents to one of the states: two thirds are the same in all, one is there in each alone."""
    for n in range(DOCUMENTS):
        edition = state if n % 3 == 0 else 0
        _write(project, f"{n}.md", text(n, edition), edition, ["hr"] if n == state else ["public"])
    for each in range(STATES):
        (project.docs / f"only-{each}.md").unlink(missing_ok=True)
    _write(project, f"only-{state}.md", text(100 + state), state, ["public"])


def _write(project: Project, uri: str, content: str, edition: int, groups: list[str]) -> None:
    path = project.write(uri, content, acl_groups=groups)
    # A time of its own for each edition: the same state then gives the same tables.
    os.utime(path, (FIRST_TIME + 60 * edition,) * 2)


def cpu_of_group(group: int) -> float:
    """CPU seconds of the living processes of a process group."""
    used = 0.0
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                fields = (place / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == group:
                used += (int(fields[11]) + int(fields[12])) / _TICKS
    return used


def kill_after(process: "subprocess.Popen[bytes]", seconds: float) -> float | None:
    """Kill the process group when it has used so much CPU time. None: it ended before; else what it had used."""
    while process.poll() is None:
        used = cpu_of_group(process.pid)
        if used >= seconds:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return used
        time.sleep(_LOOK_SECONDS)
    return None


def stage_hit(project: Project) -> str:
    """The first stage that had not published: the one that was at work, or about to."""
    workspace = project.workspace()
    first = [first_stale_stage(workspace, partition) for partition in workspace.partitions]
    if all(name == "documents" for name in first):
        return "start and scan"
    hit = next((name for name in first if name), None)
    return hit or next(
        (stage.name for stage in GLOBAL if not stage.is_fresh(workspace)), "after the last stage"
    )


def show_kills(kills: int, seed: int) -> None:
    """Print after how many kills the next run was right, and which stages were hit."""
    moments, hits = random.Random(seed), Counter[str]()
    correct = ended = state = 0
    with tempfile.TemporaryDirectory() as temporary:
        project = Project(Path(temporary) / "p", {"name": "docs", "source": "docs", "buckets": 2})
        write_dagster_files(project.folder)
        expected: list[Mapping[str, pl.DataFrame]] = []
        for each in range(STATES):
            change(project, each)
            expected.append(content(project.rebuilt(Path(temporary) / f"state-{each}")))
        change(project, 0)
        project.run(open_driver)
        whole = 0.0
        while correct < kills:
            before, state = state, (state + 1) % STATES
            change(project, state)
            process = start(project.folder, "run", "--json")
            assert process.stdout is not None
            if not whole:  # the first is let run to its end, to know how long it takes
                process.stdout.read()
                _, _, used = os.wait4(process.pid, 0)
                process.returncode, whole = 0, used.ru_utime + used.ru_stime
                continue
            moment = moments.uniform(0, whole)
            used = kill_after(process, moment)
            process.stdout.close()
            if used is None:
                ended += 1
                continue
            stage = stage_hit(project)
            live = index_rows(project.workspace()).drop("^vector_.*$")
            whole_states = [expected[one]["index"].drop("^vector_.*$") for one in (before, state)]
            assert any(live.equals(one) for one in whole_states), (
                f"kill {correct}, {stage}: what is live is neither state"
            )
            report = project.run(open_driver)
            assert report.complete, f"kill {correct}, {stage}: {report.errors}"
            assert_same(content(project), expected[state])
            correct += 1
            hits[stage] += 1
            print(
                f"{correct} of {kills}: {stage}, after {used:.2f} of {whole:.2f} s CPU",
                file=sys.stderr,
                flush=True,
            )
    print(
        f"killed {kills} runs (seed {seed}): {correct} completed correctly by the next run; {ended} ended before their moment\n"
    )
    print("| stage that was hit | kills |\n|---|---|")
    for stage, count in hits.most_common():
        print(f"| {stage} | {count} |")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    show_kills(asked.kills, asked.seed)


if __name__ == "__main__":
    main()
