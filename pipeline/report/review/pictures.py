"""Pictures of pages, drawn in the parser's worker processes: a hostile file costs its own picture and nothing else."""

import io
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pipeline.parsing.errors import UNSUPPORTED, ParseError, classify
from pipeline.parsing.isolation import isolated
from pipeline.parsing.worker import Limits

if TYPE_CHECKING:
    from PIL.Image import Image

_DPI: Final = 100
_MAX_PIXELS: Final = 6_000_000  # about four A4 pages
_LONGEST: Final = 12_000  # pixels of the longer side; WebP allows 16,383
_QUALITY: Final = 60  # of WebP: letters are clear, a page takes about 60 kB
_MOST_SECONDS: Final = 60
_DRAWN: Final = ("pdf", "image")


@dataclass(frozen=True)
class PictureTask:
    """A page to draw.

    Attributes:
        key: unique among the tasks of one call.
        location: path of the file.
        media_type: as the source states it; may be empty.
        sha256: of the bytes that were parsed: no other page is drawn in their name.
        page_no: from 1.
        width: of the upright page, points; 0 when it is not known.
        rotation: degrees clockwise by which the parser turned the page to be upright.
    """

    key: int
    location: str
    media_type: str
    sha256: str
    page_no: int
    width: float
    rotation: int


@dataclass(frozen=True)
class Picture:
    """A page as WebP, upright, with its size in pixels."""

    webp: bytes
    width: int
    height: int


def draw_pages(
    tasks: Sequence[PictureTask], limits: Limits, progress: Callable[[int, int], None] | None = None
) -> dict[int, Picture | ParseError]:
    """Draw pages in worker processes.

    Args:
        tasks: the pages.
        limits: those of the parser; a page gets a minute at most.
        progress: called in this process after each page, with pages done and pages in all.

    Returns:
        For every key a picture, or why there is none.
    """
    limits = replace(limits, timeout_seconds=min(limits.timeout_seconds, _MOST_SECONDS))
    drawn: dict[int, Picture | ParseError] = {}
    for key, result in isolated(draw, tasks, limits):
        drawn[key] = result
        if progress is not None:
            progress(len(drawn), len(tasks))
    return drawn


def draw(task: PictureTask, limits: Limits) -> Picture | ParseError:
    """Draw one page of a PDF or image file, or say why not. Runs in a worker."""
    try:
        from pipeline.parsing.formats import kind_of, read_file

        data = read_file(task.location, task.sha256)
        kind = kind_of(task.location, task.media_type, data[:1024])
        if kind not in _DRAWN:
            return ParseError(UNSUPPORTED, f"(pages of {kind} files are not drawn)")
        image = _pdf(data, task, limits.engines.passwords) if kind == "pdf" else _frame(data, task)
        return _encoded(image)
    except Exception as error:  # noqa: BLE001 - readers raise anything; it is classified
        return classify(error)


def _pdf(data: bytes, task: PictureTask, passwords: Sequence[str]) -> "Image":
    from pipeline.parsing.readers.pdfium import open_pdf, upright_image

    with closing(open_pdf(data, passwords)) as document:
        return upright_image(
            document, task.page_no, task.rotation, lambda width, height: _fitting(width, height, _DPI / 72)
        )


def _frame(data: bytes, task: PictureTask) -> "Image":
    from pipeline.parsing.readers.pictures import frame, open_picture

    upright, _ = frame(open_picture(data), task.page_no)
    if task.rotation:
        upright = upright.rotate(-task.rotation, expand=True)
    wanted = task.width * _DPI / 72 / upright.width if task.width else 1.0
    scale = _fitting(upright.width, upright.height, min(wanted, 1.0))
    return upright.resize((max(round(upright.width * scale), 1), max(round(upright.height * scale), 1)))


def _fitting(width: float, height: float, wanted: float) -> float:
    """The wanted scale, or the largest at which the picture is within its limits."""
    area, longest = max(width * height, 1.0), max(width, height, 1.0)
    return min(wanted, (_MAX_PIXELS / area) ** 0.5, _LONGEST / longest)


def _encoded(image: "Image") -> Picture:
    buffer = io.BytesIO()
    image.convert("RGB").save(buffer, "WEBP", quality=_QUALITY)
    return Picture(buffer.getvalue(), image.width, image.height)
