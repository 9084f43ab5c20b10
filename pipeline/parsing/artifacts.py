"""The folder with docling's own models: whether they can work, and which they are."""

import importlib.util
from pathlib import Path
from typing import Final

from pipeline.config import ConfigError, ParsingConfig

_PACKAGES: Final = ("torch", "torchvision", "transformers", "docling_ibm_models")
_FILES: Final = (
    "docling-project--docling-layout-heron/config.json",
    "docling-project--docling-models/model_artifacts/tableformer/accurate/tm_config.json",
)


def check_artifacts(config: ParsingConfig) -> None:
    """Whether docling's own models can read pages on this machine, if the configuration wants them to.

    Raises:
        ConfigError: the folder, a model in it, or a package that runs it is missing, with what to do about it.
    """
    if not config.artifacts_path:
        return
    named = f"parsing.artifacts_path = {config.artifacts_path!r}"
    folder = Path(config.artifacts_path)
    if not folder.is_dir():
        raise ConfigError(f"{named}: no such folder; empty: the bundled engines read the pages")
    absent = [name for name in _FILES if not (folder / name).is_file()]
    if absent:
        raise ConfigError(
            f"{named}: {' and '.join(absent)} missing; fill the folder with `docling-tools models download layout tableformer -o FOLDER`"
        )
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise ConfigError(
            f"{named}: needs {', '.join(missing)}; install them with pip install 'kesit[docling-models]'"
        )


def artifacts_listing(config: ParsingConfig) -> tuple[str, ...]:
    """Names and sizes of the files in the folder of models: other models give other pages."""
    folder = Path(config.artifacts_path) if config.artifacts_path else None
    if folder is None or not folder.is_dir():
        return ()
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return tuple(f"{path.relative_to(folder).as_posix()} {path.stat().st_size}" for path in files)
