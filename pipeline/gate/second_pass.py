"""The second pass: pages whose first reading is poor are read again, with their pictures restored and by the other engine.

A page is read in one way after another until it is good enough; of all its readings the best stands. So does the first one
when the others fail: a second look loses nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pipeline.config import UNKNOWN
from pipeline.gate.judgement import Judgement, goes_on, judge
from pipeline.parsing.again import Reading
from pipeline.parsing.errors import UNSUPPORTED, ParseError
from pipeline.parsing.restoration import CLEANED, ENLARGED, NONE
from pipeline.tables import columns as c

OTHER: Final[Mapping[str, str]] = {"rapidocr": "tesseract", "tesseract": "rapidocr"}

# Engines (True: the configured one) and what is done to the picture before.
_SCANNED: Final = ((True, CLEANED), (False, CLEANED), (True, ENLARGED))
_NATIVE: Final = ((True, NONE), (False, CLEANED))
_PICTURED: Final = ("geometry", "rapidocr", "tesseract")
"""Beginnings of the engine's name where a page has a picture that can be read."""


@dataclass(frozen=True)
class Ask:
    """A page of a version, and how it is to be read."""

    doc_id: str
    version_id: str
    reading: Reading


Answer = Mapping[str, Any] | ParseError
Reread = Callable[[Sequence[Ask]], Sequence[Answer]]
"""Reads pages from their pictures: rows as in `parsed_pages`, or why there is none; in the order of the questions."""


@dataclass
class Tried:
    """A page and its readings so far.

    Attributes:
        page: PARSED_PAGES row of the first reading, with the language hint of its document.
        expected: languages that it may be in.
        enough: quality from which on it is not read again.
        attempts: as in the column of GATED_PAGES.
        best: the best reading: a row as in `parsed_pages`.
        judgement: of the best reading.
        chosen: its position in `attempts`.
    """

    page: Mapping[str, Any]
    expected: tuple[str, ...]
    enough: float
    best: Mapping[str, Any]
    judgement: Judgement
    chosen: int = 0
    attempts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @classmethod
    def first(
        cls, page: Mapping[str, Any], expected: tuple[str, ...], judgement: Judgement, enough: float
    ) -> "Tried":
        """A page that was read once."""
        tried = cls(page, expected, enough, page, judgement)
        tried.attempts.append(_attempt(page[c.ENGINE], NONE, judgement.quality))
        return tried

    @property
    def is_poor(self) -> bool:
        """Whether another reading is worth its time."""
        if self.judgement.quality >= self.enough or not self.page[c.ENGINE].startswith(_PICTURED):
            return False
        return not any(map(goes_on, self.page[c.BLOCKS]))  # the other pages' rows would be lost

    def take(self, reading: Reading, answer: Answer) -> None:
        """Judge another reading, and keep it if it is better than those before."""
        if isinstance(answer, ParseError):
            if answer.reason != UNSUPPORTED:
                self.attempts.append(_attempt(reading.engine, reading.preprocessing, None, answer.reason))
            return
        found = judge(answer, self.expected, self.page[c.LANGUAGE_HINT])
        self.attempts.append(_attempt(answer[c.ENGINE], reading.preprocessing, found.quality))
        # A restored picture on which nothing is left says nothing about a page on which there was something.
        if found.quality > self.judgement.quality and not found.blank:
            self.best, self.judgement, self.chosen = answer, found, len(self.attempts) - 1


def read_poor_pages_again(
    tried: Sequence[Tried], engine: str, engines: Sequence[str], reread: Reread
) -> None:
    """Read the poor ones among the pages again; changes them.

    Args:
        tried: pages that were read once.
        engine: that was configured.
        engines: that are installed.
        reread: reads pages.
    """
    for step in range(max(len(_SCANNED), len(_NATIVE))):
        asked = [
            (page, reading)
            for page in tried
            if page.is_poor
            for reading in _reading(page, step, engine, engines)
        ]
        asks = [Ask(page.page[c.DOC_ID], page.page[c.VERSION_ID], reading) for page, reading in asked]
        for (page, reading), answer in zip(asked, reread(asks) if asks else (), strict=True):
            page.take(reading, answer)


def _reading(tried: Tried, step: int, engine: str, engines: Sequence[str]) -> Iterator[Reading]:
    """How a page is read at a step, if at all."""
    plan = _SCANNED if tried.page[c.SOURCE] == "ocr" else _NATIVE
    if step >= len(plan):
        return
    configured, preprocessing = plan[step]
    chosen = engine if configured else OTHER[engine]
    if chosen in engines:
        yield Reading(tried.page[c.PAGE_NO], chosen, preprocessing, _languages(tried))


def _languages(tried: Tried) -> tuple[str, ...]:
    """The page's language and English, whose words are everywhere; all expected ones if the page's is not known."""
    found = tried.judgement.language
    return tried.expected if found == UNKNOWN else tuple(dict.fromkeys((found, "en")))


def _attempt(engine: str, preprocessing: str, quality: float | None, error: str = "") -> dict[str, Any]:
    return {"engine": engine, "preprocessing": preprocessing, "quality": quality, "error": error}
