"""HTML and Markdown before docling sees them: one encoding, no scripts, no links to pictures, no inline tags that cut words."""

import re
from typing import Any, Final

from pipeline.parsing.encodings import decode
from pipeline.parsing.readers.html_tables import level_tables

_INLINE: Final = (
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "del", "dfn", "em", "font", "i", "ins", "kbd", "mark", "q", "s", "samp",
    "picture", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "nobr", "label",
)  # fmt: skip
_DROPPED: Final = (
    "script", "style", "noscript", "template", "iframe", "object", "embed", "applet", "link", "meta", "base", "source",
    "audio", "video", "svg", "canvas", "input", "button", "select", "textarea", "nav",
)  # fmt: skip
_FRONT: Final = re.compile(r"\A\ufeff?---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_IMAGE_DATA: Final = re.compile(r"data:image/(?:png|jpe?g|gif|bmp|webp|tiff?);base64,", re.IGNORECASE)
_CAPTION_WORDS: Final = 3  # fewer are the name of an icon
_XML_DECLARATION: Final = re.compile(r"^\s*<\?xml[^>]*\?>")


def plain_html(data: bytes) -> bytes:
    """HTML in UTF-8 with its text and structure only. Whatever would be fetched from elsewhere is gone.

    Charset care: see `encodings.decode`; bytes that are valid UTF-8 are UTF-8 whatever they claim.
    """
    return _plain(decode(data)[0])


def markdown_to_html(data: bytes) -> bytes:
    """HTML of a Markdown file (CommonMark and pipe tables); front matter is metadata and stays out."""
    from markdown_it import MarkdownIt

    text = decode(data)[0].replace("\r\n", "\n")
    text = _FRONT.sub("", text).lstrip("\ufeff")
    # What is nested deeper than the limit is left out without a word; that of "commonmark" is 20, a list of ten levels.
    return _plain(
        MarkdownIt("commonmark", {"maxNesting": 100}).enable(["table", "strikethrough"]).render(text)
    )


def _plain(text: str) -> bytes:
    from lxml import (
        etree,  # pyright: ignore[reportAttributeAccessIssue]
        html,
    )

    text = _XML_DECLARATION.sub("", text.replace("\x00", "").replace("\u00ad", ""))
    if not text.strip():
        return b"<html><body></body></html>"
    parser = html.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
    )
    root: Any = html.document_fromstring(
        text.encode("utf-8", "replace"), parser=parser, ensure_head_body=True
    )
    etree.strip_elements(root, *_DROPPED, with_tail=False)
    keep_own_images(root)
    etree.strip_tags(root, *_INLINE)
    level_tables(root)
    for numbered in root.iter("ol"):
        _number(numbered)
    head = root.find("head")
    if head is not None:
        root.remove(head)
    return b'<!DOCTYPE html>\n<meta charset="utf-8">\n' + html.tostring(root, encoding="utf-8")


def keep_own_images(root: Any) -> None:
    """Leave only images that are written in the document itself, as a `data:` URI: of the others the place stays.

    What it shows (its `alt`) stays as its caption when that is more than a name and the figure has no caption of its own.
    """
    for image in list(root.iter("img")):
        if not _IMAGE_DATA.match(image.get("src") or ""):
            image.attrib.clear()
            continue
        for name in set(image.attrib) - {"src", "alt"}:
            del image.attrib[name]
        if len((image.get("alt") or "").split()) < _CAPTION_WORDS:
            image.attrib.pop("alt", None)


def _number(numbered: Any) -> None:
    """Write the numbers of an ordered list into its items: a statute is cited by them."""
    start = numbered.get("start", "1")
    letters = numbered.get("type", "1") in ("a", "A")
    for place, item in enumerate(numbered.findall("li"), int(start) if start.isdigit() else 1):
        mark = f"{chr(96 + place)})" if letters and place <= 26 else f"{place}."
        first = next(iter(item), None)
        holder = (
            first
            if not (item.text or "").strip() and first is not None and first.tag in ("p", "div")
            else item
        )
        if not (holder.text or "").lstrip().startswith(mark):
            holder.text = f"{mark} {(holder.text or '').lstrip()}"
