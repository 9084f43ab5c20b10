"""Runs killed at random moments: what was live stays whole, and the next run leaves what a run from nothing leaves.

    python benchmarks/kills.py [--kills 200] [--seed 1]

Each killed run is `kesit run` in a process group of its own, forked from a process that has imported the code but used
none of it. SIGKILL ends the group after a share of its CPU time that is drawn evenly between nothing and the whole, so that every
stage is hit as often as it takes time, however busy the machine is. A dozen of short documents in two partitions change
between two runs; there are five states of them. The next run has the same stages without Dagster; that Dagster gets over
what a killed run left of its own is shown by the killed run after it.
"""

import argparse
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing, suppress
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incremental_estates import text

from pipeline.line.project import write_dagster_files
from tests.line.projects import Project, assert_same, content, index_rows

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

STATES = 5
DOCUMENTS = 12
COLLECTION = {"name": "docs", "source": "docs", "buckets": 2}
FIRST_TIME = 1_750_000_000
_TICKS = os.sysconf("SC_CLK_TCK")
_LOOK_SECONDS = 0.05


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
    at = FIRST_TIME + 60 * edition
    os.utime(path, (at, at))


def cpu_of(process: int) -> float | None:
    """CPU seconds of a process, of its living children and of those that it waited for; None when it has ended."""
    try:
        state, *fields = _stat(process)
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return None
    ticks = sum(map(int, fields[10:14]))
    for child in children:
        with suppress(OSError):
            ticks += sum(map(int, _stat(int(child))[11:15]))
    return None if state == "Z" else ticks / _TICKS


def _stat(process: int) -> list[str]:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def start(project: Project) -> int:
    """The command in a process group of its own; its process id."""
    process = os.fork()
    if process:
        return process
    try:
        os.setsid()
        os.chdir(project.folder)
        os.environ["KESIT_CONFIG"] = str(project.config_file)
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silent, stream)
        sys.argv = ["kesit", "run", "--json"]
        from pipeline.cli import main as command

        command()
    except SystemExit as end:
        os._exit(end.code if isinstance(end.code, int) else 1)
    finally:
        os._exit(1)


def kill_after(process: int, seconds: float) -> float | None:
    """Kill the process group when it has used so much CPU time. None: it ended before; else what it had used."""
    used = cpu_of(process)
    while used is not None and used < seconds:
        time.sleep(_LOOK_SECONDS)
        used = cpu_of(process)
    if used is not None:
        os.killpg(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return used


def recorded(project: Project) -> tuple[int, str]:
    """How many runs Dagster knows, and where the last one stands."""
    history = project.folder / "data/dagster/history"
    with closing(sqlite3.connect(history / "runs.db")) as runs:
        count, *_ = runs.execute("SELECT count(*) FROM runs").fetchone()
        last = runs.execute(
            "SELECT run_id, status, pipeline_name FROM runs ORDER BY id DESC LIMIT 1"
        ).fetchone()
    if last is None:
        return 0, ""
    run_id, status, job = last
    if status == "SUCCESS":
        return count, "the run's report" if job == "whole_estate" else "between two partitions"
    with closing(sqlite3.connect(history / "runs" / f"{run_id}.db")) as events:
        try:
            step = events.execute(
                "SELECT step_key FROM event_logs WHERE step_key IS NOT NULL ORDER BY id DESC LIMIT 1"
            ).fetchone()
        except sqlite3.OperationalError:  # the run's own database has no tables yet
            step = None
    return count, step[0] if step else "start of a Dagster run"


def checker(asked: "Connection", folder: Path) -> None:
    """In a process of its own: make what is expected, then complete killed runs and compare."""
    project = Project(folder / "p", COLLECTION)
    expected: list[Any] = []
    for state in range(STATES):
        change(project, state)
        expected.append(content(project.rebuilt(folder / f"state-{state}")))
    asked.send("")
    while True:
        before, state = asked.recv()
        live = index_rows(project.workspace()).drop("^vector_.*$")
        if not any(live.equals(expected[one]["index"].drop("^vector_.*$")) for one in (before, state)):
            asked.send("what is live is neither the old nor the new state")
            continue
        report = project.run()
        try:
            assert_same(content(project), expected[state])
        except AssertionError as error:
            asked.send(str(error))
        else:
            asked.send("; ".join(report.errors))


def show_kills(kills: int, seed: int) -> None:
    """Print after how many kills the next run was right, and which stages were hit."""
    moments, hits = random.Random(seed), Counter[str]()
    killed = ended = state = 0
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as temporary:
        spawn = get_context("spawn")
        ours, theirs = spawn.Pipe()
        check = spawn.Process(target=checker, args=(theirs, Path(temporary)))
        check.start()
        ours.recv()
        project = Project(Path(temporary) / "p", COLLECTION)
        write_dagster_files(project.folder)
        load()
        whole = 0.0
        for state in range(2):  # the second tells how long a run takes that finds changes
            change(project, state)
            _, status, used = os.wait4(start(project), 0)
            assert status == 0, f"run {state} ended with {status}"
            whole = used.ru_utime + used.ru_stime
        while killed < kills:
            before, state = state, (state + 1) % STATES
            change(project, state)
            runs, _ = recorded(project)
            used = kill_after(start(project), moments.uniform(0, whole))
            after, place = recorded(project)
            stage = place if after > runs else "start and scan"
            ours.send((before, state))
            trouble = ours.recv()
            if trouble:
                wrong.append(f"after {stage}: {trouble}")
            if used is None:
                ended += 1
                continue
            killed += 1
            hits[stage] += 1
            print(
                f"{killed}: {stage}, after {used:.2f} of {whole:.2f} s CPU {trouble}",
                file=sys.stderr,
                flush=True,
            )
        check.kill()
    print(
        f"killed {kills} runs (seed {seed}): {kills - len(wrong)} completed correctly by the next run; {ended} ended before their moment"
    )
    print("".join(f"\n{each}" for each in wrong))
    print("| stage that was hit | kills |\n|---|---|")
    for stage, count in hits.most_common():
        print(f"| {stage} | {count} |")


def load() -> None:
    """Import what a run imports, so that the killed runs spend their time on the run. Nothing that starts threads."""
    import pandera.polars  # noqa: F401  # pyright: ignore[reportUnusedImport]

    import assets.run  # noqa: F401  # pyright: ignore[reportUnusedImport]
    from pipeline.config import LANGUAGES
    from pipeline.language.lemmas import dictionary

    for language in LANGUAGES:
        dictionary(language)


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
