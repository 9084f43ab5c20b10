"""Lists that lie on disk: values are appended one by one, and what a killed process had appended is still there."""

import io
import pickle
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import IO, Any, Final, Self, TypeVar, overload

_HEAD: Final = struct.Struct("<II")  # length and checksum of what follows
_OWN: Final = "pipeline."
T = TypeVar("T")


class Lazy(Sequence[T]):
    """A sequence whose items are fetched when they are asked for, and not kept.

    Args:
        length: number of items.
        get: item by position, 0 to length - 1.
    """

    def __init__(self, length: int, get: Callable[[int], T]) -> None:
        self._length = length
        self._get = get

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> "Lazy[T]": ...
    def __getitem__(self, index: int | slice) -> "T | Lazy[T]":
        if isinstance(index, slice):
            places = range(self._length)[index]
            return Lazy(len(places), lambda n: self._get(places[n]))
        return self._get(range(self._length)[index])


class Records:
    """A file of records: plain values and our dataclasses, each with its length and checksum before it.

    One process writes at a time.

    Args:
        file: open for reading and writing, empty if nothing is said of records in it; it is closed with the records.
        offsets: where the records in it begin.
        end: where the next one goes.
    """

    def __init__(self, file: IO[bytes], offsets: Iterable[int] = (), end: int = 0) -> None:
        self._file = file
        self._offsets = list(offsets)
        self._end = end

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """The records of a file, which is created if it is not there; waits for another process that has it open.

        Its whole records are kept and a torn last one is cut off: that is all that a killed writer can leave.

        Raises:
            OSError: the file cannot be read or written.
        """
        import fcntl

        path = Path(path)
        path.touch()
        file = path.open("r+b")
        fcntl.flock(file, fcntl.LOCK_EX)  # a worker of a killed run may need a moment to end
        return cls(file, *_whole_records(file))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def clear(self) -> None:
        """Remove all records."""
        self._file.truncate(0)
        self._offsets.clear()
        self._end = 0

    def __len__(self) -> int:
        return len(self._offsets)

    def append(self, value: object) -> None:
        """Write a value behind the others; it is with the system when this returns."""
        body = zlib.compress(pickle.dumps(value, protocol=5), level=1)
        self._file.seek(self._end)
        self._file.write(_HEAD.pack(len(body), zlib.crc32(body)) + body)
        self._file.flush()
        self._offsets.append(self._end)
        self._end += _HEAD.size + len(body)

    def get(self, index: int) -> Any:
        """The value at a position."""
        self._file.seek(self._offsets[index])
        length, _ = _HEAD.unpack(self._file.read(_HEAD.size))
        return _Reader(io.BytesIO(zlib.decompress(self._file.read(length)))).load()

    def all(self) -> Lazy[Any]:
        """The values that are there now."""
        return Lazy(len(self), self.get)


def _whole_records(file: IO[bytes]) -> tuple[list[int], int]:
    """Find the whole records of a file, cut off the rest, and return where they begin and where the next one goes."""
    file.seek(0)
    offsets: list[int] = []
    end = 0
    while len(head := file.read(_HEAD.size)) == _HEAD.size:
        length, checksum = _HEAD.unpack(head)
        body = file.read(length)
        if len(body) < length or zlib.crc32(body) != checksum:
            break
        offsets.append(end)
        end += _HEAD.size + length
    file.seek(end)
    file.truncate()
    return offsets, end


class _Reader(pickle.Unpickler):
    """Reads plain values and our dataclasses: a file that somebody else wrote can call nothing."""

    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name) if module.startswith(_OWN) else None
        if not (isinstance(found, type) and is_dataclass(found)):
            raise pickle.UnpicklingError(f"{module}.{name} has no place in a record")
        return found


def on_disk(values: Iterable[T], folder: Path | None = None) -> Sequence[T]:
    """The values as a list that lies in a temporary file without a name, in `folder` or where the system keeps such files."""
    records = Records(tempfile.TemporaryFile(dir=folder))  # noqa: SIM115 - it lives as long as the list
    for value in values:
        records.append(value)
    return records.all()
