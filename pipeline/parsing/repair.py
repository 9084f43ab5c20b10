"""Repair of text where the evidence is clear: characters, line-end hyphens, white space."""

import re
import unicodedata
from collections.abc import Iterable
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
_REMOVED: Final = dict.fromkeys(
    [0xFEFF, 0xAD, 0x200B, 0x200C, 0x2060, 0xFFFE, 0xFFFF, *range(0x09), *range(0x0E, 0x20), 0x0B, *range(0x7F, 0xA0),
     *range(0xD800, 0xE000)]
)  # fmt: skip
_SPACES: Final = dict.fromkeys([0xA0, 0x2007, 0x202F, 0x2009, 0x200A, 0x2002, 0x2003, 0x0C, 0x3000], " ")
_TABLE: Final = {**_LIGATURES, **_REMOVED, **_SPACES, 0x85: "\n", 0x2028: "\n", 0x2029: "\n"}
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
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n").translate(_TABLE))
    return "\n".join(_RUNS.sub(" ", line).strip() for line in text.split("\n")).strip()


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
