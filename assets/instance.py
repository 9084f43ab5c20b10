"""The Dagster instance of a project: its storage lies below `data/` beside `kesit.toml`, whoever opens it."""

from pathlib import Path
from typing import Any, Final

import dagster as dg
from dagster._core.instance.ref import InstanceRef

_STORAGE: Final = "data/dagster"


def open_instance(base: Path) -> dg.DagsterInstance:
    """The instance that the UI shows when it is started in `base`.

    `dagster.yaml` in `base` is honoured where there is one; its storage paths are relative to the folder that Dagster is
    started in, which need not be `base` here, so they are made absolute.

    Args:
        base: the folder of `kesit.toml`.
    """
    storage = base / _STORAGE
    storage.mkdir(parents=True, exist_ok=True)
    return dg.DagsterInstance.from_ref(InstanceRef.from_dir(str(base), overrides=_settings(storage)))


def _settings(storage: Path) -> dict[str, Any]:
    return {
        "storage": {
            "custom": {
                "module": "assets.storage",
                "class": "OpenStorage",
                "config": {"base_dir": str(storage)},
            }
        },
        "local_artifact_storage": {
            "module": "dagster._core.storage.root",
            "class": "LocalArtifactStorage",
            "config": {"base_dir": str(storage)},
        },
        "compute_logs": {
            "module": "dagster._core.storage.local_compute_log_manager",
            "class": "LocalComputeLogManager",
            "config": {"base_dir": str(storage / "logs")},
        },
        "telemetry": {"enabled": False},
    }
