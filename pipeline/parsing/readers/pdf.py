"""PDF files: born-digital pages by geometry, scanned pages by OCR and the same geometry."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import mean
from typing import TYPE_CHECKING, Any, Final

from pipeline.config import LANGUAGES
from pipeline.parsing.captions import is_caption
from pipeline.parsing.continued import joined_tables
from pipeline.parsing.engines import Engines
from pipeline.parsing.errors import CORRUPT, ParseError
from pipeline.parsing.figures import IN_DRAWING, Picture, often
from pipeline.parsing.geometry.aligned import with_tables
from pipeline.parsing.geometry.compose import compose
from pipeline.parsing.geometry.furniture import Edge, edge_of, running_rows
from pipeline.parsing.geometry.ink import Box, Ink, Word, read_ink
from pipeline.parsing.geometry.layout import Item, Row, columns, pieces, rows_of, usual_gutters
from pipeline.parsing.geometry.pictures import bitmaps, scan_of, share_of
from pipeline.parsing.geometry.ruled import cell_text, ruled_tables
from pipeline.parsing.geometry.sureness import SURE, sureness
from pipeline.parsing.ocr import DPI, recognise, words_of
from pipeline.parsing.readers.hidden_print import hides_print
from pipeline.parsing.readers.pdfium import fitting, open_pdf, picture_turns, upright_image
from pipeline.parsing.regions import MODEL as LAYOUT_MODEL
from pipeline.parsing.regions import SCALE, Region, find_regions
from pipeline.parsing.scanned_lines import lines_of
from pipeline.parsing.tree import Block, Page
from pipeline.tables.records import Lazy

if TYPE_CHECKING:
    from PIL.Image import Image

GEOMETRY: Final = "geometry"
MODEL: Final = "model"
AUTO: Final = "auto"
DOCLING: Final = "docling"
TEXT_LAYER: Final = "text layer"
SCAN: Final = "scan"
CONFIGURED: Final = "configured"
Keep = Callable[[Iterable[Any]], Sequence[Any]]
_LABELS: Final = 120  # words; more are text unless the model is sure of a drawing
_CLEAR: Final = 0.85
_WHOLE: Final = 0.55  # of the page; a larger drawing is a background
_FEW: Final = 25  # characters; a page with fewer is looked at as an image


@dataclass(frozen=True)
class Sheet:
    """A page on its way: what lies on it, who read it, and how sure OCR was (nothing for native text)."""

    number: int
    ink: Ink
    engine: str = GEOMETRY
    engine_reason: str = TEXT_LAYER
    source: str = "native"
    ocr_scores: Mapping[str, float | None] = field(default_factory=dict[str, float | None])
    reason: str = ""
    error: str = ""
    regions: tuple[Region, ...] = ()
    pictures: tuple[Picture, ...] = ()  # of a scan: the bitmaps that it is made of


class PdfFile:
    """A PDF, page by page.

    Args:
        data: the file.
        engines: how. Of its layouts: `geometry` alone, the bundled `model` beside it, or `auto`: the model only for scans and
            where geometry is unsure.

    Raises:
        ParseError: encrypted or corrupt.
    """

    def __init__(self, data: bytes, engines: Engines) -> None:
        self._document = open_pdf(data, engines.passwords)
        self._engines = engines
        if len(self) == 0:
            raise ParseError(CORRUPT, "(no pages)")

    def __len__(self) -> int:
        return len(self._document)

    def sheet(self, number: int) -> Sheet:
        """What lies on a page, counted from 1. Raises what PDFium raises on a page that it cannot read."""
        page = self._document[number - 1]
        try:
            ink = read_ink(page)
            if not needs_ocr(ink) and not hides_print(page, ink, ink.rotation - 90 * picture_turns(page)):
                return Sheet(number, ink)
            scale = fitting(ink.width, ink.height, DPI / 72)
            image = page.render(scale=scale, may_draw_forms=False).to_pil()
            ocr, layout = self._engines.ocr, self._engines.layout
            sheet = scanned(number, image, 1 / scale, ocr, rotation=ink.rotation, layout=layout)
            return replace(sheet, pictures=tuple(scan_of(ink)))
        finally:
            page.close()

    def looked_at(self, sheet: Sheet, why: str) -> Sheet:
        """The sheet with the regions that the layout model sees on the page's image, and why it was asked."""
        return looked_at(self._document, sheet, why)

    def close(self) -> None:
        """Give the memory back."""
        self._document.close()


def asked(sheet: Sheet, page: Page, layout: str) -> str:
    """Why the layout model is asked about a page; empty if it is not."""
    if layout == GEOMETRY or sheet.reason or sheet.source == "ocr" or not sheet.ink.words:
        return ""
    if layout == MODEL:
        return CONFIGURED
    return unsure(page.doubt) if page.doubt else ""


def unsure(doubt: str) -> str:
    """The reason to ask the layout model about a page, from what speaks against geometry's reading."""
    return f"unsure: {doubt}"


