"""The lake: partitioned Parquet tables, published whole or not at all. The only place that knows paths.

A table is a folder, a partition one file in it: `<root>/<table>/<partition>.parquet`, so that
`polars.read_parquet("<root>/<table>/*.parquet")` is the table. A partition is written aside, read back, compared, and
then moved over the old one in a single step; a killed run leaves the old file. The file's own metadata says what it was
made from (`inputs`) and a hash of its content (`digest`): a stage whose inputs did not move need not open it.
"""

import hashlib
import io
import os
import posixpath
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import IO, TYPE_CHECKING, Final, cast

import polars as pl

from pipeline.config import UserError
from pipeline.tables.fingerprint import fingerprint
from pipeline.tables.schemas import Table
from pipeline.tables.stores import open_store

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

STAGING: Final = ".staging"
_SUFFIX: Final = ".parquet"
_INPUTS: Final = "kesit.inputs"
_DIGEST: Final = "kesit.digest"
_ROWS: Final = "kesit.rows"
# No write takes so long: what still lies in the staging folder then was left by a killed run.
_ABANDONED: Final = timedelta(hours=1)
_ROW_GROUP: Final = 65_536
_SHOWN: Final = 120
_BLOCK: Final = 1 << 20


class LakeError(UserError):
    """A partition could not be published or read. The message names the table, the partition and the cause."""

    exit_code = 1


@dataclass(frozen=True)
class PartitionState:
    """What a published partition says of itself.

    Attributes:
        inputs: hash of what it was made from.
        digest: hash of its content, stamps left out.
        rows: number of rows.
    """

    inputs: str
    digest: str
    rows: int


