"""What lies on a PDF page: words with their fonts, ruling lines and pictures, in points from the upright page's top left."""

import ctypes
import math
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, Final

from pipeline.parsing.geometry.frame import Box, Frame
from pipeline.parsing.geometry.strokes import graphics
from pipeline.parsing.geometry.unseen import has_faint_ink, unseen

MAX_CHARACTERS: Final = 200_000  # of one page; a page of a newspaper has 30,000
_BOLD: Final = re.compile(rb"bold|black|heavy|demi|-medi|(?:cm|sf|ec)b")  # the last: TeX's fonts
_ITALIC: Final = re.compile(rb"ital|obli|(?:cm|sf|ec)(?:b?x?ti|sl)\d|-it$")  # the third: TeX's fonts
_ITALIC_FLAG: Final = 64  # of a font descriptor (ISO 32000-1, table 123)
_SYMBOLS: Final = re.compile(rb"wingding|webding|dingbat")
_ACCENTS: Final = {
    "¨": "\u0308", "´": "\u0301", "`": "\u0300", "ˆ": "\u0302", "˜": "\u0303", "˘": "\u0306", "¸": "\u0327", "˙": "\u0307", "˚": "\u030a", "˝": "\u030b", "ˇ": "\u030c", "˛": "\u0328"
}  # fmt: skip
_SIGN: Final = "\uf0b7"