def looked_at(document: Any, sheet: Sheet, why: str) -> Sheet:
    """The sheet with the regions that the layout model sees on an image of its page."""
    image = upright_image(
        document, sheet.number, sheet.ink.rotation, lambda width, height: fitting(width, height, SCALE)
    )
    return with_regions(sheet, image, why)


def with_regions(sheet: Sheet, image: "Image", why: str) -> Sheet:
    """The sheet with the regions that the layout model sees on its upright image, and why it was asked."""
    regions = find_regions(image, sheet.ink.width / image.width)
    return replace(sheet, engine=f"{sheet.engine}+{LAYOUT_MODEL}", engine_reason=why, regions=regions)


def needs_ocr(ink: Ink) -> bool:
    """Whether a page must be read as an image: next to no text beside pictures or drawings, or text without meaning."""
    characters = sum(len(word.text) for word in ink.words)
    covered = max((share_of(picture, ink) for picture in ink.pictures), default=0.0)
    if characters < _FEW:
        return covered > 0.2 or ink.shapes > 50
    return ink.garbled > 0.3 or (covered > 0.7 and characters < 4 * _FEW)


def scanned(
    number: int,
    image: "Image",
    points_per_pixel: float,
    ocr: str,
    *,
    rotation: int = 0,
    layout: str = AUTO,
    languages: Sequence[str] = LANGUAGES,
) -> Sheet:
    """A page read from its image.

    Args:
        number: from 1.
        image: the page as displayed.
        points_per_pixel: size of a pixel.
        ocr: engine.
        rotation: degrees by which the page was turned already.
        layout: `geometry` leaves out the layout model.
        languages: that the text may be in.
    """
    found = recognise(image, ocr, languages)
    upright = image.rotate(-found.rotation, expand=True) if found.rotation else image
    ink = Ink(
        found.width * points_per_pixel,
        found.height * points_per_pixel,
        (rotation + found.rotation) % 360,
        words_of(found, points_per_pixel),
        lines_of(upright, points_per_pixel) if found.lines else (),
    )
    sheet = Sheet(
        number,
        ink,
        engine=f"{ocr}+{GEOMETRY}",
        engine_reason=SCAN,
        source="ocr",
        ocr_scores={"ocr": found.score, **found.measures},
    )
    if layout == GEOMETRY or not ink.words:
        return sheet
    return with_regions(sheet, upright, SCAN)


@dataclass(frozen=True)
class Arrangement:
    """What lies on the pages of a document in reading order, before it becomes blocks. Lists with one entry for each page.

    Attributes:
        sheets: all about each page but what lies on it.
        columns: its columns, each a list of rows; a row with a table or figure has one item.
        running: the rows at its edges that repeat from page to page, as items.
        furniture: the texts of those rows, and what runs along its sides.
        pictures: those that are no figures.
    """

    sheets: list[Sheet]
    columns: Sequence[list[list[Row]]]
    running: Sequence[list[Item]]
    furniture: list[tuple[str, ...]]
    pictures: list[tuple[Picture, ...]]

    @property
    def heights(self) -> list[float]:
        """In points."""
        return [sheet.ink.height for sheet in self.sheets]

    @property
    def titles(self) -> list[list[Box]]:
        """Where the layout model saw headings."""
        return [[region.box for region in sheet.regions if region.kind == "title"] for sheet in self.sheets]


def arrange(sheets: Sequence[Sheet], keep: Keep = list) -> Arrangement:
    """Columns, tables, figures and furniture of what lies on the sheets of one document.

    Args:
        sheets: of all pages; gone through from first to last, twice.
        keep: where what lies on the pages is put between two steps: `list` in memory, `on_disk` for a long document, of
            which only one page at a time is then in memory.
    """
    repeated = often(name for sheet in sheets for name in set(sheet.ink.hashes))
    bare: list[Sheet] = []
    asides: list[list[str]] = []
    edges: list[Edge] = []
    decided: list[tuple[Picture, ...]] = []

    def found() -> Iterator[list[Item]]:
        for sheet in sheets:
            items, aside, pictures = _items(sheet, repeated)
            ink = sheet.ink
            bare.append(replace(sheet, ink=Ink(ink.width, ink.height, ink.rotation)))
            asides.append([text for text in (aside, " ".join(sheet.ink.unseen)) if text])
            decided.append((*sheet.pictures, *pictures))
            edges.append(edge_of(items, ink.height))
            yield items

    full = keep(found())
    running = running_rows(edges)
    gone = [{place for line in lines for place in line.items} for lines in running]

    def split(page: int, *, running: bool) -> list[Item]:
        return [item for place, item in enumerate(full[page]) if (place in gone[page]) is running]

    kept = Lazy(len(full), partial(split, running=False))
    gutters = usual_gutters(kept) if len(kept) > 1 else []
    return Arrangement(
        bare,
        keep([with_tables(rows_of(run)) for run in columns(page, gutters)] for page in kept),
        Lazy(len(full), partial(split, running=True)),
        [(*(line.text for line in lines), *aside) for lines, aside in zip(running, asides, strict=True)],
        decided,
    )


