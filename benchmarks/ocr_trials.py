"""Trials of OCR and the gate: each degraded page read, judged and compared with its text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ocr_pages import NotRememberedError, PrintedPage, Scan, scans_of, text_in_rows
from parsing_scores import plain
from PIL import Image
from rapidfuzz.distance import Levenshtein

from pipeline.gate.judgement import TESSERACT_DOUBT, Judgement, judge
from pipeline.gate.quality import PictureScores, deficits
from pipeline.gate.scores import PageScores
from pipeline.gate.second_pass import Ask, Tried, read_poor_pages_again
from pipeline.parsing.readers.pdf import assemble, scanned
from pipeline.parsing.restoration import restored
from pipeline.parsing.tree import finish

EXPECTED = ("de", "en", "tr")
_HYPHEN = re.compile(r"(?<=\w)-\s+(?=[a-zäöüßçğış])")


@dataclass
class Trial:
    """One reading of one degraded page; `again`: after the second pass. Errors are shares of the text's characters."""

    scan: Scan
    engine: str
    held_out: bool
    first: Tried
    error: float
    text: str
    measures: dict[str, float] = field(default_factory=dict[str, float])
    again: Tried | None = None
    error_again: float = 0.0

    @property
    def quality(self) -> float:
        """Quality of the first reading."""
        return self.first.judgement.quality


def normal(text: str) -> str:
    """A text as it is compared: white space, quotes, dashes and hyphens at line ends do not count."""
    return _HYPHEN.sub("", plain(text))


def error_rate(found: str, truth: str) -> float:
    """Character error rate: edit distance by the length of the truth; at most 1."""
    truth = normal(truth)
    return min(1.0, Levenshtein.distance(normal(found), truth) / max(len(truth), 1))


def languages_for(engine: str, language: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((language, "en"))) if engine == "tesseract" else EXPECTED


def row_of(scan: Scan, engine: str, languages: Sequence[str], preprocessing: str = "none") -> dict[str, Any]:
    """The scan as a row of parsed pages."""
    image = Image.fromarray(scan.picture)
    better = restored(image, preprocessing)
    points = 72 / scan.dpi * image.width / better.width
    sheet = scanned(1, better, points, engine, layout="geometry", languages=languages)
    row = finish(assemble([sheet]))[0] | {"text": text_in_rows(sheet.ink)}
    return row | {"doc_id": "d", "version_id": "v", "language_hint": None}


def trials(
    pages: Sequence[PrintedPage], engines: Sequence[str], flag_below: float, *, second_pass: bool
) -> Iterator[Trial]:
    """All scans of all pages by all engines. Every other page of a language is held out of the calibration."""
    place: dict[str, int] = {}
    for number, page in enumerate(pages):
        place[page.language] = place.get(page.language, -1) + 1
        for scan in scans_of(number, page):
            for engine in engines:
                try:
                    row = row_of(scan, engine, languages_for(engine, page.language))
                except NotRememberedError:
                    continue
                found = judge(row, EXPECTED, None)
                text = row["text"]
                tried = Tried.first(row, EXPECTED, found, flag_below)
                trial = Trial(
                    scan, engine, place[page.language] % 2 == 1, tried, error_rate(text, page.text), text,
                    measures_of(found, engine),
                )  # fmt: skip
                if second_pass and engine == engines[0]:
                    _again(trial, engines)
                yield trial


def _again(trial: Trial, engines: Sequence[str]) -> None:
    page, scan = trial.first, trial.scan
    copy = Tried.first(page.page, EXPECTED, page.judgement, page.enough)

    def reread(asks: Sequence[Ask]) -> list[dict[str, Any]]:
        return [row_of(scan, a.reading.engine, a.reading.languages, a.reading.preprocessing) for a in asks]

    try:
        read_poor_pages_again([copy], trial.engine, engines, reread)
    except NotRememberedError:
        return
    trial.again = copy
    trial.error_again = error_rate(copy.best["text"], scan.page.text)


def measures_of(found: Judgement, engine: str) -> dict[str, float]:
    """What the expected error is computed from."""
    scores = found.scores
    doubt = (1.0 - (scores["confidence"] or 0.0)) * (TESSERACT_DOUBT if engine == "tesseract" else 1.0)
    text = PageScores(
        scores["known_words"], scores["symbols"], scores["single_letters"], scores["repeated_lines"], False, 0
    )
    names = ("doubtful", "short_lines")
    picture = PictureScores(confidence=1.0 - doubt, **{name: scores[name] or 0.0 for name in names})
    return deficits(text, picture) | {"uncovered": scores["uncovered"] or 0.0}


def real_scans(folder: Path) -> Iterator[tuple[str, str, Scan]]:
    """Page images with the text that a person read beside them: name, language, scan."""
    import numpy as np

    for image in sorted(path for path in folder.rglob("*") if path.suffix in (".png", ".jpg", ".tif")):
        truth = truth_of(image)
        if truth is None:
            continue
        language = "de" if "de_" in image.parent.name else "en"
        opened = Image.open(image)
        dpi = float(opened.info.get("dpi", (200, 200))[0])
        picture = np.asarray(opened.convert("L"))
        page = PrintedPage(image.name, language, picture, truth.read_text())
        yield (
            image.name,
            language,
            Scan(page, "real", "", dpi if 70 <= dpi <= 1200 else 200.0, partial(np.asarray, picture)),
        )


def truth_of(image: Path) -> Path | None:
    """The file with the text of an image, beside it."""
    candidates = [image.with_suffix(suffix) for suffix in (".gt.txt", ".derived.gt.txt", ".txt")]
    beside = sorted(image.parent.glob("*.gt.txt"))
    only = beside if len(beside) == 1 else []
    return next((path for path in [*candidates, *only] if path.exists()), None)
