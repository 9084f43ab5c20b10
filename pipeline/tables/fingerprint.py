"""Hashes that decide what is recomputed: of values, of rows, of a stage."""

import hashlib
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from pydantic import BaseModel

Hashable = str | bytes | int | float | bool | None


def fingerprint(*parts: Hashable | Iterable[Hashable]) -> str:
    """128-bit hash of the parts as 32 hexadecimal digits (BLAKE2b, RFC 7693).

    Parts are length-prefixed and typed, so ("ab", "c") and ("a", "bc"), 1 and "1", None and "" differ; a
    part that is itself a list or tuple is hashed as one part.

    Raises:
        TypeError: a part of another type. Sets and dictionaries are refused: their order is not their content.
    """
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        encoded = _encode(part)
        digest.update(len(encoded).to_bytes(8, "big"))
        digest.update(encoded)
    return digest.hexdigest()


def stage_fingerprint(stage: str, code_version: str, settings: BaseModel | Iterable[Hashable] = ()) -> str:
    """Hash of a stage's name, its code version and the settings that it reads.

    Raise `code_version` whenever the stage's output changes for the same input: every row is then recomputed.
    """
    content = settings.model_dump_json() if isinstance(settings, BaseModel) else fingerprint(*settings)
    return fingerprint(stage, code_version, content)


def _encode(part: Hashable | Iterable[Hashable]) -> bytes:
    if isinstance(part, str):
        return b"s" + part.encode("utf-8", "surrogatepass")
    if isinstance(part, bytes):
        return b"b" + part
    if part is None or isinstance(part, bool | int):
        return f"v{part!r}".encode()
    if isinstance(part, float):
        return f"v{float(part)!r}".encode()
    if isinstance(part, AbstractSet | Mapping):
        raise TypeError(f"a {type(part).__name__} cannot be part of a fingerprint")
    return b"l" + fingerprint(*part).encode()
