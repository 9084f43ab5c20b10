"""Text of page images: RapidOCR (its models are inside its package) or Tesseract, upright and with scores."""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from pipeline.config import LANGUAGES, ConfigError
from pipeline.parsing.geometry.ink import Word
from pipeline.parsing.print_seen import letters_in_lines, uncovered

if TYPE_CHECKING:
    from PIL.Image import Image

Pixels = NDArray[np.uint8]
DPI: Final = 200
_SURE: Final = 0.85  # mean score from which the page is taken to be upright
# Score of a line below which it is likely to be misread: Tesseract is less sure of lines that it reads right.
_DOUBTFUL: Final = {"rapidocr": 0.85, "tesseract": 0.65}
_TESSDATA: Final = ("/usr/share/tessdata", "/usr/local/share/tessdata", "/opt/homebrew/share/tessdata")
_TESSERACT_LANGUAGES: Final = {"tr": "tur", "de": "deu", "en": "eng"}


@dataclass(frozen=True)
class Line:
    """A recognised line: its text, box (left, top, right, bottom in pixels), score 0 to 1 and slope in radians."""

    text: str
    box: tuple[float, float, float, float]
    score: float
    slope: float = 0.0


@dataclass(frozen=True)
class Recognition:
    """The lines of an image after it was turned upright.

    Attributes:
        lines: in no particular order; boxes in pixels of the turned image.
        width: of the turned image, pixels.
        height: of the turned image, pixels.
        rotation: degrees clockwise by which the image was turned.
        score: mean score of the lines, weighted by their length; None without lines.
        measures: what the lines and the picture say about the reading; see `_measures`.
    """

    lines: tuple[Line, ...]
    width: int
    height: int
    rotation: int
    score: float | None
    measures: dict[str, float] = field(default_factory=dict[str, float])


def recognise(image: "Image", engine: str, languages: Sequence[str] = LANGUAGES) -> Recognition:
    """Read an image of a page.

    Args:
        image: of any mode; 150 to 300 dots per inch read best.
        engine: `rapidocr` or `tesseract`.
        languages: that the text may be in, of `tr`, `de`, `en`; Tesseract reads better for fewer, RapidOCR knows no languages.
    """
    pixels: Pixels = np.asarray(image.convert("RGB"))
    lines = read_lines(pixels, engine, languages)
    turns = 0
    if _score(lines) < _SURE or _mostly_upright_strips(lines):
        turns = quarter_turns(pixels)
        if turns:
            pixels = np.ascontiguousarray(np.rot90(pixels, -turns))
            lines = read_lines(pixels, engine, languages)
    score = round(_score(lines), 4) if lines else None
    height, width = pixels.shape[:2]
    level = _levelled(lines, width, height)
    measures = _measures(lines, pixels, _DOUBTFUL[engine]) | {"overlapping": _overlapping(level)}
    return Recognition(tuple(level), width, height, turns * 90, score, measures)


def read_lines(pixels: Pixels, engine: str, languages: Sequence[str] = LANGUAGES) -> list[Line]:
    """The lines of an image as it stands. Arguments: see `recognise`; pixels of shape (height, width, 3)."""
    return _tesseract(pixels, languages) if engine == "tesseract" else _rapidocr(pixels)


def words_of(recognition: Recognition, points_per_pixel: float) -> tuple[Word, ...]:
    """The words of recognised lines in points. Boxes of words inside a line are shared out by number of characters.

    Sizes are levelled to the usual height of the page's lines unless they differ clearly: heights of boxes are rough.
    """
    usual = median(line.box[3] - line.box[1] for line in recognition.lines) if recognition.lines else 0.0
    words: list[Word] = []
    for line in recognition.lines:
        x0, y0, x1, y1 = (value * points_per_pixel for value in line.box)
        ratio = (line.box[3] - line.box[1]) / usual
        size = usual * points_per_pixel * 0.72 * (1.0 if 0.7 < ratio < 1.3 else round(ratio * 3) / 3)
        step = (x1 - x0) / max(len(line.text), 1)
        start = 0
        for part in line.text.split(" "):
            if part:
                words.append(
                    Word(
                        part,
                        x0 + start * step,
                        y0,
                        x0 + (start + len(part)) * step,
                        y1,
                        max(round(size * 2) / 2, 1.0),
                    )
                )
            start += len(part) + 1
    return tuple(words)


