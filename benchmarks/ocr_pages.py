"""Pages for the benchmark of OCR and the gate: born-digital, so that their text is known, printed and degraded in steps."""

import hashlib
import io
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from PIL import Image

from pipeline.parsing import ocr
from pipeline.parsing.geometry.ink import Ink, Word

DPI = 200
Grey = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass(frozen=True)
class PrintedPage:
    """A page whose text is known: its name, language, picture at 200 dpi and text."""

    name: str
    language: str
    picture: Grey
    text: str


@dataclass
class Scan:
    """A degraded page: what was done to it and how strongly, and its resolution."""

    page: PrintedPage
    kind: str
    level: str
    dpi: float
    draw: Callable[[], Grey]

    @cached_property
    def picture(self) -> Grey:
        """Drawn when it is looked at: degrading takes as long as judging."""
        return self.draw()


# ---- pages ---------------------------------------------------------------------------------------------------------


def printed_pages(samples: Path | None, estate: Path, per_language: int) -> list[PrintedPage]:
    """Pages in three languages, from the sample estate, statutes and contracts in turn; the same ones on every run."""
    pages: list[PrintedPage] = []
    for language in ("tr", "de", "en"):
        sources = [_estate_pages(estate, language)]
        if samples is not None:
            sources += [_statute_pages(samples, language), _article_pages(samples, language)]
        count = 0
        while sources and count < per_language:
            for source in list(sources):
                page = next(source, None)
                if page is None:
                    sources.remove(source)
                elif count < per_language:
                    pages.append(page)
                    count += 1
    return pages


def _estate_pages(estate: Path, language: str) -> Iterator[PrintedPage]:
    """Pages of born-digital PDFs of the sample estate, one a document."""
    from pipeline.language.detection import detect

    for file in sorted(estate.rglob("*.pdf"), key=lambda path: zlib.crc32(path.name.encode())):
        for page in pages_of(file.read_bytes(), f"estate/{file.name}", language, most=2):
            if detect([page.text])[0] == language:
                yield page
                break


def _statute_pages(samples: Path, language: str) -> Iterator[PrintedPage]:
    """Turkish and German statutes set in serif type; English contracts as they were filed."""
    if language == "en":
        for file in sorted((samples / "contracts_en").glob("*.pdf")):
            yield from list(pages_of(file.read_bytes(), f"contract/{file.stem[:12]}", language, most=4))[:1]
        return
    if language == "de":
        files = sorted((samples / "german_law/current").glob("*.md"))
        texts = [
            (file.stem, re.sub(r"^---.*?---|[#*>]+", "", file.read_text(), flags=re.DOTALL)) for file in files
        ]
    else:
        laws = sorted((samples / "turkish_law").glob("*.json"))
        texts = [
            (
                file.stem,
                "\n".join(each["content"] for each in json.loads(file.read_text())["provisions"][5:30]),
            )
            for file in laws
        ]
    for number, (name, text) in enumerate(texts):
        yield from pages_of(typeset(text, 9.5 + number % 3, serif=True), f"law/{name}", language, most=1)


def _article_pages(samples: Path, language: str) -> Iterator[PrintedPage]:
    """Paragraphs of encyclopedia articles, full of names and numbers."""
    file = next(iter(sorted((samples / "xquad").glob(f"*{language}*.json"))), None)
    if file is None:
        return
    articles = json.loads(file.read_text())["data"]
    for number, article in enumerate(articles):
        text = "\n".join(paragraph["context"] for paragraph in article["paragraphs"])
        yield from pages_of(
            typeset(text, 9 + number % 3, serif=bool(number % 2)), f"article/{number}", language, most=1
        )


