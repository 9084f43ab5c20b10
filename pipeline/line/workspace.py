"""A workspace: one configuration, its lake and index, and what is loaded once and shared by all stages of a run."""

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import polars as pl

from pipeline.config import CollectionConfig, Config, ConfigError
from pipeline.estate.identity import collection_name, partitions_of
from pipeline.estate.kept_files import with_history
from pipeline.estate.narrowing import narrowed
from pipeline.estate.scan import Scan, scan_collection
from pipeline.estate.source import SourceError
from pipeline.estate.versions import without_editions
from pipeline.line.listing import listed
from pipeline.line.outcome import Outcome
from pipeline.tables import columns as c
from pipeline.tables.fingerprint import fingerprint
from pipeline.tables.lake import Lake
from pipeline.tables.schemas import DOCUMENTS, Table

if TYPE_CHECKING:
    from filelock import FileLock

    from pipeline.chunking.counter import TokenCounter
    from pipeline.embedding.encoders import Encoder
    from pipeline.endpoint.chat import Budget
    from pipeline.estate.feed import Cursor
    from pipeline.language.glossary import Glossary
    from pipeline.line.known_vectors import KnownVectors
    from pipeline.parsing.isolation import Workers
    from pipeline.parsing.worker import Task
    from pipeline.retrieval.reranking import Reranker

# The name of what belongs to no partition: the tables of the whole estate, and the lock on them and the index.
WHOLE: Final = "estate"

Say = Callable[[str], None]


def quiet(_message: str) -> None:
    """Take a progress message and do nothing."""


def forget(_outcome: Outcome) -> None:
    """Take what happened to a stage and keep nothing."""


@dataclass(frozen=True)
class RunOptions:
    """What a person asked of one run.

    Attributes:
        allow_deletes: how many deletions in one collection they agreed to.
        since: new and edited documents that were last written before wait for a later run; None: none does.
        limit: so many new and edited documents are taken; None: all.
    """

    allow_deletes: int = 0
    since: datetime | None = None
    limit: int | None = None


