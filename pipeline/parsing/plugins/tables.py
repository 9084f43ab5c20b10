"""A table-structure engine for docling: cells from ruling lines and from the edges of words, whoever found the table."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Final

from docling.datamodel.accelerator_options import AcceleratorOptions
from docling.datamodel.base_models import Cluster, Page, Table, TableStructurePrediction
from docling.datamodel.document import ConversionResult
from docling.datamodel.pipeline_options import BaseTableStructureOptions
from docling.models.base_layout_model import TABLE_LABELS
from docling.models.base_table_model import BaseTableStructureModel
from docling_core.types.doc.items.table.table_data import TableCell

from pipeline.parsing.geometry.aligned import known_table, with_tables
from pipeline.parsing.geometry.ink import Box, Ink, Word
from pipeline.parsing.geometry.layout import Item, pieces, rows_of
from pipeline.parsing.geometry.ruled import ruled_tables
from pipeline.parsing.ocr import Line, Recognition, words_of
from pipeline.parsing.plugins.reading import DisplayedInk, ink_of, pdf_of
from pipeline.parsing.tree import Block, table

_MARGIN: Final = 3.0  # points by which lines and words may stand out of a region
_MOST: Final = 0.6  # of the region's words, which a table must hold to be the table of the region


class GeometryTableOptions(BaseTableStructureOptions):
    """Options of the geometry engine for tables: it has none."""

    kind: ClassVar[str] = "kesit_geometry_tables"


class GeometryTables(BaseTableStructureModel):
    """Cells of the tables that a layout engine found."""

    def __init__(
        self,
        enabled: bool,
        artifacts_path: Path | None,  # noqa: ARG002 - given to every engine; this one has no weights
        options: GeometryTableOptions,
        accelerator_options: AcceleratorOptions,  # noqa: ARG002
        enable_remote_services: bool = False,  # noqa: ARG002
    ) -> None:
        """Make an engine; docling calls this."""
        self.options = options
        self.enabled = enabled

    @classmethod
    def get_options_type(cls) -> type[GeometryTableOptions]:
        """The options by which a pipeline chooses this engine."""
        return GeometryTableOptions

    def predict_tables(
        self, conv_res: ConversionResult, pages: Sequence[Page]
    ) -> Sequence[TableStructurePrediction]:
        """Cells of every table on pages of one document."""
        found = [_regions(page) for page in pages]
        if not any(found):
            return [TableStructurePrediction() for _ in pages]
        predictions: list[TableStructurePrediction] = []
        with pdf_of(conv_res) as document:
            for page, regions in zip(pages, found, strict=True):
                seen = ink_of(document, page.page_no) if document is not None and regions else None
                tables = {region.id: _structured(region, page, seen) for region in regions}
                predictions.append(TableStructurePrediction(table_map=tables))
        return predictions


def _regions(page: Page) -> list[Cluster]:
    layout = page.predictions.layout
    return [cluster for cluster in layout.clusters if cluster.label in TABLE_LABELS] if layout else []


def _structured(region: Cluster, page: Page, seen: DisplayedInk | None) -> Table:
    box = region.bbox.l, region.bbox.t, region.bbox.r, region.bbox.b
    recognised = [cell for cell in region.cells if cell.from_ocr]
    if recognised or seen is None:
        width, height = (page.size.width, page.size.height) if page.size else (box[2], box[3])
        lines = [
            Line(cell.text, (at.l, at.t, at.r, at.b), cell.confidence)
            for cell in (recognised or region.cells)
            for at in (cell.rect.to_bounding_box().to_top_left_origin(height),)
        ]
        words = words_of(Recognition(tuple(lines), round(width), round(height), 0, None), 1.0)
        block = table_in(Ink(width, height, words=words), box)
    else:
        block = table_in(seen.ink, seen.upright(box))
    return Table(
        label=region.label,
        id=region.id,
        page_no=page.page_no,
        cluster=region,
        otsl_seq=[],
        num_rows=len(block.rows) if block else 0,
        num_cols=len(block.rows[0]) if block else 0,
        table_cells=list(_cells(block)) if block else [],
    )


def table_in(ink: Ink, box: Box) -> Block | None:
    """The table in a region of a page that is known to be one; None if no word stands there.

    Args:
        ink: of the page.
        box: of the region, in points.
    """
    words = tuple(
        word for word in ink.words if _within((word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2, box)
    )
    rules = tuple(
        rule for rule in ink.rules if _within((rule[0] + rule[2]) / 2, (rule[1] + rule[3]) / 2, box)
    )
    if not words:
        return None
    drawn, loose = ruled_tables(Ink(ink.width, ink.height, words=words, rules=rules))
    rows = rows_of([*pieces(word for word in loose if word.quarter == 0), *drawn])
    tables = [row[0] for row in with_tables(rows) if row[0].block is not None]
    best = max(tables, key=lambda item: _held(item, words), default=None)
    if best is not None and _held(best, words) >= _MOST * len(words):
        return best.block
    rows = rows_of(pieces(word for word in words if word.quarter == 0))
    whole = known_table(rows)
    if whole is not None:
        return whole.block
    return table(([item.text for item in row] for row in rows), 0)


def _within(x: float, y: float, box: Box) -> bool:
    return box[0] - _MARGIN <= x <= box[2] + _MARGIN and box[1] - _MARGIN <= y <= box[3] + _MARGIN


def _held(item: Item, words: Sequence[Word]) -> int:
    return sum(_within((word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2, item.box) for word in words)


def _cells(block: Block) -> Iterator[TableCell]:
    """The cells of a table, a merged one once."""
    merged = {
        (row, column): span
        for span in block.spans
        for row in range(span[0], span[1] + 1)
        for column in range(span[2], span[3] + 1)
    }
    for row, line in enumerate(block.rows):
        for column, text in enumerate(line):
            top, end, left, right = merged.get((row, column), (row, row, column, column))
            if (top, left) == (row, column):
                yield TableCell(
                    text=text,
                    row_span=end - top + 1,
                    col_span=right - left + 1,
                    start_row_offset_idx=top,
                    end_row_offset_idx=end + 1,
                    start_col_offset_idx=left,
                    end_col_offset_idx=right + 1,
                    column_header=row < block.header_rows,
                )
