"""Pages as PDF: running header and footer, page numbers, footnotes, one or two columns, ruled tables."""

from io import BytesIO
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from pipeline.sample.document import (
    Block,
    Document,
    Figure,
    Footnote,
    Grid,
    Heading,
    Items,
    Look,
    PageBreak,
    Para,
    Raw,
)
from pipeline.sample.drawings import drawing
from pipeline.sample.fonts import SANS, SANS_BOLD, SERIF, SERIF_BOLD, register_fonts

if TYPE_CHECKING:
    from reportlab.pdfgen.canvas import Canvas
    from reportlab.platypus import BaseDocTemplate, Flowable, Table

_PAGE_WORD = {"tr": "Sayfa", "de": "Seite", "en": "Page"}
_WIDTH, _HEIGHT = 595.3, 841.9  # A4 in points
_MARGIN, _TOP, _BOTTOM, _GUTTER = 62.0, 78.0, 88.0, 22.0
_NOTE_SIZE = 7.5


def pdf_bytes(document: Document) -> bytes:
    """The document as a born-digital PDF; the same document gives the same bytes."""
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate

    register_fonts()
    look = document.look
    body, bold = (SERIF, SERIF_BOLD) if look.serif else (SANS, SANS_BOLD)
    notes: list[tuple[str, str]] = []

    def furniture(canvas: "Canvas", template: "BaseDocTemplate") -> None:
        _header_and_footer(canvas, look, body, f"{_PAGE_WORD[document.lang]} {template.page}")
        for place, (mark, text) in enumerate(reversed(notes)):
            canvas.setFont(body, _NOTE_SIZE)
            canvas.drawString(_MARGIN, 54 + place * 11, f"{mark}  {text}")
        if notes:
            rule = 54 + len(notes) * 11 + 2
            canvas.line(_MARGIN, rule, _MARGIN + 110, rule)
        notes.clear()

    width = (_WIDTH - 2 * _MARGIN - (look.columns - 1) * _GUTTER) / look.columns
    frames = [
        Frame(_MARGIN + n * (width + _GUTTER), _BOTTOM, width, _HEIGHT - _TOP - _BOTTOM, 0, 0, 0, 0)
        for n in range(look.columns)
    ]
    buffer = BytesIO()
    template = BaseDocTemplate(
        buffer,
        pagesize=(_WIDTH, _HEIGHT),
        invariant=1,
        title=document.title,
        author="Poyraz",
        lang=document.lang,
    )
    template.addPageTemplates([PageTemplate(frames=frames, onPageEnd=furniture)])
    template.build(_story(document, body, bold, notes))
    return buffer.getvalue()


def _header_and_footer(canvas: "Canvas", look: Look, font: str, page: str) -> None:
    from reportlab.lib.utils import ImageReader

    canvas.setFont(font, 8)
    if look.header:
        canvas.drawString(_MARGIN, _HEIGHT - 46, look.header)
        canvas.line(_MARGIN, _HEIGHT - 52, _WIDTH - _MARGIN, _HEIGHT - 52)
    if look.logo:
        canvas.drawImage(ImageReader(BytesIO(drawing("logo"))), _WIDTH - _MARGIN - 36, _HEIGHT - 49, 36, 24)
    if look.footer:
        canvas.drawString(_MARGIN, 34, look.footer)
    if look.header or look.footer:
        canvas.drawRightString(_WIDTH - _MARGIN, 34, page)


def _story(document: Document, body: str, bold: str, notes: list[tuple[str, str]]) -> list[Any]:
    from reportlab.lib.enums import TA_JUSTIFY
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import Paragraph

    narrow = document.look.columns > 1
    size = 9.4 if narrow else 10.0
    # Justified setting makes the soft hyphens break lines.
    prose = ParagraphStyle(
        "prose",
        fontName=body,
        fontSize=size,
        leading=size * 1.42,
        spaceAfter=6,
        alignment=TA_JUSTIFY if narrow else 0,
    )
    styles = {
        "prose": prose,
        "title": ParagraphStyle("title", fontName=bold, fontSize=17, leading=22, spaceAfter=12),
        "item": ParagraphStyle("item", parent=prose, leftIndent=14, bulletIndent=2, spaceAfter=3),
        "caption": ParagraphStyle(
            "caption", parent=prose, fontSize=size - 1.5, leading=size + 2, spaceBefore=3
        ),
        1: ParagraphStyle(
            "one", fontName=bold, fontSize=12, leading=16, spaceBefore=8, spaceAfter=5, keepWithNext=1
        ),
        2: ParagraphStyle(
            "two", fontName=bold, fontSize=10.5, leading=14, spaceBefore=6, spaceAfter=4, keepWithNext=1
        ),
    }
    story: list[Any] = [Paragraph(escape(document.title), styles["title"])] if document.title else []
    for block in document.blocks:
        story += _flowables(block, styles, body, notes)
    if not story:
        from reportlab.platypus import Spacer

        story.append(Spacer(1, 1))  # a blank page is a page
    return story


def _flowables(block: Block, styles: dict[Any, Any], body: str, notes: list[tuple[str, str]]) -> list[Any]:  # noqa: PLR0911
    from reportlab.platypus import Image, Paragraph, Preformatted
    from reportlab.platypus import PageBreak as NewPage

    match block:
        case Heading(text, level):
            return [Paragraph(escape(text), styles[level])]
        case Para(text, mark):
            raised = f"<super size=6>{mark}</super>" if mark else ""
            return [Paragraph(escape(text) + raised, styles["prose"])]
        case Items(texts):
            return [Paragraph(escape(text), styles["item"], bulletText="•") for text in texts]
        case Grid(rows, _, caption):
            after = [Paragraph(escape(caption), styles["caption"])] if caption else []
            return [_table(rows, body), *after]
        case Figure(name, caption):
            image = Image(BytesIO(drawing(name)), width=330, height=180, kind="proportional")
            return [image, Paragraph(escape(caption), styles["caption"])]
        case Footnote(mark, text):
            return [_note(mark, text, notes)]
        case PageBreak():
            return [NewPage()]
        case Raw(text):
            return [Preformatted(text, styles["prose"])]


def _table(rows: tuple[tuple[str, ...], ...], body: str) -> "Table":
    """A ruled table; the header is not repeated where it goes on overleaf."""
    from reportlab.lib.colors import Color
    from reportlab.platypus import Table

    bold = f"{body}-Bold"
    return Table(
        rows,
        hAlign="LEFT",
        repeatRows=0,
        spaceBefore=6,
        spaceAfter=6,
        style=[
            ("FONT", (0, 0), (-1, -1), body, 8.5),
            ("FONT", (0, 0), (-1, 0), bold, 8.5),
            ("GRID", (0, 0), (-1, -1), 0.6, Color(0.25, 0.25, 0.25)),
            ("BACKGROUND", (0, 0), (-1, 0), Color(0.9, 0.9, 0.9)),
            ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
        ],
    )


def _note(mark: str, text: str, notes: list[tuple[str, str]]) -> "Flowable":
    """A flowable of no size that puts a footnote on the page where it is drawn."""
    from reportlab.platypus import Flowable

    class Note(Flowable):
        width = height = 0

        def wrap(self, aW: float, aH: float) -> tuple[float, float]:  # noqa: N803  # reportlab's names
            del aW, aH
            return (0, 0)

        def draw(self) -> None:
            notes.append((mark, text))

    return Note()
