"""Which paragraphs of a document are headings, and of which level: by size, weight, place and numbering over all pages."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pipeline.parsing.geometry.ink import Box, Word
from pipeline.parsing.geometry.layout import is_bold, is_italic, overlap
from pipeline.parsing.geometry.paragraphs import Paragraph, is_led
from pipeline.parsing.headings import numbering
from pipeline.parsing.tree import Block

_ADDRESS: Final = re.compile(r"[^\W\d_]{2}\.[\w-]{2,}\.[a-z]{2}|[a-z]\.[a-z]{2,}/|://|^www\.|@")
# A figure that stands for itself: "17,81,841 crore", "€ 1.250,00", "67 %".
_AMOUNT: Final = re.compile(r"^\W{0,3}(?:\d{1,3}(?:[.,]\d{2,3})+|\d+(?:[.,]\d+)?\s?%)(?!\S)")
_LONE_NUMBER: Final = re.compile(r"^(?:\d{1,3}|[IVX]{1,5})\.?$")
_COVER: Final = 30  # words of text; a page with fewer under several display lines is a cover
_FOOT: Final = 0.75  # of the page's height; below it a cover names its publisher
_DEEPEST: Final = 9

Parts = Sequence[Paragraph | Block]


@dataclass(frozen=True)
class _Style:
    """What makes headings of one rank look alike."""

    size: float
    bold: bool
    division: int


def written(parts: Parts) -> list[Paragraph]:
    """The paragraphs among the parts of a page."""
    return [part for part in parts if isinstance(part, Paragraph)]


def body_sizes(pages: Iterable[Iterable[Word]]) -> tuple[float, list[float]]:
    """Font size of running text, from the words of each page: of the document, and of each page.

    A page's own differs only where the whole page is set smaller, as a page of another work that was shrunk to fit.
    """
    counts: list[Counter[float]] = []
    for words in pages:
        count = Counter[float]()
        for word in words:
            count[word.size] += len(word.text)
        counts.append(count)
    total = sum(counts, Counter[float]())
    body = _commonest(total)
    sizes: list[float] = []
    for count in counts:
        own = _commonest(count)
        small = sum(n for size, n in count.items() if size <= 1.1 * own)
        sizes.append(own if 0 < own < 0.8 * body and small > 0.8 * count.total() > 200 else body)
    return body, sizes


def _commonest(count: Counter[float]) -> float:
    return max(count.items(), key=lambda pair: (pair[1], pair[0]))[0] if count else 0.0


def is_heading(paragraph: Paragraph, text: str, body: float) -> bool:
    """Whether a paragraph is a heading by its looks.

    Args:
        paragraph: to judge.
        text: of it, in one line.
        body: font size of the running text around it, in points.
    """
    size = paragraph.size
    numbered = numbering(text)
    bold = is_bold(paragraph.words)
    if not _may_head(paragraph, text, size, body) or (
        paragraph.kind == "list_item" and (numbered is None or not (bold or size > 1.1 * body))
    ):
        return False
    n_words = len(text.split())
    ends = text.endswith((".", ";", ",")) and not (numbered and n_words <= 4)
    if size >= 1.12 * body:
        return not ends or size >= 1.4 * body
    if size < 0.93 * body or len(paragraph.rows) > 2:
        return False
    if bold:
        return n_words <= 16 and not ends and not text.endswith(":")
    if text.isupper() and n_words <= 12 and text[-1] not in ":;,_" and _is_centred(paragraph):
        paragraph.capitals = True
        return True
    lone = len(paragraph.rows) == 1 and paragraph.kind == "paragraph" and n_words <= 10
    return (
        lone
        and size >= 0.97 * body
        and is_italic(paragraph.words)
        and text[0].isupper()
        and text[-1].isalnum()
    )


def _may_head(paragraph: Paragraph, text: str, size: float, body: float) -> bool:
    """Whether the words may be a heading, however they are set."""
    words = text.split()
    if sum(map(str.isalpha, text)) < 2 or len(words) > 30 or len(paragraph.rows) > 4:
        return False
    if text[0].islower() and size < 1.5 * body and not numbering(text):
        return False
    if _AMOUNT.match(text) or (size < 1.5 * body and any(map(_ADDRESS.search, words))):
        return False
    return not any(map(is_led, paragraph.rows)) and not (len(words) == 1 and _ADDRESS.search(text))


def _is_centred(paragraph: Paragraph) -> bool:
    """Whether every line stands in the middle of its column, with room at both sides."""
    width = paragraph.right - paragraph.left
    return all(
        row[0].x0 - paragraph.left > 0.12 * width
        and abs((row[0].x0 - paragraph.left) - (paragraph.right - row[-1].x1)) < 0.06 * width
        for row in paragraph.rows
    )


def is_seen(paragraph: Paragraph, text: str, titles: Sequence[Box]) -> bool:
    """Whether a short paragraph stands where a layout model saw a heading."""
    if paragraph.kind != "paragraph" or len(paragraph.rows) > 3 or text.endswith((".", ",", ";")):
        return False
    if _AMOUNT.match(text):
        return False
    x0, y0, x1, y1 = paragraph.box
    for title in titles:
        width, height = min(x1, title[2]) - max(x0, title[0]), min(y1, title[3]) - max(y0, title[1])
        union = (x1 - x0) * (y1 - y0) + (title[2] - title[0]) * (title[3] - title[1]) - width * height
        if width > 0 and height > 0 and width * height > 0.5 * union:
            return True
    return False


def settle(parts: list[Paragraph | Block], body: float, height: float) -> list[Paragraph | Block]:
    """The parts of a page once its headings are compared with each other.

    A number that is set as large as a title stands before the heading that follows it; a line of capitals over a table is its
    caption; a subtitle and the slogans of a side column are no headings; on a cover only the title is.
    """
    parts = _numbered(parts, body)
    _over_tables(parts)
    _subtitle(written(parts))
    _aside(written(parts))
    _calm(written(parts), body, height)
    return parts


def _numbered(parts: list[Paragraph | Block], body: float) -> list[Paragraph | Block]:
    """A chapter's number that stands in large type on a line of its own becomes the start of the heading below it."""
    result: list[Paragraph | Block] = []
    number: Paragraph | None = None
    for part in parts:
        if isinstance(part, Paragraph):
            if number is not None and part.kind == "heading" and not numbering(part.text):
                result = [other for other in result if other is not number]
                part.rows = [*number.rows, *part.rows]  # its look stays that of its own words
            is_number = part.size >= 1.4 * body and _LONE_NUMBER.match(part.text)
            number = part if is_number else None
        elif part.kind != "figure":
            number = None
        result.append(part)
    return result


