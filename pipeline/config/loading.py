"""From a file to a checked configuration: the one way in."""

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

from pydantic import ValidationError

from pipeline.config.errors import ConfigError, one_line
from pipeline.config.whole import Config

DEFAULT_PATH = "kesit.toml"
CONFIG_ENV = "KESIT_CONFIG"


def config_path(given: str | Path | None = None) -> Path:
    """The configuration file: what was given, else $KESIT_CONFIG, else ./kesit.toml."""
    return Path(given or os.environ.get(CONFIG_ENV) or DEFAULT_PATH)


def load_config(path: str | Path | None = None) -> Config:
    """Read and check a configuration file.

    Raises:
        ConfigError: the file is missing, is not TOML, has an unknown key or a value that is not allowed.
    """
    file = config_path(path)
    try:
        raw = tomllib.loads(
            file.read_text(encoding="utf-8-sig")  # some editors on Windows put a mark in front
        )
    except FileNotFoundError:
        raise ConfigError(f"{file}: no such file; `kesit init` writes one") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{file}: {error}") from None
    except RecursionError:
        raise ConfigError(f"{file}: is nested too deeply") from None
    return parse_config(raw, base=file.absolute().parent, origin=str(file))


def parse_config(raw: dict[str, Any], *, base: Path, origin: str = "configuration") -> Config:
    """Check a configuration given as a dictionary; relative paths in it start at `base`.

    Raises:
        ConfigError: an unknown key or a value that is not allowed.
    """
    for key, value in _texts(raw):
        if (
            "\0" in value
        ):  # no path, address or name can hold one, and each library falls over it in its own way
            raise ConfigError(f"{origin}: {key}: must hold no NUL character")
    try:
        config = Config.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(f"{origin}: {one_line(error, Config)}") from None
    config._base = base  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001
    _check_places(config, origin)
    return _with_paths(config)


def _with_paths(config: Config) -> Config:
    """The configuration with absolute paths in `[parsing]`: who reads documents is given that section alone."""
    parsing = config.parsing
    paths = {"passwords_file": parsing.passwords_file, "artifacts_path": parsing.artifacts_path}
    absolute = {key: config.resolve(path) for key, path in paths.items() if path}
    return config.model_copy(update={"parsing": parsing.model_copy(update=absolute)})


def _check_places(config: Config, origin: str) -> None:
    """Refuse what would be scanned although it must not be: files of our own, and documents of another collection.

    A lake or an index inside a source would be taken for documents, anew in every run; passwords and gold questions there
    would be found by searches. Of two sources one inside the
    other, the outer one would give its own access groups to the documents of the inner one.
    """
    sources = {each.name: _place(config, each.source) for each in config.collections}
    for collection in config.collections:
        source = sources[collection.name]
        for other, outer in sources.items():
            if other != collection.name and source.is_relative_to(outer):
                raise ConfigError(
                    f"{origin}: source of collection {collection.name!r} = {collection.source!r}: must not lie inside the"
                    f" source of collection {other!r}, whose access groups its documents would get there"
                )
        own = [("lake.root", config.lake.root), ("index.root", config.index.root)]
        own += [("parsing.passwords_file", config.parsing.passwords_file)]
        own += [("evaluation.questions", config.evaluation.questions)]
        own += [("feed", each.feed) for each in config.collections]
        for key, root in own:
            if root and _place(config, root).is_relative_to(source):
                raise ConfigError(
                    f"{origin}: {key} = {root!r}: must not lie inside the source of collection {collection.name!r}"
                    f" ({collection.source!r})"
                )


def _place(config: Config, location: str) -> PurePath:
    place = config.resolve(location)
    return PurePosixPath(place) if "://" in place else Path(os.path.realpath(place))


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """All strings of a configuration with the keys that lead there."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(item, f"{key}.{name}".lstrip("."))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _texts(item, f"{key}.{number}")
