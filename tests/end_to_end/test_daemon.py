"""The real web server and daemon, driven as a person drives them: through GraphQL. Some minutes long: `make test-daemon`."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import polars as pl
import pytest

from pipeline.index.pointer import find_pointer
from pipeline.line.stages import PARTITIONED
from pipeline.tables import columns as c
from pipeline.tables import schemas as s
from tests.line.projects import Project, texts

pytestmark = [pytest.mark.slow, pytest.mark.daemon]

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

    def do(self, mutation: str, kind: str, **variables: Any) -> Any:
        """A mutation that must answer with `kind`."""
        (answer,) = self.ask(mutation, **variables).values()
        assert answer["__typename"] == kind, answer
        return answer

    def backfill(self, assets: list[str], partitions: list[str]) -> str:
        """Launch a backfill as the page of an asset does; its id."""
        launched = self.do(
            "mutation($b: LaunchBackfillParams!) { launchPartitionBackfill(backfillParams: $b)"
            " { __typename ... on LaunchBackfillSuccess { backfillId } ... on PythonError { message } } }",
            "LaunchBackfillSuccess",
            b={"assetSelection": [{"path": [name]} for name in assets], "partitionNames": partitions},
        )
        return str(launched["backfillId"])

    def backfill_status(self, backfill: str) -> str:
        found = self.ask(
            "query($i: String!) { partitionBackfillOrError(backfillId: $i)"
            " { ... on PartitionBackfill { status } ... on PythonError { message } } }",
            i=backfill,
        )
        return str(found["partitionBackfillOrError"]["status"])

    def night(self) -> tuple[list[str], str | None]:
        """What a tick of the schedule would ask for now, and what it says if that is nothing."""
        found = self.ask(
            "mutation($s: ScheduleSelector!, $t: Float) { scheduleDryRun(selectorData: $s, timestamp: $t)"
            " { __typename ... on DryRunInstigationTick { evaluationResult"
            " { skipReason error { message } runRequests { tags { key value } } } } } }",
            s=HERE | {"scheduleName": "nightly"},
            t=time.time(),
        )["scheduleDryRun"]["evaluationResult"]
        assert found["error"] is None, found
        wanted = [
            tag["value"]
            for run in found["runRequests"] or []
            for tag in run["tags"]
            if tag["key"] == "dagster/partition"
        ]
        return wanted, found["skipReason"]

    def ticks(self, sensor: str) -> list[Mapping[str, Any]]:
        """The last ticks of a sensor, the latest first."""
        found = self.ask(
            "query($s: SensorSelector!) { sensorOrError(sensorSelector: $s)"
            " { ... on Sensor { sensorState { ticks(limit: 5) { status timestamp endTimestamp skipReason } } } } }",
            s=HERE | {"sensorName": sensor},
        )
        return found["sensorOrError"]["sensorState"]["ticks"]

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

    def stale(self, asset: str, partition: str) -> tuple[str, set[str]]:
        """Whether a partition is stale, and the causes as the UI gives them."""
        found = self.ask(
            "query($k: [AssetKeyInput!], $p: String) { assetNodes(assetKeys: $k)"
            " { staleStatus(partition: $p) staleCauses(partition: $p) { category reason } } }",
            k=[{"path": [asset]}],
            p=partition,
        )["assetNodes"][0]
        return found["staleStatus"], {cause["category"] for cause in found["staleCauses"]}

    def end(self) -> None:
        """As a service manager does: a signal to the process that it started, which takes all others along."""
        self.process.terminate()
        try:
            self.process.wait(60)
            until("all processes have ended", self.ended)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def ended(self) -> bool:
        try:
            os.killpg(self.process.pid, 0)
        except ProcessLookupError:
            return True
        return False


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


def test_a_backfill_a_night_another_model_and_a_failed_check(project, dagster):
    """One after the other on one daemon: each takes the estate as the one before leaves it."""
    log = dagster.log.read_text()
    assert log.startswith("UI: http://127.0.0.1:")
    assert "SupersessionWarning" not in log
    a_backfill(project, dagster)
    a_night(project, dagster)
    another_model(project, dagster)
    a_failed_check(project, dagster)


def live(project):
    """The live build, or None."""
    pointer = find_pointer(project.workspace().index_root)
    return pointer and pointer.current


def a_backfill(project, dagster):
    """Of chosen partitions; the index follows by itself."""
    launched = dagster.backfill([stage.name for stage in PARTITIONED], ["docs.0", "docs.1"])

    def backfilled() -> bool:
        status = dagster.backfill_status(launched)
        assert "FAIL" not in status, status
        return status == "COMPLETED_SUCCESS"

    until("the backfill ends", backfilled)
    assert sorted(dagster.runs("dagster/backfill", launched)) == [
        ("docs.0", "SUCCESS"),
        ("docs.1", "SUCCESS"),
    ]
    assert project.workspace().lake.read(s.CHUNKS).height == 4
    until("the index goes live", lambda: live(project))
    assert len(project.search("Pumpe Störung", k=10)) == 4
    until("the times of the files are trusted", lambda: quiet(project, dagster))


def a_night(project, dagster):
    """Exactly the partition that changed, once."""
    project.write("0.txt", "Das Ventil am Kessel schließt nach vier Sekunden.")
    time.sleep(2.5)
    (changed,) = project.workspace().scan("docs").changes.filter(kind="updated")["partition"]
    assert dagster.night() == ([changed], None)
    schedule = HERE | {"scheduleName": "nightly"}
    state = dagster.do(
        "mutation($s: ScheduleSelector!) { startSchedule(scheduleSelector: $s)"
        " { __typename ... on ScheduleStateResult { scheduleState { id } } } }",
        "ScheduleStateResult",
        s=schedule,
    )["scheduleState"]["id"]
    until("the night asks for a run", lambda: dagster.runs("dagster/schedule_name", "nightly"))
    until("the change goes live", lambda: "Ventil" in texts(project))
    assert dagster.night() == ([], "nothing changed")
    assert dagster.runs("dagster/schedule_name", "nightly") == [(changed, "SUCCESS")]
    dagster.do(
        "mutation($i: String!) { stopRunningSchedule(id: $i) { __typename } }", "ScheduleStateResult", i=state
    )


def another_model(project, dagster):
    """Stale in the UI, and rebuilt by the sensor."""
    dagster.do(
        "mutation($s: SensorSelector!) { startSensor(sensorSelector: $s) { __typename } }",
        "Sensor",
        s=HERE | {"sensorName": "settings_changed"},
    )
    until(
        "the sensor watches",
        lambda: [t for t in dagster.ticks("settings_changed") if t["status"] == "SKIPPED"],
    )
    assert dagster.stale("embeddings", "docs.0") == ("FRESH", set())
    project.configure(embedding={"models": ["e5-small"]})
    dagster.do(
        "mutation($n: String!) { reloadRepositoryLocation(repositoryLocationName: $n) { __typename } }",
        "WorkspaceLocationEntry",
        n="kesit",
    )
    until("the code location loads again", dagster.loaded)
    assert dagster.stale("embeddings", "docs.0") == ("STALE", {"CODE"})
    # Chunks are counted in the tokens of the model; what comes before knows nothing of it.
    assert dagster.stale("gated_pages", "docs.0") == ("FRESH", set())
    until("the sensor asks", lambda: len(dagster.runs("dagster/sensor_name", "settings_changed")) == 2)
    until("the embeddings are made", lambda: dagster.stale("embeddings", "docs.0")[0] == "FRESH")
    until("the other model goes live", lambda: live(project).models == ("e5-small",))
    asked = sorted(dagster.runs("dagster/sensor_name", "settings_changed"))
    assert asked == [("docs.0", "SUCCESS"), ("docs.1", "SUCCESS")]
    encoder = project.workspace().encoders[0]
    vectors = project.workspace().lake.read(s.embeddings(encoder.slug, encoder.dims))
    assert vectors.height == project.workspace().lake.read(s.CHUNKS)[c.EMBED_HASH].n_unique()


def a_failed_check(project, dagster):
    """Nothing goes on, although another partition was edited and passes."""
    until("all is at rest", lambda: at_rest(dagster))
    build = live(project)
    before = len(dagster.runs("dagster/sensor_name", "follow_up"))
    project.write("0.txt", "Der Verdichter läuft erst nach der Freigabe an.")
    time.sleep(2.5)
    (changed,) = project.workspace().scan("docs").changes.filter(kind="updated")["partition"]
    (other,) = {"docs.0", "docs.1"} - {changed}
    broken = break_contract(project, s.CHUNKS, other)
    failing = dagster.backfill([stage.name for stage in PARTITIONED], [changed, other])
    until("the backfill fails", lambda: dagster.backfill_status(failing) == "COMPLETED_FAILED")
    assert sorted(dagster.runs("dagster/backfill", failing)) == sorted(
        [(changed, "SUCCESS"), (other, "FAILURE")]
    )
    ended = time.time()
    until(
        "follow_up looks twice", lambda: sum(t["timestamp"] > ended for t in dagster.ticks("follow_up")) >= 2
    )
    until("what it may have asked for is done", lambda: at_rest(dagster))
    assert live(project) == build
    assert "Verdichter" not in texts(project)
    broken.unlink()
    mended = dagster.backfill([stage.name for stage in PARTITIONED], [other])
    until("it is mended", lambda: dagster.backfill_status(mended) == "COMPLETED_SUCCESS")
    until("the index follows", lambda: "Verdichter" in texts(project))
    assert len(dagster.runs("dagster/sensor_name", "follow_up")) > before


def quiet(project, dagster) -> bool:
    """Whether nothing is left to do; files that were young when they were read are read once more."""
    wanted, _ = dagster.night()
    if wanted:
        project.run()
    return not wanted


def at_rest(dagster) -> bool:
    found = dagster.ask(
        "query($f: RunsFilter) { runsOrError(filter: $f) { ... on Runs { results { status } } } }",
        f={"statuses": ["QUEUED", "NOT_STARTED", "STARTING", "STARTED"]},
    )
    return not found["runsOrError"]["results"]


def break_contract(project, table, partition) -> Path:
    """Double the published rows of a partition, which breaks the key; to its stage it still looks fresh."""
    path = project.folder / f"data/lake/{table.name}/{partition}.parquet"
    frame, footer = pl.read_parquet(path), pl.read_parquet_metadata(path)
    ours = {key: value for key, value in footer.items() if key.startswith("kesit.")}
    pl.concat([frame, frame]).write_parquet(path, metadata=ours)
    return path