def _over_tables(parts: Sequence[Paragraph | Block]) -> None:
    """A line of capitals in the type of the text, right over a table, names the table."""
    for part, below in pairwise(parts):
        over = isinstance(below, Block) and below.kind == "table"
        if over and isinstance(part, Paragraph) and part.kind == "heading" and part.capitals:
            part.kind = "caption"


def _aside(paragraphs: Sequence[Paragraph]) -> None:
    """Lines of one look that are all a column holds head nothing: the slogans of a side column."""
    columns: dict[tuple[float, float], list[Paragraph]] = {}
    for paragraph in paragraphs:
        columns.setdefault((paragraph.left, paragraph.right), []).append(paragraph)
    for column in columns.values():
        looks = {(part.size, is_bold(part.words), part.kind) for part in column}
        if len(columns) > 1 and len(column) > 2 and len(looks) == 1 and column[0].kind == "heading":
            for part in column:
                if not numbering(part.text):
                    part.kind = "paragraph"


def _subtitle(paragraphs: Sequence[Paragraph]) -> None:
    """A slanted line set tight beneath a larger heading goes on with it."""
    for above, below in pairwise(paragraphs):
        if above.kind != "heading" or below.kind != "heading" or numbering(below.text):
            continue
        a, b = above.box, below.box
        tight = b[1] - a[3] < 0.6 * below.size and overlap(a[0], a[2], b[0], b[2]) > 0
        if tight and below.size < 0.88 * above.size and is_italic(below.words):
            below.kind = "paragraph"


def _calm(paragraphs: Sequence[Paragraph], body: float, height: float) -> None:
    """On a page that is all display, a cover, only the largest lines and those that stand over text are headings.

    What stands at the foot of a cover is its publisher's mark, however large.
    """
    headings = [part for part in paragraphs if part.kind == "heading"]
    text = [part for part in paragraphs if part.kind != "heading" and part.size <= 1.2 * body]
    if len(headings) < 3 or sum(len(part.words) for part in text) > _COVER:
        return
    upper = [heading for heading in headings if heading.box[1] <= _FOOT * height] or headings
    largest = max(part.size for part in paragraphs if part.box[1] <= _FOOT * height or upper is headings)
    kept = {id(heading) for heading in upper}
    for heading, below in zip(paragraphs, [*paragraphs[1:], None], strict=True):
        over_text = any(below is part for part in text) or numbering(heading.text)
        if (
            heading.kind == "heading"
            and not over_text
            and (heading.size < 0.88 * largest or id(heading) not in kept)
        ):
            heading.kind = "paragraph"


