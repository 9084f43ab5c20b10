"""Cutting where the subject changes."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st


@settings(deadline=None, max_examples=30)
@given(lengths=st.lists(st.integers(1, 60), min_size=2, max_size=20), limit=st.sampled_from([32, 48]))
def test_what_is_embedded_to_find_borders_is_never_over_the_limit(build, lengths, limit):
    counter = build.words(limit=limit)
    seen = []

    def embed(texts):
        seen.extend(texts)
        return np.tile(np.asarray([[1, 0]], np.float32), (len(texts), 1))

    text = " ".join(" ".join(["Wort"] * length) + "." for length in lengths)
    build.cut([build.page([build.block("paragraph", text)])], counter, embed=embed, strategy="semantic", max_tokens=200, min_tokens=5)  # fmt: skip
    assert not seen or max(counter.count(seen)) <= limit


def test_a_sentence_is_read_with_its_neighbours(build):
    seen = []

    def embed(texts):
        seen.extend(texts)
        return np.tile(np.asarray([[1, 0]], np.float32), (len(texts), 1))

    text = "Eins ist da. Zwei ist da. Drei ist da. Vier ist da."
    build.cut([build.page([build.block("paragraph", text)])], embed=embed, strategy="semantic", min_tokens=5)
    assert seen[:2] == ["Eins ist da. Zwei ist da.", "Eins ist da. Zwei ist da. Drei ist da."]
