"""A searcher over a table of the tests' own, on a fixed day."""

from datetime import date
from typing import Any

from pipeline.config import RetrievalConfig
from pipeline.retrieval.search import Searcher

TODAY = date(2026, 6, 1)
CONFIG = RetrievalConfig()
WORDS = (
    "leave",
    "notice",
    "period",
    "salary",
    "budget",
    "contract",
    "party",
    "liability",
    "travel",
    "pension",
)


def searcher(table: Any, encoder: Any, **changes: Any) -> Searcher:
    config = CONFIG.model_copy(update=changes)
    return Searcher(table, {"words": encoder}, config, build="green", today=lambda: TODAY)


def ids(answer: Any) -> list[str]:
    return [result.chunk_id for result in answer.results]
