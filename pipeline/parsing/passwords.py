"""Passwords of encrypted files, from where the configuration says."""

import hashlib
from pathlib import Path
from typing import Final

from pipeline.config import ConfigError, ParsingConfig, variable

_ROUNDS: Final = 100_000


def passwords_of(config: ParsingConfig) -> tuple[str, ...]:
    """The configured passwords of encrypted files, each once, in order.

    Raises:
        ConfigError: the configured variable is not set, or the file cannot be read.
    """
    lines: list[str] = []
    if config.passwords_variable:
        lines += variable(config.passwords_variable, "parsing.passwords_variable").splitlines()
    if config.passwords_file:
        try:
            lines += Path(config.passwords_file).read_text(encoding="utf-8-sig").splitlines()
        except (OSError, ValueError) as error:
            raise ConfigError(f"parsing.passwords_file = {config.passwords_file!r}: {error}") from error
    return tuple(dict.fromkeys(line for line in lines if line))


def passwords_mark(config: ParsingConfig) -> str:
    """A text that moves when the configured passwords do, and from which guessing them is slow; "" without any."""
    try:
        passwords = passwords_of(config)
    except ConfigError:  # whoever reads documents is told; this only asks whether something moved
        return ""
    said = "\n".join(passwords).encode()
    return hashlib.pbkdf2_hmac("sha256", said, b"kesit", _ROUNDS).hex() if passwords else ""
