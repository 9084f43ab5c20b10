"""An OCR engine for docling over the one of this package: RapidOCR with the models inside its wheel, or Tesseract."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar, Final, Literal

from docling.backend.pdf_backend import PdfPageBackend
from docling.datamodel.accelerator_options import AcceleratorOptions
from docling.datamodel.base_models import Page
from docling.datamodel.document import ConversionResult
from docling.datamodel.pipeline_options import OcrMode, OcrOptions
from docling.models.base_ocr_model import BaseOcrModel
from docling_core.types.doc.base import BoundingBox, CoordOrigin
from docling_core.types.doc.page import BoundingRectangle, TextCell

from pipeline.parsing.geometry.ink import Ink, turned
from pipeline.parsing.ocr import DPI, recognise
from pipeline.parsing.plugins.layout import is_scan

_LARGE: Final = (
    0.2  # of the page: from here on the page is read as a whole, which gives its lines their neighbours
)


class BundledOcrOptions(OcrOptions):
    """Options of the engine.

    Attributes:
        engine: `rapidocr` or `tesseract`.
        scans_only: leave pages alone that have a text layer, the pictures on them included.
        mode: which parts of a page are read; by default all regions, and what is read replaces the text layer there.
        lang: ignored: the models read Turkish, German and English at once.
        scale: pixels in a point.
    """

    kind: ClassVar[str] = "kesit_ocr"
    engine: Literal["rapidocr", "tesseract"] = "rapidocr"
    scans_only: bool = True
    mode: OcrMode = OcrMode.LAYOUT_REGIONS
    lang: list[str] = []  # noqa: RUF012 - a field of a pydantic model, which copies it
    scale: float = DPI / 72


class BundledOcr(BaseOcrModel):
    """Lines of those parts of a page that docling wants read from its image."""

    options: BundledOcrOptions

    def __init__(
        self,
        *,
        enabled: bool,
        artifacts_path: Path | None,
        options: BundledOcrOptions,
        accelerator_options: AcceleratorOptions,
    ) -> None:
        """Make an engine; docling calls this."""
        super().__init__(
            enabled=enabled,
            artifacts_path=artifacts_path,
            options=options,
            accelerator_options=accelerator_options,
        )

    @classmethod
    def get_options_type(cls) -> type[BundledOcrOptions]:
        """The options by which a pipeline chooses this engine."""
        return BundledOcrOptions

    def __call__(self, conv_res: ConversionResult, page_batch: Iterable[Page]) -> Iterable[Page]:
        """Add what is read to the text cells of pages."""
        for page in page_batch:
            source = _source(page)
            if self.enabled and source is not None and (is_scan(page) or not self.options.scans_only):
                wanted = [rect for rect in self.get_ocr_rects(page) if rect.area() > 0]
                if wanted:
                    self.post_process_cells(list(self._read(page, source, wanted)), page, conv_res)
            yield page

    def _read(self, page: Page, source: PdfPageBackend, wanted: list[BoundingBox]) -> Iterator[TextCell]:
        assert page.size is not None
        whole = BoundingBox(l=0, t=0, r=page.size.width, b=page.size.height, coord_origin=CoordOrigin.TOPLEFT)
        large = sum(rect.area() for rect in wanted) >= _LARGE * whole.area()
        index = 0
        for rect in [whole] if large else wanted:
            for text, box, score in self._lines(source, rect):
                x, y = (box.l + box.r) / 2, (box.t + box.b) / 2
                if any(r.l <= x <= r.r and r.t <= y <= r.b for r in wanted):
                    yield TextCell(
                        index=index,
                        text=text,
                        orig=text,
                        from_ocr=True,
                        confidence=min(max(score, 0.0), 1.0),
                        rect=BoundingRectangle.from_bounding_box(box),
                    )
                    index += 1

    def _lines(self, source: PdfPageBackend, rect: BoundingBox) -> Iterator[tuple[str, BoundingBox, float]]:
        """Text, box on the page and score of each line in a part of a page."""
        image = source.get_page_image(scale=self.options.scale, cropbox=rect)
        found = recognise(image, self.options.engine)
        for line in found.lines:
            # The image was turned to be upright; the page stays as it is displayed.
            upright = Ink(found.width, found.height, rules=(line.box,))
            x0, y0, x1, y1 = turned(upright, found.rotation // 90).rules[0] if found.rotation else line.box
            across, down = rect.width / image.width, rect.height / image.height
            box = BoundingBox(
                l=rect.l + x0 * across,
                t=rect.t + y0 * down,
                r=rect.l + x1 * across,
                b=rect.t + y1 * down,
                coord_origin=CoordOrigin.TOPLEFT,
            )
            yield line.text, box, line.score


def _source(page: Page) -> PdfPageBackend | None:
    """Where the image of a page comes from; None if the page cannot be shown."""
    source = page._backend  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001 - docling has no other way to it
    return source if source is not None and source.is_valid() else None
