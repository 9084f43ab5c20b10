"""A tiny estate of two partitions, and an instance that keeps nothing."""

import warnings

import dagster as dg
import pytest

from assets.definitions import build_definitions
from assets.instance import open_instance
from assets.partitions import register
from tests.line.projects import Project


@pytest.fixture(autouse=True)
def _without_beta_warnings():
    warnings.filterwarnings("ignore", category=dg.BetaWarning)


@pytest.fixture
def project(tmp_path, monkeypatch) -> Project:
    project = Project(tmp_path / "project", {"name": "docs", "source": "docs", "buckets": 2})
    for n in range(4):  # some in each bucket
        project.write(f"{n}.txt", f"Pumpe {n} läuft seit {n + 3} Tagen ohne Störung.")
    monkeypatch.setenv("KESIT_CONFIG", str(project.config_file))
    return project


class Line:
    """The real definitions of a project, its jobs run in this process on an instance that keeps nothing."""

    def __init__(self, project: Project, instance: dg.DagsterInstance) -> None:
        self.project = project
        self.instance = instance
        self.workspace = project.workspace()
        self.definitions = build_definitions(self.workspace)
        register(instance, self.workspace.partitions)

    def run(self, job: str, partition: str | None = None) -> dg.ExecuteInProcessResult:
        self.workspace._scans.clear()  # a run of its own would scan anew
        return self.definitions.resolve_job_def(job).execute_in_process(
            instance=self.instance,
            partition_key=partition,
            raise_on_error=False,
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        )

    def all(self) -> None:
        for partition in self.workspace.partitions:
            assert self.run("partition", partition).success
        assert self.run("whole_estate").success

    def tick(self, cursor=None):
        return dg.evaluate_automation_conditions(self.definitions, self.instance, cursor=cursor)

    def materialised(self, asset: str) -> set[str]:
        return self.instance.get_materialized_partitions(dg.AssetKey(asset))


@pytest.fixture
def line(project):
    with dg.DagsterInstance.ephemeral() as instance:
        yield Line(project, instance)


@pytest.fixture
def lasting_line(project):
    """On an instance that a tick can open again."""
    with open_instance(project.folder) as instance:
        yield Line(project, instance)