@dataclass(frozen=True, slots=True)
class Word:
    """A run of characters without a space. `size` in points; `quarter` counts clockwise quarter turns of its writing.

    `faint`: its colour is that of white paper.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    bold: bool = False
    quarter: int = 0
    italic: bool = False
    faint: bool = False


@dataclass(frozen=True)
class Ink:
    """The content of one page.

    Attributes:
        rotation: degrees clockwise by which the page was turned to be upright.
        words: in the order of the file.
        rules: straight horizontal and vertical lines, as boxes without extent in one direction.
        pictures: boxes of bitmaps.
        hashes: of the bitmaps, in the same order; empty: unknown.
        shapes: number of drawn paths; one of many segments counts as many as it could draw letters.
        garbled: share of characters without a meaning (replacement, private use, control).
        unseen: text in the colour of the paper, word by word: no part of what a reader of the page reads.
    """

    width: float
    height: float
    rotation: int = 0
    words: tuple[Word, ...] = ()
    rules: tuple[Box, ...] = ()
    pictures: tuple[Box, ...] = ()
    hashes: tuple[str, ...] = ()
    shapes: int = 0
    garbled: float = 0.0
    unseen: tuple[str, ...] = ()


def read_ink(page: Any) -> Ink:
    """Read a pypdfium2 page. Raises pypdfium2.PdfiumError if the page cannot be loaded."""
    frame = Frame(page.get_bbox(), page.get_rotation())
    left, bottom, right, top = frame.box
    width, height = (right - left, top - bottom) if frame.turn % 2 == 0 else (top - bottom, right - left)
    text = page.get_textpage()
    try:
        words, garbled = _words(text, frame)
    finally:
        text.close()
    rules, pictures, shapes = graphics(page, frame)
    inside = tuple(word for word in words if -5 <= word.x0 <= width + 5 and -5 <= word.y0 <= height + 5)
    faint = [word for word in inside if word.faint]
    hidden = unseen(page, frame, [(word.x0, word.y0, word.x1, word.y1) for word in faint], len(inside))
    gone = {id(faint[number]) for number in hidden}
    ink = Ink(
        width,
        height,
        frame.turn * 90,
        tuple(word for word in inside if id(word) not in gone),
        tuple(rules),
        tuple(pictures),
        tuple(pictures.values()),
        shapes,
        garbled,
        tuple(word.text for word in inside if id(word) in gone),
    )
    return _upright(ink)


def _upright(ink: Ink) -> Ink:
    """Turn the page when most of its words run in another direction than to the right."""
    count = Counter[int]()
    for word in ink.words:
        count[word.quarter] += len(word.text)
    if not count:
        return ink
    quarter, characters = count.most_common(1)[0]
    if quarter == 0 or characters < 0.6 * count.total():
        return ink
    return turned(ink, quarter)


def turned(ink: Ink, quarter: int) -> Ink:
    """The page turned counter-clockwise by quarter turns, so that words of that direction run to the right."""
    width, height = ink.width, ink.height

    def turn(x0: float, y0: float, x1: float, y1: float) -> Box:
        if quarter == 1:
            return y0, width - x1, y1, width - x0
        if quarter == 2:
            return width - x1, height - y1, width - x0, height - y0
        return height - y1, x0, height - y0, x1

    words = tuple(
        replace(word, x0=box[0], y0=box[1], x1=box[2], y1=box[3], quarter=(word.quarter - quarter) % 4)
        for word in ink.words
        for box in (turn(word.x0, word.y0, word.x1, word.y1),)
    )
    sizes = (height, width) if quarter % 2 else (width, height)
    return replace(
        ink,
        width=sizes[0],
        height=sizes[1],
        rotation=(ink.rotation - 90 * quarter) % 360,
        words=words,
        rules=tuple(turn(*rule) for rule in ink.rules),
        pictures=tuple(turn(*picture) for picture in ink.pictures),
    )


@dataclass(slots=True)
class _Style:
    size: float
    bold: bool
    quarter: int
    italic: bool = False
    symbols: bool = False  # a font of signs: its letters mean none
    faint: bool = False


def _words(textpage: Any, frame: Frame) -> tuple[list[Word], float]:
    import pypdfium2.raw as pdfium

    handle = textpage.raw
    total = min(max(pdfium.FPDFText_CountChars(handle), 0), MAX_CHARACTERS)
    rectangle = pdfium.FS_RECTF()
    reference = ctypes.byref(rectangle)
    styles: dict[int, _Style] = {}
    words: list[Word] = []
    run: list[tuple[str, Box]] = []
    style = _Style(10.0, False, 0)
    bad = seen = 0
    for index in range(total):
        code = pdfium.FPDFText_GetUnicode(handle, index)
        if code in (0x20, 0x0D, 0x0A, 0x09, 0xA0, 0x2002, 0x2003, 0x2009, 0x3000):
            _close(words, run, style)
            continue
        character, meant = _character(code, first=not run)
        seen += 1
        bad += not meant
        if not character:
            continue
        if not pdfium.FPDFText_GetLooseCharBox(handle, index, reference):
            continue
        box = frame.rectangle(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
        # Letters of one word that stand equally high and low are of one font: asking for each is what takes the time.
        same = run and box[1] == run[-1][1][1] and box[3] == run[-1][1][3]
        current = style if same else _style(pdfium, handle, index, styles, frame)
        if run and _joins(run, character, box):
            continue
        if run and (
            _breaks(run[-1][1], box, style, current, character)
            or (not same and (style.faint != current.faint or _ends_mark(run, style, current)))
        ):
            _close(words, run, style)
        if not run:
            style = current
        run.append((character, box))
    _close(words, run, style)
    return words, bad / seen if seen else 0.0


def _character(code: int, *, first: bool) -> tuple[str, bool]:
    """The character of a code, and whether it means anything. A control code is a sign where it starts a word, else nothing."""
    if code == 2:  # a hyphen at a line end, as PDFium marks it
        return "\ufffe", True
    if code < 0x20:
        return (_SIGN if first else ""), False
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return "\ufffd", False
    return chr(code), code != 0xFFFD and not 0xE000 <= code <= 0xF8FF


def _joins(run: list[tuple[str, Box]], character: str, box: Box) -> bool:
    """Join an accent that is set over (or under) a letter to it: old fonts print `ä` as `¨` and `a` in one place.

    Changes the end of `run` and returns True if the character became part of it.
    """
    last, place = run[-1]
    if (last in _ACCENTS) == (character in _ACCENTS):
        return False
    shared = min(box[2], place[2]) - max(box[0], place[0])
    if shared < 0.5 * min(box[2] - box[0], place[2] - place[0]):
        return False
    letter, accent = (character, last) if last in _ACCENTS else (last, character)
    plain = {"ı": "i", "ȷ": "j"}.get(letter, letter)
    joined = unicodedata.normalize("NFC", plain + _ACCENTS[accent])
    if len(joined) != 1:
        return False
    run[-1] = (joined, box if letter == character else place)
    return True


def _style(pdfium: Any, handle: Any, index: int, styles: dict[int, _Style], frame: Frame) -> _Style:
    """Font size as displayed, weight and direction of a character; read once for each text object."""
    item = pdfium.FPDFText_GetTextObject(handle, index)
    key = ctypes.cast(item, ctypes.c_void_p).value or 0
    known = styles.get(key)
    if known is not None and key:
        return known
    size = pdfium.FPDFText_GetFontSize(handle, index)
    matrix = pdfium.FS_MATRIX()
    quarter = 0
    if item and pdfium.FPDFText_GetMatrix(handle, index, ctypes.byref(matrix)):
        size *= math.hypot(matrix.c, matrix.d) or 1.0
        quarter = frame.quarter(matrix.a, matrix.b) if (matrix.a or matrix.b) else 0
    name = ctypes.create_string_buffer(128)
    flags = ctypes.c_int()
    length = pdfium.FPDFText_GetFontInfo(handle, index, name, 128, ctypes.byref(flags))
    font = name.value.lower() if 0 < length <= 128 else b""
    weight = pdfium.FPDFText_GetFontWeight(handle, index)
    bold = weight >= 600 or bool(_BOLD.search(font))
    italic = bool(flags.value & _ITALIC_FLAG or _ITALIC.search(font))
    faint = has_faint_ink(pdfium, handle, index, item)
    style = _Style(min(max(abs(size), 1.0), 400.0), bold, quarter, italic, bool(_SYMBOLS.search(font)), faint)
    styles[key] = style
    return style


def _breaks(before: Box, box: Box, style: _Style, current: _Style, character: str) -> bool:
    """Whether a character starts a new word although no space stands before it."""
    if current.quarter != style.quarter:
        return True
    if style.quarter:
        along = (
            (box[1] - before[3])
            if style.quarter == 1
            else (before[1] - box[3])
            if style.quarter == 3
            else before[0] - box[2]
        )
        across = abs(box[0] - before[0]) if style.quarter % 2 else abs(box[1] - before[1])
        return abs(along) > max(style.size, current.size) or across > style.size
    if box == before:  # letters of one ligature share its box
        return False
    gap = box[0] - before[2]
    size = max(style.size, current.size)
    if gap > 0.3 * size or gap < -0.8 * size or box[0] < before[0] - 0.3 * size:
        return True
    if min(box[3], before[3]) - max(box[1], before[1]) < 0.3 * min(box[3] - box[1], before[3] - before[1]):
        return True
    # A raised mark of a footnote is a word of its own.
    raised = current.size < 0.8 * style.size and (character.isdigit() or character in "*∗†‡§")
    return raised and box[3] < before[3] - 0.1 * style.size


def _ends_mark(run: list[tuple[str, Box]], style: _Style, current: _Style) -> bool:
    """Whether a small number or star ends here because text of normal size follows: the mark of a footnote."""
    small = len(run) <= 3 and style.size < 0.8 * current.size
    return small and all(character.isdigit() or character in "*∗†‡" for character, _ in run)


def _close(words: list[Word], run: list[tuple[str, Box]], style: _Style) -> None:
    if run:
        boxes = [box for _, box in run]
        text = "".join(character for character, _ in run)
        if len(run) == 1 and (style.symbols or _is_sign(text)):
            text = "•"
        words.append(
            Word(
                text,
                min(box[0] for box in boxes),
                min(box[1] for box in boxes),
                max(box[2] for box in boxes),
                max(box[3] for box in boxes),
                round(style.size * 2) / 2,
                style.bold,
                style.quarter,
                style.italic,
                style.faint,
            )
        )
        run.clear()


def _is_sign(character: str) -> bool:
    """Whether a character that stands alone has no meaning but its look: as good as always a bullet or a box to tick."""
    code = ord(character)
    return 0x80 <= code <= 0x9F or 0xE000 <= code <= 0xF8FF or code == 0xFFFE
