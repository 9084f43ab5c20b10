"""Repair of text where the evidence is clear: characters, line-end hyphens, white space; and the count of what was repaired."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

SOFT_HYPHEN: Final = "\u00ad"
BROKEN_HYPHEN: Final = "\ufffe"  # what PDF readers give for a hyphen at a line end

_LIGATURES: Final = {
    0xFB00: "ff",
    0xFB01: "fi",
    0xFB02: "fl",
    0xFB03: "ffi",
    0xFB04: "ffl",
    0xFB05: "st",
    0xFB06: "st",
}
HYPHEN, SOFT, LIGATURE, CHARACTER, SPACE, MOJIBAKE = KINDS = (
    "hyphen", "soft_hyphen", "ligature", "character", "space", "mojibake"
)  # fmt: skip
"""Kinds of repairs: words joined at a line end; soft hyphens and ligatures resolved; characters without a meaning taken out;
missing or stray spaces; letters that a wrong code page had changed."""

_REMOVED: Final = dict.fromkeys(
    [0xFEFF, 0xAD, 0x200B, 0x200C, 0x2060, 0xFFFE, 0xFFFF, *range(0x09), *range(0x0E, 0x20), 0x0B, *range(0x7F, 0xA0),
     *range(0xD800, 0xE000)]
)  # fmt: skip
_SPACES: Final = dict.fromkeys([0xA0, 0x2007, 0x202F, 0x2009, 0x200A, 0x2002, 0x2003, 0x0C, 0x3000], " ")
_TABLE: Final = {**_LIGATURES, **_REMOVED, **_SPACES, 0x85: "\n", 0x2028: "\n", 0x2029: "\n"}
# UTF-8 that was read as Windows-1252 or 1254. Only what it may have been in the languages of the pipeline is turned back.
_MISREAD_LETTERS: Final = "çğıöşüÇĞİÖŞÜäÄßâîûÂÎÛéèêáàóúíñ‘’‚“”„–—…•€§°«»·©®™"


def _misread(letter: str, code_page: str) -> str:
    return "".join(
        bytes([byte]).decode(code_page, "replace").replace("\ufffd", chr(byte)) for byte in letter.encode()
    )


_MOJIBAKE: Final = {
    _misread(letter, page): letter for letter in _MISREAD_LETTERS for page in ("cp1252", "cp1254")
} | {"Â\xa0": " "}
_MISREAD: Final = re.compile("|".join(map(re.escape, sorted(_MOJIBAKE, key=lambda key: (-len(key), key)))))
_FOUND: Final = (
    (SOFT, re.compile("\u00ad(?!$)")),
    (LIGATURE, re.compile("[\ufb00-\ufb06]")),
    (CHARACTER, re.compile("[\x00-\x08\x0e-\x1f\x0b\x7f-\x84\x86-\x9f\u200b\u200c\u2060\ufeff\ufffe\uffff\ud800-\udfff](?!$)")),
    (MOJIBAKE, _MISREAD),
)  # fmt: skip
_RUNS: Final = re.compile(r"[ \t]+")
_TAIL: Final = re.compile(r"(\w)[-\u2010\u2011]$")
# After a suspended hyphen ("Ein- und Ausfuhr") one of these follows.
_SUSPENDED: Final = re.compile(
    r"(und|oder|bis|sowie|bzw\.?|als|wie|noch|and|or|to|nor|ve|veya|ya|ile|ila)\b", re.IGNORECASE
)


def clean(text: str) -> str:
    """NFC text without byte-order marks, soft hyphens, ligatures, control characters and odd spaces.

    Line feeds and tabs stay; runs of spaces and tabs become one space; lines are stripped.
    """
    text = turned_back(text).replace("\r\n", "\n").replace("\r", "\n").translate(_TABLE)
    text = unicodedata.normalize("NFC", text)
    return "\n".join(_RUNS.sub(" ", line).strip() for line in text.split("\n")).strip()


def turned_back(text: str) -> str:
    """The text with letters that were UTF-8 and were read as Windows-1252 or 1254: `Ã¼` becomes `ü`, `ÅŸ` becomes `ş`."""
    return text if text.isascii() else _MISREAD.sub(lambda match: _MOJIBAKE[match.group()], text)


def repairs_of(lines: Iterable[str]) -> Counter[str]:
    """How many repairs of each kind `join_lines` makes in these lines. Pass the lines as they were read.

    A byte-order mark at the very start is no fault, and a soft hyphen at a line end counts as a word joined.
    """
    found = Counter[str]()
    texts = [_RUNS.sub(" ", line).strip() for line in lines]
    texts = [text for text in texts if text]
    for text in texts:
        if not (text.isascii() and text.isprintable()):
            for kind, pattern in _FOUND:
                found[kind] += len(pattern.findall(text.removeprefix("\ufeff")))
    for text, line in pairwise(texts):
        hyphened = text[-1] in (SOFT_HYPHEN, BROKEN_HYPHEN) or _TAIL.search(text[-2:])
        if hyphened and len(_joined(text, line)) == 1:
            found[HYPHEN] += 1
    return +found


def one_line(text: str) -> str:
    """Cleaned text with every run of white space as one space; words broken at line ends are joined."""
    return join_lines(text.split("\n"))


def join_lines(lines: Iterable[str]) -> str:
    """One running text from the lines of a paragraph.

    A hyphen at a line end goes when a lower-case letter follows, stays without a gap before an upper-case letter or
    digit ("E-Mail-|Verteiler"), and keeps its gap when it is suspended ("Ein-|und Ausfuhr").
    """
    pieces: list[
        str
    ] = []  # with a space between them: one text that grows line by line would be copied at each
    for raw in lines:
        line = _RUNS.sub(" ", raw).strip()
        if line and pieces:
            pieces[-1:] = _joined(pieces[-1], line)
        elif line:
            pieces.append(line)
    return " ".join(clean(" ".join(pieces)).split())


def _joined(text: str, line: str) -> tuple[str, ...]:
    """Both in one where a word was broken between them, else each for itself."""
    if text[-1] in (SOFT_HYPHEN, BROKEN_HYPHEN):
        if text[-1] == SOFT_HYPHEN:
            return (text[:-1] + line,)
        text = text[:-1] + "-"
    if not _TAIL.search(text[-2:]) or _SUSPENDED.match(line):
        return text, line
    if line[0].islower():
        return (text[:-1] + line,)
    if line[0].isalnum():
        return (text + line,)
    return text, line
