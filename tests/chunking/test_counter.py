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


class Pairs(Recording):
    """A token may reach over a space: the words of a text cost more than the text."""

    def count(self, texts):
        self.asked.append(list(texts))
        return [2 + -(-len(text.split()) // 2) for text in texts]


def test_each_word_is_counted_once_and_without_special_tokens():
    counter = Recording()
    ledger = Ledger(counter)
    assert ledger.fixed == 2
    assert ledger.costs(["a b", "b c a", "a b"]) == [2, 3, 2]
    assert (ledger.cost("a b"), ledger.cost("")) == (2, 0)
    asked = [text for texts in counter.asked for text in texts]
    assert sorted(text for text in asked if len(text) <= 2 and text.strip() in "abc") == [
        "",
        "a",
        "a ",
        "b",
        "b ",
        "c ",
    ]


def test_an_encoder_whose_tokens_reach_over_spaces_counts_whole_strings():
    counter = Pairs()
    ledger = Ledger(counter)
    assert ledger.costs(["a b c d", "a b c d", "a b"]) == [2, 2, 1]
    assert counter.asked[-1] == ["a b c d", "a b"]


def test_a_long_word_is_never_one_token():
    assert Ledger(Recording()).cost("x" * 1000) == 63
