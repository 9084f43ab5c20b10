"""Office files, HTML, Markdown, e-mail and e-books through docling; its document becomes our pages and blocks."""

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from shutil import which
from typing import TYPE_CHECKING, Any, Final

from pipeline.parsing.errors import (
    CORRUPT,
    ENCRYPTED,
    INSTALL_LIBREOFFICE,
    UNSUPPORTED,
    ParseError,
    chain_of,
    first_line,
    not_the_file,
)
from pipeline.parsing.figures import FURNITURE, IN_TABLE, Picture, hash_of
from pipeline.parsing.grids import header_rows, with_groups
from pipeline.parsing.guards import MAX_MEMBERS, MAX_UNPACKED
from pipeline.parsing.tree import Block, Page, table

if TYPE_CHECKING:
    from PIL.Image import Image

ENGINE: Final = "docling"
_EMU: Final = 12_700  # of the units of slides in a point
_NO_SPACE_BEFORE: Final = ".,;:!?)]}»”’%"
_NO_SPACE_AFTER: Final = "([{«„‚"


def convert(name: str, data: bytes) -> list[Page]:
    """Pages of a document that docling reads without an image model.

    Args:
        name: a file name; its ending decides the format (docx, pptx, odt, odp, html, eml, epub; doc and rtf where
            LibreOffice is installed).
        data: the bytes, already checked by `guards`.

    Raises:
        ParseError: corrupt, encrypted or unsupported.
    """
    return pages_of(document_of(name, data), slides=name.endswith((".pptx", ".odp")))


def document_of(name: str, data: bytes) -> Any:
    """The file as a document of docling; arguments and errors as those of `convert`."""
    try:
        return _document(name, data)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        raise _reason(error) from error


def has_libreoffice() -> bool:
    """Whether LibreOffice, which reads .doc and .rtf, is on this machine."""
    return any(map(which, ("libreoffice", "soffice")))


def as_mail(message: bytes) -> bytes:
    """An Outlook message (.msg) as an RFC 822 e-mail with its attachments.

    Raises:
        ParseError: corrupt.
    """
    from docling.backend.email_backend import EmailDocumentBackend

    try:
        return EmailDocumentBackend._msg_to_rfc822_bytes(message)  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        raise _reason(error) from error


def _document(name: str, data: bytes) -> Any:
    """The file as a document of docling.

    Its readers are called directly: its converter would load all that it has, those of sound and of pictures included.
    """
    import logging

    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.document import InputDocument, get_input_rejection_cause

    logging.getLogger("docling").setLevel(logging.CRITICAL)
    kind = name.rpartition(".")[2]
    form = InputFormat.EMAIL if kind == "eml" else InputFormat(kind)
    source = InputDocument(
        io.BytesIO(data), form, _reader(kind), filename=name, backend_options=_options(kind)
    )
    if not source.valid:
        raise get_input_rejection_cause(source) or ValueError("cannot be opened")
    reader: Any = source._backend  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001
    return reader.convert()


def _reader(kind: str) -> Any:
    from docling.backend import (
        email_backend,
        epub_backend,
        html_backend,
        mspowerpoint_backend,
        msword_backend,
        opendocument_backend,
    )

    return {
        "doc": msword_backend.MsWordDocumentBackend,
        "rtf": msword_backend.MsWordDocumentBackend,
        "docx": msword_backend.MsWordDocumentBackend,
        "pptx": mspowerpoint_backend.MsPowerpointDocumentBackend,
        "odt": opendocument_backend.OdtDocumentBackend,
        "odp": opendocument_backend.OdpDocumentBackend,
        "html": html_backend.HTMLDocumentBackend,
        "eml": email_backend.EmailDocumentBackend,
        "epub": epub_backend.EpubDocumentBackend,
    }[kind]


def _options(kind: str) -> Any:
    """Images inside the file are wanted; docling fetches none from elsewhere unless told to twice, and is told here once."""
    from docling.datamodel.backend_options import EpubBackendOptions, HTMLBackendOptions

    options: dict[str, Any] = {"fetch_images": True}
    if kind == "html":
        return HTMLBackendOptions(**options)
    if kind == "epub":  # our own guards have looked at the sizes already
        options |= {"max_total_bytes": MAX_UNPACKED, "max_file_bytes": MAX_UNPACKED}
        return EpubBackendOptions(**options, max_member_count=MAX_MEMBERS)
    return None