def _score(lines: Sequence[Line]) -> float:
    total = sum(len(line.text) for line in lines)
    return sum(line.score * len(line.text) for line in lines) / total if total else 0.0


def _measures(lines: Sequence[Line], pixels: Pixels, doubtful: float) -> dict[str, float]:
    """What an engine's own score does not say.

    Returns:
        doubtful: share, 0 to 1, of the characters in lines that the engine is not sure of.
        uncovered: share, 0 to 1, of the letters seen on the picture that no line covers.
        letters_seen: their number.
        sideways: share, 0 to 1, of the lines of three characters or more that stand on end.
        short_lines: share, 0 to 1, of the lines that have one or two characters.
    """
    seen = letters_in_lines(pixels)
    boxes = np.array([line.box for line in lines], np.float32).reshape(-1, 4)
    characters = max(sum(len(line.text) for line in lines), 1)
    long = [line for line in lines if len(line.text) > 2]
    tall = sum(line.box[3] - line.box[1] > 1.5 * (line.box[2] - line.box[0]) for line in long)
    values = {
        "doubtful": sum(len(line.text) for line in lines if line.score < doubtful) / characters,
        "uncovered": uncovered(seen, boxes),
        "letters_seen": float(len(seen)),
        "sideways": tall / max(len(long), 1),
        "short_lines": 1 - len(long) / max(len(lines), 1),
    }
    return {name: round(value, 4) for name, value in values.items()}


def _overlapping(lines: Sequence[Line]) -> float:
    """Share, 0 to 1, of the lines whose middle lies in another line; they must be level."""
    if len(lines) < 2:
        return 0.0
    boxes = np.array([line.box for line in lines], np.float32)
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    within = (x[:, None] > boxes[:, 0]) & (x[:, None] < boxes[:, 2])
    within &= (y[:, None] > boxes[:, 1]) & (y[:, None] < boxes[:, 3])
    np.fill_diagonal(within, val=False)
    return round(float(within.any(axis=1).mean()), 4)


def _mostly_upright_strips(lines: Sequence[Line]) -> bool:
    """Whether most lines stand on end: the page was scanned sideways."""
    tall = sum(
        line.box[3] - line.box[1] > 1.5 * (line.box[2] - line.box[0]) for line in lines if len(line.text) > 2
    )
    return 2 * tall > len(lines)


def quarter_turns(pixels: Pixels) -> int:
    """Quarter turns clockwise that make the page upright: the long lines of each candidate are read and their scores compared."""
    boxes = _detected(pixels)
    if boxes is None or len(boxes) == 0:
        return 0
    widths = [_extent(box) for box in boxes]
    sideways = sum(height > 1.5 * width for width, height in widths) * 2 > len(widths)
    base = 1 if sideways else 0
    turned = np.ascontiguousarray(np.rot90(pixels, -base)) if base else pixels
    if base:
        boxes = _detected(turned)
        if boxes is None or len(boxes) == 0:
            return 0
    longest = sorted(range(len(boxes)), key=lambda n: -_extent(boxes[n])[0])[:6]
    crops = [_crop(turned, boxes[n]) for n in longest]
    upright = mean(_read_crop(crop) for crop in crops)
    upside_down = mean(_read_crop(np.ascontiguousarray(np.rot90(crop, 2))) for crop in crops)
    return base + 2 if upside_down > upright + 0.05 else base


