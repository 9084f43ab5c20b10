"""Files read in this process, with engines of which a test names what matters to it."""

from pathlib import Path
from typing import Any

from pipeline.config import ParsingConfig
from pipeline.parsing.engines import Engines, engines_of
from pipeline.parsing.formats import read_bytes
from pipeline.parsing.paged import read_all
from pipeline.parsing.tree import Page
from pipeline.parsing.worker import Limits


def engines(*, passwords: tuple[str, ...] = (), **changes: Any) -> Engines:
    """Those of the default configuration, with changes."""
    return engines_of(ParsingConfig(**changes), passwords)


def limits(*, passwords: tuple[str, ...] = (), **changes: Any) -> Limits:
    """One worker and the other limits of the default configuration, with changes, of which any value will do."""
    config = ParsingConfig(workers=1, timeout_seconds=120).model_copy(update=changes)
    return Limits(
        workers=config.workers,
        timeout_seconds=config.timeout_seconds,
        memory_mb=config.memory_mb,
        documents_per_worker=config.documents_per_worker,
        pages_per_range=config.pages_per_range,
        engines=engines_of(config, passwords),
    )


def read_document(path: Path | str, media_type: str = "", **changes: Any) -> list[Page]:
    """Pages of a file of any kind."""
    return read_bytes(str(path), media_type, Path(path).read_bytes(), engines(**changes))


def read_pdf(data: bytes, **changes: Any) -> list[Page]:
    """Pages of a PDF."""
    return read_all("pdf", data, engines(**changes))


def read_picture(data: bytes, **changes: Any) -> list[Page]:
    """Pages of an image file."""
    return read_all("image", data, engines(**changes))