def _reason(error: Exception) -> ParseError:
    blameless = not_the_file(error)
    if blameless is not None:
        return blameless
    chain = chain_of(error)
    words = " ".join(str(part) for part in chain)
    if "LibreOffice" in words:
        return ParseError(
            UNSUPPORTED,
            f"({INSTALL_LIBREOFFICE})",
        )
    if "encrypt" in words.lower() or "password" in words.lower():
        return ParseError(ENCRYPTED)
    return ParseError(CORRUPT, f"({first_line(chain[-1])})")


def pages_of(document: Any, *, slides: bool = False, paged: bool = False) -> list[Page]:
    """Pages of a document of docling.

    Args:
        document: a DoclingDocument.
        slides: its pages are slides, measured in English metric units; their titles are headings.
        paged: its pages have sizes and places in points, as those of PDF files and images.
    """
    unit = _EMU if slides else 1
    blocks: dict[int, list[Block]] = {number: [] for number in document.pages} or {1: []}
    furniture: dict[int, list[str]] = {}
    page = min(blocks)
    bound = {caption.cref for owner in (*document.tables, *document.pictures) for caption in owner.captions}
    walked: set[str] = set()
    for item, block in _walk(document, document.body, 0):
        walked.add(item.self_ref)
        if item.self_ref in bound:
            continue
        page = item.prov[0].page_no if getattr(item, "prov", None) else page
        on_slide = block.kind == "title" and slides
        if paged and getattr(item, "prov", None):
            for number, part in _placed(document, item.prov, block):
                page = number
                blocks.setdefault(page, []).append(part)
            continue
        blocks.setdefault(page, []).append(Block("heading", block.text, level=1) if on_slide else block)
    pictures: dict[int, list[Picture]] = {}
    for item in document.pictures:
        if item.self_ref not in walked:
            place = item.prov[0].page_no if item.prov else page
            why = IN_TABLE if str(item.content_layer.value) == "body" else FURNITURE
            image = image_of(item)
            pictures.setdefault(place, []).append(
                Picture(why, hash_of(image) if image else "", pixels=image.size if image else ())
            )
    for item in document.texts:
        if str(item.content_layer.value) == "furniture" and item.text.strip():
            furniture.setdefault(item.prov[0].page_no if item.prov else page, []).append(item.text)
    return [
        Page(
            number,
            tuple(blocks[number]),
            width=document.pages[number].size.width / unit
            if number in document.pages and (slides or paged)
            else 0.0,
            height=document.pages[number].size.height / unit
            if number in document.pages and (slides or paged)
            else 0.0,
            engine=ENGINE,
            furniture=tuple(furniture.get(number, ())),
            pictures=tuple(pictures.get(number, ())),
        )
        for number in sorted(blocks)
    ]


def _placed(document: Any, places: Sequence[Any], block: Block) -> Iterator[tuple[int, Block]]:
    """A block on its page, or its parts on theirs: docling joins a paragraph that goes on over the page.

    Boxes in points from the top left. A word that a page break parts stands on the second page.
    """
    starts: list[tuple[int, int]] = []
    boxes: dict[int, tuple[float, float, float, float]] = {}
    for place in places:
        number = place.page_no
        found = place.bbox.to_top_left_origin(document.pages[number].size.height)
        box = boxes.get(number, (found.l, found.t, found.r, found.b))
        if number not in boxes:
            start = place.charspan[0] if starts else 0
            starts.append((number, block.text.rfind(" ", 0, start) + 1))
        # A paragraph in two columns has two places: its box holds both.
        boxes[number] = (
            min(box[0], found.l), min(box[1], found.t), max(box[2], found.r), max(box[3], found.b)
        )  # fmt: skip
    if block.rows or len(starts) == 1:
        yield starts[0][0], replace(block, bbox=boxes[starts[0][0]])
        return
    ends = [*(start for _, start in starts[1:]), len(block.text)]
    for (number, start), end in zip(starts, ends, strict=True):
        yield number, replace(block, text=block.text[start:end].strip(), bbox=boxes[number])


def _walk(document: Any, node: Any, depth: int) -> Iterator[tuple[Any, Block]]:
    """Blocks below a node in reading order. `depth` is the nesting of lists."""
    from docling_core.types.doc.items.group import GroupItem, ListGroup
    from docling_core.types.doc.items.picture.picture import PictureItem
    from docling_core.types.doc.items.table.table import TableItem
    from docling_core.types.doc.items.text import TextItem

    for reference in node.children:
        item = reference.resolve(document)
        if str(item.content_layer.value) != "body":
            continue
        if isinstance(item, TableItem):
            grid = _grid(item, document)
            if grid is not None:
                yield item, grid
        elif isinstance(item, PictureItem):
            yield item, _picture(item, document)
        elif isinstance(item, TextItem):
            yield from _text(document, item, depth)
        elif isinstance(item, GroupItem):
            if item.label.value == "inline":
                yield item, Block("paragraph", _joined(_leaves(document, item)))
                continue
            yield from _walk(document, item, depth + isinstance(item, ListGroup))


