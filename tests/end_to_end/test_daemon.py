"""The real web server and daemon, driven as a person drives them: through GraphQL. Some minutes long, so asked for by KESIT_DAEMON=1."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from pipeline.index.pointer import find_pointer
from pipeline.line.stages import PARTITIONED
from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from tests.line.projects import Project, texts

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif("KESIT_DAEMON" not in os.environ, reason="takes minutes; set KESIT_DAEMON=1"),
]

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 300
HERE = {"repositoryName": "__repository__", "repositoryLocationName": "kesit"}


class Dagster:
    """`kesit ui` on a project."""

    def __init__(self, project: Project, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/graphql"
        self.log = project.folder / "ui.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", "from pipeline.cli import main; main()", "ui", "--port", str(port)],
                cwd=project.folder,
                env=os.environ | {"PYTHONPATH": str(ROOT), "KESIT_CONFIG": str(project.config_file)},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def ask(self, query: str, **variables: Any) -> Any:
        body = {"query": query, "variables": variables}
        answer = httpx2.post(self.url, json=body, timeout=60, trust_env=False).json()
        assert "errors" not in answer, answer["errors"]
        return answer["data"]

    def loaded(self) -> bool:
        try:
            found = self.ask(
                "{ workspaceOrError { ... on Workspace { locationEntries { name loadStatus } } } }"
            )
        except httpx2.HTTPError:
            assert self.process.poll() is None, self.log.read_text()
            return False
        return found["workspaceOrError"]["locationEntries"] == [{"name": "kesit", "loadStatus": "LOADED"}]

    def runs(self, tag: str, value: str) -> list[tuple[str, str]]:
        """Partition and status of the runs with a tag."""
        found = self.ask(
            "query($f: RunsFilter) { runsOrError(filter: $f) { ... on Runs { results { status tags { key value } } } } }",
            f={"tags": [{"key": tag, "value": value}]},
        )
        return [
            (next((t["value"] for t in run["tags"] if t["key"] == "dagster/partition"), ""), run["status"])
            for run in found["runsOrError"]["results"]
        ]

    def stale(self, asset: str, partition: str) -> str:
        found = self.ask(
            "query($k: [AssetKeyInput!], $p: String) { assetNodes(assetKeys: $k) { staleStatus(partition: $p) } }",
            k=[{"path": [asset]}],
            p=partition,
        )
        return str(found["assetNodes"][0]["staleStatus"])

    def end(self) -> None:
        os.killpg(self.process.pid, signal.SIGINT)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)


def until(what: str, holds: Callable[[], Any]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"{what}: waited {PATIENCE} s"
        time.sleep(1)


@pytest.fixture
def project(tmp_path) -> Project:
    project = Project(
        tmp_path / "project",
        {"name": "docs", "source": "docs", "buckets": 2},
        schedule={"cron": "* * * * *"},
        embedding={"models": ["use-multilingual"]},
    )
    for n in range(4):
        project.write(f"{n}.txt", f"Pumpe {n} läuft seit {n + 3} Tagen ohne Störung.")
    return project


@pytest.fixture
def dagster(project):
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    running = Dagster(project, port)
    try:
        until("the code location loads", running.loaded)
        yield running
    finally:
        running.end()


def test_a_backfill_a_night_and_another_model(project, dagster):
    root = project.workspace().index_root
    # A backfill of chosen partitions; the index follows by itself.
    launched = dagster.ask(
        "mutation($b: LaunchBackfillParams!) { launchPartitionBackfill(backfillParams: $b) { __typename"
        " ... on LaunchBackfillSuccess { backfillId } ... on PythonError { message } } }",
        b={
            "assetSelection": [{"path": [stage.name]} for stage in PARTITIONED],
            "partitionNames": ["docs.0", "docs.1"],
        },
    )["launchPartitionBackfill"]
    assert launched["__typename"] == "LaunchBackfillSuccess", launched

    def backfilled() -> bool:
        found = dagster.ask(
            "query($i: String!) { partitionBackfillOrError(backfillId: $i)"
            " { ... on PartitionBackfill { status } ... on PythonError { message } } }",
            i=launched["backfillId"],
        )["partitionBackfillOrError"]
        assert "FAIL" not in found["status"], found
        return found["status"] == "COMPLETED_SUCCESS"

    until("the backfill ends", backfilled)
    until("the index goes live", lambda: find_pointer(root))
    assert len(project.search("Pumpe Störung", k=10)) == 4

    # The night: exactly the partition that changed, once.
    project.write("0.txt", "Das Ventil am Kessel schließt nach vier Sekunden.")
    time.sleep(2.5)
    (changed,) = project.workspace().scan("docs").changes.filter(kind="updated")["partition"]
    dagster.ask(
        "mutation($s: ScheduleSelector!) { startSchedule(scheduleSelector: $s) { __typename } }",
        s=HERE | {"scheduleName": "nightly"},
    )
    until("the night asks for a run", lambda: dagster.runs("dagster/schedule_name", "nightly"))
    until("the change goes live", lambda: "Ventil" in texts(project))
    time.sleep(60)  # another tick
    assert dagster.runs("dagster/schedule_name", "nightly") == [(changed, "SUCCESS")]

    # Another model: stale in the UI, and rebuilt by the sensor.
    sensor = HERE | {"sensorName": "settings_changed"}
    dagster.ask("mutation($s: SensorSelector!) { startSensor(sensorSelector: $s) { __typename } }", s=sensor)

    def watching() -> bool:
        found = dagster.ask(
            "query($s: SensorSelector!) { sensorOrError(sensorSelector: $s)"
            " { ... on Sensor { sensorState { ticks(limit: 1) { status } } } } }",
            s=sensor,
        )
        ticks = found["sensorOrError"]["sensorState"]["ticks"]
        return bool(ticks) and ticks[0]["status"] == "SKIPPED"

    until("the sensor watches", watching)
    until("the embeddings are fresh", lambda: dagster.stale("embeddings", "docs.0") == "FRESH")
    project.configure(embedding={"models": ["e5-small"]})
    dagster.ask(
        "mutation($n: String!) { reloadRepositoryLocation(repositoryLocationName: $n) { __typename } }",
        n="kesit",
    )
    until("the code location loads again", dagster.loaded)
    assert dagster.stale("embeddings", "docs.0") == "STALE"
    until("the sensor asks", lambda: len(dagster.runs("dagster/sensor_name", "settings_changed")) == 2)
    until("the embeddings are made", lambda: dagster.stale("embeddings", "docs.0") == "FRESH")
    until("the other model goes live", lambda: find_pointer(root).current.models == ("e5-small",))
    assert {status for _, status in dagster.runs("dagster/sensor_name", "settings_changed")} == {"SUCCESS"}
    encoder = project.workspace().encoders[0]
    vectors = project.workspace().lake.read(s.embeddings(encoder.slug, encoder.dims))
    assert vectors.height == project.workspace().lake.read(s.CHUNKS)[c.EMBED_HASH].n_unique()