class Workspace:
    """Opens nothing by itself: encoders, scans and tables are read when first asked for, and then kept.

    Args:
        config: the configuration.
        say: takes one line of progress.

    Attributes:
        record: takes what happened to each stage of the run that is under way.
        options: what was asked of the run that is under way.
        cursors: how far the change feed of each scanned collection was followed.
        looked_at: when (`time.monotonic`) the sources were last looked at; None: not yet.
        documents_seen: table `documents` as a later look than the stages' own found it; None: there was none.
    """

    def __init__(self, config: Config, *, say: Say = quiet) -> None:
        self.config = config
        self.say = say
        self.record: Callable[[Outcome], None] = forget
        self.options = RunOptions()
        self.cursors: dict[str, Cursor] = {}
        self.looked_at: float | None = None
        self.documents_seen: pl.DataFrame | None = None
        self._budgets: dict[str, Budget] = {}
        self._known: dict[str, KnownVectors] = {}
        self._locks: dict[Path, FileLock] = {}
        self._scans: dict[str, Scan] = {}
        self._encoders: dict[str, Encoder] = {}
        self._readers: Workers[Task] | None = None

    @contextmanager
    def also_saying(self, say: Say) -> Generator[None]:
        """Let a second listener hear the progress for the time of the block."""
        first = self.say

        def both(message: str) -> None:
            first(message)
            say(message)

        self.say = both
        try:
            yield
        finally:
            self.say = first

    @contextmanager
    def running(self, record: Callable[[Outcome], None], options: RunOptions) -> Generator[None]:
        """For the time of a run: its options hold, and what happens to each stage is recorded there.

        The sources are looked at for this run alone, for its options decide what a scan takes; and what may be spent is so
        much for each run.
        """
        before = self.record, self.options
        self._begin_anew()
        self.record, self.options = record, options
        try:
            yield
        finally:
            self.record, self.options = before
            self._begin_anew()

    def _begin_anew(self) -> None:
        self._scans, self.cursors, self._budgets = {}, {}, {}
        self.looked_at, self.documents_seen = None, None

    @property
    def readers(self) -> "Workers[Task]":
        """The processes that read documents: they start with the first one and wait for those of the next partition.

        Raises:
            ConfigError: the OCR engine is not installed, or the passwords cannot be read.
        """
        from pipeline.parsing.isolation import Workers
        from pipeline.parsing.pages import limits_of
        from pipeline.parsing.worker import read

        if self._readers is None:
            self._readers = Workers(read, limits_of(self.config.parsing))
        return self._readers

    def dismiss_readers(self) -> None:
        """End the processes that read documents; further documents start them anew."""
        if self._readers is not None:
            self._readers.close()
            self._readers = None

    def work_folder(self, stage: str, partition: str) -> Path:
        """Where a stage keeps what it has done of a partition that it has not published yet."""
        return self.private_folder / ".work" / stage / partition

    @property
    def private_folder(self) -> Path:
        """A folder on this machine that belongs to the lake: the lake itself, or for one on an object store the project's."""
        root = self.lake.root
        return self.config.base / "data" if "://" in root else Path(root)

    def lock(self, file: Path) -> "FileLock":
        """The lock on a file: always the same object, so that who holds it can take it again."""
        from filelock import FileLock

        if file not in self._locks:
            self._locks[file] = FileLock(file, thread_local=False)
        return self._locks[file]

    @cached_property
    def lake(self) -> Lake:
        """The tables."""
        return Lake(self.config.resolve(self.config.lake.root))

    @property
    def index_root(self) -> str:
        """Where the LanceDB tables and the live pointer lie."""
        return self.config.resolve(self.config.index.root)

    @cached_property
    def encoders(self) -> tuple["Encoder", ...]:
        """The configured encoders, in order."""
        return self.encoders_for(self.config.embedding.models)

    def encoders_for(self, models: Sequence[str]) -> tuple["Encoder", ...]:
        """Encoders by the names that the configuration gives them; each is loaded once."""
        from pipeline.embedding.encoders import load_encoder

        for model in models:
            if model not in self._encoders:
                self._encoders[model] = load_encoder(model, self.config.base)
        return tuple(self._encoders[model] for model in models)

    def known_vectors(self, table: Table) -> "KnownVectors":
        """Where the vectors of an encoder's table lie; looked up once in the life of the workspace."""
        from pipeline.line.known_vectors import KnownVectors

        if table.name not in self._known:
            self._known[table.name] = KnownVectors(self.lake, table)
        return self._known[table.name]

    @cached_property
    def counter(self) -> "TokenCounter":
        """Counts tokens as the configured encoders see them: the most over all of them."""
        from pipeline.embedding.encoders import TokenCounter

        return TokenCounter(self.encoders)

    @cached_property
    def glossary(self) -> "Glossary":
        """Other words for those of questions, for every searcher the same; empty where it has no weight.

        Raises:
            ConfigError: the configured file cannot be read.
        """
        from pipeline.language.glossary import Glossary, GlossaryError, read_glossary

        retrieval = self.config.retrieval
        if retrieval.glossary_weight == 0:
            return Glossary(())
        place = self.config.resolve(retrieval.glossary) if retrieval.glossary else ""
        named = f"retrieval.glossary = {retrieval.glossary!r}"
        if "://" in place:
            raise ConfigError(f"{named}: a URL; allowed: a file of this machine, or nothing")
        try:
            return read_glossary(Path(place) if place else None)
        except GlossaryError as error:
            raise ConfigError(f"{named}: {error}") from error

    @cached_property
    def reranker(self) -> "Reranker | None":
        """The configured reranker, for every searcher the same; None: there is none.

        Raises:
            RerankerError: its folder is not there, or holds no model that can be used.
        """
        from pipeline.retrieval.reranking import load_reranker

        folder = self.config.retrieval.reranker
        return load_reranker(Path(self.config.resolve(folder))) if folder else None

    @property
    def figure_budget(self) -> "Budget":
        """How many images may still be sent to the vision model in this run."""
        return self._budget("figures", self.config.figures.max_images)

    @property
    def context_budget(self) -> "Budget":
        """How many tokens may still be exchanged with the language model in this run."""
        return self._budget("context", self.config.context.max_tokens)

    def _budget(self, section: str, most: int) -> "Budget":
        from pipeline.endpoint.chat import Budget

        if section not in self._budgets:
            self._budgets[section] = Budget(most)
        return self._budgets[section]

    @property
    def languages(self) -> Mapping[str, Sequence[str]]:
        """The expected languages of each collection."""
        return {collection.name: collection.languages for collection in self.config.collections}

    @property
    def dating(self) -> tuple[str, ...]:
        """The collections in which a date that was read in a document counts, sorted."""
        return tuple(sorted(each.name for each in self.config.collections if each.read_dates))

    @property
    def partitions(self) -> list[str]:
        """All partitions of the configuration, in its order."""
        return [name for collection in self.config.collections for name in partitions_of(collection)]

    def collection_of(self, partition: str) -> CollectionConfig:
        """The collection that a partition belongs to."""
        return self.config.collection(collection_name(partition))

    def documents_of(self, collection: str) -> pl.DataFrame:
        """The published DOCUMENTS rows of a collection, all partitions (of earlier bucket counts, too)."""
        names = [name for name in self.lake.partitions(DOCUMENTS) if collection_name(name) == collection]
        # While documents move to other buckets they stand in two partitions; the configured one is newer.
        names.sort(key=lambda name: name in self.partitions)
        parts = [self.lake.read(DOCUMENTS, name) for name in names]
        return pl.concat([DOCUMENTS.empty(), *parts]).unique(
            DOCUMENTS.key[0], keep="last", maintain_order=True
        )

    def read(self, table: Table, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """The rows of a partitioned table over all configured partitions; all columns unless some are named."""
        parts = [self.lake.read(table, name, columns) for name in self.partitions]
        return pl.concat(parts)

    def rows(self, table: Table) -> int:
        """Number of rows of a partitioned table over all configured partitions, told from its footers."""
        states = (self.lake.state(table, name) for name in self.partitions)
        return sum(state.rows for state in states if state)

    def digest(self, table: Table) -> str:
        """Hash of the content of a partitioned table over all configured partitions."""
        states = ((name, self.lake.state(table, name)) for name in self.partitions)
        return fingerprint(*(f"{name}:{state.digest}" for name, state in states if state))

    def scan(self, collection: str) -> Scan:
        """Compare the source with the published documents; once in a run, or in the life of a workspace that runs nothing.

        Raises:
            SourceError: the source cannot be listed.
        """
        if collection not in self._scans:
            settings = self.config.collection(collection)
            documents, now = without_editions(self.documents_of(collection)), self.now()
            try:
                listing, cursor = listed(self.config, self.lake, settings, documents, now=now, say=self.say)
            except SourceError as error:
                # Where documents were found before, the settings were right: what is not there is not there today.
                kind = type(error) if documents.is_empty() else SourceError
                raise kind(f"collection {collection!r}: {error}") from error
            if cursor is not None:
                self.cursors[collection] = cursor
            self.looked_at = self.looked_at or time.monotonic()
            # That a text begins where an earlier one ends is decided below, so it is no change here.
            declared = documents.with_columns(pl.col(c.EFFECTIVE_DATE).alias(c.VALID_FROM))
            found = scan_collection(listing, declared, settings, now=now)
            taken = sum(scan.count("created") + scan.count("updated") for scan in self._scans.values())
            options = self.options
            limit = None if options.limit is None else max(options.limit - taken, 0)
            found = narrowed(found, documents, since=options.since, limit=limit)
            self._scans[collection] = with_history(self.lake, found, documents)
        return self._scans[collection]

    def now(self) -> datetime:
        """The present, in UTC."""
        return datetime.now(UTC)