def _extent(box: NDArray[np.float32]) -> tuple[float, float]:
    return float(np.ptp(box[:, 0])), float(np.ptp(box[:, 1]))


def _crop(pixels: Pixels, box: NDArray[np.float32]) -> Pixels:
    x0, y0 = np.maximum(box.min(axis=0).astype(int) - 2, 0)
    x1, y1 = box.max(axis=0).astype(int) + 3
    return np.ascontiguousarray(pixels[y0:y1, x0:x1])


def _levelled(lines: list[Line], width: int, height: int) -> list[Line]:
    """Lines of a page that was scanned aslant, moved as if it were straight. The slope is the median of the long lines'."""
    long = [line.slope for line in lines if line.box[2] - line.box[0] > 0.2 * width]
    slope = median(long) if long else 0.0
    if not 0.003 < abs(slope) < 0.35:
        return lines
    sine, cosine = math.sin(-slope), math.cos(-slope)
    thick = [_thickness(line) for line in lines]
    least = 0.4 * median(thick)
    levelled: list[Line] = []
    for line, thickness in zip(lines, thick, strict=True):
        x0, y0, x1, y1 = line.box
        x, y = (x0 + x1) / 2 - width / 2, (y0 + y1) / 2 - height / 2
        x, y = x * cosine - y * sine + width / 2, x * sine + y * cosine + height / 2
        tall = max(thickness, least)
        box = (x - (x1 - x0) / 2, y - tall / 2, x + (x1 - x0) / 2, y + tall / 2)
        levelled.append(Line(line.text, box, line.score))
    return levelled


def _thickness(line: Line) -> float:
    """Height of a line across its slope: its box is higher by what it rises."""
    x0, y0, x1, y1 = line.box
    sine, cosine = abs(math.sin(line.slope)), math.cos(line.slope)
    return max(((y1 - y0) * cosine - (x1 - x0) * sine) / (cosine**2 - sine**2), 1.0)


@cache
def _rapidocr_engine() -> Any:
    from rapidocr import RapidOCR

    threads = {
        "EngineConfig.onnxruntime.intra_op_num_threads": 1,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    }
    # Lines are found as well at 1280 pixels as at 3000, in half the time; read one by one they need no padding to the widest.
    sizes = {"Det.limit_type": "max", "Det.limit_side_len": 1280, "Rec.rec_batch_num": 1}
    # The gate must see doubtful lines; the default would drop everything below 0.5.
    return RapidOCR(params={"Global.log_level": "critical", "Global.text_score": 0.3, **threads, **sizes})


def _rapidocr(pixels: Pixels) -> list[Line]:
    found = _rapidocr_engine()(pixels, use_det=True, use_cls=False, use_rec=True)
    boxes, texts, scores = (getattr(found, name, None) for name in ("boxes", "txts", "scores"))
    if boxes is None or texts is None or scores is None:
        return []
    return [
        Line(" ".join(text.split()), _hull(quad), float(score), _slope(quad))
        for quad, text, score in zip(boxes, texts, scores, strict=True)
        if text.strip()
    ]


def _hull(quad: NDArray[np.float32]) -> tuple[float, float, float, float]:
    low, high = quad.min(axis=0), quad.max(axis=0)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def _slope(quad: NDArray[np.float32]) -> float:
    """Slope of the upper edge; the corners run clockwise from the top left."""
    return math.atan2(float(quad[1][1] - quad[0][1]), float(quad[1][0] - quad[0][0]))


