"""The version of what is known of the languages: a stage that reads it makes its rows anew when it moves."""

from importlib.metadata import version
from typing import Final

# Raise it when detection, sentences, lemmas, compounds or casing give something else for the same text.
CODE_VERSION: Final = "2"


def language_version() -> str:
    """Of our own rules and of the dictionaries and models behind them."""
    return f"{CODE_VERSION} simplemma {version('simplemma')} lingua {version('lingua-language-detector')}"