class Lake:
    """Tables below one root, on a local disk or any store that fsspec knows.

    Args:
        root: an absolute path or a URL (`s3://bucket/lake`).
    """

    def __init__(self, root: str) -> None:
        self._root = root

    @property
    def root(self) -> str:
        """Where the tables lie, as it was given."""
        return self._root

    def partitions(self, table: Table) -> list[str]:
        """Names of the published partitions of a table, sorted.

        Raises:
            LakeError: the table's folder cannot be listed.
        """
        fs, base = self._filesystem()
        try:
            paths = fs.ls(posixpath.join(base, table.name), detail=False)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise LakeError(f"{table.name}: cannot be listed: {error}") from error
        names = (posixpath.basename(str(path)) for path in paths)
        return sorted(n.removesuffix(_SUFFIX) for n in names if n.endswith(_SUFFIX) and not n.startswith("."))

    def state(self, table: Table, partition: str) -> PartitionState | None:
        """What the published partition was made from, or None if there is none. Reads the file's footer only.

        A file that is torn, foreign or of another version's shape is as good as none: the stage publishes it anew.

        Raises:
            LakeError: the store could not be asked. That is no absence: nothing must be made anew for it.
        """
        fs, path = self._locate(table, partition)
        try:
            with _open(fs, path) as file:
                if pl.read_parquet_schema(file) != table.schema:
                    return None
                file.seek(0)
                return _state(pl.read_parquet_metadata(file))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise LakeError(f"{table.name}/{partition}: cannot be read: {error}") from error
        except (pl.exceptions.PolarsError, KeyError, ValueError):
            return None

    def read(
        self, table: Table, partition: str | None = None, columns: Sequence[str] | None = None
    ) -> pl.DataFrame:
        """The rows of one partition, or of the whole table when `partition` is None.

        An absent partition is an empty frame: a stage that has not run has no rows.

        Args:
            table: which table.
            partition: which partition; None: all of them, in order of name.
            columns: names of columns of the table, in the order wanted; None: all.

        Raises:
            LakeError: the file is not what this version of Kesit publishes, or the store could not be asked.
            KeyError: the table has no such column.
        """
        expected = {n: table.schema[n] for n in (table.schema.names() if columns is None else columns)}
        if partition is None:
            parts = [self.read(table, name, columns) for name in self.partitions(table)]
            return pl.concat(parts) if parts else pl.DataFrame(schema=expected)
        fs, path = self._locate(table, partition)
        try:
            with _open(fs, path) as file:
                frame = pl.read_parquet(file, columns=None if columns is None else list(columns))
        except FileNotFoundError:
            return pl.DataFrame(schema=expected)
        except OSError as error:
            raise LakeError(f"{table.name}/{partition}: cannot be read: {error}") from error
        except pl.exceptions.ColumnNotFoundError as error:
            raise _ForeignError(
                table, partition, path, "has other columns than this version writes"
            ) from error
        except pl.exceptions.PolarsError as error:
            cause = str(error).partition("\n")[0]
            raise _ForeignError(table, partition, path, f"cannot be read ({cause})") from error
        if list(frame.schema.items()) != list(expected.items()):
            raise _ForeignError(table, partition, path, "has other columns than this version writes")
        return frame

    def current(self, table: Table, partition: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Like `read`, but a partition of another shape or a torn one counts as absent: it will be made anew.

        Raises:
            LakeError: the store could not be asked.
        """
        try:
            return self.read(table, partition, columns)
        except _ForeignError:
            return table.empty().select(columns or pl.all())

    def publish(self, table: Table, partition: str, frame: pl.DataFrame, inputs: str) -> PartitionState:
        """Replace a partition by `frame`, whole or not at all.

        Args:
            table: decides columns, types, key and rules.
            partition: name of the partition; no slash.
            frame: the rows; sorted by key here, columns that the table does not have left out.
            inputs: hash of everything the rows were made from.

        Raises:
            LakeError: the rows break the table's contract, or the store refused them. The old partition stands.
        """
        frame = frame.select(name for name in table.schema.names() if name in frame.columns)
        validate(table, partition, frame)
        frame = frame.sort(table.key)
        state = PartitionState(inputs=inputs, digest=content_digest(table, frame), rows=frame.height)
        buffer = io.BytesIO()
        footer = {_INPUTS: inputs, _DIGEST: state.digest, _ROWS: str(state.rows)}
        frame.write_parquet(buffer, metadata=footer, compression="zstd")
        fs, path = self._locate(table, partition)
        staging = posixpath.join(self._filesystem()[1], STAGING)
        staged = posixpath.join(staging, f"{uuid.uuid4().hex}{_SUFFIX}")
        try:
            fs.makedirs(staging, exist_ok=True)
            fs.makedirs(posixpath.dirname(path), exist_ok=True)
            fs.pipe_file(staged, buffer.getvalue())
            if fs.cat_file(staged) != buffer.getvalue():
                raise LakeError(f"{table.name}/{partition}: the store returned other bytes than were written")
            _replace(fs, staged, path)
        except OSError as error:
            raise LakeError(f"{table.name}/{partition}: cannot be written: {error}") from error
        finally:
            with suppress(OSError):  # the error above, if any, is the one to tell
                fs.rm_file(staged)
        _sweep(fs, staging)
        return state

    def published_at(self, table: Table, partition: str) -> datetime | None:
        """When the partition was last published, as its store says; None where there is none.

        Raises:
            LakeError: the store could not be asked.
        """
        fs, path = self._locate(table, partition)
        try:
            return cast("datetime", fs.modified(path))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise LakeError(f"{table.name}/{partition}: cannot be read: {error}") from error

    def drop(self, table: Table, partition: str) -> None:
        """Remove a partition, if it is there.

        Raises:
            LakeError: the store refused.
        """
        fs, path = self._locate(table, partition)
        try:
            fs.rm_file(path)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise LakeError(f"{table.name}/{partition}: cannot be removed: {error}") from error

    def digest(self, table: Table) -> str:
        """Hash of the content of all partitions of a table."""
        states = ((name, self.state(table, name)) for name in self.partitions(table))
        return fingerprint(*(f"{name}:{state.digest}" for name, state in states if state))

    def files(self, folder: str) -> frozenset[str]:
        """Names of what lies in a folder beside the tables.

        Raises:
            LakeError: the store could not be asked.
        """
        fs, base = self._filesystem()
        try:
            return frozenset(
                posixpath.basename(str(path)) for path in fs.ls(posixpath.join(base, folder), detail=False)
            )
        except FileNotFoundError:
            return frozenset()
        except OSError as error:
            raise LakeError(f"{folder}: cannot be listed: {error}") from error

    def place(self, folder: str, name: str) -> str:
        """Where a file in a folder beside the tables lies: a path on this machine, or a full name in another store."""
        return posixpath.join(self._filesystem()[1], folder, name)

    def read_file(self, place: str) -> Iterator[bytes]:
        """The bytes of a file in blocks. Raises OSError."""
        with _open(self._filesystem()[0], place) as file:
            while block := file.read(_BLOCK):
                yield block

    def keep_file(self, folder: str, name: str, blocks: Iterable[bytes], digest: str) -> bool:
        """Write a file beside the tables, whole or not at all; nothing if its sha256 is not `digest`.

        Returns:
            Whether it was written.

        Raises:
            LakeError: the store refused.
        """
        fs, base = self._filesystem()
        path = self.place(folder, name)
        staged = posixpath.join(base, STAGING, uuid.uuid4().hex)
        found = hashlib.sha256()
        try:
            fs.makedirs(posixpath.dirname(staged), exist_ok=True)
            fs.makedirs(posixpath.dirname(path), exist_ok=True)
            with cast("IO[bytes]", fs.open(staged, "wb")) as file:
                for block in blocks:
                    found.update(block)
                    file.write(block)
            if found.hexdigest() == digest:
                _replace(fs, staged, path)
        except OSError as error:
            raise LakeError(f"{folder}/{name}: cannot be written: {error}") from error
        finally:
            with suppress(OSError):
                fs.rm_file(staged)
        return found.hexdigest() == digest

    def drop_file(self, folder: str, name: str) -> None:
        """Remove a file beside the tables, if it is there.

        Raises:
            LakeError: the store refused.
        """
        fs, _ = self._filesystem()
        try:
            fs.rm_file(self.place(folder, name))
        except FileNotFoundError:
            pass
        except OSError as error:
            raise LakeError(f"{folder}/{name}: cannot be removed: {error}") from error

    def _filesystem(self) -> tuple["AbstractFileSystem", str]:
        return open_store(self._root)

    def _locate(self, table: Table, partition: str) -> tuple["AbstractFileSystem", str]:
        fs, base = self._filesystem()
        return fs, posixpath.join(base, table.name, partition + _SUFFIX)


class _ForeignError(LakeError):
    """The store answered, and the file is torn or not of this version."""

    def __init__(self, table: Table, partition: str, path: str, cause: str) -> None:
        super().__init__(f"{table.name}/{partition}: {cause}; delete {path} and run again")


def validate(table: Table, partition: str, frame: pl.DataFrame) -> None:
    """Check a frame against the table's contract.

    Raises:
        LakeError: one line with the table, the partition, the first offending column, the rule and an example.
    """
    import pandera.errors

    try:
        table.pandera.validate(frame, lazy=True)
    except pandera.errors.SchemaErrors as error:
        cases = error.failure_cases
        first = cases.row(0, named=True)
        # A rule of the whole table comes with the table's name for a column: that is the key, or a column too few.
        column = f"key {'+'.join(table.key)}" if "uniqueness" in first["check"] else first["column"]
        row = (
            {}
            if first["index"] is None
            else frame.select(n for n in table.key if n in frame).row(first["index"], named=True)
        )
        where = "".join(f", {name} {_short(value)}" for name, value in row.items())
        raise LakeError(
            f"{table.name}/{partition}: {column} breaks {first['check']!r}"
            f" (for example {_short(first['failure_case'])}{where}); {cases.height} in all"
        ) from error


def content_digest(table: Table, frame: pl.DataFrame) -> str:
    """Hash of the rows in order, stamps left out: equal content, equal digest, in any process and on any day."""
    return frame_digest(frame.drop(table.stamps, strict=False))


def frame_digest(frame: pl.DataFrame) -> str:
    """Hash of the rows in order.

    Hashed is their Parquet form and not their form in memory: there equal frames differ, by how strings are shared
    between rows and by what lies beneath nulls.
    """
    buffer = io.BytesIO()
    frame.rechunk().write_parquet(
        buffer, compression="uncompressed", statistics=False, row_group_size=_ROW_GROUP
    )
    return hashlib.sha256(buffer.getbuffer()).hexdigest()


def _state(metadata: dict[str, str]) -> PartitionState:
    return PartitionState(inputs=metadata[_INPUTS], digest=metadata[_DIGEST], rows=int(metadata[_ROWS]))


def _open(fs: "AbstractFileSystem", path: str) -> IO[bytes]:
    return cast("IO[bytes]", fs.open(path, "rb"))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _replace(fs: "AbstractFileSystem", staged: str, path: str) -> None:
    """Move a staged file over the published one: atomic on a local disk and, as a copy, on an object store."""
    from fsspec.implementations.local import LocalFileSystem

    if isinstance(fs, LocalFileSystem):
        with open(staged, "rb") as file:  # noqa: PTH123 - fsspec paths are strings
            os.fsync(file.fileno())
        os.replace(staged, path)  # noqa: PTH105
    else:
        fs.mv(staged, path)


def _sweep(fs: "AbstractFileSystem", staging: str) -> None:
    """Remove what killed runs left. Other processes may be writing beside us: only what is old is theirs no more."""
    with suppress(OSError, NotImplementedError):
        for path in fs.ls(staging, detail=False):
            if datetime.now(UTC) - fs.modified(path) > _ABANDONED:
                fs.rm_file(path)
