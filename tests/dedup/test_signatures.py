"""Signatures are datasketch's, and depend on the chunk alone."""

from pathlib import Path

import datasketch
import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.config import DedupConfig, parse_config
from pipeline.dedup.stage import signatures, signatures_fingerprint
from pipeline.tables.schemas import SIGNATURES


def chunks(texts, language="en"):
    return pl.DataFrame(
        [
            {
                "chunk_id": f"c{n:05}",
                "doc_id": "d",
                "version_id": "v",
                "text": text,
                "kind": "prose",
                "language": language,
                "input_hash": f"i{n}",
            }
            for n, text in enumerate(texts)
        ]
    )


_GOLDEN = 0x9E3779B97F4A7C15
_WORD64 = (1 << 64) - 1


def shingle_hash(words):
    """The definition, word by word and byte by byte."""
    total = sum(_word_hash(word) * pow(_GOLDEN, place + 1, 1 << 64) for place, word in enumerate(words))
    return _mix64(total & _WORD64) >> 32


def _word_hash(word):
    values = (byte + 1 for byte in word.encode("utf-8", "surrogatepass"))
    return _mix64(
        sum(value * _mix64((place + 1) * _GOLDEN & _WORD64) for place, value in enumerate(values)) & _WORD64
    )


def _mix64(value):
    return (value ^ value >> 32) * _GOLDEN & _WORD64


@settings(deadline=None, max_examples=40)
@given(
    texts=st.lists(
        st.lists(
            st.sampled_from(
                ["the", "tenant", "gives", "notice", "of", "any", "defect", "in", "writing", "ş", "ß"]
            ),
            max_size=60,
        ),
        min_size=1,
        max_size=6,
    ),
    size=st.integers(1, 4),
    seed=st.integers(0, 9),
)
def test_equal_to_datasketch(texts, size, seed):
    config = DedupConfig(permutations=32, shingle_words=size, min_shingles=1, min_words=1, seed=seed)
    found = signatures(chunks(" ".join(words) for words in texts), config)
    for words, row in zip(texts, found.iter_rows(named=True), strict=True):
        folded = [word.replace("ß", "ss") for word in words]
        shingles = [tuple(folded[n : n + size]) for n in range(len(folded) - size + 1)]
        assert row["n_shingles"] == len(set(shingles))
        peer = datasketch.MinHash(num_perm=32, seed=seed, hashfunc=shingle_hash)
        peer.update_batch(shingles)
        assert row["shingles"] == sorted({shingle_hash(shingle) for shingle in shingles})
        assert row["minhash"] == (peer.hashvalues.tolist() if shingles else [])


def test_a_row_depends_on_its_chunk_alone():
    rng = np.random.default_rng(7)
    texts = [
        " ".join(rng.choice(["a", "b", "c", "dd", "ee", "ff"], size=rng.integers(0, 3000)))
        for _ in range(120)
    ]
    config = DedupConfig()
    whole = signatures(chunks(texts), config)
    SIGNATURES.pandera.validate(whole)
    parts = [signatures(chunks(texts)[n : n + 1], config) for n in range(len(texts))]
    assert pl.concat(parts).equals(whole)
    assert signatures(chunks(texts)[::-1], config).equals(whole)


def test_exact_hash_and_short_texts():
    found = signatures(
        chunks(["One two three.", "ONE  two, three", "One two four.", "One two", "…"]),
        DedupConfig(min_words=3),
    )
    hashes = found["exact_hash"].to_list()
    assert hashes[0] == hashes[1] != hashes[2]
    assert hashes[3] == hashes[4] == ""
    assert found["minhash"].to_list() == [[]] * 5
    assert found["n_shingles"].to_list() == [1, 1, 1, 0, 0]
    assert found["n_words"].to_list() == [3, 3, 3, 2, 0]
    assert found["input_hash"].to_list() == [f"i{n}" for n in range(5)]


def test_no_chunks():
    SIGNATURES.pandera.validate(signatures(chunks(["x"]).clear(), DedupConfig()))


def test_the_fingerprint_moves_with_what_counts():
    def fingerprint(**dedup):
        return signatures_fingerprint(
            parse_config({"collections": [{"name": "a", "source": "s"}], "dedup": dedup}, base=Path())
        )

    base = fingerprint()
    assert (
        len(
            {
                base,
                fingerprint(seed=2),
                fingerprint(shingle_words=5),
                fingerprint(permutations=64),
                fingerprint(min_shingles=9),
                fingerprint(min_words=9),
                fingerprint(shingle_words_turkish=3),
            }
        )
        == 7
    )
    assert fingerprint(threshold=0.7) == base


def test_the_estimate_is_near_the_truth():
    rng = np.random.default_rng(3)
    base = [f"w{n}" for n in rng.permutation(400)]
    edited = base.copy()
    for place in range(0, 400, 40):
        edited[place] = "x" + edited[place]
    found = signatures(chunks([" ".join(base), " ".join(edited)]), DedupConfig(permutations=1024))
    one, two = (np.array(row) for row in found["minhash"])
    sets = [{tuple(words[n : n + 3]) for n in range(398)} for words in (base, edited)]
    truth = len(sets[0] & sets[1]) / len(sets[0] | sets[1])
    assert abs(np.mean(one == two) - truth) < 0.05
