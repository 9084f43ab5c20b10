"""Text of page images: RapidOCR (its models are inside its package) or Tesseract, upright and with scores."""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from pipeline.config import ConfigError
from pipeline.parsing.geometry.ink import Word

if TYPE_CHECKING:
    from PIL.Image import Image

Pixels = NDArray[np.uint8]
DPI: Final = 200
_SURE: Final = 0.85  # mean score from which the page is taken to be upright
_TESSDATA: Final = ("/usr/share/tessdata", "/usr/local/share/tessdata", "/opt/homebrew/share/tessdata")
_TESSERACT_LANGUAGES: Final = ("tur", "deu", "eng")


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
    """

    lines: tuple[Line, ...]
    width: int
    height: int
    rotation: int
    score: float | None


def recognise(image: "Image", engine: str) -> Recognition:
    """Read an image of a page.

    Args:
        image: of any mode; 150 to 300 dots per inch read best.
        engine: `rapidocr` or `tesseract`.
    """
    pixels: Pixels = np.asarray(image.convert("RGB"))
    read = _tesseract if engine == "tesseract" else _rapidocr
    lines = read(pixels)
    turns = 0
    if _score(lines) < _SURE or _mostly_upright_strips(lines):
        turns = _turns(pixels)
        if turns:
            pixels = np.ascontiguousarray(np.rot90(pixels, -turns))
            lines = read(pixels)
    lines = _levelled(lines, pixels.shape[1], pixels.shape[0])
    return Recognition(
        tuple(lines), pixels.shape[1], pixels.shape[0], turns * 90, round(_score(lines), 4) if lines else None
    )


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


def _mostly_upright_strips(lines: Sequence[Line]) -> bool:
    """Whether most lines stand on end: the page was scanned sideways."""
    tall = sum(
        line.box[3] - line.box[1] > 1.5 * (line.box[2] - line.box[0]) for line in lines if len(line.text) > 2
    )
    return 2 * tall > len(lines)


def _turns(pixels: Pixels) -> int:
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
    levelled: list[Line] = []
    for line in lines:
        x0, y0, x1, y1 = line.box
        x, y = (x0 + x1) / 2 - width / 2, (y0 + y1) / 2 - height / 2
        x, y = x * cosine - y * sine + width / 2, x * sine + y * cosine + height / 2
        # The box of a sloping line is too high by what it rises.
        tall = max((y1 - y0) - abs(slope) * (x1 - x0), 0.4 * (y1 - y0))
        box = (x - (x1 - x0) / 2, y - tall / 2, x + (x1 - x0) / 2, y + tall / 2)
        levelled.append(Line(line.text, box, line.score))
    return levelled


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
            chosen = [language for language in _TESSERACT_LANGUAGES if language in present]
            if chosen:
                return path, chosen
    wanted = ", ".join(_TESSERACT_LANGUAGES)
    raise ConfigError(
        f"parsing.ocr = 'tesseract': none of the languages {wanted} is installed; set TESSDATA_PREFIX if they are"
    )


@cache
def _tesseract_engine() -> Any:
    import tesserocr

    path, languages = _tesseract_place()
    return tesserocr.PyTessBaseAPI(path=path, lang="+".join(languages), psm=tesserocr.PSM.AUTO)


def _tesseract(pixels: Pixels) -> list[Line]:
    import tesserocr
    from PIL import Image

    api = _tesseract_engine()
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
