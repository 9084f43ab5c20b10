"""PDF files and images through docling's own pipeline, with our engines or with docling's models."""

import io
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from pipeline.parsing.engines import Engines
from pipeline.parsing.errors import CORRUPT, OUT_OF_MEMORY, TOO_LARGE, ParseError, classify
from pipeline.parsing.guards import check_picture
from pipeline.parsing.readers.office import ENGINE, pages_of
from pipeline.parsing.readers.pdf import CONFIGURED, SCAN
from pipeline.parsing.readers.pdfium import open_pdf
from pipeline.parsing.regions import MODEL as LAYOUT_MODEL
from pipeline.parsing.tree import Page

_SUFFIXES: Final = {"PNG": "png", "JPEG": "jpg", "TIFF": "tiff", "BMP": "bmp", "WEBP": "webp"}


def read_with_docling(data: bytes, engines: Engines, *, image: bool) -> list[Page]:
    """Pages of a PDF or image file as docling's pipeline reads them.

    Args:
        data: the file.
        engines: how. Pages beyond its limit are not read; one failed page row says so.
        image: whether it is one (PNG, JPEG, TIFF, BMP or WebP) and not a PDF.

    Raises:
        ParseError: encrypted, corrupt, too large or out of memory.
    """
    max_pages, ocr, artifacts = engines.max_pages, engines.ocr, engines.artifacts_path
    suffix, count, password = _looked_into(data, engines.passwords, image=image)
    pipeline = _pipeline(ocr, artifacts)
    source = _source(data, suffix, password, min(count, max_pages))
    result = pipeline.execute(source, raises_on_error=False)
    failures = {error.page_no: error.error_message for error in result.errors}
    for message in failures.values():
        reason = classify(MemoryError() if message == "MemoryError" else RuntimeError(message))
        if reason.reason == OUT_OF_MEMORY:
            raise reason
    read = {page.page_no for page in result.pages}
    if not read:
        raise ParseError(CORRUPT, f"({next(iter(failures.values()), 'no pages')})"[:200])
    pages = {page.number: page for page in pages_of(result.document, paged=True)}
    finished = [
        _told(pages.get(number, Page(number)), result, pipeline, ocr, artifacts)
        if number in read
        else _lost(number, failures.get(number, ""))
        for number in range(1, min(count, max_pages) + 1)
    ]
    if count > max_pages:
        detail = (
            f"Pages {max_pages + 1} to {count} are beyond the limit of {max_pages} pages and were not read."
        )
        finished.append(Page(max_pages + 1, source="none", reason=TOO_LARGE, error=detail))
    return finished


def _looked_into(data: bytes, passwords: Sequence[str], *, image: bool) -> tuple[str, int, str | None]:
    """Suffix, number of pages and the password that opens the file. Nothing is decoded before it passed the guards."""
    if image:
        from PIL import Image

        Image.MAX_IMAGE_PIXELS = None  # `check_picture` refuses before anything is decoded, with a reason
        try:
            picture = Image.open(io.BytesIO(data), formats=tuple(_SUFFIXES))
            count = getattr(picture, "n_frames", 1)
            for frame in range(count):
                picture.seek(frame)
                check_picture(picture)
        except Exception as error:  # Pillow raises many kinds on damaged files
            raise classify(error) from error
        return _SUFFIXES[picture.format or "PNG"], count, None
    with closing(open_pdf(data, passwords)) as document:
        count = len(document)
    for password in (None, *passwords[:-1]):
        try:
            open_pdf(data, [password] if password else ()).close()
        except ParseError:
            continue
        return "pdf", count, password
    return "pdf", count, passwords[-1]


def _source(data: bytes, suffix: str, password: str | None, last: int) -> Any:
    """The file as docling's pipeline takes it. Its converter would load all readers that it has."""
    from docling.backend.docling_parse_backend import ThreadedDoclingParseDocumentBackend
    from docling.backend.image_backend import ImageDocumentBackend
    from docling.datamodel.backend_options import PdfBackendOptions
    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.document import InputDocument, get_input_rejection_cause
    from docling.datamodel.settings import DocumentLimits
    from pydantic import SecretStr

    pdf = suffix == "pdf"
    source = InputDocument(
        io.BytesIO(data),
        InputFormat.PDF if pdf else InputFormat.IMAGE,
        ThreadedDoclingParseDocumentBackend if pdf else ImageDocumentBackend,
        PdfBackendOptions.model_validate({"password": SecretStr(password) if password else None}),
        filename=f"document.{suffix}",
        limits=DocumentLimits(page_range=(1, max(last, 1))),
    )
    if not source.valid:
        cause = get_input_rejection_cause(source)
        raise classify(cause) if cause else ParseError(CORRUPT)
    return source


@cache
def _pipeline(ocr: str, artifacts: str) -> Any:
    """The pipeline of docling, made once in a process: its engines load weights."""
    import logging

    from pipeline.parsing.plugins.pipeline import BundledPdfPipeline, bundled_options, docling_options

    logging.getLogger("docling").setLevel(logging.CRITICAL)
    return BundledPdfPipeline(docling_options(Path(artifacts), ocr) if artifacts else bundled_options(ocr))


def _told(page: Page, result: Any, pipeline: Any, ocr: str, artifacts: str) -> Page:
    """The page with docling's confidences, and with who read it and why."""
    found = result.confidence.pages[page.number]
    scores = {
        name: round(float(value), 4) if value == value else None  # noqa: PLR0124 - docling's NaN means: not computed
        for name, value in (
            ("parse", found.parse_score), ("layout", found.layout_score),
            ("table", found.table_score), ("ocr", found.ocr_score),
        )
    }  # fmt: skip
    engines, reasons = [ENGINE], [CONFIGURED]
    scanned = scores["ocr"] is not None
    if scanned:
        engines.append(ocr)
        reasons.append(SCAN)
    if artifacts:
        engines += ["heron", "tableformer"]
    else:
        reading = pipeline.layout_model.reading_of(result).get(page.number)
        asked = reading.asked if reading else ""
        if reading is not None and not reading.scan:
            engines.append("geometry")
        if asked or reading is None or reading.scan:
            engines.append(LAYOUT_MODEL)
        if asked:
            reasons.append(asked)
    return replace(
        page,
        source="ocr" if scanned else "native",
        scores=scores,
        engine="+".join(engines),
        engine_reason="; ".join(reasons),
    )


def _lost(number: int, message: str) -> Page:
    return Page(
        number,
        source="none",
        reason=CORRUPT,
        error=f"Page {number} cannot be read ({message or 'docling gives no reason'})."[:300],
    )
