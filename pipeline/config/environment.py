"""What stands in the environment instead of in `kesit.toml`: values as "env:NAME", keys and passwords by the bare name."""

import os

from pipeline.config.errors import ConfigError
from pipeline.config.values import ENV


def from_environment(value: str, setting: str) -> str:
    """The value, or where it is "env:NAME" what that variable holds. Never to be shown.

    Args:
        value: of a setting.
        setting: its key, for the error.

    Raises:
        ConfigError: the variable is not set.
    """
    return variable(value.removeprefix(ENV), setting) if value.startswith(ENV) else value


def variable(name: str, setting: str) -> str:
    """What the environment variable of a name holds. Raises ConfigError if it is not set; `setting` is the key that names it."""
    if name not in os.environ:
        raise ConfigError(f"{setting}: the environment variable {name!r} is not set")
    return os.environ[name]
