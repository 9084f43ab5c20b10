"""Encoders: strings to vectors, the same way for packaged models and for any sentence-transformers model."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from pipeline.embedding.sources import EncoderError, Source, find_source
from pipeline.tables.fingerprint import fingerprint

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

# Raise it when vectors change for the same weights, prompts and strings.
CODE_VERSION: Final = "1"
# Strings between two reports of progress, in batches.
_BATCHES_PER_REPORT: Final = 8

Progress = Callable[[int, int], None]
Vectors = NDArray[np.float32]


class Encoder:
    """One embedding model. Nothing heavy is loaded before a string is encoded.

    On a CPU a vector does not depend on what else is encoded, so an incremental run equals a rebuild bit for bit: models
    whose batches mix strings get one string at a time (a chunk fills the cores by itself). On a GPU batches are
    used, and vectors may differ in their last bits.

    Args:
        name: how the configuration calls the model.
        source: where it comes from.
    """

    def __init__(self, name: str, source: Source) -> None:
        self._name = name
        self._source = source

    @property
    def name(self) -> str:
        """How the configuration calls the model."""
        return self._name

    @property
    def slug(self) -> str:
        """The name as part of a folder or column name: lower-case letters, digits and _."""
        return self._source.slug

    @property
    def dims(self) -> int:
        """Length of a vector."""
        return self._source.dims

    @property
    def max_tokens(self) -> int:
        """Longest string in tokens, prompt and special tokens included."""
        return self._source.max_tokens

    @cached_property
    def fingerprint(self) -> str:
        """Changes with the weights, the vectors' length, the prompts and the code."""
        source = self._source
        return fingerprint(
            "encoder", CODE_VERSION, source.identity, source.dims, source.passage_prompt, source.query_prompt
        )

    @cached_property
    def model(self) -> "SentenceTransformer":
        """The model itself. Loading takes seconds."""
        return self._source.model()

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of passages, prompt and special tokens included. Packaged encoders need no torch for it."""
        return self._count(texts, self._source.passage_prompt)

    def encode_passages(
        self,
        texts: Sequence[str],
        *,
        batch_size: int = 64,
        names: Sequence[str] | None = None,
        progress: Progress | None = None,
    ) -> Vectors:
        """Vectors of what is searched in.

        Args:
            texts: the strings, without prompt.
            batch_size: strings encoded at once on a GPU.
            names: what errors call the strings; their positions if not given.
            progress: called with how many are done and how many there are.

        Returns:
            float32 (len(texts), dims), each of length 1.

        Raises:
            EncoderError: a string is blank, or longer than the model's limit, or its vector is zero or not finite.
        """
        return self._encode(texts, queries=False, batch_size=batch_size, names=names, progress=progress)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of what is searched for; otherwise like `encode_passages`."""
        return self._encode(texts, queries=True, batch_size=64)

    def _count(self, texts: Sequence[str], prompt: str) -> list[int]:
        return [len(ids) for ids in self._source.token_ids([prompt + text for text in texts])]

    def _encode(
        self,
        texts: Sequence[str],
        *,
        queries: bool,
        batch_size: int,
        names: Sequence[str] | None = None,
        progress: Progress | None = None,
    ) -> Vectors:
        if not texts:
            return np.empty((0, self.dims), np.float32)
        prompt = self._source.query_prompt if queries else self._source.passage_prompt
        called = names or [f"string {position}" for position in range(len(texts))]
        counts = np.asarray(self._count(texts, prompt), np.int64)
        self._check_strings(texts, counts, called)
        vectors = np.empty((len(texts), self.dims), np.float32)
        order = np.argsort(-counts, kind="stable")  # like lengths together: less padding
        step = batch_size * _BATCHES_PER_REPORT
        for start in range(0, len(texts), step):
            chosen: list[int] = order[start : start + step].tolist()
            strings = [texts[position] for position in chosen]
            found = self._source.vectors([prompt + string for string in strings])
            vectors[chosen] = (
                self._by_model(strings, prompt, batch_size, queries=queries) if found is None else found
            )
            if progress is not None:
                progress(min(start + step, len(texts)), len(texts))
        return self._normalised(vectors, called)

    def _by_model(self, texts: Sequence[str], prompt: str, batch_size: int, *, queries: bool) -> Vectors:
        model: Any = self.model
        encode: Callable[..., Vectors] = model.encode_query if queries else model.encode_document
        alone = not self._source.batches_apart and model.device.type == "cpu"
        return encode(
            list(texts),
            prompt=prompt,
            batch_size=1 if alone else batch_size,
            show_progress_bar=False,
            convert_to_numpy=True,
        )

    def _check_strings(self, texts: Sequence[str], counts: NDArray[np.int64], names: Sequence[str]) -> None:
        blank = [name for name, text in zip(names, texts, strict=True) if not text.strip()]
        if blank:
            raise EncoderError(f"{self.name}: {_some(blank)}: nothing to encode, the string is blank")
        long: list[int] = np.flatnonzero(counts > self.max_tokens).tolist()
        if long:
            first = long[0]
            raise EncoderError(
                f"{self.name}: {_some([names[position] for position in long])}: longer than the model's limit of"
                f" {self.max_tokens} tokens ({counts[first]} in {texts[first][:60]!r}…); nothing is cut off silently,"
                " lower chunking.max_tokens"
            )

    def _normalised(self, vectors: Vectors, names: Sequence[str]) -> Vectors:
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        usable = np.isfinite(norms[:, 0]) & (norms[:, 0] > np.finfo(np.float32).tiny)
        bad: list[int] = np.flatnonzero(~usable).tolist()
        if bad:
            raise EncoderError(
                f"{self.name}: {_some([names[p] for p in bad])}: the vector is zero or not finite"
            )
        return vectors / norms


class TokenCounter:
    """Counts tokens for several encoders at once: what fits it fits each of them.

    Args:
        encoders: the encoders that will read the strings; at least one.

    Attributes:
        name: the encoders' names and fingerprints: chunks depend on them.
        limit: the smallest of their limits, in tokens.
    """

    def __init__(self, encoders: Sequence[Encoder]) -> None:
        self._encoders = encoders
        self.name = "+".join(f"{encoder.slug}:{encoder.fingerprint[:12]}" for encoder in encoders)
        self.limit = min(encoder.max_tokens for encoder in encoders)

    def count(self, texts: Sequence[str]) -> list[int]:
        """The largest count that any of the encoders has, for each string."""
        return [max(counts) for counts in zip(*(e.count(texts) for e in self._encoders), strict=True)]


def load_encoder(model: str, base: Path | None = None) -> Encoder:
    """The encoder that the configuration calls `model`. Nothing is downloaded, and nothing heavy loaded yet.

    Args:
        model: `use-multilingual`, `e5-small`, a folder, or the id of a model in the local Hugging Face cache.
        base: where relative folders start; the working directory if not given.

    Raises:
        EncoderError: there is no such model on this machine.
    """
    return Encoder(model, find_source(model, base or Path.cwd()))


def token_counter(models: Sequence[str], base: Path | None = None) -> TokenCounter:
    """Counts tokens for all of the configured models. Packaged models need no torch for it; see `load_encoder`."""
    return TokenCounter([load_encoder(model, base) for model in models])


def _some(names: Sequence[str]) -> str:
    """At most three of the names."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
