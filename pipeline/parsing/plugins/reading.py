"""Where blocks lie on the pages of a PDF that docling converts: our geometry over the same file, page by page."""

import threading
import weakref
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from pipeline.parsing.geometry.compose import compose
from pipeline.parsing.geometry.ink import Box, Ink, Word, read_ink, turned
from pipeline.parsing.geometry.layout import enclose, overlap, rows_of
from pipeline.parsing.geometry.sureness import SURE, sureness
from pipeline.parsing.readers.pdf import (
    Arrangement,
    Sheet,
    arrange,
    looked_at,
    needs_ocr,
    picture_turns,
    unsure,
)
from pipeline.parsing.tree import Block

HEADER: Final = "page_header"
FOOTER: Final = "page_footer"


@dataclass(frozen=True)
class Part:
    """A block or a running row of a page.

    Attributes:
        kind: of the block, or `page_header` or `page_footer`.
        box: left, top, right, bottom in points from the top left of the page as it is displayed.
    """

    kind: str
    box: Box


@dataclass(frozen=True)
class Reading:
    """What geometry makes of a page.

    Attributes:
        parts: in reading order; none where the page must be read as an image.
        sure: 0 to 1.
        scan: whether the page must be read as an image.
        asked: why the layout model was asked as well; empty if it was not.
    """

    parts: tuple[Part, ...] = ()
    sure: float = 1.0
    scan: bool = False
    asked: str = ""


@dataclass(frozen=True)
class DisplayedInk:
    """What lies on a page, and by how many quarter turns counter-clockwise the page as displayed becomes upright."""

    ink: Ink
    quarter: int

    def displayed(self, box: Box) -> Box:
        """A box of the upright page on the page as displayed."""
        return _turn(box, self.ink.width, self.ink.height, -self.quarter % 4)

    def upright(self, box: Box) -> Box:
        """A box of the page as displayed on the upright page."""
        sizes = (self.ink.width, self.ink.height)
        width, height = sizes[::-1] if self.quarter % 2 else sizes
        return _turn(box, width, height, self.quarter)


def _turn(box: Box, width: float, height: float, quarter: int) -> Box:
    return turned(Ink(width, height, rules=(box,)), quarter).rules[0] if quarter else box


@contextmanager
def pdf_of(conversion: Any) -> Generator[Any | None]:
    """The file of a conversion, opened once more with pdfium whatever docling reads it with; None if it is no PDF.

    pdfium must not be called from two threads: whoever uses the document holds docling's lock for it.
    """
    import pypdfium2
    from docling.datamodel.base_models import InputFormat
    from docling.utils.locks import pypdfium2_lock

    backend = conversion.input._backend  # noqa: SLF001 - where docling keeps the source of a document
    source = backend.path_or_stream
    if conversion.input.format != InputFormat.PDF or source is None:
        yield None
        return
    secret = getattr(backend.options, "password", None)
    password = secret.get_secret_value() if secret else None
    try:
        with pypdfium2_lock:
            # The stream belongs to docling, which may read from it at this moment: its bytes are taken, not its position.
            content = source.getvalue() if hasattr(source, "getvalue") else source
            document = pypdfium2.PdfDocument(content, password=password)
    except pypdfium2.PdfiumError:  # docling's parser opens some files that pdfium does not
        yield None
        return
    try:
        yield document
    finally:
        with pypdfium2_lock:
            document.close()


