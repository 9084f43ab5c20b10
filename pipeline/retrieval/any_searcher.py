"""What an application asks of a searcher, whether that stays with one build or follows what is live."""

from typing import Protocol

from pipeline.retrieval.answer import Answer
from pipeline.retrieval.query import Query


class AnySearcher(Protocol):
    """A `Searcher`, or what `follow_live` gives."""

    def search(self, query: Query, /) -> Answer:
        """The answer to one question."""
        ...
