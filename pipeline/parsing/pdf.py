"""PDF files: born-digital pages by geometry, scanned pages by OCR and the same geometry."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pipeline.parsing.aligned import with_tables
from pipeline.parsing.compose import compose
from pipeline.parsing.errors import CORRUPT, ENCRYPTED, TOO_LARGE, ParseError
from pipeline.parsing.furniture import without_furniture
from pipeline.parsing.ink import Box, Ink, read_ink
from pipeline.parsing.layout import Item, columns, pieces, rows_of, usual_gutters
from pipeline.parsing.ocr import DPI, recognise, words_of
from pipeline.parsing.ruled import cell_text, ruled_tables
from pipeline.parsing.tree import Block, Page

if TYPE_CHECKING:
    from PIL.Image import Image

GEOMETRY: Final = "geometry"
_MAX_RENDER: Final = 25_000_000  # pixels
_FEW: Final = 25  # characters; a page with fewer is looked at as an image


@dataclass(frozen=True)
class Sheet:
    """A page on its way: what lies on it, who read it, and how sure OCR was (None for native text)."""

    number: int
    ink: Ink
    engine: str = GEOMETRY
    source: str = "native"
    ocr_score: float | None = None
    reason: str = ""
    error: str = ""


def read_pdf(data: bytes, *, max_pages: int, ocr: str) -> list[Page]:
    """Pages of a PDF.

    Args:
        data: the file.
        max_pages: pages beyond are not read; one failed page row says so.
        ocr: engine for scanned pages.

    Raises:
        ParseError: encrypted or corrupt.
    """
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        words = str(error).lower()
        if "password" in words or "security" in words:
            raise ParseError(ENCRYPTED) from error
        raise ParseError(CORRUPT, f"({error})") from error
    try:
        count = len(document)
        if count == 0:
            raise ParseError(CORRUPT, "(no pages)")
        sheets = [_sheet(document, number, ocr) for number in range(1, min(count, max_pages) + 1)]
        pages = assemble(sheets)
    finally:
        document.close()
    if all(sheet.reason for sheet in sheets):
        raise ParseError(sheets[0].reason, sheets[0].error)
    if count > max_pages:
        detail = (
            f"Pages {max_pages + 1} to {count} are beyond the limit of {max_pages} pages and were not read."
        )
        pages.append(Page(max_pages + 1, source="none", reason=TOO_LARGE, error=detail))
    return pages


def _sheet(document: Any, number: int, ocr: str) -> Sheet:
    import pypdfium2

    try:
        page = document[number - 1]
    except pypdfium2.PdfiumError as error:
        return Sheet(
            number,
            Ink(0.0, 0.0),
            source="none",
            reason=CORRUPT,
            error=f"Page {number} cannot be read ({error}).",
        )
    try:
        ink = read_ink(page)
        if not needs_ocr(ink):
            return Sheet(number, ink)
        scale = min(DPI / 72, (_MAX_RENDER / max(ink.width * ink.height, 1.0)) ** 0.5)
        image = page.render(scale=scale, may_draw_forms=False).to_pil()
        return scanned(number, image, 1 / scale, ocr, ink.rotation)
    finally:
        page.close()


def needs_ocr(ink: Ink) -> bool:
    """Whether a page must be read as an image: next to no text beside pictures or drawings, or text without meaning."""
    characters = sum(len(word.text) for word in ink.words)
    covered = max((_area(picture, ink) for picture in ink.pictures), default=0.0)
    if characters < _FEW:
        return covered > 0.2 or ink.shapes > 50
    return ink.garbled > 0.3 or (covered > 0.7 and characters < 4 * _FEW)


def _area(box: Box, ink: Ink) -> float:
    """Share of the page that a box covers."""
    width = min(box[2], ink.width) - max(box[0], 0.0)
    height = min(box[3], ink.height) - max(box[1], 0.0)
    return max(width, 0.0) * max(height, 0.0) / max(ink.width * ink.height, 1.0)


def scanned(number: int, image: "Image", points_per_pixel: float, ocr: str, rotation: int = 0) -> Sheet:
    """A page read from its image.

    Args:
        number: from 1.
        image: the page as displayed.
        points_per_pixel: size of a pixel.
        ocr: engine.
        rotation: degrees by which the page was turned already.
    """
    found = recognise(image, ocr)
    ink = Ink(
        found.width * points_per_pixel,
        found.height * points_per_pixel,
        (rotation + found.rotation) % 360,
        words_of(found, points_per_pixel),
    )
    return Sheet(number, ink, engine=f"{ocr}+{GEOMETRY}", source="ocr", ocr_score=found.score)


def assemble(sheets: Sequence[Sheet]) -> list[Page]:
    """Pages with blocks from what lies on the sheets of one document."""
    items: list[list[Item]] = []
    asides: list[list[str]] = []
    repeated = _repeated_pictures(sheets)
    for sheet in sheets:
        tables, words = ruled_tables(sheet.ink)
        level = [word for word in words if word.quarter == 0]
        aside = cell_text([word for word in words if word.quarter])
        figures = [
            Item(*box, block=Block("figure", bbox=box)) for box in _figures(sheet.ink, tables, repeated)
        ]
        items.append([*pieces(level), *tables, *figures])
        asides.append([aside] if aside else [])
    heights = [sheet.ink.height for sheet in sheets]
    items, running = without_furniture(items, heights)
    gutters = usual_gutters(items) if len(items) > 1 else []
    laid_out = [[with_tables(rows_of(run)) for run in columns(page, gutters)] for page in items]
    return [
        Page(
            sheet.number,
            tuple(blocks),
            width=sheet.ink.width,
            height=sheet.ink.height,
            rotation=sheet.ink.rotation,
            source=sheet.source,
            engine=sheet.engine,
            furniture=(*rows, *aside),
            scores={"ocr": sheet.ocr_score},
            reason=sheet.reason,
            error=sheet.error,
        )
        for sheet, blocks, rows, aside in zip(
            sheets, compose(laid_out, heights), running, asides, strict=True
        )
    ]


def _figures(ink: Ink, tables: list[Item], repeated: set[tuple[int, ...]]) -> Iterator[Box]:
    """Boxes of pictures worth a figure: neither small, nor the whole page, nor on many pages, nor inside a table."""
    for box in ink.pictures:
        x0, y0, x1, y1 = max(box[0], 0.0), max(box[1], 0.0), min(box[2], ink.width), min(box[3], ink.height)
        if x1 - x0 < 60 or y1 - y0 < 40 or _area(box, ink) > 0.85 or _key(box) in repeated:
            continue
        if any(item.x0 <= x0 and item.x1 >= x1 and item.y0 <= y0 and item.y1 >= y1 for item in tables):
            continue
        if sum(x0 < word.x0 and word.x1 < x1 and y0 < word.y0 and word.y1 < y1 for word in ink.words) > 20:
            continue  # a background behind text
        yield x0, y0, x1, y1


def _key(box: Box) -> tuple[int, ...]:
    return tuple(round(value / 4) for value in box)


def _repeated_pictures(sheets: Sequence[Sheet]) -> set[tuple[int, ...]]:
    """Places of pictures that stand on three pages or more: logos."""
    count: dict[tuple[int, ...], int] = {}
    for sheet in sheets:
        for key in {_key(box) for box in sheet.ink.pictures}:
            count[key] = count.get(key, 0) + 1
    return {key for key, times in count.items() if times >= 3}
