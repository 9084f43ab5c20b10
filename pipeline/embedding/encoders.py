"""Encoders: strings to vectors, the same way for packaged models and for any sentence-transformers model."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from pipeline.embedding.sources import EncoderError, Source, find_source
from pipeline.tables.fingerprint import fingerprint
from pipeline.tables.vectors import searchable

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

# Raise it when vectors change for the same weights, prompts and strings.
CODE_VERSION: Final = "1"
# A step ends after so many batches or tokens: what a killed run loses is some seconds of a slow encoder.
_BATCHES_PER_STEP: Final = 8
_TOKENS_PER_STEP: Final = 32_768

Vectors = NDArray[np.float32]

TOO_LONG: Final = "too_long"
NO_VECTOR: Final = "no_vector"


@dataclass(frozen=True)
class Refusal:
    """Why a string has no vector: a reason code, and the sentence behind it."""

    reason: str
    detail: str


@dataclass(frozen=True)
class Step:
    """Some strings that are encoded.

    Attributes:
        places: their positions among those that were given.
        vectors: float32 (len(places), dims), each of length 1.
        share: share (0 to 1) of all tokens that are encoded by now.
    """

    places: list[int]
    vectors: Vectors
    share: float


class Encoder:
    """One embedding model.

    A packaged one loads its weights when a string is first encoded, and its tokenizer to count; any other is loaded whole, with torch,
    as soon as its limit, prompts, tokens or fingerprint are asked for.

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
        self, texts: Sequence[str], *, batch_size: int = 64, names: Sequence[str] | None = None
    ) -> Vectors:
        """Vectors of what is searched in.

        Args:
            texts: the strings, without prompt.
            batch_size: strings encoded at once on a GPU.
            names: what errors call the strings; their positions if not given.

        Returns:
            float32 (len(texts), dims), each of length 1.

        Raises:
            EncoderError: a string is blank, or longer than the model's limit, or its vector is zero or not finite.
        """
        return self._gathered(texts, self._steps(texts, batch_size=batch_size, names=names))

    def encode_in_steps(
        self,
        texts: Sequence[str],
        *,
        batch_size: int = 64,
        names: Sequence[str] | None = None,
        refused: dict[int, Refusal] | None = None,
    ) -> Iterator[Step]:
        """Like `encode_passages`, some strings at a time: the longest first, like lengths together.

        All strings are checked before the first is encoded. With `refused`, one that cannot be encoded stops nothing: it is in no
        step, and is added there under its position.
        """
        return self._steps(texts, batch_size=batch_size, names=names, refused=refused)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of what is searched for; otherwise like `encode_passages`."""
        return self._gathered(texts, self._steps(texts, queries=True))

    def _count(self, texts: Sequence[str], prompt: str) -> list[int]:
        return [len(ids) for ids in self._source.token_ids([prompt + text for text in texts])]

    def _gathered(self, texts: Sequence[str], steps: Iterator[Step]) -> Vectors:
        vectors = np.empty((len(texts), self.dims), np.float32)
        for step in steps:
            vectors[step.places] = step.vectors
        return vectors

    def _steps(
        self,
        texts: Sequence[str],
        *,
        queries: bool = False,
        batch_size: int = 64,
        names: Sequence[str] | None = None,
        refused: dict[int, Refusal] | None = None,
    ) -> Iterator[Step]:
        if not texts:
            return
        prompt = self._source.query_prompt if queries else self._source.passage_prompt
        called = names or [f"string {position}" for position in range(len(texts))]
        counts = np.asarray(self._count(texts, prompt), np.int64)
        unfit = self._unfit(texts, counts)
        self._refuse(unfit, called, refused)
        order = np.argsort(-counts, kind="stable")  # like lengths together: less padding
        order = order[~np.isin(order, list(unfit))]
        done = np.cumsum(np.maximum(counts[order], 1))
        start = 0
        while start < len(order):
            # Strings that begin within the step's tokens: at least one.
            within = int(np.searchsorted(done, (done[start - 1] if start else 0) + _TOKENS_PER_STEP)) + 1
            end = min(within, start + batch_size * _BATCHES_PER_STEP, len(order))
            places: list[int] = order[start:end].tolist()
            strings = [texts[place] for place in places]
            found = self._source.vectors([prompt + string for string in strings])
            if found is None:
                found = self._by_model(strings, prompt, batch_size, queries=queries)
            vectors = np.asarray(found, np.float32)
            usable = searchable(vectors)
            bad = [place for place, fine in zip(places, usable, strict=True) if not fine]
            self._refuse(
                dict.fromkeys(bad, Refusal(NO_VECTOR, "the vector is zero or not finite")), called, refused
            )
            places = [place for place, fine in zip(places, usable, strict=True) if fine]
            vectors = vectors[usable]
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            yield Step(places, vectors, float(done[end - 1] / done[-1]))
            start = end

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

    def _unfit(self, texts: Sequence[str], counts: NDArray[np.int64]) -> dict[int, Refusal]:
        """The strings that need not be tried, by position."""
        blank = [place for place, text in enumerate(texts) if not text.strip()]
        unfit = dict.fromkeys(blank, Refusal(NO_VECTOR, "nothing to encode, the string is blank"))
        long: list[int] = np.flatnonzero(counts > self.max_tokens).tolist()
        return unfit | {
            place: Refusal(
                TOO_LONG,
                f"longer than the model's limit of {self.max_tokens} tokens ({counts[place]} in {texts[place][:60]!r}…);"
                " nothing is cut off silently, lower chunking.max_tokens",
            )
            for place in long
        }

    def _refuse(
        self, found: Mapping[int, Refusal], names: Sequence[str], refused: dict[int, Refusal] | None
    ) -> None:
        """Note what cannot be encoded; an error where nobody notes it."""
        if refused is not None:
            refused |= found
        elif found:
            first = next(iter(found.values()))
            alike = [names[place] for place, each in found.items() if each.reason == first.reason]
            raise EncoderError(f"{self.name}: {_some(alike)}: {first.detail}")


class TokenCounter:
    """Counts tokens for several encoders at once: what fits it fits each of them.

    Args:
        encoders: the encoders that will read the strings; at least one.
    """

    def __init__(self, encoders: Sequence[Encoder]) -> None:
        self._encoders = encoders

    @property
    def name(self) -> str:
        """The encoders' names and fingerprints: chunks depend on them."""
        return "+".join(f"{encoder.slug}:{encoder.fingerprint[:12]}" for encoder in self._encoders)

    @property
    def limit(self) -> int:
        """The smallest of their limits, in tokens."""
        return min(encoder.max_tokens for encoder in self._encoders)

    def count(self, texts: Sequence[str]) -> list[int]:
        """The largest count that any of the encoders has, for each string."""
        return [max(counts) for counts in zip(*(e.count(texts) for e in self._encoders), strict=True)]


def load_encoder(model: str, base: Path | None = None) -> Encoder:
    """The encoder that the configuration calls `model`. Nothing is downloaded, and no model loaded yet.

    Args:
        model: `use-multilingual`, `e5-small`, `e5-small-int8`, a folder, or the id of a model in the local Hugging Face cache.
        base: where relative folders start; the working directory if not given.

    Raises:
        EncoderError: there is no such model on this machine.
    """
    return Encoder(model, find_source(model, base or Path.cwd()))


def token_counter(models: Sequence[str]) -> TokenCounter:
    """Counts tokens for all of the configured models. Packaged models need no torch for it; see `load_encoder`."""
    return TokenCounter([load_encoder(model) for model in models])


def _some(names: Sequence[str]) -> str:
    """At most three of the names."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