def _text(document: Any, item: Any, depth: int) -> Iterator[tuple[Any, Block]]:
    label = item.label.value
    text = item.text
    inline = [child.resolve(document) for child in item.children]
    if not text.strip():
        text = _joined(leaf for child in inline if _is_inline(child) for leaf in _leaves(document, child))
    if text.strip():
        if label == "section_header":
            yield item, Block("heading", text, level=item.level)
        elif label == "list_item":
            marker = item.marker if item.enumerated and not text.startswith(item.marker) else ""
            yield item, Block("list_item", f"{marker} {text}".strip(), level=max(depth, 1))
        elif label in ("title", "caption", "footnote", "code"):
            yield item, Block(label, text)
        else:
            yield item, Block("paragraph", text)
    for child in item.children:
        if not _is_inline(child.resolve(document)):
            yield from _walk(document, _One(child), depth)


def _picture(item: Any, document: Any) -> Block:
    caption = item.caption_text(document)
    image = image_of(item)
    box = item.prov[0].bbox if item.prov else None  # of slides only
    return Block(
        "figure",
        caption,
        caption=caption,
        bbox=(box.l / _EMU, box.t / _EMU, box.r / _EMU, box.b / _EMU) if box else (),
        image_hash=hash_of(image) if image else "",
        pixels=image.size if image else (),
    )


def image_of(item: Any) -> "Image | None":
    """The image of a picture of docling's; None where the file holds none, or one that cannot be decoded."""
    try:
        return item.image.pil_image if item.image else None
    except (OSError, ValueError):
        return None


class _One:
    """A node with a single child, so that one child can be walked like any node."""

    def __init__(self, child: Any) -> None:
        self.children = [child]


def _is_inline(item: Any) -> bool:
    return item.label.value == "inline"


def _leaves(document: Any, group: Any) -> Iterator[str]:
    for reference in group.children:
        child = reference.resolve(document)
        if getattr(child, "text", ""):
            yield child.text
        yield from _leaves(document, child)


def _joined(parts: Iterable[str]) -> str:
    """The pieces of a paragraph that docling split at changes of format, with spaces where people set them."""
    text = ""
    for part in parts:
        tight = not text or text[-1].isspace() or text[-1] in _NO_SPACE_AFTER or part[:1] in _NO_SPACE_BEFORE
        text += part if tight or part[:1].isspace() else f" {part}"
    return text


def _grid(item: Any, document: Any) -> Block | None:
    """A table whose merged cells repeat their text, so that each row stands alone."""
    data = item.data
    rows = [[""] * data.num_cols for _ in range(data.num_rows)]
    owners = [
        [-1 - row * data.num_cols - column for column in range(data.num_cols)] for row in range(data.num_rows)
    ]
    headers: set[int] = set()
    for number, cell in enumerate(data.table_cells):
        text = _cell(cell, document)
        for row in range(cell.start_row_offset_idx, min(cell.end_row_offset_idx, data.num_rows)):
            if cell.column_header and text.strip():
                headers.add(row)
            for column in range(cell.start_col_offset_idx, min(cell.end_col_offset_idx, data.num_cols)):
                rows[row][column] = text
                owners[row][column] = number
    count = 0
    while count in headers:
        count += 1
    if data.num_rows == 1 and data.num_cols == 1:
        return Block("paragraph", rows[0][0])
    block = table(rows, min(count, max(data.num_rows - 1, 0)), item.caption_text(document), owners=owners)
    if block is not None and len(block.rows) == len(block.rows[0]) == 1 and not block.caption:
        return Block("paragraph", block.rows[0][0])
    if block is None or len(block.rows) < 2:
        return block
    by_rows = any(cell.row_header for cell in data.table_cells if cell.start_row_offset_idx == 0)
    found = block.header_rows or (0 if by_rows else header_rows(block.rows, spans=block.spans))
    return replace(block, header_rows=with_groups(found, block.rows, block.spans) if found else 0)


def _cell(cell: Any, document: Any) -> str:
    """Text of a cell with all its paragraphs, lists and nested tables."""
    reference = getattr(cell, "ref", None)
    if reference is None:
        return cell.text
    parts = (
        " ".join(word for row in block.rows for word in row) if block.rows else block.text
        for _, block in _walk(document, reference.resolve(document), 0)
    )
    full = " ".join(part for part in parts if part)
    return full if len(full) > len(cell.text.strip()) else cell.text
