"""Counting each word once, and exactly what the encoder counts."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

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


class Prompted(Recording):
    """A prompt that ends with a space, a token of its own where no text follows; every further white space is a token."""

    def count(self, texts):
        self.asked.append(list(texts))
        return [
            3 + (not text) + max(1, sum(map(text.count, " \n\t\u00a0")) + 1) * bool(text) for text in texts
        ]


def test_each_word_is_counted_once_and_without_special_tokens():
    counter = Recording()
    ledger = Ledger(counter)
    assert ledger.fixed == 2
    assert ledger.costs(["kurz b", "b lang kurz", "kurz b"]) == [2, 3, 2]
    assert (ledger.cost("kurz b"), ledger.cost("")) == (2, 0)
    assert ledger.tokens(["kurz\nlang", "lang b"]) == [4, 4]
    asked = [text for texts in counter.asked for text in texts]
    assert sorted(text for text in asked if text in ("kurz", "lang", "b", "kurz b", "kurz\nlang")) == [
        "b",
        "kurz",
        "lang",
    ]


def test_an_encoder_whose_tokens_reach_over_spaces_counts_whole_strings():
    counter = Pairs()
    ledger = Ledger(counter)
    assert ledger.costs(["a b c d", "a b c d", "a b"]) == [2, 2, 1]
    assert ["a b c d", "a b"] in counter.asked
    assert ledger.tokens(["a b c"]) == [4]


def test_a_prompt_shows_in_an_empty_text_only_and_white_space_may_cost():
    ledger = Ledger(Prompted())
    assert ledger.fixed == 3
    assert ledger.costs(["a", "a b", "a  b", "a\n\n", "b"]) == [1, 2, 3, 2, 1]
    assert ledger.tokens(["a\n\nb"]) == [6]


def test_a_long_word_is_never_one_token():
    ledger = Ledger(Recording())
    assert ledger.cost("x" * 1000) == 63
    assert ledger.tokens(["x" * 1000]) == [3]


PLAIN = st.lists(
    st.one_of(
        st.sampled_from([" ", "\n", "\n\n", "\t", "  ", "\u00a0"]),
        st.sampled_from(["Mieter", "feshedilmiştir", "1.250,50", "(Satz", "İzmir'deki", "##ing", "[CLS]", "<s>", "ß"]),
        st.text(alphabet=st.characters(min_codepoint=0x21, max_codepoint=0x24F), max_size=6),
    ),
    max_size=30,
).map("".join)  # fmt: skip


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(texts=st.lists(st.one_of(PLAIN, st.text(max_size=40)), min_size=1, max_size=20))
@example(texts=["\x1c.", '\x85"', "a\u0301 \u0301", "# ", " #", "", "\u200b", "a" * 120, "日本語 ไทย"])
def test_sums_of_words_are_what_the_tokenizers_count(texts, ledgers):
    for ledger, counter in ledgers:
        assert ledger.tokens(texts) == counter.count(texts)


@pytest.fixture(scope="module")
def ledgers():
    from pipeline.embedding.encoders import token_counter

    counters = [token_counter(["use-multilingual"]), token_counter(["e5-small"])]
    counters.append(token_counter(["use-multilingual", "e5-small"]))
    return [(Ledger(counter), counter) for counter in counters]
