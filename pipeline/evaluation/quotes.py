"""Where quoted words stand in a text: compared by letters and digits alone, answered as a span of the text."""

from pipeline.evaluation.relevance import letters


class Places:
    """A text that quotes are looked for in.

    Args:
        text: any text.
    """

    def __init__(self, text: str) -> None:
        plain: list[str] = []
        origins: list[int] = []
        for place, character in enumerate(text):
            found = letters(character)
            plain.append(found)
            origins.extend([place] * len(found))
        self._plain = "".join(plain)
        self._origins = origins

    def span(self, quote: str) -> tuple[int, int] | None:
        """Start and end of the first place where the quote stands, or None."""
        wanted = "".join(letters(character) for character in quote)
        start = self._plain.find(wanted) if wanted else -1
        if start < 0:
            return None
        return self._origins[start], self._origins[start + len(wanted) - 1] + 1
