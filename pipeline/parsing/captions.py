"""Lines that name a figure or a table by its number: `Abbildung 3: …`, `Tablo 2. …`."""

import re
from typing import Final

CAPTION: Final = re.compile(
    r"(?:(?P<figure>Abb\.|Abbildung|Bild|Figure|FIGURE|Fig\.|Şekil|ŞEKİL|Resim|Grafik|Diagramm)"
    r"|Tab\.|Tabelle|Table|TABLE|Tablo|TABLO|Çizelge|Übersicht)\s?[\dIVX]+(?:[.\-]\s?\d+)*[a-z]?(?:\s?[.:–—|)-]|\s+(?=[A-ZÄÖÜÇĞİŞ])|$)"
)
# A short line without an end mark that begins so: a caption only where a picture waits for one.
FIGURE: Final = re.compile(
    r"(?P<figure>Abb\.|Abbildung|Bild|Figure|FIGURE|Fig\.|Şekil|ŞEKİL|Resim)\s?\d+(?:[.\-]\d+)*[a-z]?\s"
)


def is_caption(text: str) -> bool:
    """Whether a text names a figure or table by its number: "Abbildung 3: …", "Tablo 2. …"."""
    return len(text) <= 400 and CAPTION.match(text) is not None


def names_figure(text: str) -> bool:
    """Whether a text is the caption of a figure, not of a table."""
    match = CAPTION.match(text) if len(text) <= 400 else None
    return match is not None and bool(match["figure"])
