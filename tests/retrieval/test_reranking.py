"""The cross-encoder, with a tiny model of random weights that the test saves itself."""

from pathlib import Path
from typing import Any

import pytest

from pipeline.config import RetrievalConfig
from pipeline.retrieval.query import Query
from pipeline.retrieval.reranking import (
    CrossEncoderReranker,
    MultiVectorReranker,
    RerankerError,
    load_reranker,
)
from pipeline.retrieval.search import Searcher

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "leave", "notice", "travel", "pension", "rule")


def save_model(folder: Path, labels: int = 1) -> None:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    folder.mkdir()
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(WORDS), hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=32, num_labels=labels, initializer_range=1.0,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(WORDS) + "\n")
    BertTokenizer(str(vocabulary), model_max_length=32).save_pretrained(folder)


@pytest.mark.slow
def test_a_local_cross_encoder_decides_the_order(tmp_path: Path, make_table: Any, encoder: Any) -> None:
    save_model(tmp_path / "model")
    reranker = CrossEncoderReranker(tmp_path / "model")
    texts = ["leave rule", "notice rule", "travel rule", "pension rule"]
    scores = reranker.scores("leave notice", texts)
    assert all(0 <= score <= 1 for score in scores)
    assert len(set(scores)) > 1
    assert reranker.scores("leave notice", texts[::-1]) == pytest.approx(scores[::-1])
    assert reranker.scores("leave", []) == []
    table = make_table([{"chunk_id": text, "text": text} for text in texts])
    answer = Searcher(table, {"words": encoder}, RetrievalConfig(), reranker=reranker).search(
        Query("leave notice")
    )
    ordered = sorted(zip(scores, texts, strict=True), key=lambda pair: (-pair[0], pair[1]))
    assert [result.text for result in answer.results] == [text for _, text in ordered]

    save_model(tmp_path / "three", labels=3)
    with pytest.raises(RerankerError, match="one label"):
        CrossEncoderReranker(tmp_path / "three").scores("leave", texts)


@pytest.mark.slow
def test_a_local_multi_vector_model_prefers_the_text_with_the_words_of_the_question(tmp_path: Path) -> None:
    from sentence_transformers import MultiVectorEncoder

    save_model(tmp_path / "plain")
    MultiVectorEncoder(str(tmp_path / "plain")).save_pretrained(str(tmp_path / "model"))
    reranker = load_reranker(tmp_path / "model")
    assert isinstance(reranker, MultiVectorReranker)
    texts = ["travel rule", "leave notice", "pension rule"]
    scores = reranker.scores("leave notice", texts)
    assert all(0 <= score <= 1 for score in scores)
    assert max(scores) == scores[1]
    assert reranker.scores("leave notice", texts[::-1]) == pytest.approx(scores[::-1])
    assert reranker.scores("leave", []) == []

    (tmp_path / "model" / "config_sentence_transformers.json").write_text("[")
    with pytest.raises(RerankerError, match=r"retrieval\.reranker.*config_sentence_transformers"):
        load_reranker(tmp_path / "model")
    save_model(tmp_path / "cross")
    assert isinstance(load_reranker(tmp_path / "cross"), CrossEncoderReranker)


def test_what_is_no_model_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(RerankerError, match=r"retrieval\.reranker.*no such folder"):
        load_reranker(tmp_path / "nowhere")
    with pytest.raises(RerankerError, match=r"retrieval\.reranker.*holds no model"):
        load_reranker(tmp_path)
