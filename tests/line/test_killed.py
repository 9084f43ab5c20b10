"""Runs that are killed with no chance to clean up: what was live answers on, and the next run completes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from assets.instance import open_instance
from assets.run import open_driver
from pipeline.line.project import write_dagster_files
from tests.line.projects import Project, assert_same, content, index_rows

ROOT = Path(__file__).resolve().parents[2]

# The command, ended by SIGKILL at the n-th publication of anything: a partition, a candidate, the pointer.
KILLED = """
import os, signal, sys
at, before = int(sys.argv.pop(1)), sys.argv.pop(1) == "before"
published, replace = 0, os.replace
def counted(source, target, **more):
    global published
    published += 1
    if published == at and before:
        os.kill(os.getpid(), signal.SIGKILL)
    replace(source, target, **more)
    if published == at:
        os.kill(os.getpid(), signal.SIGKILL)
os.replace = counted
from pipeline.cli import main
main()
"""


def command(project: Project, code: str, *arguments: str) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "KESIT_CONFIG": str(project.config_file)}
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments, "run", "--json"],
        cwd=project.folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def change(project: Project, version: int) -> None:
    for n in range(6):
        project.write(
            f"{n}.txt", f"Pumpe {n} läuft seit {n + 3} Tagen ohne Störung; Stand {version if n % 2 else 0}."
        )
    project.write(f"neu-{version}.txt", f"Diese Notiz kam mit Stand {version}.")
    (project.docs / f"neu-{version - 1}.txt").unlink(missing_ok=True)


@pytest.mark.slow
def test_killed_runs_lose_nothing_and_the_next_run_completes(tmp_path):
    project = Project(tmp_path / "p", {"name": "docs", "source": "docs", "buckets": 2})
    write_dagster_files(project.folder)  # its pools must not stay taken by a dead run
    change(project, 1)
    project.run()
    # One build publishes about twenty times: in the middle of the partitions, and after all of them.
    for version, at, when in ((2, 6, "before"), (3, 15, "after")):
        before = index_rows(project.workspace())
        change(project, version)
        killed = command(project, KILLED, str(at), when)
        assert killed.wait(300) == -signal.SIGKILL, killed.stderr.read().decode()
        held = index_rows(project.workspace())["text"].to_list()
        # Whole: all of the old state, or (when the pointer had moved) all of the new one.
        new = any(f"mit Stand {version}" in text for text in held)
        assert new or held == before["text"].to_list(), f"{when} publication {at}"
        assert project.search("Pumpe Störung")

    report = project.run(open_driver)
    assert (report.failed, report.errors) == ((), ())
    assert_same(content(project), content(project.rebuilt(tmp_path / "again")))
    with open_instance(project.folder) as instance:
        running = instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED]))
    assert running == [], "a run that was killed is shown as running for ever"
