"""Text from outside as it may be printed: a file name must not be able to move the cursor or turn the line around."""

import re
from typing import Final

# Control codes, and the marks that change the direction of what follows (Unicode Standard Annex 9); tabs are harmless.
_CONTROLS: Final = re.compile(
    r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def printable(text: str) -> str:
    r"""The text on one line, with what a terminal would obey, or could not show, written out: `\x1b`."""
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)
