"""Our engines inside the real docling: chosen by its options, loaded by its plugin mechanism, with nothing to download."""

import io
import subprocess
import sys
import textwrap
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from docling.backend.docling_parse_backend import ThreadedDoclingParseDocumentBackend
from docling.backend.pypdfium2_backend import PyPdfiumDocumentBackend
from docling.datamodel.base_models import DocumentStream, InputFormat
from docling.document_converter import DocumentConverter, PdfFormatOption

from pipeline.parsing.geometry.ink import Ink, Word
from pipeline.parsing.plugins.layout import GeometryLayoutOptions, ModelLayoutOptions
from pipeline.parsing.plugins.pipeline import BundledPdfPipeline, bundled_options
from pipeline.parsing.plugins.reading import DisplayedInk
from pipeline.parsing.plugins.tables import table_in
from tests.parsing.documents import canvas, lines, written

ROOT = Path(__file__).resolve().parents[3]
HEADINGS = ("1. Kündigung und Fristen", "2. Zahlung", "3. Gerichtsstand und Recht")
LEFT = [f"Der linke Absatz spricht in Zeile {n} von Fristen." for n in range(12)]
RIGHT = [f"Sağdaki sütun {n}. satırda başka bir konuyu anlatır." for n in range(12)]


def _convert(data, layout=None, backend=ThreadedDoclingParseDocumentBackend):
    option = PdfFormatOption(
        pipeline_cls=BundledPdfPipeline, pipeline_options=bundled_options(layout=layout), backend=backend
    )
    converter = DocumentConverter(allowed_formats=[InputFormat.PDF], format_options={InputFormat.PDF: option})
    return converter.convert(DocumentStream(name="a.pdf", stream=io.BytesIO(data)))


def _report(page):
    for number in (1, 2, 3):
        lines(page, ["Rahmenvertrag Nord"], x=60, y=815, size=8)
        lines(page, [f"Seite {number}"], x=280, y=25, size=8)
        y = lines(page, [HEADINGS[number - 1]], y=760, size=16, bold=True)
        lines(page, LEFT, x=50, y=y - 20, size=8)
        lines(page, RIGHT, x=310, y=y - 20, size=8)
        if number == 2:
            _ruled(page)
        page.showPage()


def _ruled(page):
    rows = [("Ürün", "Adet", "Fiyat"), ("Vana", "007", "12.500"), ("Pompa", "3", "1,20")]
    for at, row in enumerate(rows):
        for column, text in enumerate(row):
            lines(page, [text], x=70 + 150 * column, y=386 - 30 * at)
    for at in range(4):
        page.line(60, 405 - 30 * at, 510, 405 - 30 * at)
        page.line(60 + 150 * at, 405, 60 + 150 * at, 315)


@pytest.mark.parametrize("backend", [ThreadedDoclingParseDocumentBackend, PyPdfiumDocumentBackend])
def test_docling_reads_columns_headings_tables_and_furniture_by_our_geometry(backend):
    document = _convert(written(_report), backend=backend).document
    body = document.export_to_text()
    assert [item.text for item in document.texts if item.label.value == "section_header"] == [*HEADINGS]
    first = body[: body.index(HEADINGS[1])]
    assert first.index("Zeile 11") < first.index("Sağdaki sütun 0")
    assert "Rahmenvertrag" not in body
    furniture = [item.text for item in document.texts if item.content_layer.value == "furniture"]
    assert furniture.count("Rahmenvertrag Nord") == 3
    (table,) = document.tables
    assert [[cell.text for cell in row] for row in table.data.grid] == [
        ["Ürün", "Adet", "Fiyat"], ["Vana", "007", "12.500"], ["Pompa", "3", "1,20"]
    ]  # fmt: skip
    assert [cell.column_header for cell in table.data.grid[0]] == [True] * 3
    assert table.prov[0].page_no == 2


def test_the_bundled_model_finds_the_table_and_geometry_its_cells():
    (table,) = _convert(written(_report), ModelLayoutOptions()).document.tables
    assert "12.500" in {cell.text for row in table.data.grid for cell in row}


