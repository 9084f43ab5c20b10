"""Transcripts of meetings and films (WebVTT, SubRip): who says what, from when."""

import html
import re
from collections.abc import Iterator
from typing import Final

from pipeline.parsing.tree import Block, Page

ENGINE: Final = "subtitles"
_TIME: Final = re.compile(
    r"((?:\d{1,3}:)?\d{1,2}:\d\d)[.,]\d{1,3} *--> *(?:\d{1,3}:)?\d{1,2}:\d\d[.,]\d{1,3}"
)
_VOICE: Final = re.compile(r"<v(?:\.[^ >]*)? +([^>]+)>")
_TAG: Final = re.compile(r"</?[a-zA-Z][^>]*>|<\d[\d:.]*>")
_NAMED: Final = re.compile(r"^(?:- ?)?([^\W\d_][\w .'’-]{0,38}?): +(\S.*)$", re.DOTALL)
_LONGEST: Final = 1000  # characters; a speech goes on in a further block behind the end of a sentence
_ENDS: Final = (".", "!", "?", "…")


def read_subtitles(text: str) -> list[Page]:
    """One page: each speech is a turn with its time as anchor; words that nobody is named for are paragraphs.

    What one person says in several cues is one speech. Sources: W3C WebVTT, section 4; SubRip has the same cues with numbers.
    """
    blocks: list[Block] = []
    for start, speaker, words in _cues(text):
        last = blocks[-1] if blocks else None
        prefix = f"{speaker}: " if speaker else ""
        kind = "turn" if speaker else "paragraph"
        full = last is not None and len(last.text) > _LONGEST and last.text.endswith(_ENDS)
        if last is not None and last.kind == kind and last.text.startswith(prefix) and not full:
            blocks[-1] = Block(kind, f"{last.text} {words}", anchor=last.anchor)
        else:
            blocks.append(Block(kind, prefix + words, anchor=start))
    return [Page(1, tuple(blocks), engine=ENGINE)]


def _cues(text: str) -> Iterator[tuple[str, str, str]]:
    """Start, speaker (may be empty) and words of each cue."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    starts = [(number, found[1]) for number, line in enumerate(lines) if (found := _TIME.match(line.strip()))]
    for number, start in starts:
        said: list[str] = []
        for line in lines[number + 1 :]:
            if not line.strip() or _TIME.match(line.strip()):
                break
            said.append(line.strip())
        raw = " ".join(said)
        voice = _VOICE.search(raw)
        words = " ".join(html.unescape(_TAG.sub("", raw)).split())
        named = None if voice else _NAMED.match(words)
        speaker = voice[1].strip() if voice else named[1] if named else ""
        words = named[2] if named else words
        if words:
            yield start, html.unescape(speaker), words
