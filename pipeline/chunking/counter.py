"""Counting in the tokens of the encoder: the contract, and a ledger that counts each string once."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import Final, Protocol

# A token never stands for more characters than this in the ledger. Some tokenizers turn a word of any length into one
# "unknown" token: without a bound a page of OCR debris would pass as a short chunk.
CHARACTERS_PER_TOKEN: Final = 16

_WORD: Final = re.compile(r"\S+\s*|\s+")
_PROBE: Final = (
    "Gemäß § 5 Abs. 2 (Satz 1) zahlt der Mieter 1.250,50 Euro;\nİzmir'deki şubenin sözleşmesi feshedilmiştir. "
    "The landlord\u2019s notice-period ends \u201con 3 June\u201d.\n\n- x_y = 3/4 % "
)


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

    Each distinct string is counted once, many at a time. Where the encoder's tokens do not reach over white space, the
    strings are words, of which a text has few distinct ones: counting then costs less than tokenising. Costs are added
    up to plan a chunk; the planned string is then counted exactly (`plan.py`), so that an encoder whose tokens do not
    add up breaks no ceiling.

    Args:
        counter: the encoder's counter.
    """

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._costs: dict[str, int] = {"": 0}

    @cached_property
    def fixed(self) -> int:
        """Tokens that every text carries: special tokens and prompt."""
        return self._counter.count([""])[0]

    @cached_property
    def _by_word(self) -> bool:
        """Whether the words of a text cost together what the text costs: tried on a probe, for the tokenizer's own sake."""
        words = _WORD.findall(_PROBE)
        whole, *parts = self._counter.count([_PROBE, *words])
        return whole - self.fixed == sum(parts) - self.fixed * len(parts)

    def read(self, texts: Iterable[str]) -> None:
        """Count those of the texts that are new, in one batch."""
        new = [text for text in dict.fromkeys(texts) if text not in self._costs]
        if not new:
            return
        if not self._by_word:
            self._count(new)
            return
        words = [_WORD.findall(text) for text in new]
        self._count([word for word in dict.fromkeys(chain.from_iterable(words)) if word not in self._costs])
        of = self._costs.__getitem__
        for text, parts in zip(new, words, strict=True):
            self._costs[text] = sum(map(of, parts))

    def _count(self, texts: Sequence[str]) -> None:
        if texts:
            for text, tokens in zip(texts, self._counter.count(texts), strict=True):
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
