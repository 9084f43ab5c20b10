"""Print seen without being read: letters counted, and the share that no line covers."""

import numpy as np
import pytest

from pipeline.parsing.print_seen import letters_in_lines, uncovered
from tests.gate.scans import SENTENCES, picture


def test_letters_are_counted():
    seen = len(letters_in_lines(np.asarray(picture())))
    letters = sum(char.isalpha() for sentence in SENTENCES for char in sentence)
    assert 0.85 * letters < seen < 1.15 * letters


@pytest.mark.parametrize("contrast", [1.0, 0.3, 0.1])
def test_faint_print_is_seen(contrast):
    grey = 240 - contrast * (255 - np.asarray(picture(), np.float32))
    assert len(letters_in_lines(grey.astype(np.uint8))) > 200


@pytest.mark.parametrize("deviation", [0, 8, 30, 80])
def test_noise_is_not(deviation):
    noise = np.random.default_rng(1).standard_normal((1400, 1000)) * deviation
    assert len(letters_in_lines(np.clip(240 + noise, 0, 255).astype(np.uint8))) < 30


def test_what_no_line_covers():
    pixels = np.asarray(picture())
    letters = letters_in_lines(pixels)
    height, width = pixels.shape
    whole = np.array([[0, 0, width, height]], np.float32)
    upper = np.array([[0, 0, width, 60 + 2.4 * 28 * 3 - 10]], np.float32)
    assert uncovered(letters, whole) == 0
    assert 0.3 < uncovered(letters, upper) < 0.7
    assert uncovered(letters, np.zeros((0, 4), np.float32)) == 1
    assert uncovered(np.zeros((0, 4), np.float32), whole) == 0