def _scan(text):
    import matplotlib as mpl
    from PIL import Image, ImageDraw, ImageFont
    from reportlab.lib.utils import ImageReader

    font = ImageFont.truetype(str(Path(mpl.get_data_path()) / "fonts/ttf/DejaVuSans.ttf"), 34)
    image = Image.new("L", (1654, 2339), 255)
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(text):
        draw.text((180, 240 + 60 * number), line, font=font, fill=0)
    page, buffer = canvas()
    page.drawImage(ImageReader(image), 0, 0, 595, 842)
    page.save()
    return buffer.getvalue()


@pytest.mark.parametrize("model", [True, False])
def test_a_scan_is_read_by_our_ocr_and_loses_no_line(model):
    text = [
        "Kira bedeli aylık 12.500 TL olup her ayın beşinde ödenir.",
        "Die Kündigung bedarf der Schriftform nach § 568.",
    ]
    result = _convert(_scan(text), GeometryLayoutOptions(model=model))
    body = " ".join(result.document.export_to_text().split())
    assert "12.500 TL" in body
    assert "Schriftform nach § 568" in body
    assert result.confidence.pages[1].ocr_score > 0.8


def test_docling_finds_the_engines_by_the_entry_point_of_the_package(tmp_path):
    """docling's own factories, with the metadata that pyproject.toml gives an installed package."""
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["docling"]
    there = {point.value for point in entry_points(group="docling")}
    if not there >= set(points.values()):  # the package is not installed, or by an older pyproject.toml
        info = tmp_path / "kesit_probe-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: kesit-probe\nVersion: 1\n")
        (info / "entry_points.txt").write_text(
            "[docling]\n" + "".join(f"{name} = {module}\n" for name, module in points.items())
        )
    script = textwrap.dedent(
        f"""
        import sys
        sys.modules["torch"] = sys.modules["transformers"] = None  # neither is needed
        sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT)!r}]
        from docling.models.factories import get_layout_factory, get_ocr_factory
        from docling.models.factories.table_factory import TableStructureFactory
        layouts = get_layout_factory(allow_external_plugins=True)
        assert {{"kesit_geometry", "kesit_rapid_layout", "layout_object_detection"}} <= set(layouts.registered_kind)
        assert layouts.create_options("kesit_geometry", model=False).model is False
        assert "kesit_ocr" in get_ocr_factory(allow_external_plugins=True).registered_kind
        from pipeline.parsing.plugins import hooks
        tables = TableStructureFactory()
        tables.process_plugin(hooks.table_structure_engines(), "kesit", "hooks")
        assert tables.registered_kind == ["kesit_geometry_tables"]
        """
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=tmp_path, timeout=120)


def test_a_box_comes_back_from_the_upright_page():
    for quarter in range(4):
        seen = DisplayedInk(Ink(400, 600), quarter)
        box = (10.0, 20.0, 110.0, 50.0)
        assert seen.upright(seen.displayed(box)) == box
    # Displayed lying on its side, 600 wide: what stands at its left edge is at the top or bottom of the upright page.
    assert DisplayedInk(Ink(400, 600), 1).upright((0, 0, 600, 400)) == (0, 0, 400, 600)


def test_rows_that_are_known_to_be_a_table_become_one_even_without_numbers_or_lines():
    rows = [("Ort", "Zweck"), ("Halle", "Lager für alles was lange liegt")]
    words = [
        Word(
            word, 50 + 200 * column + 30 * at, 100 + 20 * row, 76 + 200 * column + 30 * at, 110 + 20 * row, 10
        )
        for row, cells in enumerate(rows)
        for column, text in enumerate(cells)
        for at, word in enumerate(text.split())
    ]
    block = table_in(Ink(595, 842, words=tuple(words)), (40, 90, 560, 140))
    assert block is not None
    assert block.rows == tuple(rows)
    assert table_in(Ink(595, 842), (40, 90, 560, 140)) is None
