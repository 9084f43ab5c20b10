"""What is refused before any reader sees it: archive bombs, document types of their own, pictures of absurd size."""

import io
import re
import zipfile
from typing import TYPE_CHECKING, Final

from pipeline.parsing.encodings import decode
from pipeline.parsing.errors import CORRUPT, DTD, ENCRYPTED, TOO_LARGE, ParseError

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_BYTES: Final = 1 << 30
MAX_UNPACKED: Final = 1 << 30
MAX_MEMBER: Final = 256 << 20
MAX_MEMBERS: Final = 20_000
MAX_RATIO: Final = 200
SUSPICIOUS: Final = 16 << 20  # members below this may be compressed as well as they like
MAX_PIXELS: Final = 120_000_000  # A3 at 600 dpi has 70 million

MAX_CONTROLS: Final = 0.05  # of the characters of a text; of random bytes 0.1 are controls
_STRAY: Final = 8  # a short text may have some
_SAMPLE: Final = 1 << 16
_CONTROLS: Final = [chr(n) for n in range(32) if n not in (9, 10, 12, 13, 27)]

_DOCTYPE = re.compile(rb"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)
_WIDE = re.compile(  # the same in UTF-16
    rb"<\x00?!\x00?\s*(?:D\x00?O\x00?C\x00?T\x00?Y\x00?P\x00?E|E\x00?N\x00?T\x00?I\x00?T\x00?Y)"
)
_MARKUP = (".xml", ".rels", ".vml")


def check_archive(data: bytes) -> None:
    """Refuse an office archive that unpacks to too much, is encrypted or defines entities.

    Raises:
        ParseError: corrupt, encrypted, too_large or dtd.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_members(archive)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, zipfile.zlib.error) as error:  # pyright: ignore[reportAttributeAccessIssue]
        raise ParseError(CORRUPT, f"({error})") from None


def _check_members(archive: zipfile.ZipFile) -> None:
    members = archive.infolist()
    if len(members) > MAX_MEMBERS:
        raise ParseError(TOO_LARGE, f"({len(members)} parts inside)")
    if sum(member.file_size for member in members) > MAX_UNPACKED:
        raise ParseError(TOO_LARGE, "(the parts unpack to more than 1 GiB)")
    for member in members:
        ratio = member.file_size / max(member.compress_size, 1)
        if member.file_size > MAX_MEMBER or (member.file_size > SUSPICIOUS and ratio > MAX_RATIO):
            raise ParseError(TOO_LARGE, f"({member.filename} unpacks to {member.file_size >> 20} MiB)")
        if member.flag_bits & 1:
            raise ParseError(ENCRYPTED)
        # EPUB chapters are XHTML and carry the public document type; their reader resolves no entity.
        if member.filename.lower().endswith(_MARKUP):
            with archive.open(member) as part:
                check_markup(part.read(1 << 16), member.filename)


def check_markup(head: bytes, name: str) -> None:
    """Refuse XML that carries a document type or entity definitions: bombs and file disclosure need one.

    Args:
        head: the first bytes; a document type must stand before the root element.
        name: the part's name for the message.

    Raises:
        ParseError: dtd.
    """
    if _DOCTYPE.search(head) or _WIDE.search(head):
        raise ParseError(DTD, f"({name})" if name else "")


def check_text(data: bytes) -> None:
    """Refuse bytes that are no text in any encoding: an archive or a program whose name says otherwise.

    Raises:
        ParseError: corrupt.
    """
    sample = decode(data[:_SAMPLE])[0]
    if sum(map(sample.count, _CONTROLS)) > MAX_CONTROLS * len(sample) + _STRAY:
        raise ParseError(CORRUPT, "(not text)")


def check_picture(image: "Image") -> None:
    """Refuse a picture of too many pixels, before it is decoded.

    Raises:
        ParseError: too_large.
    """
    width, height = image.size
    if width * height > MAX_PIXELS:
        raise ParseError(TOO_LARGE, f"({width} x {height} pixels)")


def check_size(size: int) -> None:
    """Refuse a file of more than 1 GiB.

    Raises:
        ParseError: too_large.
    """
    if size > MAX_BYTES:
        raise ParseError(TOO_LARGE, f"({size >> 20} MiB)")
