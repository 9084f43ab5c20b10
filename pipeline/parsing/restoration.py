"""Pictures of pages made better to read: straightened, evenly lit, freed of noise, enlarged. All filters are OpenCV's."""

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.Image import Image

Pixels = NDArray[np.uint8]

NONE: Final = "none"
CLEANED: Final = "cleaned"
ENLARGED: Final = "enlarged"
PREPROCESSINGS: Final = (NONE, CLEANED, ENLARGED)
"""`cleaned`: straight, evenly lit, without noise. `enlarged`: straight, evenly lit, twice as large."""

_STEEPEST: Final = 15.0  # degrees
_SMALL: Final = 800  # pixels of the longer side: enough to see a slope of a tenth of a degree
_NOISY: Final = 3.0  # grey levels; below, there is nothing to take away
_ROUND: Final = 40  # pixels
_LONGEST: Final = 6000  # pixels of the longer side of an enlarged picture


def restored(image: "Image", preprocessing: str) -> "Image":
    """The picture of a page, restored; grey, except for `none`, which changes nothing.

    Args:
        image: of any mode.
        preprocessing: one of `PREPROCESSINGS`.
    """
    from PIL import Image

    if preprocessing == NONE:
        return image
    grey = straightened(np.asarray(image.convert("L")))
    if preprocessing == CLEANED:
        return Image.fromarray(evenly_lit(without_noise(grey)))
    return Image.fromarray(enlarged(evenly_lit(without_noise(grey))))


def straightened(grey: Pixels) -> Pixels:
    """The picture turned so that its lines run level.

    Of many slopes the one whose rows of ink differ most is the text's (projection profile; Postl 1986).
    """
    import cv2

    angle = slope(grey)
    if abs(angle) < 0.1:
        return grey
    height, width = grey.shape
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1.0)
    return cv2.warpAffine(grey, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE).astype(np.uint8)  # fmt: skip


def slope(grey: Pixels) -> float:
    """Degrees, counter-clockwise, by which the picture must be turned to be level: -15 to 15."""
    import cv2

    scale = min(1.0, _SMALL / max(grey.shape))
    small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    paper = cv2.morphologyEx(small, cv2.MORPH_CLOSE, np.ones((15, 15), np.uint8))
    ink = cv2.subtract(paper, small).astype(np.float32)
    best, step = 0.0, 1.0
    candidates = np.arange(-_STEEPEST, _STEEPEST + 0.5, step)
    for _ in range(3):
        best = float(max(candidates, key=lambda angle: (_sharpness(ink, float(angle)), -abs(angle))))
        step /= 4
        candidates = np.array([best + n * step for n in range(-4, 5)])
    level = _sharpness(ink, 0.0)
    return best if _sharpness(ink, best) > 1.05 * level else 0.0


def _sharpness(ink: NDArray[np.float32], angle: float) -> float:
    """How much the sums of neighbouring rows differ once the picture is turned."""
    import cv2

    height, width = ink.shape
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1.0)
    rows = cv2.reduce(cv2.warpAffine(ink, matrix, (width, height)), 1, cv2.REDUCE_SUM).ravel()
    return float(np.square(np.diff(rows)).sum())


def evenly_lit(grey: Pixels) -> Pixels:
    """White paper and black ink, wherever a shadow, a stain or the other side's print lies."""
    import cv2

    soft = cv2.GaussianBlur(grey, (0, 0), 1.0)
    paper = cv2.morphologyEx(soft, cv2.MORPH_CLOSE, np.ones((_ROUND, _ROUND), np.uint8))
    paper = np.maximum(cv2.GaussianBlur(paper, (0, 0), _ROUND / 2), 1).astype(np.uint8)
    flat = cv2.divide(grey, paper, scale=255)
    low, high = np.percentile(flat, (1.0, 60.0))
    if high - low < 8:
        return flat.astype(np.uint8)  # nothing is on it
    return np.clip((flat.astype(np.float32) - low) * (255.0 / (high - low)), 0, 255).astype(np.uint8)


def without_noise(grey: Pixels) -> Pixels:
    """Non-local means (Buades et al. 2005), as strong as the noise is."""
    import cv2

    noise = noise_of(grey)
    if noise < _NOISY:
        return grey
    return cv2.fastNlMeansDenoising(grey, None, float(min(1.1 * noise, 60.0)), 5, 13).astype(np.uint8)


def noise_of(grey: Pixels) -> float:
    """Standard deviation of the noise in grey levels (median of the absolute differences of neighbours: ink has no say in it)."""
    signed = grey.astype(np.int16)
    differences = np.abs(signed[:, 2:] - 2 * signed[:, 1:-1] + signed[:, :-2])
    return float(np.median(differences)) / (0.6745 * 6**0.5)


def enlarged(grey: Pixels) -> Pixels:
    """Twice as large, unless that is beyond what engines read well."""
    import cv2

    factor = min(2.0, _LONGEST / max(grey.shape))
    return cv2.resize(grey, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC).astype(np.uint8)