def _detected(pixels: Pixels) -> Any:
    """Corners of the lines of an image, found at about a thousand pixels: enough to see which way they run."""
    step = max(1, max(pixels.shape[:2]) // 1000)
    small = np.ascontiguousarray(pixels[::step, ::step])
    boxes = _rapidocr_engine()(small, use_det=True, use_cls=False, use_rec=False).boxes
    return None if boxes is None else boxes * step


def _read_crop(crop: Pixels) -> float:
    if min(crop.shape[:2]) < 4:
        return 0.0
    found = _rapidocr_engine()(crop, use_det=False, use_cls=False, use_rec=True)
    scores = getattr(found, "scores", None)
    return float(mean(scores)) if scores else 0.0


def check_engine(engine: str) -> None:
    """Whether an OCR engine can work on this machine, before any document is tried.

    Raises:
        ConfigError: the engine is missing, with what to do about it.
    """
    if engine == "tesseract":
        _tesseract_place()


def installed_engines() -> tuple[str, ...]:
    """The OCR engines that can work on this machine."""
    try:
        check_engine("tesseract")
    except ConfigError:
        return ("rapidocr",)
    return ("rapidocr", "tesseract")


def engine_versions() -> tuple[str, ...]:
    """Names and versions of the engines and of Tesseract's languages: others may read the same picture otherwise."""
    from importlib.metadata import version

    try:
        place, chosen = _tesseract_place()
        files = [(name, Path(place, f"{name}.traineddata").stat().st_size) for name in chosen]
        tesseract = (f"tesserocr {version('tesserocr')}", *(f"{name} {size}" for name, size in files))
    except ConfigError:
        tesseract = ()
    return (*(f"{name} {version(name)}" for name in ("rapidocr", "opencv-python-headless")), *tesseract)


@cache
def _tesseract_place() -> tuple[str, list[str]]:
    """Folder of Tesseract's languages, and those of ours that it has."""
    try:
        import tesserocr
    except ImportError as error:
        raise ConfigError(
            "parsing.ocr = 'tesseract': needs the package tesserocr (pip install 'kesit[tesseract]')"
        ) from error
    # The wheel looks beside the program; distributions put the languages elsewhere.
    distribution = sorted(Path("/usr/share/tesseract-ocr").glob("*/tessdata"), reverse=True)
    for place in (os.environ.get("TESSDATA_PREFIX", ""), *map(str, distribution), *_TESSDATA):
        if place and Path(place).is_dir():
            path, present = tesserocr.get_languages(place)
            chosen = [language for language in _TESSERACT_LANGUAGES.values() if language in present]
            if chosen:
                return path, chosen
    wanted = ", ".join(_TESSERACT_LANGUAGES.values())
    raise ConfigError(
        f"parsing.ocr = 'tesseract': none of the languages {wanted} is installed; set TESSDATA_PREFIX if they are"
    )


@cache
def _tesseract_engine(languages: tuple[str, ...]) -> Any:
    import tesserocr

    path, present = _tesseract_place()
    wanted = [_TESSERACT_LANGUAGES[language] for language in languages]
    chosen = [name for name in wanted if name in present] or present
    return tesserocr.PyTessBaseAPI(path=path, lang="+".join(chosen), psm=tesserocr.PSM.AUTO)


def _tesseract(pixels: Pixels, languages: Sequence[str]) -> list[Line]:
    import tesserocr
    from PIL import Image

    api = _tesseract_engine(tuple(languages))
    api.ClearAdaptiveClassifier()  # what a page looks like must not change how the next one is read
    api.SetImage(Image.fromarray(pixels))
    api.SetSourceResolution(DPI)
    api.Recognize()
    iterator = api.GetIterator()
    lines: list[Line] = []
    if iterator is None:
        return lines
    for item in tesserocr.iterate_level(iterator, tesserocr.RIL.TEXTLINE):
        try:
            text = item.GetUTF8Text(tesserocr.RIL.TEXTLINE)
        except RuntimeError:  # a line without text
            continue
        box = item.BoundingBox(tesserocr.RIL.TEXTLINE)
        if text and text.strip() and box:
            left, top, right, bottom = map(float, box)
            lines.append(
                Line(
                    " ".join(text.split()),
                    (left, top, right, bottom),
                    item.Confidence(tesserocr.RIL.TEXTLINE) / 100,
                )
            )
    return lines
