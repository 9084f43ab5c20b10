"""The optional reranker: it compares question and candidate word by word, which one vector cannot.

A cross-encoder reads both together; a multi-vector model (late interaction, like ColBERT) compares a vector for each token.
"""

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from pipeline.config import UserError

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder, MultiVectorEncoder

_MULTI_VECTOR: Final = {
    "MultiVectorEncoder",
    "ColBERT",
}  # kinds of model in config_sentence_transformers.json


class RerankerError(UserError):
    """The reranker cannot be loaded. The message says what must be in the configuration."""


class Reranker(Protocol):
    """What a search asks of a reranker."""

    def scores(self, question: str, texts: Sequence[str], /) -> list[float]:
        """How well each text answers the question: from 0 to 1."""
        ...


def load_reranker(folder: Path) -> Reranker:
    """The reranker in a folder of this machine, of the kind that it says it is; a cross-encoder if it says nothing.

    Raises:
        RerankerError: there is no such folder, no model in it, or its description cannot be read. Nothing is downloaded.
    """
    description = folder / "config_sentence_transformers.json"
    try:
        kind = json.loads(description.read_text(encoding="utf-8")).get("model_type", "")
    except FileNotFoundError:
        kind = ""
    except (OSError, ValueError, AttributeError) as error:
        raise RerankerError(f"retrieval.reranker = {str(folder)!r}: {description.name}: {error}") from error
    if kind in _MULTI_VECTOR:
        return MultiVectorReranker(folder)
    if not (folder / "config.json").is_file():
        wrong = "holds no model (config.json)" if folder.is_dir() else "no such folder"
        raise RerankerError(
            f"retrieval.reranker = {str(folder)!r}: {wrong}; name one that holds a sentence-transformers"
            " cross-encoder or multi-vector model, or leave it empty"
        )
    return CrossEncoderReranker(folder)


class _InFolder:
    """What both kinds share: a folder of this machine, the model in it, and errors that name the setting.

    Args:
        folder: where it lies.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def _loaded(self, load: Callable[[str], Any]) -> Any:
        try:
            return load(str(self._folder))
        except Exception as error:  # every module of the library may raise its own kind
            raise self._error(f"cannot be loaded: {error}") from error

    def _error(self, wrong: str) -> RerankerError:
        return RerankerError(f"retrieval.reranker = {str(self._folder)!r}: {wrong}")


class MultiVectorReranker(_InFolder):
    """A sentence-transformers multi-vector model in a folder of this machine; loaded with the first question."""

    @cached_property
    def _model(self) -> "MultiVectorEncoder":
        from sentence_transformers import MultiVectorEncoder

        return self._loaded(
            lambda folder: MultiVectorEncoder(folder, local_files_only=True, similarity_fn_name="meanmaxsim")
        )

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """From 0 to 1: the mean over the question's tokens of the best cosine that the text has for each."""
        if not texts:
            return []
        model: Any = self._model
        asked = model.encode_query([question], show_progress_bar=False)
        # One text at a time, so that a score depends on nothing else in the list.
        found = [
            float(model.similarity(asked, model.encode_document([text], show_progress_bar=False))[0][0])
            for text in texts
        ]
        scores = (1 + np.clip(np.asarray(found, np.float64), -1, 1)) / 2
        if not np.isfinite(scores).all():
            raise self._error("gives no finite scores")
        return scores.tolist()


class CrossEncoderReranker(_InFolder):
    """A sentence-transformers cross-encoder in a folder of this machine; loaded with the first question."""

    @cached_property
    def _model(self) -> "CrossEncoder":
        from sentence_transformers import CrossEncoder

        return self._loaded(lambda folder: CrossEncoder(folder, local_files_only=True))

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """From 0 to 1. One pair at a time, so that a score depends on nothing else in the list."""
        from torch import sigmoid

        if not texts:
            return []
        model: Any = self._model
        found = model.predict(
            [(question, text) for text in texts],
            batch_size=1,
            activation_fn=sigmoid,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        scores = np.asarray(found, np.float64)
        if scores.ndim != 1 or not np.isfinite(scores).all():
            raise self._error(
                "gives no single finite score for a pair of texts; it must be a cross-encoder with one label"
            )
        return scores.tolist()
