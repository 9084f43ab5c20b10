"""How a file is read: the settings that a reader is given, from those of the configuration."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.config import ParsingConfig


@dataclass(frozen=True)
class Engines:
    """How a file is read. Meanings and values: see `ParsingConfig`, whose keys these are.

    Attributes:
        max_pages: pages beyond are not read.
        ocr: engine for scanned pages.
        layout: who finds the regions of a page.
        hidden_sheets: what becomes of what a spreadsheet hides.
        artifacts_path: folder with docling's models; empty: the bundled engines.
        passwords: tried in turn on an encrypted file.
    """

    max_pages: int
    ocr: str
    layout: str
    hidden_sheets: str
    artifacts_path: str
    passwords: tuple[str, ...]


def engines_of(config: ParsingConfig, passwords: Sequence[str] = ()) -> Engines:
    """How files are read by a configuration, with the passwords that it leads to."""
    return Engines(
        max_pages=config.max_pages,
        ocr=config.ocr,
        layout=config.layout,
        hidden_sheets=config.hidden_sheets,
        artifacts_path=config.artifacts_path,
        passwords=tuple(passwords),
    )
