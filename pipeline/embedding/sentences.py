"""Vectors of sentences, for chunking by subject: each distinct string is encoded once, and kept beside the lake."""

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import numpy as np

from pipeline.embedding.encoders import Encoder, Vectors

_ASKED_AT_ONCE: Final = 500  # hashes in one query
_PATIENCE: Final = 60.0  # seconds that another process may hold the file


class SentenceVectors:
    """An encoder of sentences that remembers, by encoder and hash of the string. Losing the file loses time only.

    Args:
        encoder: of the sentences.
        file: SQLite, made when it is first needed. Several processes may use it at once. A broken one is moved aside.
        say: told when that happens.
    """

    def __init__(self, encoder: Encoder, file: Path, say: Callable[[str], None]) -> None:
        self._encoder, self._file, self._say = encoder, file, say

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """Vectors of the strings: float32 (len(texts), dims), each of length 1."""
        try:
            return self._vectors(texts)
        except sqlite3.OperationalError:  # locked, no room: the file is sound
            raise
        except sqlite3.DatabaseError as error:
            aside = self._file.with_name(f"{self._file.name}.broken")
            with suppress(FileNotFoundError):  # another process was first
                self._file.replace(aside)
            self._say(
                f"warning: {self._file} is broken ({error}); it is now {aside.name}, and sentences are encoded anew"
            )
            return self._vectors(texts)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        by_hash = {hashlib.sha256(text.encode()).digest(): text for text in texts}
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self._file, timeout=_PATIENCE)) as store, store:
            store.execute(
                "CREATE TABLE IF NOT EXISTS vectors (encoder TEXT, hash BLOB, vector BLOB, PRIMARY KEY (encoder, hash)) WITHOUT ROWID"
            )
            known = self._known(store, list(by_hash))
            new = [key for key in by_hash if key not in known]
        if new:
            made = self._encoder.encode_passages([by_hash[key] for key in new])
            known |= dict(zip(new, made, strict=True))
            rows = [(self._encoder.fingerprint, key, known[key].tobytes()) for key in new]
            with closing(sqlite3.connect(self._file, timeout=_PATIENCE)) as store, store:
                store.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", rows)
        return np.stack([known[hashlib.sha256(text.encode()).digest()] for text in texts])

    def _known(self, store: sqlite3.Connection, hashes: Sequence[bytes]) -> dict[bytes, Vectors]:
        found: dict[bytes, Vectors] = {}
        for begin in range(0, len(hashes), _ASKED_AT_ONCE):
            asked = hashes[begin : begin + _ASKED_AT_ONCE]
            marks = ",".join("?" * len(asked))
            rows = store.execute(
                f"SELECT hash, vector FROM vectors WHERE encoder = ? AND hash IN ({marks})",  # noqa: S608  only marks
                (self._encoder.fingerprint, *asked),
            )
            found |= {key: np.frombuffer(vector, np.float32) for key, vector in rows}
        return found
