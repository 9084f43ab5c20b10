"""What is asked of PDFium: a file, open, and its pages as images."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from pipeline.parsing.errors import CORRUPT, ENCRYPTED, ParseError

if TYPE_CHECKING:
    from PIL.Image import Image

_MAX_RENDER: Final = 25_000_000  # pixels


def open_pdf(data: bytes, passwords: Sequence[str]) -> Any:
    """The file as a document of pypdfium2, to be closed by the caller. Raises ParseError: encrypted or corrupt."""
    import pypdfium2

    for password in (None, *passwords):
        try:
            return pypdfium2.PdfDocument(data, password=password)
        except pypdfium2.PdfiumError as error:
            words = str(error).lower()
            if "password" not in words and "security" not in words:
                raise ParseError(CORRUPT, f"({error})") from error
    tried = f"(none of the {len(passwords)} configured passwords opens it)" if passwords else ""
    raise ParseError(ENCRYPTED, tried)


def upright_image(
    document: Any, number: int, rotation: int, scale: Callable[[float, float], float]
) -> "Image":
    """A page as an image, upright.

    Args:
        document: of pypdfium2.
        number: of the page, from 1.
        rotation: degrees clockwise by which the page is turned to be upright.
        scale: from its width and height as displayed, points, to pixels per point.
    """
    page = document[number - 1]
    try:
        image = page.render(scale=scale(*page.get_size()), may_draw_forms=False).to_pil()
        turned = (rotation - 90 * picture_turns(page)) % 360
    finally:
        page.close()
    return image.rotate(-turned, expand=True) if turned else image


def fitting(width: float, height: float, wanted: float) -> float:
    """The wanted pixels per point, or as many as make no larger an image than 25 million pixels."""
    return min(wanted, (_MAX_RENDER / max(width * height, 1.0)) ** 0.5)


def picture_turns(page: Any) -> int:
    """Quarter turns clockwise that the file itself asks for when a page is shown."""
    return int(page.get_rotation()) // 90 % 4
