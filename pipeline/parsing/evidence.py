"""Repairs that only a whole document can justify: words that lost the space between them, and Turkish in a wrong code page."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from pipeline.config import LANGUAGES
from pipeline.language.casing import lower
from pipeline.language.lemmas import known
from pipeline.parsing.repair import MOJIBAKE, SPACE

_WORD: Final = re.compile(r"[^\W\d_]+")
_TURKISH: Final = re.compile("[ğşıĞŞİ]")
_SHARE: Final = 0.02  # of all letters; in Turkish about one in twelve is ğ, ş, ı or İ
# What Windows-1252 shows where Windows-1254 has the Turkish letters.
_SHOWN: Final = re.compile("[ðþýÐÞÝ]")
_MEANT: Final = str.maketrans("ðþýÐÞÝ", "ğşıĞŞİ")
_NORDIC: Final = re.compile("[æáíóúÆÁÍÓÚ]")
_ENOUGH: Final = 5  # letters shown wrongly
_SAMPLE: Final = 50  # words to look up
_SHORTEST: Final = 4  # letters of a part
_LONGEST: Final = 40
_TWICE: Final = 2  # times that a part must stand alone in the document
_SPACED: Final = re.compile(r"(?<!\S)(?:[^\W\d_] ){3,}[^\W\d_](?!\S)")


@dataclass(frozen=True)
class Evidence:
    """What a document proves about its own text.

    Attributes:
        misread: its Turkish letters were shown in code page 1252 (`þ` for `ş`).
        glued: words without the space that belongs in them, with it: `olsundevralan`: `olsun devralan`.
    """

    misread: bool = False
    glued: dict[str, str] = field(default_factory=dict[str, str])

    def mend(self, text: str) -> tuple[str, Counter[str]]:
        """The repaired text, and the number of repairs of each kind."""
        count = Counter[str]()
        if self.misread:
            count[MOJIBAKE] += len(_SHOWN.findall(text))
            text = text.translate(_MEANT)
        if self.glued:

            def parted(match: re.Match[str]) -> str:
                word = match.group()
                count[SPACE] += word in self.glued
                return self.glued.get(word, word)

            text = _WORD.sub(parted, text)

        def closed(match: re.Match[str]) -> str:
            word = match.group().replace(" ", "")
            is_word = any(known(lower(word, language), language) for language in LANGUAGES)
            count[SPACE] += is_word
            return word if is_word else match.group()

        return _SPACED.sub(closed, text), +count


def gather(texts: Iterable[str]) -> Evidence:
    """Read a document's texts for what they prove.

    A word is taken apart when no dictionary of the three languages knows it, the Turkish one knows both parts, each part
    stands alone in the document at least twice, and there is one such place only. German writes compounds as one word, so
    only documents with Turkish letters are looked at. `ş`, `ğ` and `ı` are taken for misread when a document has
    Icelandic letters in their places, none of its own, and most words with them are Turkish once they are put back.
    """
    words = Counter(word for text in texts for word in _WORD.findall(text))
    turkish = shown = letters = 0
    nordic = False
    for word, times in words.items():
        letters += len(word) * times
        if not word.isascii():
            turkish += len(_TURKISH.findall(word)) * times
            shown += len(_SHOWN.findall(word)) * times
            nordic = nordic or bool(_NORDIC.search(word))
    misread = shown >= _ENOUGH and not turkish and not nordic and _is_turkish(words)
    if misread:
        words = Counter({word.translate(_MEANT): times for word, times in words.items()})
        turkish = shown
    return Evidence(misread, _glued(words) if turkish > _SHARE * letters else {})


def _is_turkish(words: Counter[str]) -> bool:
    """Whether most words with Icelandic letters are Turkish ones once the letters are put back."""
    shown = sorted(word for word in words if len(word) > 3 and _SHOWN.search(word))[:_SAMPLE]
    found = sum(bool(known(lower(word.translate(_MEANT), "tr"), "tr")) for word in shown)
    return found > 0.5 * len(shown)


def _glued(words: Counter[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words:
        if not 2 * _SHORTEST <= len(word) <= _LONGEST or not word.islower():
            continue
        parts = [
            (word[:cut], word[cut:])
            for cut in range(_SHORTEST, len(word) - _SHORTEST + 1)
            if words[word[:cut]] >= _TWICE and words[word[cut:]] >= _TWICE
        ]
        parts = [pair for pair in parts if known(pair[0], "tr") and known(pair[1], "tr")]
        if len(parts) == 1 and not any(known(word, language) for language in LANGUAGES):
            found[word] = " ".join(parts[0])
    return found
