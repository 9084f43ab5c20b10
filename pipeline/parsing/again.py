"""Single pages read again, from their pictures and in another way, for a stage that is not content with the first reading."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.parsing.engines import Engines
from pipeline.parsing.errors import CORRUPT, UNSUPPORTED, ParseError, classify

if TYPE_CHECKING:
    from PIL.Image import Image

    from pipeline.parsing.worker import Limits


@dataclass(frozen=True)
class Reading:
    """One way to read the picture of a page.

    Attributes:
        page: its number, from 1.
        engine: `rapidocr` or `tesseract`.
        preprocessing: what is done to the picture before: one of `restoration.PREPROCESSINGS`.
        languages: that the text may be in, of `tr`, `de`, `en`.
    """

    page: int
    engine: str
    preprocessing: str
    languages: tuple[str, ...]


@dataclass(frozen=True)
class PageToRead:
    """A page that is to be read again: path, media type and sha256 of its file, and how it is read."""

    location: str
    media_type: str
    sha256: str
    reading: Reading


@dataclass(frozen=True)
class AgainTask:
    """A page to read again, under a key that is unique among the tasks of one call."""

    key: int
    page: PageToRead


def read_again_task(task: AgainTask, limits: "Limits") -> dict[str, Any] | ParseError:
    """The row of a page that is read again, or why there is none. Runs in a worker."""
    try:
        from pipeline.parsing.formats import read_file

        page = task.page
        return read_page_again(
            page.location,
            page.media_type,
            read_file(page.location, page.sha256),
            page.reading,
            limits.engines,
        )[0]
    except Exception as error:  # noqa: BLE001 - readers raise anything; it is classified
        return classify(error)


def read_page_again(
    name: str, media_type: str, data: bytes, reading: Reading, engines: Engines
) -> list[dict[str, Any]]:
    """The row of `parsed_pages` of one page, without the columns that name the document. Runs in a worker.

    Its headings and furniture are those of the page alone.

    Raises:
        ParseError: unsupported for a document whose pages have no pictures; corrupt, encrypted.
    """
    from pipeline.parsing.formats import kind_of
    from pipeline.parsing.readers.pdf import assemble, scanned
    from pipeline.parsing.restoration import restored
    from pipeline.parsing.tree import finish

    kind = kind_of(name, media_type, data[:1024])
    if kind not in ("pdf", "image"):
        raise ParseError(UNSUPPORTED, "(no pictures of its pages)")
    picture = (
        _pdf_picture(data, reading.page, engines.passwords) if kind == "pdf" else _frame(data, reading.page)
    )
    image, points_per_pixel, rotation = picture
    better = restored(image, reading.preprocessing)
    sheet = scanned(
        reading.page,
        better,
        points_per_pixel * image.width / better.width,
        reading.engine,
        rotation=rotation,
        layout=engines.layout,
        languages=reading.languages,
    )
    return finish(assemble([sheet]))


def _pdf_picture(data: bytes, number: int, passwords: Sequence[str]) -> tuple["Image", float, int]:
    """A page as displayed, the size of a pixel in points, and the degrees by which the file turns it."""
    import pypdfium2

    from pipeline.parsing.ocr import DPI
    from pipeline.parsing.readers.pdfium import fitting, open_pdf, picture_turns

    document = open_pdf(data, passwords)
    try:
        page = document[number - 1]
        width, height = page.get_size()
        scale = fitting(width, height, DPI / 72)
        image = page.render(scale=scale, may_draw_forms=False).to_pil()
        return image, 1 / scale, 90 * picture_turns(page)
    except (IndexError, pypdfium2.PdfiumError) as error:
        raise ParseError(CORRUPT, f"(page {number}: {error})") from error
    finally:
        document.close()


def _frame(data: bytes, number: int) -> tuple["Image", float, int]:
    """A frame of an image file, as `_pdf_picture`."""
    from pipeline.parsing.readers.pictures import frame, frames, open_picture

    image = open_picture(data)
    if number > frames(image):
        raise ParseError(CORRUPT, f"(no page {number})")
    try:
        upright, points_per_pixel = frame(image, number)
    except Exception as error:  # Pillow raises many kinds on damaged files
        raise classify(error) from error
    return upright, points_per_pixel, 0
