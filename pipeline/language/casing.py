"""Lower-casing and folding of Turkish, German and English text.

For prose only: keys, file endings and configuration are compared with plain ASCII lower-casing, never with this.
"""

import re
import unicodedata
from typing import Final

from pipeline.config import UNKNOWN

DOT_ABOVE: Final = "\u0307"
_DOTTED: Final = re.compile(f"i{DOT_ABOVE}+")

# Turkish pairs I with ı and İ with i; str.lower pairs I with i and leaves a combining dot behind İ.
_TURKISH_CAPITALS: Final = str.maketrans({"I": "ı", "İ": "i"})
# In other languages İ occurs in Turkish names only; its dot must not survive as a mark of its own.
_OTHER_CAPITALS: Final = str.maketrans({"İ": "i"})
# Letters that carry no combining mark to strip, yet are typed as these on a plain keyboard.
_PLAIN: Final = str.maketrans({"ı": "i", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l"})


def lower(text: str, language: str) -> str:
    """Lower-case text by the rules of its language, in NFC.

    Turkish: I becomes ı, İ becomes i, and no combining dot is left behind. German: ß stays ß (and ẞ becomes ß). The
    result depends on neither the process locale nor the form (NFC, NFD) of the input.

    Args:
        text: any text.
        language: "tr", "de", "en" or "und".
    """
    composed = unicodedata.normalize("NFC", text)
    if composed.isascii() and language != "tr":
        return composed.lower()
    table = _TURKISH_CAPITALS if language == "tr" else _OTHER_CAPITALS
    lowered = composed.translate(table).lower()
    # An i with dots above is an i: NFC does not compose the two, and a stray dot would hide the word.
    return unicodedata.normalize("NFC", _DOTTED.sub("i", lowered) if DOT_ABOVE in lowered else lowered)


def fold(text: str, language: str = UNKNOWN) -> str:
    """Reduce text to what is left on a keyboard without diacritics: lower case, no marks, ı to i, ß to ss.

    The result is the same for every language, so that İZMİR, Izmir and izmir meet whatever language each was taken
    for; the argument is there because lower-casing asks for one. Letters of other scripts keep their base letter.

    Args:
        text: any text.
        language: "tr", "de", "en" or "und".
    """
    lowered = lower(text, language)
    if lowered.isascii():
        return lowered
    decomposed = unicodedata.normalize("NFKD", lowered.translate(_PLAIN))
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", bare.translate(_PLAIN))
