"""The retrievers for LangChain and LlamaIndex with the real libraries."""

from datetime import date
from typing import Any

import pytest

from pipeline.config import RetrievalConfig
from pipeline.retrieval.query import Query, QueryError
from pipeline.retrieval.search import Searcher


@pytest.fixture
def searcher(make_table: Any, encoder: Any) -> Searcher:
    rows = [
        {"chunk_id": "open", "text": "The notice period is four weeks.", "parent_text": "§ 4 The notice period is four weeks."},
        {"chunk_id": "closed", "text": "The notice period of the board is ten weeks.", "acl_groups": ["board"]},
    ]  # fmt: skip
    return Searcher(
        make_table(rows), {"words": encoder}, RetrievalConfig(), build="green", today=lambda: date(2026, 6, 1)
    )


def test_langchain(searcher: Searcher) -> None:
    from langchain_core.documents import Document
    from langchain_core.runnables import RunnableLambda

    from pipeline.retrieval.langchain import KesitRetriever

    [document] = KesitRetriever(searcher=searcher).invoke("What is the notice period?")
    assert isinstance(document, Document)
    answer = searcher.search(Query("What is the notice period?")).as_json()
    assert document.page_content == "§ 4 The notice period is four weeks."
    assert document.metadata == answer["results"][0] | {"build": "green", "as_of": "2026-06-01"}
    board = KesitRetriever(searcher=searcher, groups=("board",), options={"k": 2})
    chain = board | RunnableLambda(lambda documents: sorted(document.id for document in documents))
    assert chain.invoke("notice period") == ["closed", "open"]
    assert [len(found) for found in board.batch(["notice period", "weeks"])] == [2, 2]
    with pytest.raises(QueryError, match="empty"):
        board.invoke(" ")
    with pytest.raises(QueryError, match="unknown key"):
        KesitRetriever(searcher=searcher, options={"where": "true"}).invoke("notice")


def test_langchain_options_cannot_widen_the_groups(searcher: Searcher) -> None:
    from pipeline.retrieval.langchain import KesitRetriever

    retriever = KesitRetriever(searcher=searcher, options={"groups": ("board",)})
    assert [document.id for document in retriever.invoke("notice period of the board")] == ["open"]


def test_llamaindex(searcher: Searcher) -> None:
    from llama_index.core.schema import MetadataMode

    from pipeline.retrieval.llamaindex import KesitRetriever

    [found] = KesitRetriever(searcher).retrieve("What is the notice period?")
    answer = searcher.search(Query("What is the notice period?")).as_json()
    assert found.score == pytest.approx(answer["results"][0]["score"], abs=1e-6)
    assert found.node.metadata == answer["results"][0] | {"build": "green", "as_of": "2026-06-01"}
    shown = found.node.get_content(MetadataMode.LLM)
    assert "§ 4 The notice period is four weeks." in shown
    assert "open.md" in shown
    assert "also_in" not in shown
    board = KesitRetriever(searcher, ("board",), k=2)
    assert {found.node.node_id for found in board.retrieve("notice period")} == {"closed", "open"}
    with pytest.raises(QueryError, match="empty"):
        board.retrieve(" ")
