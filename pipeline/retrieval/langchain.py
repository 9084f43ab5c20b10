"""A LangChain retriever over a searcher. Needs the extra `langchain`; nothing else of Kesit imports this module."""

from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from pipeline.retrieval.query import Query, parse_query

if TYPE_CHECKING:
    from pipeline.retrieval.any_searcher import AnySearcher


class KesitRetriever(BaseRetriever):
    """Documents that answer a question, for one asker.

    Attributes:
        searcher: for example `follow_live(Workspace(load_config()))`, which goes on with the build that goes live next.
        groups: of the person who asks. They come from your application's login, never from the conversation: make a
            retriever for each person, it costs nothing.
        options: further fields of a `Query`: as_of, k, collections, classes, languages, include_low_confidence.
    """

    searcher: Any
    groups: tuple[str, ...] = ()
    options: dict[str, Any] = {}  # noqa: RUF012 - pydantic copies it for each retriever

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
    ) -> list[Document]:
        """What the reader gets of each result, best first, with its JSON as metadata.

        Raises:
            QueryError: the question or an option is not allowed; the message says what to change.
        """
        del run_manager
        searcher: AnySearcher = self.searcher
        asked = parse_query({"query": query, **self.options, "groups": self.groups}, Query("?"))
        answer = searcher.search(asked)
        return [
            Document(
                id=result.chunk_id,
                page_content=result.shown,
                metadata=result.as_json() | {"build": answer.build, "as_of": answer.as_of.isoformat()},
            )
            for result in answer.results
        ]
