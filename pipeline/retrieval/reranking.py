"""The optional reranker: a cross-encoder reads question and candidate together, which no vector can."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from pipeline.config import UserError

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder


class RerankerError(UserError):
    """The reranker cannot be loaded. The message says what must be in the configuration."""


class Reranker(Protocol):
    """What a search asks of a reranker."""

    def scores(self, question: str, texts: Sequence[str], /) -> list[float]:
        """How well each text answers the question: from 0 to 1."""
        ...


class CrossEncoderReranker:
    """A sentence-transformers cross-encoder in a folder of this machine; loaded with the first question.

    Args:
        folder: where it lies.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def open(cls, folder: Path) -> Self:
        """The cross-encoder in a folder.

        Raises:
            RerankerError: there is no such folder, or no model in it. Nothing is downloaded.
        """
        if not (folder / "config.json").is_file():
            wrong = "holds no model (config.json)" if folder.is_dir() else "no such folder"
            raise RerankerError(
                f"retrieval.reranker = {str(folder)!r}: {wrong}; name one that holds a"
                " sentence-transformers cross-encoder, or leave it empty"
            )
        return cls(folder)

    @cached_property
    def _model(self) -> "CrossEncoder":
        from sentence_transformers import CrossEncoder

        try:
            return CrossEncoder(str(self._folder), local_files_only=True)
        except Exception as error:  # every module of the library may raise its own kind
            raise RerankerError(
                f"retrieval.reranker = {str(self._folder)!r}: cannot be loaded: {error}"
            ) from error

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
            raise RerankerError(
                f"retrieval.reranker = {str(self._folder)!r}: gives no single finite score for a pair of texts;"
                " it must be a cross-encoder with one label"
            )
        return scores.tolist()
