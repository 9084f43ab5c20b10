"""The definitions load, and the graph is the one that was agreed on."""

import dagster as dg

from assets.definitions import build_definitions, defs
from pipeline.line.stages import PARTITIONED
from pipeline.line.whole_estate import GLOBAL
from pipeline.line.workspace import Workspace
from pipeline.sample.configuration import sample_config


def test_dagster_loads_the_definitions_of_the_configured_project(project):
    loaded = defs()
    dg.Definitions.validate_loadable(loaded)
    assert {job.name for job in loaded.resolve_all_job_defs() if not job.name.startswith("__")} == {
        "partition", "whole_estate", "line",
    }  # fmt: skip


def test_dagster_loads_the_definitions_of_the_sample_estate(tmp_path, monkeypatch):
    (tmp_path / "kesit.toml").write_text(sample_config(), encoding="utf-8")
    monkeypatch.setenv("KESIT_CONFIG", str(tmp_path / "kesit.toml"))
    dg.Definitions.validate_loadable(defs())


def test_every_asset_is_a_stage_and_every_stage_an_asset(project):
    """A misspelt dependency would become an external asset without a word."""
    graph = build_definitions(project.workspace()).resolve_asset_graph()
    assert graph.external_asset_keys == set()
    names = {key.to_user_string() for key in graph.get_all_asset_keys()}
    assert names == {stage.name for stage in (*PARTITIONED, *GLOBAL)}


def test_a_stage_declares_every_stage_whose_tables_it_reads(project):
    """What is read and not declared is out of date without anybody seeing it."""
    workspace = project.workspace()
    writers = {table.name: stage.name for stage in PARTITIONED for table in stage.writes(workspace)}
    for stage in PARTITIONED:
        assert {writers[table.name] for table in stage.reads(workspace)} <= set(stage.needs), stage.name


def test_asset_graph(project, snapshot):
    definitions = build_definitions(project.workspace())
    graph = definitions.resolve_asset_graph()
    assets = {}
    for key in sorted(graph.get_all_asset_keys()):
        node = graph.get(key)
        spec = node.assets_def.specs_by_key[key]
        assets[key.to_user_string()] = {
            "deps": {
                dep.asset_key.to_user_string(): type(dep.partition_mapping).__name__
                for dep in sorted(spec.deps, key=str)
            },
            "group": node.group_name,
            "kinds": sorted(node.kinds),
            "pool": sorted(node.pools or ()),
            "partitions": node.partitions_def and node.partitions_def.name,
            "description": node.description,
            "automation": node.automation_condition is not None,
        }
    checks = {
        f"{key.asset_key.to_user_string()}.{key.name}": {
            "blocking": graph.get_check_spec(key).blocking,
            "description": graph.get_check_spec(key).description,
            "automation": graph.get_check_spec(key).automation_condition is not None,
        }
        for key in sorted(graph.asset_check_keys, key=str)
    }
    jobs = {
        job.name: sorted(node.name for node in job.nodes)
        for job in definitions.resolve_all_job_defs()
        if not job.name.startswith("__")
    }
    schedules = {
        s.name: {
            "cron": s.cron_schedule,
            "zone": s.execution_timezone,
            "job": s.job_name,
            "status": s.default_status.name,
        }
        for s in definitions.schedules
    }
    sensors = {
        s.name: {
            "status": s.default_status.name,
            "kind": s.sensor_type.name,
            "jobs": sorted(target.job_name for target in s.targets),
            "target": sorted(key.to_user_string() for key in s.asset_selection.resolve(graph))
            if s.asset_selection
            else None,
        }
        for s in definitions.sensors
    }
    assert {
        "assets": assets,
        "checks": checks,
        "jobs": jobs,
        "schedules": schedules,
        "sensors": sensors,
    } == snapshot


def test_a_changed_setting_shows_as_another_code_version_of_its_stage_alone(project):
    def versions(workspace: Workspace) -> dict[str, str]:
        graph = build_definitions(workspace).resolve_asset_graph()
        return {key.to_user_string(): graph.get(key).code_version for key in graph.get_all_asset_keys()}

    before = versions(project.workspace())
    project.configure(dedup={"threshold": 0.9})
    after = versions(project.workspace())
    moved = {name for name in before if before[name] != after[name]}
    assert "clusters" in moved
    assert moved <= {"clusters", "signatures"}
