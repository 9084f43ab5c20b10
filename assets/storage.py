"""Dagster's SQLite storage for a process that records a whole run: its connections stay open until the instance is closed.

Dagster opens a database for every event, compiles each statement anew, and on closing has SQLite write its log back: half of
what a partition with nothing to do cost. Files, tables and statements remain Dagster's own.
"""

import posixpath
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

from dagster._core.storage.event_log.sqlite.sqlite_event_log import SqliteEventLogStorage
from dagster._core.storage.runs.sqlite.sqlite_run_storage import SqliteRunStorage
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, create_engine

_BUSY_SECONDS: Final = 10


class _Databases:
    """Databases that are open."""

    def __init__(self) -> None:
        self._engines: dict[str, Engine] = {}

    @contextmanager
    def transaction(self, address: str) -> Generator[Connection]:
        """A connection in a transaction that ends with the block."""
        if address not in self._engines:
            self._engines[address] = create_engine(address, connect_args={"timeout": _BUSY_SECONDS})
        with self._engines[address].begin() as connection:
            yield connection

    def close(self) -> None:
        """Close all of them; they are opened anew when they are asked for."""
        for engine in self._engines.values():
            engine.dispose()


class _Runs(SqliteRunStorage):
    def __init__(self, conn_string: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._databases = _Databases()
        super().__init__(conn_string, inst_data)

    @contextmanager
    def connect(self) -> Generator[Connection]:
        with self._databases.transaction(self._conn_string) as connection:
            yield connection

    def dispose(self) -> None:
        super().dispose()
        self._databases.close()


class _Events(SqliteEventLogStorage):
    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._databases = _Databases()
        super().__init__(base_dir, inst_data)

    @contextmanager
    def _connect(self, shard: str) -> Generator[Connection]:
        if shard not in self._initialized_dbs:
            with super()._connect(shard):  # makes the tables of a new run
                pass
        address = self.conn_string_for_shard(shard)
        with self._db_lock, self._databases.transaction(address) as connection:
            yield connection

    def dispose(self) -> None:
        super().dispose()
        self._databases.close()


class OpenStorage(DagsterSqliteStorage):
    """Runs and events of Dagster's SQLite storage in the same files, opened once. Configured like it."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        super().__init__(base_dir, inst_data)
        self._run_storage = _Runs.from_local(posixpath.join(base_dir, "history", ""))
        self._event_log_storage = _Events(posixpath.join(base_dir, "history", "runs", ""))

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData, config_value: Any) -> "OpenStorage":
        """As Dagster makes it from a configuration."""
        return cls.from_local(inst_data=inst_data, **config_value)
