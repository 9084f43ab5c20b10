"""Counting each string once."""

from pipeline.chunking.counter import Ledger


class Recording:
    """Two special tokens, a token per word; remembers what it was asked."""

    name = "recording"
    limit = 50

    def __init__(self):
        self.asked = []

    def count(self, texts):
        self.asked.append(list(texts))
        return [2 + len(text.split()) for text in texts]


def test_each_string_is_counted_once_and_without_special_tokens():
    counter = Recording()
    ledger = Ledger(counter)
    assert ledger.fixed == 2
    assert ledger.costs(["a b", "c", "a b"]) == [2, 1, 2]
    assert (ledger.cost("a b"), ledger.cost("")) == (2, 0)
    assert counter.asked == [[""], ["a b", "c"]]


def test_a_long_word_is_never_one_token():
    assert Ledger(Recording()).cost("x" * 1000) == 63
