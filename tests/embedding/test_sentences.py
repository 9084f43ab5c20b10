"""Vectors of sentences are kept."""

import numpy as np
import pytest

from pipeline.embedding.encoders import load_encoder
from pipeline.embedding.sentences import SentenceVectors


class Counting:
    """The packaged encoder; remembers what it was asked."""

    def __init__(self, fingerprint="one"):
        self.fingerprint, self.asked = fingerprint, []
        self._encoder = load_encoder("use-multilingual")

    def encode_passages(self, texts):
        self.asked += texts
        return self._encoder.encode_passages(texts)


def test_a_sentence_is_encoded_once_in_the_life_of_the_lake(tmp_path):
    encoder, file = Counting(), tmp_path / "work" / "sentences.sqlite"
    texts = ["Der Mieter kündigt.", "Kiracı öder.", "Der Mieter kündigt."]
    first = SentenceVectors(encoder, file, print)(texts)
    assert encoder.asked == texts[:2]
    again = SentenceVectors(encoder, file, print)([*texts[::-1], "Neu."])
    assert encoder.asked == [*texts[:2], "Neu."]
    assert np.array_equal(first, again[:3][::-1])
    assert np.array_equal(first, encoder.encode_passages(texts))


def test_another_encoder_has_its_own(tmp_path):
    one, two = Counting(), Counting("two")
    for encoder in (one, two):
        SentenceVectors(encoder, tmp_path / "s.sqlite", print)(["Kiracı öder."])
        assert encoder.asked == ["Kiracı öder."]


def test_many_at_once(tmp_path):
    texts = [f"Satz {number} der Ordnung." for number in range(1100)]
    vectors = SentenceVectors(Counting(), tmp_path / "s.sqlite", print)
    assert vectors(texts) == pytest.approx(vectors(texts))


def test_a_broken_file_is_moved_aside_and_said(tmp_path):
    file, said = tmp_path / "s.sqlite", []
    texts = ["Der Mieter kündigt.", "Kiracı öder."]
    sound = SentenceVectors(Counting(), file, said.append)(texts)
    for garbage in (b"no database" * 1000, file.read_bytes()[:100] + b"\xff" * 12_188):
        file.write_bytes(garbage)
        said.clear()
        encoder = Counting()
        vectors = SentenceVectors(encoder, file, said.append)
        assert np.array_equal(vectors(texts), sound)
        assert np.array_equal(vectors(texts), sound)
        assert encoder.asked == texts
        assert len(said) == 1
        assert str(file) in said[0]
        assert (tmp_path / "s.sqlite.broken").read_bytes() == garbage
