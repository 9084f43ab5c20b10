"""Counting in the tokens of the encoder: the contract, and a ledger that counts each string once."""

from collections.abc import Iterable, Sequence
from typing import Final, Protocol

# A token never stands for more characters than this in the ledger. Some tokenizers turn a word of any length into one
# "unknown" token: without a bound a page of OCR debris would pass as a short chunk.
CHARACTERS_PER_TOKEN: Final = 16


class TokenCounter(Protocol):
    """Counts tokens as the encoder sees them."""

    @property
    def name(self) -> str:
        """Which tokenizer and prompt this is; part of the stage's fingerprint."""
        ...

    @property
    def limit(self) -> int:
        """Tokens that the encoder reads at most, special tokens and prompt included."""
        ...

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text as it is embedded: special tokens and the model's prompt included."""
        ...


class Ledger:
    """What strings cost in tokens, without the special tokens and the prompt that every text carries.

    Each distinct string is counted once, many at a time. Costs are added up to plan a chunk; the planned string is
    then counted exactly (`plan.py`), so that an encoder whose tokens do not add up breaks no ceiling.

    Args:
        counter: the encoder's counter.
    """

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._costs: dict[str, int] = {"": 0}
        self._fixed: int | None = None

    @property
    def fixed(self) -> int:
        """Tokens that every text carries: special tokens and prompt."""
        if self._fixed is None:
            self._fixed = self._counter.count([""])[0]
        return self._fixed

    def read(self, texts: Iterable[str]) -> None:
        """Count those of the texts that are new, in one batch."""
        new = [text for text in dict.fromkeys(texts) if text not in self._costs]
        if not new:
            return
        for text, tokens in zip(new, self._counter.count(new), strict=True):
            self._costs[text] = max(tokens - self.fixed, -(-len(text) // CHARACTERS_PER_TOKEN))

    def cost(self, text: str) -> int:
        """Tokens of one text."""
        if text not in self._costs:
            self.read([text])
        return self._costs[text]

    def costs(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, counted in one batch."""
        self.read(texts)
        return [self._costs[text] for text in texts]
