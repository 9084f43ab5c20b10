"""Plain text and Markdown as sections, with the offset of each in the text: for benchmarks over texts that no parser read."""

import re
from typing import Final

from pipeline.chunking.articles import article_of_path
from pipeline.chunking.blocks import Source
from pipeline.chunking.sections import Item, Part, Section

_HEADING: Final = re.compile(
    r"(?P<level>#{1,6})[ \t]+(?P<name>[^\n]+?)[ \t#]*$|[ ](?P<wiki>(?:=[ ])+)(?P<title>[^=\n]+?)[ ](?:=[ ])+$",
    re.MULTILINE,
)
_MARK: Final = r"(?:[-*•]|\(?\d{1,3}\w?[.)])[^\S\n]"
# A paragraph ends at an empty line or before a list mark; in a text that is not wrapped, at any line's end.
_WRAPPED: Final = re.compile(rf"\S.*?(?=\s*(?:\n[^\S\n]*\n|\n[^\S\n]*{_MARK}|\Z))", re.DOTALL)
_LINE: Final = re.compile(r"\S[^\n]*?(?=[^\S\n]*(?:\n|\Z))")
_LONGEST_WRAPPED: Final = 200  # characters; no wrapped line is longer
_LIST_ITEM: Final = re.compile(_MARK)


def plain_sections(text: str) -> list[tuple[int, Section]]:
    """Sections of a text with their offsets: the text of a section is that of `text` from its offset on.

    Headings are those of Markdown ("## Name") and of wiki dumps (" = = Name = = "); everything else is paragraphs, apart where
    an empty line or a list mark stands. Headings themselves are in the paths, not in the texts.
    """
    path: list[tuple[int, str]] = []
    sections: list[tuple[int, Section]] = []
    begun = 0
    block = _WRAPPED if max(map(len, text.split("\n"))) <= _LONGEST_WRAPPED else _LINE
    for heading in [*_HEADING.finditer(text), None]:
        end = heading.start() if heading else len(text)
        made = _section(text, begun, end, tuple(name for _, name in path), block)
        if made:
            sections.append(made)
        if heading:
            level = len(heading["level"] or "") or heading["wiki"].count("=")
            path = [
                *((n, name) for n, name in path if n < level),
                (level, heading["name"] or heading["title"]),
            ]
            begun = heading.end()
    return sections


def _section(
    text: str, begun: int, end: int, path: tuple[str, ...], block: re.Pattern[str]
) -> tuple[int, Section] | None:
    blocks = list(block.finditer(text, begun, end))
    if not blocks:
        return None
    offset = blocks[0].start()
    starts = [found.start() - offset for found in blocks]
    length = len(text[offset:end].rstrip())
    items = tuple(
        Item(
            kind="list_item" if _LIST_ITEM.match(found.group()) else "paragraph",
            start=start,
            end=found.end() - offset,
            next=following,
        )
        for found, start, following in zip(blocks, starts, [*starts[1:], length], strict=True)
    )
    section = Section(
        path,
        article_of_path(path),
        text[offset : offset + length],
        (Part("prose", items),),
        (Source(0, 1, flagged=False),),
    )
    return offset, section
