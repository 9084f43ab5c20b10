"""From measures to one number: the quality of a page, and the measure that decided it.

The quality says how much of the page is likely to be wrong: 1 at no error, 0.70 where one character in ten is expected to be
misread, 0.45 where it is one in five. For pages read by OCR the expected error comes from a fractional logistic regression (Papke,
Wooldridge 1996) of the true error of degraded pages on their measures, with coefficients that cannot be negative: no measure
gets better by getting worse. `benchmarks/ocr.py --calibrate` fits them. Faults that degrading a page does not bring about (broken
encodings, letters apart, lines read twice) pull the quality down along a line through a few points each, and for text that
nobody recognised they and the known words are all there is. The quality is that of the worst of these.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp
from typing import Final

from pipeline.gate.scores import PageScores

Points = Sequence[tuple[float, float]]

_ERROR: Final[Points] = ((0.0, 1.0), (0.02, 0.95), (0.10, 0.70), (0.20, 0.45), (0.40, 0.0))
_KNOWN: Final[Points] = ((0.10, 0.0), (0.40, 0.40), (0.60, 0.70), (0.80, 1.0))
_CONFIDENCE: Final[Points] = ((0.55, 0.0), (0.75, 0.44), (0.85, 0.69), (0.90, 1.0))
_KNOWN_READ: Final[Points] = ((0.10, 0.0), (0.40, 0.44), (0.68, 0.69), (0.80, 1.0))
_SYMBOLS: Final[Points] = ((0.01, 1.0), (0.04, 0.65), (0.15, 0.46), (0.35, 0.0))
_SINGLE_LETTERS: Final[Points] = ((0.25, 1.0), (0.45, 0.45), (0.70, 0.0))
_REPEATED: Final[Points] = ((0.70, 1.0), (1.0, 0.5))
_OVERLAPPING: Final[Points] = ((0.30, 1.0), (0.80, 0.4))
_SIDEWAYS: Final[Points] = ((0.30, 1.0), (0.80, 0.4))

# Log-odds of a character being wrong: where nothing speaks against the page, and for each measure at its worst.
WITH_WORDS: Final[Mapping[str, float]] = {
    "": -3.92, "confidence": 0.0, "doubtful": 2.96, "known_words": 3.93, "short_lines": 0.43,
}  # fmt: skip
WITHOUT_WORDS: Final[Mapping[str, float]] = {
    "": -3.63, "confidence": 0.0, "doubtful": 5.13, "short_lines": 0.0,
}  # fmt: skip
"""For pages of too few words to tell how many are known."""

# A page in another language is no garbage: flagged, unless something else is wrong with it.
_FOREIGN: Final = 0.60


@dataclass(frozen=True)
class PictureScores:
    """What OCR says about the picture of a page; all 0 to 1, see `PARSE_SCORES`.

    Attributes:
        confidence: mean confidence of the engine.
        doubtful: share of the characters in lines that it is not sure of.
        uncovered: share of the letters seen that no line covers.
        sideways: share of the lines that stand on end.
        short_lines: share of the lines of one or two characters.
        overlapping: share of the lines that lie on another.
    """

    confidence: float = 1.0
    doubtful: float = 0.0
    uncovered: float = 0.0
    sideways: float = 0.0
    short_lines: float = 0.0
    overlapping: float = 0.0


def quality(scores: PageScores, picture: PictureScores | None, *, exact: bool = False) -> tuple[float, str]:
    """Quality of a page, 0 (garbage) to 1, and the name of the measure that decided it; "" when none speaks against it.

    Args:
        scores: measures of the page's text.
        picture: measures of its picture; None for text that was not recognised.
        exact: the characters are those of the file (a table of values, a workbook, code): a text of numbers, formulas or hashes
            is no worse than one of words, and only characters that came out broken speak against it.
    """
    if exact:
        value = _on(_SYMBOLS, scores.broken)
        return value, "symbols" if value < 1.0 else ""
    parts = {
        "symbols": _on(_SYMBOLS, scores.symbols),
        "single_letters": _on(_SINGLE_LETTERS, scores.single_letters),
        "repeated_lines": _on(_REPEATED, scores.repeated_lines),
    }
    if picture is None:
        parts["known_words"] = _words(scores)
    else:
        read, worst = _recognised(scores, picture)
        # Either by itself is enough to doubt a page: words that an engine makes up are known, and it is sure of letters
        # that its language lacks.
        parts["confidence"] = _on(_CONFIDENCE, picture.confidence)
        if scores.known_words is not None and not scores.foreign:
            parts["known_words"] = _on(_KNOWN_READ, scores.known_words)
        parts[worst] = min(read, parts.get(worst, 1.0))
        parts["overlapping"] = _on(_OVERLAPPING, picture.overlapping)
        parts["sideways"] = _on(_SIDEWAYS, picture.sideways)
        if scores.foreign:
            parts["known_words"] = min(_FOREIGN, parts.get("known_words", 1.0))
    worst = min(parts, key=lambda name: (parts[name], name))
    return parts[worst], worst if parts[worst] < 1.0 else ""


def deficits(scores: PageScores, picture: PictureScores) -> dict[str, float]:
    """The measures that the expected error is computed from, each turned so that 0 is best and 1 worst."""
    found = {
        "confidence": 1.0 - picture.confidence,
        "doubtful": picture.doubtful,
        "short_lines": picture.short_lines,
    }
    if scores.known_words is not None and not scores.foreign:
        found["known_words"] = 1.0 - scores.known_words
    return found


def expected_error(found: Mapping[str, float]) -> tuple[float, str]:
    """Share of the characters that is expected to be wrong, 0 to 1, and the measure that adds most to it ("": none adds).

    Args:
        found: from `deficits`.
    """
    weights = WITH_WORDS if "known_words" in found else WITHOUT_WORDS
    added = {name: weights[name] * value for name, value in found.items()}
    worst = max(added, key=lambda name: (added[name], name))
    worst = worst if added[worst] > 0 else ""
    return 1.0 / (1.0 + exp(-(weights[""] + sum(added.values())))), worst


def _recognised(scores: PageScores, picture: PictureScores) -> tuple[float, str]:
    error, worst = expected_error(deficits(scores, picture))
    if picture.uncovered > error:
        worst = "uncovered"
    # What was not read is wrong as well.
    return _on(_ERROR, 1.0 - (1.0 - error) * (1.0 - picture.uncovered)), worst


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
