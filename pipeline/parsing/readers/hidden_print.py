"""Pages of a PDF that show more print than they have text: a footer over a scan, a heading over letters drawn as curves."""

from typing import Any, Final

import numpy as np

from pipeline.parsing.geometry.ink import Ink
from pipeline.parsing.geometry.pictures import share_of
from pipeline.parsing.print_seen import letters_in_lines, uncovered

_MUCH: Final = 800  # characters; what a page with more of them hides is a picture in a text
_COVERED: Final = 0.3  # of the page
_SHAPES: Final = 200
_GLANCE: Final = 130  # dots per inch at which letters are seen, though not read
_LARGEST: Final = 25_000_000  # pixels
_HIDDEN: Final = 0.6  # of the letters
_FEWEST: Final = 100


def hides_print(page: Any, ink: Ink, turned: int) -> bool:
    """Whether most of the print that a page shows is no text.

    Only a page with little text, and with a large picture or many drawn shapes, is looked at.

    Args:
        page: of pypdfium2.
        ink: what lies on it.
        turned: degrees clockwise by which the ink was turned against the page as displayed.
    """
    characters = sum(len(word.text) for word in ink.words)
    covered = max((share_of(picture, ink) for picture in ink.pictures), default=0.0)
    if characters > _MUCH or (covered < _COVERED and ink.shapes < _SHAPES):
        return False
    scale = min(_GLANCE / 72, (_LARGEST / max(ink.width * ink.height, 1.0)) ** 0.5)
    image = page.render(scale=scale, may_draw_forms=False, grayscale=True).to_pil()
    letters = letters_in_lines(np.asarray(image.rotate(-turned, expand=True) if turned % 360 else image))
    words = np.array([[word.x0, word.y0, word.x1, word.y1] for word in ink.words], np.float32).reshape(-1, 4)
    hidden = uncovered(letters, words * scale)
    return hidden > _HIDDEN and hidden * len(letters) > max(_FEWEST, characters)
