"""Files of pages, PDF and images: read page by page, put together at the end, whole or from ranges that lie on disk.

What a page needs from the others (running headers, heading levels, tables that go on) is decided once all pages are
there, from the same sheets in the same order: the result does not depend on how the pages were divided.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol

from pipeline.parsing.engines import Engines
from pipeline.parsing.errors import CRASH, OUT_OF_MEMORY, TOO_LARGE, ParseError, classify
from pipeline.parsing.geometry.ink import Ink
from pipeline.parsing.readers.pdf import DOCLING, GEOMETRY, Keep, PdfFile, Sheet, asked, assemble
from pipeline.parsing.readers.pictures import PictureFile
from pipeline.parsing.regions import Region
from pipeline.parsing.tree import Page
from pipeline.tables.records import Lazy

PAGED: Final = ("pdf", "image")
"""Kinds of files that have pages."""


def in_parts(kind: str, engines: Engines) -> bool:
    """Whether files of a kind are read page by page: docling's own pipeline wants them whole."""
    return kind in PAGED and engines.layout != DOCLING


Tell = Callable[[int, int], None]
"""Takes the page that is being read, and how many there are."""


def untold(_page: int, _of: int) -> None:
    """Tell nobody."""


class PagedFile(Protocol):
    """A file that is open for reading page by page."""

    def __len__(self) -> int:
        """Number of its pages."""
        ...

    def sheet(self, number: int) -> Sheet:
        """What lies on a page, counted from 1; raises anything on a page that cannot be read."""
        ...

    def looked_at(self, sheet: Sheet, why: str) -> Sheet:
        """The sheet with what the layout model sees."""
        ...

    def close(self) -> None:
        """Give the memory back."""
        ...


def open_paged(kind: str, data: bytes, engines: Engines) -> PagedFile:
    """Open a file of one of the kinds `PAGED`.

    Raises:
        ParseError: corrupt, encrypted or too_large.
    """
    if kind == "pdf":
        return PdfFile(data, engines)
    return PictureFile(data, engines)


def read_all(kind: str, data: bytes, engines: Engines) -> list[Page]:
    """Pages of a file, all in memory. Raises ParseError."""
    file = open_paged(kind, data, engines)
    try:
        return read_paged(file, engines)
    finally:
        file.close()


def read_paged(file: PagedFile, engines: Engines, tell: Tell = untold) -> list[Page]:
    """Pages of a file, all in memory.

    Raises:
        ParseError: no page can be read; out_of_memory or crash when this process is at fault.
    """
    count = min(len(file), engines.max_pages)
    sheets = list(sheets_of(file, range(1, count + 1), tell))
    return put_together(file, sheets, engines, tell=tell)


def sheets_of(file: PagedFile, numbers: Sequence[int], tell: Tell = untold) -> Iterator[Sheet]:
    """The sheets of some pages, one by one. A page that cannot be read is a sheet with a reason.

    Raises:
        ParseError: out_of_memory or crash: this process is at fault and not the page.
    """
    for number in numbers:
        tell(number, len(file))
        try:
            yield file.sheet(number)
        except Exception as error:
            fault = classify(error)
            if fault.reason in (OUT_OF_MEMORY, CRASH):
                raise fault from error
            yield unread(number, fault.reason, fault.detail)


def unread(number: int, reason: str, detail: str) -> Sheet:
    """The sheet of a page that could not be read, and why."""
    error = f"Page {number} cannot be read {detail}".strip()
    return Sheet(number, Ink(0.0, 0.0), source="none", reason=reason, error=error)


Look = tuple[str, str, tuple[Region, ...]]
"""What a second look at a page gave: the engines that have read it now, why, and the regions that the layout model saw."""


def put_together(
    file: PagedFile,
    sheets: Sequence[Sheet],
    engines: Engines,
    *,
    looks: Mapping[int, Look | None] | None = None,
    looked: Callable[[int, Look], None] = lambda _number, _look: None,
    keep: Keep = list,
    tell: Tell = untold,
) -> list[Page]:
    """Pages of a document from its sheets.

    Args:
        file: for a second look at pages of which geometry is not sure.
        sheets: of all pages that are read, in order.
        engines: how.
        looks: second looks of an earlier attempt, by page; None for a page: that attempt ended there, look no more.
        looked: takes each new one.
        keep: see `assemble`.
        tell: takes the page that is looked at.

    Raises:
        ParseError: no page can be read.
    """
    if all(sheet.reason for sheet in sheets):
        raise ParseError(sheets[0].reason, sheets[0].error)
    pages = assemble(sheets, keep)
    if engines.layout != GEOMETRY:
        known = dict(looks or {})
        for sheet, page in zip(sheets, pages, strict=True):
            why = asked(sheet, page, engines.layout)
            if why and sheet.number not in known:
                tell(sheet.number, len(file))
                seen = file.looked_at(sheet, why)
                known[sheet.number] = look = (seen.engine, seen.engine_reason, seen.regions)
                looked(sheet.number, look)
        if any(known.values()):
            pages = assemble(Lazy(len(sheets), lambda place: _seen(sheets[place], known)), keep)
    if len(file) > engines.max_pages:
        beyond = engines.max_pages + 1
        detail = f"Pages {beyond} to {len(file)} are beyond the limit of {engines.max_pages} pages and were not read."
        pages.append(Page(beyond, source="none", reason=TOO_LARGE, error=detail))
    return pages


def _seen(sheet: Sheet, looks: Mapping[int, Look | None]) -> Sheet:
    look = looks.get(sheet.number)
    if not look:
        return sheet
    engine, why, regions = look
    return replace(sheet, engine=engine, engine_reason=why, regions=regions)
