"""From bytes to text: what the bytes prove goes before what they claim, and a guess comes last."""

import codecs
import re
from typing import Final

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Where Windows-1254 has Ğ İ Ş ğ ı ş, Windows-1252 has Icelandic letters: nothing else differs in letters.
_TURKISH: Final = re.compile(rb"[\xd0\xdd\xde\xf0\xfd\xfe]")
_ICELANDIC: Final = re.compile(rb"\xfea\xf0|a\xf0 |\xe6\xf0|\xf0i |\xfev\xed|\xe1\xf0|\xf3\xf0")
_DECLARED: Final = re.compile(
    rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_\-]{3,20})""", re.IGNORECASE
)


def decode(data: bytes) -> tuple[str, str]:
    """Text of a file and the encoding that was used.

    In this order: byte-order mark; UTF-16 without one (half of the bytes are zero); valid UTF-8; UTF-8 with a few broken
    bytes; the charset that the file declares; Windows-1254 or 1252 by the letters that tell Turkish from German;
    the guess of charset_normalizer for everything else.
    """
    for bom, name in _BOMS:
        if data.startswith(bom):
            return data.decode(name, "replace"), name
    wide = _utf16_without_mark(data)
    if wide:
        return data.decode(wide, "replace"), wide
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        pass
    if _nearly_utf8(data):
        return data.decode("utf-8", "replace"), "utf-8"
    declared = _declared(data)
    if declared:
        return data.decode(declared, "replace"), declared
    return _by_evidence(data)


def _utf16_without_mark(data: bytes) -> str | None:
    head = data[:4096]
    if len(head) < 4:
        return None
    even, odd = head[0::2].count(0) / len(head[0::2]), head[1::2].count(0) / len(head[1::2])
    if odd > 0.4 and even < 0.1:
        return "utf-16-le"
    if even > 0.4 and odd < 0.1:
        return "utf-16-be"
    return None


def _nearly_utf8(data: bytes) -> bool:
    """A few broken bytes among many valid sequences: a damaged UTF-8 file, not another encoding."""
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    valid = sum(1 for character in text if character > "\x7f") - broken
    return valid > 20 * broken


def _declared(data: bytes) -> str | None:
    match = _DECLARED.search(data[:4096])
    if not match:
        return None
    name = match.group(1).decode("ascii").lower()
    # Browsers read these labels as the Windows code page (WHATWG Encoding Standard).
    name = {
        "iso-8859-1": "cp1252",
        "latin1": "cp1252",
        "ascii": "cp1252",
        "us-ascii": "cp1252",
        "iso-8859-9": "cp1254",
    }.get(name, name)
    try:
        data.decode(name)
    except (LookupError, UnicodeDecodeError, ValueError):
        return None
    if name == "cp1252" and _looks_turkish(data):
        return "cp1254"
    return name


def _looks_turkish(data: bytes) -> bool:
    return bool(_TURKISH.search(data)) and not _ICELANDIC.search(data)


def _by_evidence(data: bytes) -> tuple[str, str]:
    letters = sum(1 for byte in data if byte >= 0x41)
    high = sum(1 for byte in data if byte >= 0x80)
    if high < 0.3 * max(letters, 1):  # Latin letters with some accents
        name = "cp1254" if _looks_turkish(data) else "cp1252"
        try:
            return data.decode(name), name
        except UnicodeDecodeError:
            pass
    from charset_normalizer import from_bytes

    best = from_bytes(data).best()
    name = best.encoding if best else "latin-1"
    return data.decode(name, "replace"), name