def ink_of(document: Any, number: int) -> DisplayedInk | None:
    """What lies on page `number` (from 1) of a pdfium document; None if the page cannot be loaded."""
    import pypdfium2
    from docling.utils.locks import pypdfium2_lock

    with pypdfium2_lock:
        try:
            page = document[number - 1]
        except pypdfium2.PdfiumError:
            return None
        try:
            ink = read_ink(page)
            # `Ink.rotation` is by how much the page was turned in all; the display turns it by what the file says.
            return DisplayedInk(ink, -(ink.rotation // 90 - picture_turns(page)) % 4)
        finally:
            page.close()


class Readings:
    """The readings of the documents that are being converted: each is read as a whole, once, when its first page is asked for.

    Running rows, usual columns and the rank of headings show only across pages, and docling hands out a few at a time.
    """

    def __init__(self, *, model: bool) -> None:
        """Keep nothing yet. `model`: the bundled layout model is asked where geometry is unsure."""
        self._model = model
        self._held: dict[int, dict[int, Reading]] = {}
        self._lock = threading.Lock()

    def of(self, conversion: Any) -> dict[int, Reading]:
        """Readings of a conversion by page number, from 1. Pages that pdfium cannot load are missing."""
        key = id(conversion)
        with self._lock:
            if key not in self._held:
                self._held[key] = self._read(conversion)
                weakref.finalize(conversion, self._held.pop, key, None).atexit = False
            return self._held[key]

    def _read(self, conversion: Any) -> dict[int, Reading]:
        first, last = conversion.input.limits.page_range
        with pdf_of(conversion) as document:
            if document is None:
                return {}
            numbers = range(max(first, 1), min(last, len(document)) + 1)
            return read_layout(document, numbers, model=self._model)


def read_layout(document: Any, numbers: Iterable[int], *, model: bool) -> dict[int, Reading]:
    """What geometry makes of pages of a pdfium document.

    Args:
        document: opened.
        numbers: of the pages, from 1.
        model: whether the bundled layout model is asked where geometry is unsure.
    """
    from docling.utils.locks import pypdfium2_lock

    readings: dict[int, Reading] = {}
    seen: list[DisplayedInk] = []
    sheets: list[Sheet] = []
    for number in numbers:
        found = ink_of(document, number)
        if found is None:
            continue
        if needs_ocr(found.ink):
            readings[number] = Reading(scan=True)
        else:
            seen.append(found)
            sheets.append(Sheet(number, found.ink))
    arranged = arrange(sheets)
    blocks = _blocks(arranged)
    doubts = [sureness(sheet.ink, own) for sheet, own in zip(sheets, blocks, strict=True)]
    asked = [
        doubt if model and sure < SURE and sheet.ink.words else ""
        for sheet, (sure, doubt) in zip(sheets, doubts, strict=True)
    ]
    if any(asked):
        with pypdfium2_lock:
            sheets = [
                looked_at(document, sheet, unsure(why)) if why else sheet
                for sheet, why in zip(sheets, asked, strict=True)
            ]
        arranged = arrange(sheets)
        blocks = _blocks(arranged)
    for position, (sheet, found) in enumerate(zip(sheets, seen, strict=True)):
        parts = [
            *(Part(block.kind, block.bbox) for block in blocks[position] if block.bbox),
            *_running(arranged, position, sheet.ink),
        ]
        displayed = tuple(Part(part.kind, found.displayed(part.box)) for part in parts)
        readings[sheet.number] = Reading(
            displayed, doubts[position][0], asked=unsure(asked[position]) if asked[position] else ""
        )
    return readings


def _blocks(arranged: Arrangement) -> list[list[Block]]:
    """Blocks of each page, each column composed for itself: a paragraph that goes on in the next has a box in each."""
    columns = [[column] for page in arranged.columns for column in page]
    heights = [height for page, height in zip(arranged.columns, arranged.heights, strict=True) for _ in page]
    seen = [boxes for page, boxes in zip(arranged.columns, arranged.titles, strict=True) for _ in page]
    composed = iter(compose(columns, heights, seen))
    return [[block for _ in page for block in next(composed)] for page in arranged.columns]


def _running(arranged: Arrangement, position: int, ink: Ink) -> Iterator[Part]:
    for row in rows_of(arranged.running[position]):
        box = enclose(row)
        yield Part(HEADER if box[1] + box[3] < ink.height else FOOTER, box)
    for strip in _strips([word for word in ink.words if word.quarter]):
        yield Part(FOOTER, enclose(strip))


def _strips(words: list[Word]) -> list[list[Word]]:
    """Words that run up or down the page, those of one line together."""
    strips: list[list[Word]] = []
    for word in sorted(words, key=lambda word: (word.x0, word.y0)):
        if strips and overlap(word.x0, word.x1, strips[-1][-1].x0, strips[-1][-1].x1) > 0:
            strips[-1].append(word)
        else:
            strips.append([word])
    return strips
