"""Images of figures, taken again from the file that shows them: for the few that somebody wants to look at."""

import io
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pipeline.parsing.errors import ParseError, classify
from pipeline.parsing.figures import hash_of

if TYPE_CHECKING:
    from PIL.Image import Image

    from pipeline.parsing.worker import Limits

_LONGEST: Final = 1280  # pixels of the longer side; vision models scale larger images down themselves
_SCALE: Final = 200 / 72  # pixels to a point at most
_OFFICE: Final = ("docx", "pptx", "odt", "ods", "odp", "epub", "html", "markdown", "doc", "rtf")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A figure to cut out.

    Attributes:
        image_hash: as in the table's blocks.
        page_no: of its page.
        rotation: of the page, degrees.
        width: of the page, points.
        bbox: on the upright page, points; empty for formats without places.
    """

    image_hash: str
    page_no: int
    rotation: int
    width: float
    bbox: tuple[float, ...]


@dataclass(frozen=True)
class CutOutTask:
    """Figures to cut out of one file.

    Attributes:
        key: unique among the tasks of one call.
        location: path of the file.
        media_type: as the source states it; may be empty.
        sha256: of the bytes that were parsed.
        wanted: the figures.
    """

    key: int
    location: str
    media_type: str
    sha256: str
    wanted: tuple[Wanted, ...]


def cut_out_task(task: CutOutTask, limits: "Limits") -> list[dict[str, Any]] | ParseError:
    """Images of the figures of a file, as `cut_out` gives them, or why there are none. Runs in a worker."""
    try:
        from pipeline.parsing.formats import opened, read_file

        data = read_file(task.location, task.sha256)
        kind, data = opened(task.location, task.media_type, data, limits.engines.passwords)
        return cut_out(kind, data, task.wanted, limits.engines.passwords)
    except Exception as error:  # noqa: BLE001 - readers raise anything; it is classified
        return classify(error)


def cut_out(
    kind: str, data: bytes, wanted: Sequence[Wanted], passwords: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """PNG images of figures of one file, as rows of `image_hash` and `png`; those that are not found are missing.

    A figure of a PDF is cut out of its page, with the labels and lines that are drawn over it.

    Args:
        kind: of the file, as `formats.opened` says.
        data: the file.
        wanted: figures as an earlier reading of the same bytes found them.
        passwords: tried in turn on an encrypted file.

    Raises:
        ParseError: the file cannot be read; every other exception means the same.
    """
    if kind == "pdf":
        found = _of_pdf(data, wanted, passwords)
    elif kind == "image":
        found = _of_frames(data, wanted)
    elif kind in _OFFICE:
        found = _of_office(kind, data, {each.image_hash for each in wanted})
    else:
        found = iter(())
    return [{"image_hash": name, "png": _png(image)} for name, image in dict(found).items()]


def _png(image: "Image") -> bytes:
    image = image.convert("RGB")
    image.thumbnail((_LONGEST, _LONGEST))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _by_page(wanted: Sequence[Wanted]) -> Iterator[tuple[int, list[Wanted]]]:
    pages: defaultdict[int, list[Wanted]] = defaultdict(list)
    for each in wanted:
        if each.bbox:
            pages[each.page_no].append(each)
    yield from sorted(pages.items())


def _of_pdf(data: bytes, wanted: Sequence[Wanted], passwords: Sequence[str]) -> Iterator[tuple[str, "Image"]]:
    from pipeline.parsing.readers.pdfium import open_pdf, upright_image

    document = open_pdf(data, passwords)
    try:
        for number, figures in _by_page(wanted):
            if number > len(document):
                continue
            yield from _cut(upright_image(document, number, figures[0].rotation, _scale), figures)
    finally:
        document.close()


def _of_frames(data: bytes, wanted: Sequence[Wanted]) -> Iterator[tuple[str, "Image"]]:
    from pipeline.parsing.readers.pictures import frame, frames, open_picture

    with open_picture(data) as image:
        for number, figures in _by_page(wanted):
            if number <= frames(image):
                turned = figures[0].rotation
                shown = frame(image, number)[0]
                yield from _cut(shown.rotate(-turned, expand=True) if turned else shown, figures)


def _scale(width: float, height: float) -> float:
    return min(_SCALE, 3 * _LONGEST / max(width, height, 1.0))


def _cut(upright: "Image", figures: Sequence[Wanted]) -> Iterator[tuple[str, "Image"]]:
    for each in figures:
        scale = upright.width / max(each.width, 1.0)
        left, top, right, bottom = (round(edge * scale) for edge in each.bbox)
        box = max(left, 0), max(top, 0), min(right, upright.width), min(bottom, upright.height)
        if box[0] < box[2] and box[1] < box[3]:
            yield each.image_hash, upright.crop(box)


def _of_office(kind: str, data: bytes, names: set[str]) -> Iterator[tuple[str, "Image"]]:
    from pipeline.parsing.formats import for_docling
    from pipeline.parsing.readers.office import document_of, image_of

    for item in document_of(*for_docling(kind, data)).pictures:
        image = image_of(item)
        if image is not None and hash_of(image) in names:
            yield hash_of(image), image
