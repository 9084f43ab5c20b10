"""What the gate says about one reading of one page: its language, its measures, its quality, whether it is blank."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pipeline.config import UNKNOWN
from pipeline.gate.quality import PictureScores, quality
from pipeline.gate.scores import PageScores, score_text
from pipeline.language.detection import detect
from pipeline.parsing.tree import FORMAT

# Specks that a scanner left on an empty sheet are read as a few characters, with little confidence …
_SPECKS: Final = 12
_SPECK_CONFIDENCE: Final = 0.85
# … and a few of them happen to stand side by side, most on a sheet so full of noise that no character is found in it.
_SPECKS_SEEN: Final = 10
_NOISE_SEEN: Final = 30
# Tesseract doubts twice as much as RapidOCR for the same error.
TESSERACT_DOUBT: Final = 0.5
_PICTURE: Final = ("doubtful", "uncovered", "sideways", "short_lines", "overlapping")


@dataclass(frozen=True)
class Judgement:
    """What the gate says about a reading; `scores` as in the column of GATED_PAGES."""

    language: str
    scores: Mapping[str, Any]
    quality: float
    blank: bool


def judge(
    reading: Mapping[str, Any], expected: tuple[str, ...], hint: str | None, *, text: str | None = None
) -> Judgement:
    """Judge a reading of a page.

    Args:
        reading: `source`, `engine`, `engine_reason`, `scores` and `blocks` as in PARSED_PAGES.
        expected: languages that the page may be in.
        hint: the language that the page's document names.
        text: what stands on the page, where that is not what its blocks say; None: it is.
    """
    text = text_of(reading["blocks"]) if text is None else text
    measured: Mapping[str, Any] = reading["scores"] or {}
    scanned = reading["source"] == "ocr"
    picture = _picture(measured, reading["engine"]) if scanned else None
    language = _language(text, hint, expected)
    scores = score_text(text, expected if language == UNKNOWN else (language,))
    value, worst = quality(scores, picture, exact=not scanned and reading["engine_reason"] == FORMAT)
    figure = any(block["kind"] == "figure" for block in reading["blocks"])
    nothing = _is_nothing(scores, measured, figure=figure) if scanned else _is_empty(scores)
    if scanned and not nothing and scores.characters == 0:
        value, worst = 0.0, "uncovered"  # something is on the sheet and none of it could be read
    blank = nothing and not figure
    if nothing:
        value, worst = 1.0, ""
    columns = {
        "confidence": measured.get("ocr") if scanned else None,
        "known_words": scores.known_words,
        "symbols": scores.symbols,
        "single_letters": scores.single_letters,
        "repeated_lines": scores.repeated_lines,
        **{name: measured.get(name) if scanned else None for name in _PICTURE},
        "characters": scores.characters,
        "worst": worst,
    }
    return Judgement(language, columns, value, blank)


def text_of(blocks: Sequence[Mapping[str, Any]]) -> str:
    """Text and captions of a page's blocks, one line per line or block."""
    return "\n".join(f"{block['text'] or ''}\n{block['caption'] or ''}" for block in blocks)


def _picture(measured: Mapping[str, Any], engine: str) -> PictureScores:
    known = {name: float(measured[name]) for name in _PICTURE if measured.get(name) is not None}
    confidence = 1.0 if measured.get("ocr") is None else float(measured["ocr"])
    doubt = (1.0 - confidence) * (TESSERACT_DOUBT if engine.startswith("tesseract") else 1.0)
    return PictureScores(confidence=1.0 - doubt, **known)


def _is_empty(scores: PageScores) -> bool:
    """Whether there is no text; nothing but glyph numbers is some."""
    return scores.characters == 0 and scores.symbols <= 0.5


def goes_on(block: Mapping[str, Any]) -> bool:
    """Whether a block is a table over several pages."""
    return len(set(block["row_pages"])) > 1


def _is_nothing(scores: PageScores, measured: Mapping[str, Any], *, figure: bool) -> bool:
    """Whether there is nothing on a scanned sheet but pictures and what a scanner leaves there."""
    confidence, seen = measured.get("ocr"), measured.get("letters_seen")
    unsure = confidence is not None and confidence < _SPECK_CONFIDENCE
    if _is_empty(scores):
        if seen is None:
            return not figure
        return seen < _NOISE_SEEN
    if seen is not None:
        return unsure and seen < _SPECKS_SEEN
    return unsure and scores.characters <= _SPECKS and scores.known_words is None


def _language(text: str, hint: str | None, expected: tuple[str, ...]) -> str:
    """The page's language; of a page that says too little, the one its document names."""
    found = detect([text], expected)[0]
    return hint if found == UNKNOWN and hint in expected else found