def typeset(text: str, size: float, *, serif: bool) -> bytes:
    """One page of text as PDF, half as high as A4: reading costs by the line."""
    from reportlab.lib.utils import simpleSplit
    from reportlab.pdfgen.canvas import Canvas

    from pipeline.sample.fonts import SANS, SERIF, register_fonts

    register_fonts()
    font = SERIF if serif else SANS
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(595, 420), invariant=1)
    canvas.setFont(font, size)
    y = 365.0
    for paragraph in text.split("\n"):
        for line in simpleSplit(" ".join(paragraph.split()), font, size, 470):
            if y > 45:
                canvas.drawString(62, y, line)
            y -= 1.35 * size
    canvas.save()
    return buffer.getvalue()


def pages_of(data: bytes, name: str, language: str, *, most: int) -> Iterator[PrintedPage]:
    """Pages of running text of a PDF, drawn, with the text that it holds."""
    import pypdfium2

    from pipeline.config import ParsingConfig
    from pipeline.parsing.engines import engines_of
    from pipeline.parsing.geometry.ink import read_ink
    from pipeline.parsing.paged import read_all
    from pipeline.parsing.tree import finish

    engines = engines_of(ParsingConfig(max_pages=most, layout="geometry"))
    rows = finish(read_all("pdf", data, engines))
    document = pypdfium2.PdfDocument(data)
    for row in rows:
        text = text_in_rows(read_ink(document[row["page_no"] - 1]))
        tables = any(block["kind"] == "table" for block in row["blocks"])
        if row["source"] == "native" and 900 < len(text) < 2600 and not tables and not row["rotation"]:
            page = document[row["page_no"] - 1]
            picture = np.asarray(page.render(scale=DPI / 72, grayscale=True).to_pil())
            yield PrintedPage(f"{name}#{row['page_no']}", language, picture, text)


def text_in_rows(ink: Ink) -> str:
    """The words of a page row by row: what was read is compared, not the order of paragraphs that a reader makes of it."""
    rows: list[list[Word]] = []
    for word in sorted(ink.words, key=lambda word: (word.y0 + word.y1, word.x0)):
        middle = (word.y0 + word.y1) / 2
        if rows and middle < rows[-1][0].y0 + 0.75 * (rows[-1][0].y1 - rows[-1][0].y0):
            rows[-1].append(word)
        else:
            rows.append([word])
    return "\n".join(" ".join(word.text for word in sorted(row, key=lambda word: word.x0)) for row in rows)


# ---- degradations --------------------------------------------------------------------------------------------------


def _resolution(picture: Grey, dpi: float) -> Grey:
    size = (round(picture.shape[1] * dpi / DPI), round(picture.shape[0] * dpi / DPI))
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA)


def _blur(picture: Grey, sigma: float) -> Grey:
    return cv2.GaussianBlur(picture, (0, 0), sigma)


def _noise(picture: Grey, deviation: float) -> Grey:
    noise = np.random.default_rng(1).standard_normal(picture.shape, np.float32) * deviation
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def _skew(picture: Grey, degrees: float) -> Grey:
    image = Image.fromarray(picture).rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    return np.asarray(image)


def _turn(picture: Grey, degrees: float) -> Grey:
    return np.ascontiguousarray(np.rot90(picture, int(degrees) // 90))


def _jpeg(picture: Grey, quality: float) -> Grey:
    _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(quality)])
    return cv2.imdecode(data, cv2.IMREAD_GRAYSCALE)  # pyright: ignore[reportReturnType]


def _stains(picture: Grey, strength: float) -> Grey:
    rng = np.random.default_rng(2)
    layer = np.zeros(picture.shape, np.float32)
    height, width = picture.shape
    for _ in range(round(14 * strength)):
        centre = (int(rng.integers(width)), int(rng.integers(height)))
        cv2.circle(layer, centre, int(rng.integers(60, 220)), float(rng.uniform(80, 230) * strength), -1)
    layer = cv2.GaussianBlur(layer, (0, 0), 9)
    return np.clip(picture - layer, 0, 255).astype(np.uint8)


def _show_through(picture: Grey, strength: float) -> Grey:
    back = cv2.GaussianBlur(np.ascontiguousarray(picture[:, ::-1]), (0, 0), 1.2)
    back = np.roll(back, (37, 21), (0, 1))
    return np.clip(picture.astype(np.float32) - strength * (255.0 - back), 0, 255).astype(np.uint8)


