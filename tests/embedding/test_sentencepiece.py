"""Reading of a SentencePiece file, against one written by hand."""

import struct
from pathlib import Path

import pytest

from pipeline.embedding.sentencepiece import read_model


def _message(field: int, payload: bytes) -> bytes:
    return bytes([field << 3 | 2, len(payload)]) + payload


def test_pieces_scores_and_character_map(tmp_path: Path) -> None:
    piece = _message(1, "▁ağ".encode()) + bytes([2 << 3 | 5]) + struct.pack("<f", -1.5) + bytes([3 << 3, 1])
    trainer = _message(2, bytes([4 << 3, 0x80, 0x01]))
    path = tmp_path / "sp.model"
    path.write_bytes(_message(1, piece) + trainer + _message(3, _message(2, b"map")))
    assert read_model(path) == ([("▁ağ", -1.5)], b"map")


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sp.model"
    path.write_bytes(b"\x0f\x00")
    with pytest.raises(ValueError, match="wire type 7"):
        read_model(path)
    path.write_bytes(b"")
    with pytest.raises(ValueError, match="no SentencePiece pieces"):
        read_model(path)
