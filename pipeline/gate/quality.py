"""From measures to one number: the quality of a page is that of its worst measure.

So every decision has one reason that can be named. Each measure is turned into 0 … 1 along a line through the points
below, which were placed by eye on 61 pages whose truth is known (modern print in three languages, rendered, degraded step by
step, read by RapidOCR): a page with 10 % of its characters misread comes out near 0.70, one with 20 % below 0.45. Blackletter
read as plausible words with high confidence is beyond these measures.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from pipeline.gate.scores import PageScores

Points = Sequence[tuple[float, float]]

_CONFIDENCE: Final[Points] = ((0.55, 0.0), (0.80, 0.40), (0.88, 0.66), (0.92, 0.80), (0.97, 1.0))
_KNOWN: Final[Points] = ((0.10, 0.0), (0.40, 0.40), (0.60, 0.70), (0.80, 1.0))
_SYMBOLS: Final[Points] = ((0.01, 1.0), (0.04, 0.65), (0.15, 0.46), (0.35, 0.0))
_SINGLE_LETTERS: Final[Points] = ((0.25, 1.0), (0.45, 0.45), (0.70, 0.0))
_REPEATED: Final[Points] = ((0.70, 1.0), (1.0, 0.5))

# A page in another language is no garbage: flagged, unless something else is wrong with it.
_FOREIGN: Final = 0.60


def quality(scores: PageScores, confidence: float | None) -> tuple[float, str]:
    """Quality of a page, 0 (garbage) to 1, and the name of the measure that decided it.

    Args:
        scores: measures of the page's text.
        confidence: mean confidence of the OCR engine, 0 to 1; None for native text.
    """
    parts = {
        "confidence": 1.0 if confidence is None else _on(_CONFIDENCE, confidence),
        "known_words": _words(scores),
        "symbols": _on(_SYMBOLS, scores.symbols),
        "single_letters": _on(_SINGLE_LETTERS, scores.single_letters),
        "repeated_lines": _on(_REPEATED, scores.repeated_lines),
    }
    worst = min(parts, key=lambda name: (parts[name], name))
    return parts[worst], worst


def _words(scores: PageScores) -> float:
    if scores.known_words is None:
        return 1.0
    value = _on(_KNOWN, scores.known_words)
    return max(value, _FOREIGN) if scores.foreign else value


def _on(points: Points, x: float) -> float:
    """The value at x of the line through the points, level outside them."""
    if x <= points[0][0]:
        return points[0][1]
    for (x0, y0), (x1, y1) in pairwise(points):
        if x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return points[-1][1]
