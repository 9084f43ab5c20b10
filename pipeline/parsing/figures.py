"""The decision about every picture of a document: what becomes a figure, what is decoration, and why.

Repetition is counted within one document: the rows of a document depend on that document alone.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from PIL.Image import Image

CAPTIONED: Final = "captioned"
LABELLED: Final = "labelled"
NO_CAPTION: Final = "decorative:no_caption"
SMALL: Final = "decorative:small"
REPEATED: Final = "decorative:repeated"
BACKGROUND: Final = "decorative:background"
FURNITURE: Final = "decorative:furniture"
IN_TABLE: Final = "in_table"
IN_DRAWING: Final = "in_drawing"
SCANNED: Final = "scanned"
NO_IMAGE: Final = "no_image"
DECISIONS: Final = (
    CAPTIONED, LABELLED, NO_CAPTION, SMALL, REPEATED, BACKGROUND, FURNITURE, IN_TABLE, IN_DRAWING, SCANNED, NO_IMAGE,
)  # fmt: skip
"""In this order: a figure by its caption; its words stand as a paragraph; large, but nothing says what it shows; an icon or a
line; three times or more in the document: a logo; behind the text or all of the page; in a running header or footer; in a cell of a table; a part of a
drawing that is a figure; the page itself, read by OCR; no
image that can be decoded is in the file: a chart, a link to elsewhere, which is never followed."""

_WIDTH: Final = 60.0  # points; icons, signs and lines are smaller in one direction at least
_HEIGHT: Final = 40.0
_OFTEN: Final = 3


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that a reader has decided about.

    Attributes:
        decision: one of `DECISIONS`.
        image_hash: sha256 of the image (see `hash_of`), or of its bytes in the file; "" where there is no image to hash.
        bbox: left, top, right, bottom in points; empty where unknown.
        pixels: width and height, where known.
    """

    decision: str
    image_hash: str = ""
    bbox: tuple[float, float, float, float] | tuple[()] = ()
    pixels: tuple[int, int] | tuple[()] = ()


def hash_of(image: "Image") -> str:
    """sha256 of an image: mode, size and pixels, whatever file format it came in."""
    return hashlib.sha256(
        f"{image.mode} {image.width} {image.height} ".encode() + image.tobytes()
    ).hexdigest()


def is_small(size: tuple[float, float]) -> bool:
    """Whether a picture of this width and height in points is an icon, a sign or a line."""
    return size[0] < _WIDTH or size[1] < _HEIGHT


def often(hashes: Iterable[str]) -> frozenset[str]:
    """Hashes that stand three times or more among these: logos, ornaments. The empty hash is none."""
    return frozenset(name for name, times in Counter(hashes).items() if name and times >= _OFTEN)


def picture_row(picture: Picture, block_id: str = "") -> dict[str, Any]:
    """A picture as `parsed_pages` keeps it."""
    return {
        "decision": picture.decision,
        "image_hash": picture.image_hash,
        "block_id": block_id,
        "bbox": list(picture.bbox),
        "pixels": list(picture.pixels),
    }
