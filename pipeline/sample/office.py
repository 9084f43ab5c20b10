"""Documents as Word, Excel and PowerPoint files."""

import re
from datetime import date
from io import BytesIO
from typing import TYPE_CHECKING, Any, Protocol

from pipeline.sample.document import (
    SOFT_HYPHEN,
    Block,
    Document,
    Figure,
    Footnote,
    Grid,
    Heading,
    Items,
    PageBreak,
    Para,
    Raw,
)
from pipeline.sample.drawings import drawing
from pipeline.sample.packed import without_clock

if TYPE_CHECKING:
    from docx.document import Document as WordDocument

_THOUSANDS = re.compile(r"\d{1,3}(\.\d{3})+")
_DECIMAL = re.compile(r"\d+,\d+")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def docx_bytes(document: Document) -> bytes:
    """The document as a Word file with real headings, lists and tables."""
    import docx
    from docx.shared import Mm

    word = docx.Document()
    word.core_properties.title = document.title
    word.core_properties.author = "Poyraz"
    section = word.sections[0]
    if document.look.header:
        section.header.paragraphs[0].text = document.look.header
    if document.look.footer:
        section.footer.paragraphs[0].text = document.look.footer
    if document.look.logo:
        section.header.add_paragraph().add_run().add_picture(BytesIO(drawing("logo")), width=Mm(15))
    word.add_heading(document.title, 0)
    for block in document.blocks:
        _write_word(word, block)
    return _saved(word)


def _write_word(word: "WordDocument", block: Block) -> None:  # noqa: C901  # one case a kind of block
    match block:
        case Heading(text, level):
            word.add_heading(text, level)
        case Para(text, mark):
            paragraph = word.add_paragraph(text.replace(SOFT_HYPHEN, ""))
            if mark:
                paragraph.add_run(mark).font.superscript = True
        case Items(texts):
            for text in texts:
                word.add_paragraph(text, style="List Bullet")
        case Grid(rows, _, caption):
            table = word.add_table(rows=len(rows), cols=len(rows[0]), style="Table Grid")
            for cells, values in zip(table.rows, rows, strict=True):
                for cell, value in zip(cells.cells, values, strict=True):
                    cell.text = value
            word.add_paragraph(caption, style="Caption")
        case Figure(name, caption):
            word.add_picture(BytesIO(drawing(name)))
            word.add_paragraph(caption, style="Caption")
        case Footnote(mark, text):
            word.add_paragraph(f"{mark} {text}")
        case Raw(text):
            word.add_paragraph(text)
        case PageBreak():
            word.add_page_break()


def xlsx_bytes(document: Document) -> bytes:
    """The tables of the document as a workbook, a sheet each; numbers and dates are stored as such."""
    from openpyxl import Workbook
    from openpyxl.styles import Font

    book: Any = Workbook()
    book.remove(book.active)
    book.properties.title = document.title
    book.properties.creator = "Poyraz"
    for grid in document.blocks:
        if not isinstance(grid, Grid):
            raise TypeError(f"{document.path}: a workbook takes tables only, not {type(grid).__name__}")
        sheet = book.create_sheet(grid.sheet)
        for row in (grid.rows[0], *([_value(cell) for cell in row] for row in grid.rows[1:])):
            sheet.append(list(row))
        for cell in sheet[1]:
            cell.font = Font(bold=True)
        for column in sheet.columns:
            sheet.column_dimensions[column[0].column_letter].width = 22
            for cell in column:
                if isinstance(cell.value, int) and cell.value >= 10_000:
                    cell.number_format = "#,##0"
    return _saved(book)


def _value(text: str) -> str | int | float | date:
    """What a person would have typed into the cell."""
    if text.isdecimal():
        return int(text)
    if _THOUSANDS.fullmatch(text):
        return int(text.replace(".", ""))
    if _DECIMAL.fullmatch(text):
        return float(text.replace(",", "."))
    return date.fromisoformat(text) if _ISO_DATE.fullmatch(text) else text


def pptx_bytes(document: Document) -> bytes:
    """The document as slides: one for the title, then one for each part between page breaks."""
    from pptx import Presentation
    from pptx.util import Cm

    show: Any = Presentation()
    show.core_properties.title = document.title
    show.core_properties.author = "Poyraz"
    slide = show.slides.add_slide(show.slide_layouts[0])
    slide.shapes.title.text = document.title
    slide.placeholders[1].text = "Poyraz Group"
    slide = None
    for block in document.blocks:
        match block:
            case PageBreak():
                slide = None
            case Heading(text):
                slide = show.slides.add_slide(show.slide_layouts[1])
                slide.shapes.title.text = text
            case Items(texts) if slide is not None:
                slide.placeholders[1].text = "\n".join(texts)
            case Grid(rows) if slide is not None:
                body = slide.placeholders[1]
                body.element.getparent().remove(body.element)
                shape = slide.shapes.add_table(
                    len(rows), len(rows[0]), Cm(2), Cm(5), Cm(20), Cm(1.2 * len(rows))
                )
                for y, row in enumerate(rows):
                    for x, value in enumerate(row):
                        shape.table.cell(y, x).text = value
            case _:
                raise TypeError(f"{document.path}: {type(block).__name__} has no place on a slide")
    return _saved(show)


class _Savable(Protocol):
    def save(self, path_or_stream: BytesIO, /) -> None: ...


def _saved(file: _Savable) -> bytes:
    buffer = BytesIO()
    file.save(buffer)
    return without_clock(buffer.getvalue())
