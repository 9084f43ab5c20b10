"""The journal of a partition that is being parsed: the rows of finished documents, so that a killed run loses none."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final, Self

from pipeline.parsing.reading import SHEETS
from pipeline.parsing.worker import Rows
from pipeline.tables.records import Records

_FILE: Final = "rows.journal"


class Journal:
    """Rows by document, in a folder of its own. Use it as a context manager.

    Args:
        folder: where the records and the ranges of documents lie.
        records: what is written down.
    """

    def __init__(self, folder: Path, records: Records) -> None:
        self._folder = folder
        self._records = records
        self._open: dict[str, list[int]] = {}
        self._done: dict[str, list[int]] = {}

    @classmethod
    def open(cls, folder: Path, wanted: Collection[str]) -> Self:
        """The journal in a folder, as an earlier run left it.

        Args:
            folder: is created; of what lies in it the journal, and the ranges of documents that it wants, are kept.
            wanted: names of the documents that are to be read.

        Raises:
            OSError: the folder cannot be written.
        """
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.glob(f"*{SHEETS}"):
            if path.name.partition(".")[0] not in wanted:
                path.unlink()
        journal = cls(folder, Records.open(folder / _FILE))
        journal._take_up(wanted)
        return journal

    def _take_up(self, wanted: Collection[str]) -> None:
        for number in range(len(self._records)):
            name, _, first, last = self._records.get(number)
            self._note(name, number, first=first, last=last)
        self._open.clear()  # those documents start again
        if not self._done.keys() & set(wanted):  # nothing of it is of use
            self._records.clear()
            self._done.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._records.close()

    def __contains__(self, name: str) -> bool:
        """Whether all rows of a document are there."""
        return name in self._done

    def add(self, name: str, rows: Rows, *, last: bool) -> None:
        """Write rows of a document down; its ranges are of no more use when they are the last ones. Raises OSError."""
        first = name not in self._open
        self._records.append((name, rows, first, last))
        self._note(name, len(self._records) - 1, first=first, last=last)
        if last:
            for path in self._folder.glob(f"{name}.*{SHEETS}"):
                path.unlink()

    def rows(self, name: str) -> Iterator[Rows]:
        """The rows of a finished document, some at a time."""
        for number in self._done[name]:
            yield self._records.get(number)[1]

    def _note(self, name: str, number: int, *, first: bool, last: bool) -> None:
        # A run that was killed between two records of a document leaves the first.
        places = [] if first else self._open.get(name, [])
        self._open[name] = [*places, number]
        if last:
            self._done[name] = self._open.pop(name)