def levels(pages: Sequence[Parts], body: float) -> dict[int, int]:
    """Level of each heading by its identity: 0 for the title, then by size, weight and numbering.

    Headings that look alike have one level. Decimal numbers go deeper by their depth, and what looks like them goes with
    them; a division never stands above one that contains it, though it be set larger.
    """
    headings = [part for parts in pages for part in written(parts) if part.kind == "heading"]
    title = _titles(pages, headings, body)
    rest = [heading for heading in headings if id(heading) not in title]
    heights = {id(heading): _height(heading, body) for heading in rest}
    sizes = _clusters(set(heights.values()))
    numbers = {id(heading): numbering(heading.text) for heading in rest}
    styles: dict[int, _Style] = {}
    depths: dict[_Style, Counter[int]] = {}
    for heading in rest:
        number = numbers[id(heading)]
        style = _Style(
            sizes[heights[id(heading)]], is_bold(heading.words), min(number.rank, 6) if number else 6
        )
        styles[id(heading)] = style
        if number and number.rank > 10:
            depths.setdefault(style, Counter())[number.rank - 11] += 1
    of_style, base = _style_levels(_ranked(set(styles.values())), depths)
    found = dict.fromkeys(title, 0)
    for heading in rest:
        number = numbers[id(heading)]
        decimal = number is not None and number.rank > 10
        level = base + number.rank - 11 if number and decimal else of_style[styles[id(heading)]]
        found[id(heading)] = min(level, _DEEPEST)
    return found


def _style_levels(
    ranked: Sequence[_Style], depths: dict[_Style, Counter[int]]
) -> tuple[dict[_Style, int], int]:
    """Level of each style, and that of a whole number: a style with decimal numbers fixes its own level by their depth.

    Styles without numbers that are set larger than it stand above it.
    """
    found: dict[_Style, int] = {}
    base = level = 0
    for style in ranked:
        level += 1
        if style in depths:
            depth = depths[style].most_common(1)[0][0]
            base = base or max(level - depth, 1)
            level = base + depth
            for other, above in found.items():
                if other not in depths:
                    found[other] = max(min(above, level - 1), 1)
        found[style] = level
    return {style: min(level, _DEEPEST) for style, level in found.items()}, max(base, 1)


def _height(heading: Paragraph, body: float) -> float:
    """Font size that ranks a heading; what only its capitals make one ranks with the text."""
    size = heading.size * heading.scale
    return min(size, body) if heading.capitals else size


def _ranked(styles: set[_Style]) -> list[_Style]:
    """Styles from the highest to the lowest: by size, then weight; a division after every division that contains it."""
    reach: dict[int, float] = {}
    smallest = float("inf")
    for division in sorted({style.division for style in styles if style.division < 6}):
        smallest = min(smallest, max(style.size for style in styles if style.division == division))
        reach[division] = smallest
    return sorted(
        styles,
        key=lambda style: (
            -min(style.size, reach.get(style.division, style.size)),
            not style.bold if style.division == 6 else False,
            style.division,
            -style.size,
            not style.bold,
        ),
    )


def _clusters(sizes: set[float]) -> dict[float, float]:
    """For each font size the largest that looks the same: within half a point or four hundredths."""
    found: dict[float, float] = {}
    largest = 0.0
    for size in sorted(sizes, reverse=True):
        if not found or largest - size > max(0.5, 0.04 * largest):
            largest = size
        found[size] = largest
    return found


def _titles(pages: Sequence[Parts], headings: Sequence[Paragraph], body: float) -> dict[int, None]:
    """The largest heading of the document, if it stands on the first page with text and no other words are as large.

    What has a number is a part of something larger and no title.
    """
    if not headings:
        return {}
    largest = max(heading.size for heading in headings)
    top = [heading for heading in headings if heading.size >= largest - 0.5]
    first: Parts = next((parts for parts in pages if parts), [])
    if largest < 1.2 * body or numbering(top[0].text) or not any(part is top[0] for part in first):
        return {}
    return {id(top[0]): None} if len({heading.text for heading in top}) == 1 else {}
