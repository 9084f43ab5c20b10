"""A LlamaIndex retriever over a searcher. Needs the extra `llamaindex`; nothing else of Kesit imports this module."""

from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import (
    NodeWithScore,
    QueryBundle,
    TextNode,
)

from pipeline.retrieval.any_searcher import AnySearcher
from pipeline.retrieval.query import Query, parse_query


class KesitRetriever(BaseRetriever):
    """Nodes that answer a question, for one asker.

    Args:
        searcher: for example `follow_live(Workspace(load_config()))`.
        groups: of the person who asks. They come from your application's login, never from the conversation: make a
            retriever for each person, it costs nothing.
        options: further fields of a `Query`: as_of, k, collections, classes, languages, include_low_confidence.
    """

    def __init__(self, searcher: AnySearcher, groups: tuple[str, ...] = (), **options: Any) -> None:
        super().__init__()
        self._searcher = searcher
        self._groups = groups
        self._options = options

    def _retrieve(
        self,
        query_bundle: QueryBundle,
    ) -> list[NodeWithScore]:
        """What the reader gets of each result, best first, with its JSON as metadata, of which a model is shown the citation.

        Raises:
            QueryError: the question or an option is not allowed; the message says what to change.
        """
        asked = parse_query(
            {"query": query_bundle.query_str, **self._options, "groups": self._groups}, Query("?")
        )
        answer = self._searcher.search(asked)
        nodes: list[NodeWithScore] = []
        for result in answer.results:
            metadata = result.as_json() | {"build": answer.build, "as_of": answer.as_of.isoformat()}
            cited = {"title", "section_path", "pages", "uri", "effective_date"}
            node = TextNode(
                id_=result.chunk_id,
                text=result.shown,
                metadata=metadata,
                excluded_llm_metadata_keys=sorted(metadata.keys() - cited),
            )
            nodes.append(NodeWithScore(node=node, score=result.score))
        return nodes
