"""Type with every Turkish and German letter, for pages and drawings: the fonts that matplotlib ships."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

SANS, SANS_BOLD, SERIF, SERIF_BOLD = "DejaVuSans", "DejaVuSans-Bold", "DejaVuSerif", "DejaVuSerif-Bold"


def font_file(name: str) -> Path:
    """The file of a font.

    Raises:
        FileNotFoundError: matplotlib is not installed.
    """
    spec = find_spec("matplotlib")  # only located: importing it takes longer than writing a document
    if spec is None or spec.origin is None:
        raise FileNotFoundError("the sample estate needs the fonts of matplotlib; install it")
    return Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf" / f"{name}.ttf"


@cache
def register_fonts() -> None:
    """Make the fonts known to reportlab, once a process."""
    from reportlab.pdfbase.pdfmetrics import registerFont
    from reportlab.pdfbase.ttfonts import TTFont

    for name in (SANS, SANS_BOLD, SERIF, SERIF_BOLD):
        registerFont(TTFont(name, str(font_file(name))))