def _faint(picture: Grey, contrast: float) -> Grey:
    return _noise((245.0 - contrast * (255.0 - picture)).astype(np.uint8), 6)


def _worn(picture: Grey, strength: float) -> Grey:
    """A copy of a copy of a fax: everything at once."""
    picture = _resolution(_skew(picture, 1.5 * strength), DPI / (1 + 0.7 * strength))
    picture = _blur(picture, 0.5 + 0.4 * strength)
    return _jpeg(
        _noise((250.0 - (1 - 0.2 * strength) * (255.0 - picture)).astype(np.uint8), 18 * strength), 35
    )


STEPS: dict[str, tuple[Callable[[Grey, float], Grey], tuple[float, ...]]] = {
    "dpi": (_resolution, (130, 90, 70, 55)),
    "blur": (_blur, (1.5, 2.6, 3.4, 4.4)),
    "noise": (_noise, (40, 90, 140)),
    "skew": (_skew, (2, 5, 12)),
    "rotation": (_turn, (90, 180, 270)),
    "JPEG": (_jpeg, (20, 8, 3)),
    "stains": (_stains, (0.5, 1.0)),
    "show-through": (_show_through, (0.35, 0.75)),
    "faint": (_faint, (0.3, 0.13, 0.06)),
    "worn copy": (_worn, (1.0, 2.0, 3.0)),
}


def scans_of(number: int, page: PrintedPage, *, every_level: bool = False) -> Iterator[Scan]:
    """The page as it is, and once degraded in every way: the levels take turns from page to page."""
    yield Scan(page, "clean", "200 dpi", DPI, lambda: page.picture)
    for place, (kind, (degrade, levels)) in enumerate(STEPS.items()):
        for level in levels if every_level else (levels[(number + place) % len(levels)],):
            dpi = {"dpi": level, "worn copy": DPI / (1 + 0.7 * level)}.get(kind, DPI)
            yield Scan(page, kind, f"{level:g}", dpi, partial(degrade, page.picture, level))


# ---- recognition, remembered ---------------------------------------------------------------------------------------


class NotRememberedError(Exception):
    """What is asked for was not read before."""


def remember_recognition(folder: Path, *, only_known: bool = False) -> None:
    """Let OCR look up in a folder what it read before: pictures are the same on every run, and reading takes seconds.

    Args:
        folder: of one small file for each picture and engine.
        only_known: raise NotRememberedError for what would have to be read.
    """
    folder.mkdir(parents=True, exist_ok=True)
    read, turns = ocr.read_lines, ocr.quarter_turns

    def remembered(name: str, compute: Callable[[], Any]) -> Any:
        file = folder / f"{name}.json"
        if not file.exists():
            if only_known:
                raise NotRememberedError(name)
            part = file.with_suffix(".part")
            part.write_text(json.dumps(compute()))
            part.rename(file)
        return json.loads(file.read_text())

    def read_lines(pixels: ocr.Pixels, engine: str, languages: Any = ("tr", "de", "en")) -> list[ocr.Line]:
        name = "+".join(languages) if engine == "tesseract" else ""
        found = remembered(
            f"{_key(pixels)}-{engine}{name}",
            lambda: [
                [line.text, line.box, line.score, line.slope] for line in read(pixels, engine, languages)
            ],
        )
        return [ocr.Line(text, tuple(box), score, slope) for text, box, score, slope in found]

    def quarter_turns(pixels: ocr.Pixels) -> int:
        return remembered(f"{_key(pixels)}-turns", lambda: turns(pixels))

    ocr.read_lines, ocr.quarter_turns = read_lines, quarter_turns


def _key(pixels: ocr.Pixels) -> str:
    return hashlib.sha256(repr(pixels.shape).encode() + pixels.tobytes()).hexdigest()[:24]
