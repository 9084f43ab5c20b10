"""The tokenizer of a SentencePiece unigram model, rebuilt with the `tokenizers` library.

The file is a protocol buffer message `ModelProto` (sentencepiece_model.proto of github.com/google/sentencepiece): field 1
repeats the pieces (1: text, 2: score), field 3 is the normaliser (2: its compiled character map). Reading these three
needs neither the sentencepiece library nor generated classes.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BOS: Final = 1
EOS: Final = 2
UNKNOWN: Final = 0
METASPACE: Final = "▁"

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def read_model(path: Path) -> tuple[list[tuple[str, float]], bytes]:
    """The pieces with their scores (log probabilities), in order of their ids, and the normaliser's character map.

    Raises:
        ValueError: the file is not a SentencePiece model.
    """
    pieces: list[tuple[str, float]] = []
    charsmap = b""
    for field, value in _fields(path.read_bytes()):
        if field == 1:
            piece = dict(_fields(value))
            pieces.append((piece[1].decode(), struct.unpack("<f", piece[2])[0] if 2 in piece else 0.0))
        elif field == 3:
            charsmap = dict(_fields(value)).get(2, b"")
    if not pieces:
        raise ValueError(f"{path}: holds no SentencePiece pieces")
    return pieces, charsmap


def unigram_tokenizer(path: Path) -> "Tokenizer":
    """The tokenizer of a SentencePiece file, with `<s>` before and `</s>` after every string.

    Like SentencePiece itself, a run of unknown characters is one unknown token.
    """
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    pieces, charsmap = read_model(path)
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=UNKNOWN, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Precompiled(charsmap),
            normalizers.Replace(Regex(" {2,}"), " "),
            normalizers.Strip(),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(
        replacement=METASPACE, prepend_scheme="always", split=False
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", BOS), ("</s>", EOS)]
    )
    return tokenizer


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a protocol buffer message: number and raw value (empty for integers)."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == _VARINT:
            _, at = _varint(message, at)
            yield key >> 3, b""
            continue
        if kind == _BYTES:
            length, at = _varint(message, at)
        elif kind in (_FIXED32, _FIXED64):
            length = 4 if kind == _FIXED32 else 8
        else:
            raise ValueError(f"not a protocol buffer message: wire type {kind} at byte {at}")
        yield key >> 3, message[at : at + length]
        at += length


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at
