"""The whole of `kesit.toml`: its sections, and what must hold between them."""

from pathlib import Path
from typing import Self

from pydantic import Field, PrivateAttr, model_validator

from pipeline.config.chunking import ChunkingConfig, DedupConfig, EmbeddingConfig
from pipeline.config.context import ContextConfig
from pipeline.config.errors import ConfigError
from pipeline.config.estate import CollectionConfig
from pipeline.config.index import IndexConfig, LakeConfig
from pipeline.config.reading import FiguresConfig, GateConfig, ParsingConfig
from pipeline.config.retrieval import EvaluationConfig, RetrievalConfig
from pipeline.config.schedule import AlertsConfig, ScheduleConfig
from pipeline.config.values import Section


class Config(Section):
    """The whole of `kesit.toml`. Paths in it are relative to the file: use `resolve`."""

    lake: LakeConfig = LakeConfig()
    index: IndexConfig = IndexConfig()
    collections: tuple[CollectionConfig, ...] = Field(min_length=1)
    parsing: ParsingConfig = ParsingConfig()
    gate: GateConfig = GateConfig()
    figures: FiguresConfig = FiguresConfig()
    chunking: ChunkingConfig = ChunkingConfig()
    context: ContextConfig = ContextConfig()
    dedup: DedupConfig = DedupConfig()
    embedding: EmbeddingConfig = EmbeddingConfig()
    retrieval: RetrievalConfig = RetrievalConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    schedule: ScheduleConfig = ScheduleConfig()
    alerts: AlertsConfig = AlertsConfig()

    _base: Path = PrivateAttr(default_factory=Path.cwd)

    @model_validator(mode="after")
    def _collections_distinct(self) -> Self:
        names = [collection.name for collection in self.collections]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"the name {twice[0]!r} is used by two collections")
        return self

    @model_validator(mode="after")
    def _context_is_asked_for(self) -> Self:
        known = [collection.name for collection in self.collections]
        unknown = next((name for name in self.context.collections if name not in known), None)
        if unknown is not None:
            raise ValueError(
                f"context.collections: {unknown!r} is no collection; there are: {', '.join(known)}"
            )
        asked = self.chunking.asks_context_of_some
        if asked and not self.context.collections:
            raise ValueError(
                "chunking.prefix_template names {context}, so context.collections must name whose chunks get such a sentence"
            )
        if self.context.endpoint and not asked:
            raise ValueError("context.endpoint is set, so a chunking.prefix_template must name {context}")
        return self

    @model_validator(mode="after")
    def _floors_have_questions(self) -> Self:
        rules = self.evaluation
        for key, floor in (("min_recall_at_5", rules.min_recall_at_5), ("floors", rules.floors)):
            if floor and not rules.questions:
                raise ValueError(
                    f"evaluation.{key} = {floor!r}: nothing is measured without evaluation.questions;"
                    f" name a file of gold questions there, or leave {key} out"
                )
        return self

    @property
    def base(self) -> Path:
        """The folder that relative paths start from: that of the configuration file."""
        return self._base

    def resolve(self, location: str) -> str:
        """An absolute path, or the URL unchanged."""
        location = location.removeprefix("file://")
        return location if "://" in location else str((self._base / location).absolute())

    def collection(self, name: str) -> CollectionConfig:
        """The collection called `name`. Raises ConfigError if there is none."""
        for collection in self.collections:
            if collection.name == name:
                return collection
        known = ", ".join(collection.name for collection in self.collections)
        raise ConfigError(f"collection {name!r} is not configured; there are: {known}")
