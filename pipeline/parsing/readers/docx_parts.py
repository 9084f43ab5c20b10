"""Word files before docling sees them: run formatting is dropped, so that no word is cut; footnotes are collected."""

import io
import zipfile
from typing import Any, Final

from pipeline.parsing.tree import Block

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT: Final = "{http://purl.oclc.org/ooxml/wordprocessingml/main}"
_COMPATIBLE: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_ALTERNATIVE: Final = f"{_COMPATIBLE}AlternateContent"
_BODY: Final = "word/document.xml"
_NOTES: Final = (("word/footnotes.xml", "footnote"), ("word/endnotes.xml", "endnote"))
# docling splits a paragraph wherever one of these changes, and joins the pieces with spaces.
_FORMATTING: Final = (
    "b",
    "bCs",
    "i",
    "iCs",
    "u",
    "color",
    "strike",
    "dstrike",
    "vertAlign",
    "rStyle",
    "highlight",
    "shd",
)


def prepare(data: bytes) -> tuple[bytes, list[Block]]:
    """The same Word file with plain runs, and its footnotes and endnotes as blocks.

    Args:
        data: a .docx that passed `guards.check_archive`.
    """
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    notes: list[Block] = []
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as target:
        names = set(source.namelist())
        for part, tag in _NOTES:
            if part in names:
                notes += _notes(etree.fromstring(source.read(part), parser), tag)
        for name in source.namelist():
            content = source.read(name)
            if name == _BODY:
                root = etree.fromstring(content, parser)
                _unbox(root)
                _plain(root)
                content = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
            target.writestr(name, content)
    return out.getvalue(), notes


def _unbox(root: Any) -> None:
    """Put what a text box with a table in it holds below the paragraph that it is tied to: docling keeps its words alone.

    The same content stands twice, drawn and for old programs; the first stays.
    """
    for space in (_W, _STRICT):
        for box in list(root.iter(f"{space}txbxContent")):
            holder = box.getparent()
            while holder is not None and holder.tag not in (_ALTERNATIVE, f"{space}drawing", f"{space}pict"):
                holder = holder.getparent()
            while (
                holder is not None
                and holder.getparent() is not None
                and holder.getparent().tag.startswith(_COMPATIBLE)
            ):
                holder = holder.getparent()
            paragraph = next(holder.iterancestors(f"{space}p"), None) if holder is not None else None
            if holder is None or paragraph is None or box.find(f"{space}tbl") is None:
                continue
            for child in reversed(list(box)):
                paragraph.addnext(child)
            holder.getparent().remove(holder)


def _plain(root: Any) -> None:
    for space in (_W, _STRICT):
        for properties in root.iter(f"{space}rPr"):
            for name in _FORMATTING:
                for element in properties.findall(f"{space}{name}"):
                    properties.remove(element)
        for link in list(root.iter(f"{space}hyperlink")):
            parent = link.getparent()
            position = parent.index(link)
            for offset, child in enumerate(list(link)):
                parent.insert(position + offset, child)
            parent.remove(link)


def _notes(root: Any, tag: str) -> list[Block]:
    found: list[Block] = []
    for space in (_W, _STRICT):
        for note in root.iter(f"{space}{tag}"):
            if note.get(f"{space}type") in ("separator", "continuationSeparator", "continuationNotice"):
                continue
            paragraphs = [
                "".join(run.text or "" for run in p.iter(f"{space}t")) for p in note.iter(f"{space}p")
            ]
            text = " ".join(paragraph for paragraph in paragraphs if paragraph)
            if text.strip():
                found.append(Block("footnote", text, anchor=note.get(f"{space}id") or ""))
    return found
