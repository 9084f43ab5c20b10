"""What docling's plugin loader calls (entry-point group `docling`): the engines that this package adds, by kind."""

from typing import Any


def layout_engines() -> dict[str, list[Any]]:
    """Engines that find the regions of a page: `kesit_geometry` and `kesit_rapid_layout`."""
    from pipeline.parsing.plugins.layout import GeometryLayout, ModelLayout

    return {"layout_engines": [GeometryLayout, ModelLayout]}


def table_structure_engines() -> dict[str, list[Any]]:
    """Engines that find the cells of a table: `kesit_geometry_tables`."""
    from pipeline.parsing.plugins.tables import GeometryTables

    return {"table_structure_engines": [GeometryTables]}


def ocr_engines() -> dict[str, list[Any]]:
    """Engines that read images: `kesit_ocr`."""
    from pipeline.parsing.plugins.ocr import BundledOcr

    return {"ocr_engines": [BundledOcr]}
