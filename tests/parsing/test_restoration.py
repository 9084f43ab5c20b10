"""Restored pictures: straight, evenly lit, without noise, and deterministic."""

import numpy as np
import pytest
from PIL import Image

from pipeline.parsing.restoration import PREPROCESSINGS, evenly_lit, noise_of, restored, slope, without_noise
from tests.gate.scans import picture


@pytest.mark.parametrize("degrees", [-9.0, -2.5, 0.0, 1.0, 6.0])
def test_slope(degrees):
    turned = picture().rotate(degrees, Image.Resampling.BICUBIC, fillcolor=255)
    assert abs(slope(np.asarray(turned)) + degrees) < 0.4


def test_an_empty_sheet_has_no_slope():
    assert slope(np.full((600, 400), 240, np.uint8)) == 0


def test_light_is_evened_and_faint_ink_is_black():
    grey = 230 - 0.1 * (255 - np.asarray(picture(), np.float32))
    shadow = np.linspace(0, 80, grey.shape[1], dtype=np.float32)
    lit = evenly_lit((grey - shadow).astype(np.uint8))
    assert np.median(lit) > 235
    assert lit[np.asarray(picture()) < 50].mean() < 90


def test_noise_is_measured_and_taken_away():
    clean = np.asarray(picture())
    noisy = np.clip(clean + np.random.default_rng(2).standard_normal(clean.shape) * 20 - 30, 0, 255).astype(
        np.uint8
    )
    assert abs(noise_of(noisy) - 20) < 3
    assert noise_of(without_noise(noisy)) < 6
    assert without_noise(clean) is clean


@pytest.mark.parametrize("preprocessing", PREPROCESSINGS)
def test_the_same_picture_gives_the_same_picture(preprocessing):
    image = picture().rotate(3, fillcolor=255)
    once, twice = (np.asarray(restored(image, preprocessing)) for _ in range(2))
    assert np.array_equal(once, twice)
    factor = 2 if preprocessing == "enlarged" else 1
    assert once.shape[:2] == (image.height * factor, image.width * factor)