def assemble(sheets: Sequence[Sheet], keep: Keep = list) -> list[Page]:
    """Pages with blocks from what lies on the sheets of one document. Arguments: see `arrange`; the sheets are gone through once more."""
    arranged = arrange(sheets, keep)
    composed = compose(arranged.columns, arranged.heights, arranged.titles)
    pages = [
        Page(
            sheet.number,
            tuple(blocks),
            width=sheet.ink.width,
            height=sheet.ink.height,
            rotation=sheet.ink.rotation,
            source=sheet.source,
            engine="" if sheet.reason else sheet.engine,
            engine_reason=sheet.engine_reason,
            furniture=furniture,
            reason=sheet.reason,
            error=sheet.error,
            pictures=pictures,
        )
        for sheet, blocks, furniture, pictures in zip(
            arranged.sheets, composed, arranged.furniture, arranged.pictures, strict=True
        )
    ]
    joined = joined_tables(pages)
    return [_judged(*one) for one in zip(sheets, pages, joined, strict=True)]


def _judged(sheet: Sheet, page: Page, joined: Page) -> Page:
    """The page with its tables joined, and how sure its reading is; a table that was found to go on is one for sure."""
    left = {id(block) for block in joined.blocks}
    blocks = [
        replace(block, headed=True) if block.kind == "table" and id(block) not in left else block
        for block in page.blocks
    ]
    sure, doubt = sureness(sheet.ink, blocks)
    seen = [region.score for region in sheet.regions]
    return replace(
        joined,
        scores={**sheet.ocr_scores, "parse": sure, "layout": round(mean(seen), 4) if seen else None},
        doubt=doubt if sure < SURE else "",
    )


def _items(sheet: Sheet, repeated: frozenset[str]) -> tuple[list[Item], str, list[Picture]]:
    """What lies on a sheet, the text that runs along its sides, and the pictures that are no figures."""
    tables, words = ruled_tables(sheet.ink)
    pictures = bitmaps(sheet.ink, tables, repeated)
    figures = [_figure(each) for each in pictures if not each.decision]
    alone = figures
    for region in sheet.regions:
        if region.kind == "figure" and region.area < _WHOLE * sheet.ink.width * sheet.ink.height:
            tables, words, figures = _drawn(region, sheet.ink, tables, words, figures)
    level = [word for word in words if word.quarter == 0]
    parts = [item.block for item in alone if item.block and item not in figures]
    decorative = [each for each in pictures if each.decision]
    decorative += [Picture(IN_DRAWING, part.image_hash, part.bbox) for part in parts]
    aside = cell_text([word for word in words if word.quarter])
    return [*pieces(level), *tables, *figures], aside, decorative


def _figure(picture: Picture) -> Item:
    x0, y0, x1, y1 = picture.bbox or (0.0, 0.0, 0.0, 0.0)
    block = Block("figure", bbox=picture.bbox, image_hash=picture.image_hash)
    return Item(x0, y0, x1, y1, block=block)


def _drawn(
    region: Region, ink: Ink, tables: list[Item], words: list[Word], figures: list[Item]
) -> tuple[list[Item], list[Word], list[Item]]:
    """Tables, words and figures of a page once what lies inside a drawing is part of it. A headed table is no drawing."""
    inside = [item for item in tables if region.holds((item.x0 + item.x1) / 2, item.middle)]
    if any(item.block is not None and item.block.headed for item in inside):
        return tables, words, figures
    gone = {id(item) for item in inside}
    labels = _uncaptioned(region, region.words(ink.words))
    if region.score < _CLEAR and _is_text(labels):
        return tables, words, figures
    labelled = {id(word) for word in labels}
    block = Block("figure", cell_text(labels), bbox=region.box, image_hash=region.image_hash)
    return (
        [item for item in tables if id(item) not in gone],
        [word for word in words if id(word) not in labelled],
        [
            *(item for item in figures if not region.holds((item.x0 + item.x1) / 2, item.middle)),
            Item(*region.box, block=block),
        ],
    )


def _is_text(words: list[Word]) -> bool:
    """Whether words are running text, on a coloured ground perhaps, rather than labels: many, or most in long lines."""
    long = sum(len(piece.words) for piece in pieces(words) if len(piece.words) > 6)
    return len(words) > _LABELS or long > 0.4 * len(words)


def _uncaptioned(region: Region, words: list[Word]) -> list[Word]:
    """The words of a drawing without its caption: a caption in the lower half is the last of them."""
    rows = rows_of(pieces(word for word in words if word.quarter == 0))
    for number, row in enumerate(rows):
        if is_caption(" ".join(item.text for item in row)):
            low = row[0].middle > (region.box[1] + region.box[3]) / 2
            out = {
                id(word) for line in (rows[number:] if low else [row]) for item in line for word in item.words
            }
            return [word for word in words if id(word) not in out]
    return words
