"""Counting in the tokens of the encoder: the contract, and a ledger that counts each word once."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Final, Protocol

# A token never stands for more characters than this in the ledger. Some tokenizers turn a word of any length into one
# "unknown" token: without a bound a page of OCR debris would pass as a short chunk.
CHARACTERS_PER_TOKEN: Final = 16

# Characters of which every tokenizer makes the same whatever stands beside them; with others (control characters, scripts
# without spaces, marks that combine) a string is counted as a whole.
_SIGNS: Final = "§°©®€–—‘’‚“”„…•«»´·²³½£™"
_PLAIN: Final = re.compile(rf"[ \n\t\u00a0!-~\u00c0-\u024f{_SIGNS}]*")
_SPACES: Final = (" ", "\n", "\n\n", "\t", "  ", "\u00a0", " \n")
_PROBE: Final = (
    "Gemäß § 5 Abs. 2 (Satz 1) zahlt der Mieter 1.250,50 Euro;\nİzmir'deki şubenin sözleşmesi feshedilmiştir. "
    "The landlord\u2019s notice-period ends \u201con 3 June\u201d.\n\n- x_y = 3/4 % [CLS] </s>"
)
_ENDS: Final = "aQß9İ0ı" + "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" + _SIGNS


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


@dataclass(frozen=True, slots=True)
class _ByWords:
    """How a tokenizer whose tokens do not reach over white space counts: a text costs what its words cost.

    Attributes:
        fixed: tokens that every text carries.
        gap: tokens of each white space character after the first between two words.
    """

    fixed: int
    gap: int

    def spaces(self, text: str, words: Sequence[str]) -> int:
        """Tokens of the white space in a text that begins with a word; of the last one as if a word followed."""
        if not self.gap:
            return 0
        borders = len(words) - (not text[-1:].isspace())
        return self.gap * (len(text) - sum(map(len, words)) - borders)


class Ledger:
    """What strings cost in tokens, without the special tokens and the prompt that every text carries.

    Where the encoder's tokens do not reach over white space (tried on probes: each sign at each border), only words are
    counted, each distinct one once: that takes a fraction of tokenising the text. Such an encoder's counts are exact sums,
    and costs of neighbouring stretches add up. Of other encoders each distinct string is counted.

    Args:
        counter: the encoder's counter.
    """

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._costs: dict[str, int] = {"": 0}
        self._words: dict[str, int] = {}

    @cached_property
    def fixed(self) -> int:
        """Tokens that every text carries: special tokens and prompt."""
        return self._by_words.fixed if self._by_words else self._counter.count([""])[0]

    @cached_property
    def _by_words(self) -> _ByWords | None:
        """How words add up to texts; None when they do not."""
        # A prompt ends with white space, which an empty text shows and any other does not: "" says nothing.
        one, two, apart = self._counter.count(["a", "a a", "a  a"])
        found = _ByWords(2 * one - two, apart - two)
        texts = [_PROBE]
        for number, end in enumerate(_ENDS):
            for turn, begin in enumerate(_ENDS):
                texts.append(f"x{end}{_SPACES[(number + turn) % len(_SPACES)]}{begin}y")
        # Put together in long texts: special tokens are counted less often.
        whole = [_PROBE, *("\n".join(texts[at : at + len(_ENDS)]) for at in range(1, len(texts), len(_ENDS)))]
        words = list(dict.fromkeys(chain.from_iterable(text.split() for text in whole)))
        counts = self._counter.count([*whole, *words])
        costs = dict(zip(words, (count - found.fixed for count in counts[len(whole) :]), strict=True))
        sums = [_sum(text, found, costs) for text in whole]
        return found if sums == counts[: len(whole)] else None

    def read(self, texts: Iterable[str]) -> None:
        """Count those of the texts that are new, in one batch."""
        new = [text for text in dict.fromkeys(texts) if text not in self._costs]
        if not new:
            return
        model = self._by_words
        if model is None:
            counts = self._counter.count(new)
            self._costs |= {
                text: _bounded(text, tokens - self.fixed) for text, tokens in zip(new, counts, strict=True)
            }
            return
        words = [text.split() for text in new]
        self._read_words(chain.from_iterable(words))
        of = self._costs.__getitem__
        for text, parts in zip(new, words, strict=True):
            self._costs[text] = sum(map(of, parts)) + model.spaces(text, parts)

    def _read_words(self, words: Iterable[str]) -> None:
        new = [word for word in dict.fromkeys(words) if word not in self._words]
        if new:
            for word, tokens in zip(new, self._counter.count(new), strict=True):
                self._words[word] = tokens - self.fixed
                self._costs[word] = _bounded(word, tokens - self.fixed)

    def cost(self, text: str) -> int:
        """Tokens of one text."""
        if text not in self._costs:
            self.read([text])
        return self._costs[text]

    def costs(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, counted in one batch."""
        self.read(texts)
        return [self._costs[text] for text in texts]

    def tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text as it is embedded, exactly as the counter has them."""
        model = self._by_words
        if model is None:
            return self._counter.count(texts)
        plain = [_PLAIN.fullmatch(text) is not None and text == text.strip() != "" for text in texts]
        self._read_words(
            chain.from_iterable(text.split() for text, adds in zip(texts, plain, strict=True) if adds)
        )
        others = iter(
            self._counter.count([text for text, adds in zip(texts, plain, strict=True) if not adds])
        )
        return [
            _sum(text, model, self._words) if adds else next(others)
            for text, adds in zip(texts, plain, strict=True)
        ]


def _sum(text: str, model: _ByWords, costs: dict[str, int]) -> int:
    words = text.split()
    return model.fixed + sum(map(costs.__getitem__, words)) + model.spaces(text, words)


def _bounded(text: str, tokens: int) -> int:
    return max(tokens, -(-len(text) // CHARACTERS_PER_TOKEN))
