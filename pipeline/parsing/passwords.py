"""Passwords of encrypted files, from where the configuration says."""

import os
from pathlib import Path

from pipeline.config import ConfigError, ParsingConfig


def passwords_of(config: ParsingConfig) -> tuple[str, ...]:
    """The configured passwords of encrypted files, each once, in order.

    Raises:
        ConfigError: the configured variable is not set, or the file cannot be read.
    """
    lines: list[str] = []
    if config.passwords_variable:
        value = os.environ.get(config.passwords_variable)
        if value is None:
            raise ConfigError(f"parsing.passwords_variable: {config.passwords_variable} is not set")
        lines += value.splitlines()
    if config.passwords_file:
        try:
            lines += Path(config.passwords_file).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"parsing.passwords_file = {config.passwords_file!r}: {error}") from error
    return tuple(dict.fromkeys(line for line in lines if line))
