"""The journal of a partition that is being embedded: vectors of finished strings, so that a killed run loses none."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

import numpy as np
import polars as pl

from pipeline.embedding.encoders import Encoder, Vectors
from pipeline.tables import columns as c
from pipeline.tables.records import Records
from pipeline.tables.schemas import embeddings

# Bytes in the file have one order on every machine.
_FLOAT: Final = np.dtype("<f4")


class VectorJournal:
    """Vectors of one encoder, in a file of its own. Use it as a context manager.

    Args:
        records: what is written down: the encoder's fingerprint, then vectors.
        encoder: whose vectors they are.
    """

    def __init__(self, records: Records, encoder: Encoder) -> None:
        self._type = embeddings(encoder.slug, encoder.dims).schema[c.VECTOR]
        self._dims = encoder.dims
        self._records = records

    @classmethod
    def open(cls, file: Path, encoder: Encoder) -> Self:
        """The journal in a file, which is created with its folder.

        What lies in it of another encoder, or of the same with other weights or prompts, is thrown away.

        Raises:
            OSError: the file cannot be written.
        """
        file.parent.mkdir(parents=True, exist_ok=True)
        records = Records.open(file)
        if len(records) and records.get(0) != encoder.fingerprint:
            records.clear()
        if not len(records):
            records.append(encoder.fingerprint)
        return cls(records, encoder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._records.close()

    def add(self, hashes: Sequence[str], vectors: Vectors) -> None:
        """Write down the vectors of strings. Raises OSError."""
        self._records.append((list(hashes), vectors.astype(_FLOAT, copy=False).tobytes()))

    def rows(self) -> pl.DataFrame:
        """embed_hash and vector of all strings in it."""
        hashes: list[str] = []
        parts = [np.empty((0, self._dims), np.float32)]
        for number in range(1, len(self._records)):
            some, values = self._records.get(number)
            hashes += some
            parts.append(np.frombuffer(values, _FLOAT).reshape(-1, self._dims))
        return pl.DataFrame(
            {
                c.EMBED_HASH: pl.Series(hashes, dtype=pl.String),
                c.VECTOR: pl.Series(np.concatenate(parts), dtype=self._type),
            }
        )
