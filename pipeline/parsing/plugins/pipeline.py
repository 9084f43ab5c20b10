"""docling's PDF pipeline with our engines, on a machine that has neither torchvision nor any weights."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from docling.datamodel.pipeline_options import (
    HeadingHierarchyOptions,
    LayoutObjectDetectionOptions,
    TableStructureOptions,
    ThreadedPdfPipelineOptions,
)
from docling.models.factories.layout_factory import LayoutFactory
from docling.models.factories.ocr_factory import OcrFactory
from docling.models.factories.table_factory import TableStructureFactory
from docling.pipeline import standard_pdf_pipeline
from docling.pipeline.standard_pdf_pipeline import StandardPdfPipeline

from pipeline.parsing.plugins import hooks
from pipeline.parsing.plugins.layout import GeometryLayoutOptions
from pipeline.parsing.plugins.ocr import BundledOcrOptions
from pipeline.parsing.plugins.tables import GeometryTableOptions


class BundledPdfPipeline(StandardPdfPipeline):
    """docling's standard pipeline, which knows our engines, docling's Heron and its TableFormer, and no others.

    docling itself collects the engines of all plugins, its own first, and one of those cannot be imported without torchvision.
    With torchvision there, `StandardPdfPipeline` and `allow_external_plugins` do as well.
    """

    def _init_models(self) -> None:
        with _these_engines():
            super()._init_models()


@contextmanager
def _these_engines() -> Generator[None]:
    from docling.models.stages.layout.layout_object_detection_model import LayoutObjectDetectionModel
    from docling.models.stages.table_structure.table_structure_model import TableStructureModel

    module: Any = standard_pdf_pipeline
    names = {
        "get_layout_factory": _filled(LayoutFactory(), hooks.layout_engines(), LayoutObjectDetectionModel),
        "get_table_structure_factory": _filled(
            TableStructureFactory(), hooks.table_structure_engines(), TableStructureModel
        ),
        "get_ocr_factory": _filled(OcrFactory(), hooks.ocr_engines()),
    }
    before = {name: getattr(module, name) for name in names}
    try:
        for name, factory in names.items():
            setattr(module, name, lambda factory=factory, **_: factory)
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


def _filled(factory: Any, engines: dict[str, list[Any]], *more: Any) -> Any:
    for engine in (*(engine for own in engines.values() for engine in own), *more):
        factory.register(engine, "kesit", hooks.__name__)
    return factory


def bundled_options(ocr: str = "rapidocr", *, layout: Any = None) -> ThreadedPdfPipelineOptions:
    """Options of docling's PDF pipeline that choose our engines.

    Args:
        ocr: `rapidocr` or `tesseract`.
        layout: options of a layout engine of ours; the geometry engine if None.
    """
    return ThreadedPdfPipelineOptions(
        allow_external_plugins=True,
        layout_options=layout or GeometryLayoutOptions(),
        table_structure_options=GeometryTableOptions(),
        ocr_options=BundledOcrOptions.model_validate({"engine": ocr}),
        heading_hierarchy_options=HeadingHierarchyOptions(enabled=True),
        generate_parsed_pages=True,  # the sizes of fonts, by which headings are ranked
    )


def docling_options(artifacts: Path, ocr: str = "rapidocr") -> ThreadedPdfPipelineOptions:
    """Options of docling's PDF pipeline that choose docling's Heron and TableFormer from a folder, and our OCR.

    Args:
        artifacts: what `docling-tools models download` wrote.
        ocr: `rapidocr` or `tesseract`.
    """
    return ThreadedPdfPipelineOptions(
        artifacts_path=artifacts,
        allow_external_plugins=True,
        layout_options=LayoutObjectDetectionOptions(),
        table_structure_options=TableStructureOptions(),
        ocr_options=BundledOcrOptions.model_validate({"engine": ocr}),
        heading_hierarchy_options=HeadingHierarchyOptions(enabled=True),
        generate_parsed_pages=True,
    )
