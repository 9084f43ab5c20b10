"""A new project: `kesit.toml` with every key and its default, and the two files that the Dagster UI reads."""

import json
from pathlib import Path
from typing import Any, Final, cast

from pipeline.config import CollectionConfig, Config, ConfigError, Section

WORKSPACE_YAML: Final = """\
load_from:
  - python_module:
      module_name: assets.definitions
      working_directory: .
      location_name: kesit
"""

DAGSTER_YAML: Final = """\
# Dagster's own storage and limits. Paths are relative to the folder that Dagster is started in: this one.
storage:
  sqlite:
    base_dir: data/dagster
local_artifact_storage:
  module: dagster._core.storage.root
  class: LocalArtifactStorage
  config:
    base_dir: data/dagster
compute_logs:
  module: dagster._core.storage.local_compute_log_manager
  class: LocalComputeLogManager
  config:
    base_dir: data/dagster/logs
concurrency:
  # One run at a time in each pool: "parse" starts its own worker processes, "embed" uses every core, and the index
  # has one writer.
  pools:
    default_limit: 1
    granularity: op
  runs:
    max_concurrent_runs: 2
run_retries:
  enabled: true
  max_retries: 1
  retry_on_asset_or_op_failure: false # a crashed process is worth another try; a failed stage says why
retention:
  schedule:
    purge_after_days: 90
  sensor:
    purge_after_days:
      skipped: 7
      failure: 90
      success: 90
telemetry:
  enabled: false
nux: # no sign-up window in front of the UI
  enabled: false
"""


def write_project(path: Path) -> list[str]:
    """Write a commented configuration to `path`, and Dagster's files beside it where there are none.

    Returns:
        One line for each file, for the user.

    Raises:
        ConfigError: the configuration file is there already; nothing was written.
    """
    if path.exists():
        raise ConfigError(f"{path}: is there already; delete it to start anew")
    return [*write_file(path, config_text()), *write_dagster_files(path.absolute().parent)]


def write_dagster_files(folder: Path) -> list[str]:
    """Write `dagster.yaml` and `workspace.yaml` into a folder where there are none."""
    return [
        line
        for name, text in (("dagster.yaml", DAGSTER_YAML), ("workspace.yaml", WORKSPACE_YAML))
        if not (folder / name).exists()
        for line in write_file(folder / name, text)
    ]


def write_file(path: Path, text: str) -> list[str]:
    """Write a text file, and say so in a line. Raises ConfigError if it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None
    return [f"wrote {path}"]


def config_text() -> str:
    """A `kesit.toml` with one example collection; every other key stands as a comment with its default."""
    lines = [
        "# Kesit. Paths are relative to this file. Only [[collections]] is needed; a key that is commented out has the",
        "# value shown.",
        "",
        *_example_collection(),
    ]
    for name, field in Config.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            lines += ["", f"[{name}]", *_keys(field.annotation)]
    return "\n".join(lines) + "\n"


def _example_collection() -> list[str]:
    lines = ["[[collections]]"]
    for name, field in CollectionConfig.model_fields.items():
        lines.append(f"# {field.description}")
        example = {"name": "documents", "source": "documents"}.get(name)
        lines.append(
            f"{name} = {_toml(example)}"
            if example
            else f"# {name} = {_toml(field.get_default(call_default_factory=True))}"
        )
    return lines


def _keys(section: type[Section]) -> list[str]:
    lines: list[str] = []
    for name, field in section.model_fields.items():
        lines.append(f"# {field.description}")
        lines.append(f"# {name} = {_toml(field.get_default(call_default_factory=True))}")
    return lines


def _toml(value: Any) -> str:
    """A value as it stands behind a key; strings, numbers and truths are spelled as in JSON."""
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return f"{{{', '.join(f'{json.dumps(key)} = {_toml(each)}' for key, each in pairs)}}}"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml, cast('tuple[Any, ...]', value)))}]"
    return json.dumps(value, ensure_ascii=False)
