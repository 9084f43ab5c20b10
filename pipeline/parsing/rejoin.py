"""Pages of a document that were read again one by one, put back into it: without its furniture, under its headings."""

import re
from collections.abc import Sequence
from typing import Any

from pipeline.parsing.outline import Outline

_NUMBERS = re.compile(r"\d+")


def rejoined(
    pages: Sequence[list[dict[str, Any]]], again: Sequence[bool], furniture: Sequence[str]
) -> list[list[dict[str, Any]]]:
    """The blocks of a document's pages once some of them were read alone.

    Args:
        pages: blocks of every page as in `parsed_pages`, in order.
        again: for each page whether it was read alone.
        furniture: running headers and footers that were found on the other pages; on a page that was read alone they stand
            among the blocks.

    Returns:
        For each page its blocks, in which every section path names the headings above it in the whole document.
    """  # fmt: skip
    running = {_masked(line) for line in furniture}
    outline = Outline()
    result: list[list[dict[str, Any]]] = []
    for blocks, alone in zip(pages, again, strict=True):
        kept: list[dict[str, Any]] = []
        for block in blocks:
            if alone and _masked(block["text"]) in running:
                continue
            _, path = outline.place(block["kind"], block["level"], block["text"])
            kept.append({**block, "section_path": path})
        result.append(kept)
    return result


def _masked(text: str) -> str:
    """A line of a header or footer whatever the page's number."""
    return _NUMBERS.sub("0", " ".join(text.split()).casefold())
