"""`[chunking]`, `[dedup]` and `[embedding]`: from the text of a document to vectors."""

from typing import Self

from pydantic import Field, ValidationError, field_validator, model_validator

from pipeline.config.errors import plain_message
from pipeline.config.values import (
    CRITERIA,
    OVERLAPPING,
    PROSE_STRATEGIES,
    STRATEGY_GROUP,
    Criterion,
    DocumentClass,
    Name,
    PrefixTemplate,
    Section,
    Share,
    TableText,
)


class ClassChunking(Section):
    """What differs for the documents of one class; a key that is left out is that of `[chunking]`."""

    strategy: Name | None = Field(default=None, description="How prose of these documents is cut.")
    max_tokens: int | None = Field(default=None, ge=32, description="Ceiling for these documents.")
    min_tokens: int | None = Field(default=None, ge=0, description="Floor for these documents.")
    overlap: int | None = Field(default=None, description="Overlap for these documents.")
    percentile: float | None = Field(default=None, ge=0, le=100, description='Of "semantic".')
    prefix: bool | None = Field(default=None, description="Section path in front, or not.")
    prefix_template: PrefixTemplate | None = Field(default=None, description="What stands in front.")
    tables: TableText | None = Field(default=None, description="How rows of tables are written.")
    options: dict[str, str | int | float | bool] | None = Field(
        default=None, description="Of a strategy that a package brings."
    )


class ChunkingConfig(Section):
    strategy: Name = Field(
        default="structure",
        description=f"How prose is cut: {', '.join(PROSE_STRATEGIES)}, or the name that an installed package registers under kesit.chunking. Tables and dialogues have their own way.",
    )
    max_tokens: int = Field(
        default=320,
        ge=32,
        description="Ceiling of what is embedded, prefix and special tokens included, in encoder tokens.",
    )
    min_tokens: int = Field(
        default=100, ge=0, description="Smaller pieces join a neighbour of the same section."
    )
    overlap: int = Field(
        default=0,
        description=f"Tokens that a chunk repeats of the one before it, at most; of {', '.join(OVERLAPPING)}.",
    )
    percentile: float = Field(
        default=90.0,
        ge=0,
        le=100,
        description="Of semantic: only changes between sentences above this percentile are borders.",
    )
    prefix: bool = Field(default=True, description="Put the section path in front of what is embedded.")
    prefix_template: PrefixTemplate = Field(
        default="{path}",
        description='The line in front: text with {title}, {path}, {effective_date}, {edition}, {context} (see [context]); what stands in [ ] goes when a field in it is empty: "{title}[ ({edition})][, in force from {effective_date}] › {path}". A long path is shortened.',
    )
    tables: TableText = Field(
        default="markdown",
        description="How rows of tables are written: markdown (cells between |, the header over each piece) or key-value (each cell behind the name of its column).",
    )
    options: dict[str, str | int | float | bool] = Field(
        default={}, description="Of a strategy that a package brings."
    )
    warn_under_floor: Share = Field(
        default=0.5,
        description="Dagster's check warns when, in sections of several chunks, a larger share is under the floor.",
    )
    classes: dict[DocumentClass, ClassChunking] = Field(
        default={},
        description="What differs by class of document: [chunking.classes.contract] with strategy, max_tokens, min_tokens, overlap, percentile, prefix, prefix_template, tables, options.",
    )

    @field_validator("strategy")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in PROSE_STRATEGIES:
            from importlib.metadata import entry_points  # takes a while, and few need it

            registered = sorted(entry_points(group=STRATEGY_GROUP).names)
            if value not in registered:
                raise ValueError(f"unknown strategy; allowed: {', '.join((*PROSE_STRATEGIES, *registered))}")
        return value

    @model_validator(mode="after")
    def _band(self) -> Self:
        if self.min_tokens >= self.max_tokens:
            raise ValueError(f"min_tokens ({self.min_tokens}) must be below max_tokens ({self.max_tokens})")
        if not 0 <= self.overlap < self.max_tokens:
            raise ValueError(
                f"overlap ({self.overlap}) must be at least 0 and below max_tokens ({self.max_tokens})"
            )
        if self.overlap and self.strategy in PROSE_STRATEGIES and self.strategy not in OVERLAPPING:
            raise ValueError(
                f"overlap ({self.overlap}) is of the strategies {', '.join(OVERLAPPING)}, not of {self.strategy!r}"
            )
        for document_class in self.classes:
            try:
                self.of(document_class)
            except ValidationError as error:
                problem = error.errors()[0]
                key = ".".join(("classes", document_class, *map(str, problem["loc"])))
                raise ValueError(f"{key}: {plain_message(problem)}") from None
        return self

    @property
    def asks_context(self) -> bool:
        """Whether a sentence by a language model belongs in front of chunks."""
        return self.prefix and "{context}" in self.prefix_template

    @property
    def asks_context_of_some(self) -> bool:
        """Whether it does for documents of any class."""
        return any(each.asks_context for each in (self, *map(self.of, self.classes)))

    @property
    def band(self) -> tuple[int, int]:
        """The lowest floor and the highest ceiling of any class, in tokens."""
        all_classes = [self, *(self.of(name) for name in self.classes)]
        return min(each.min_tokens for each in all_classes), max(each.max_tokens for each in all_classes)

    def of(self, document_class: str) -> "ChunkingConfig":
        """The settings that hold for a class of documents: its own, else those of `[chunking]`."""
        own = self.classes.get(document_class)  # pyright: ignore[reportArgumentType,reportCallIssue]
        changed = own.model_dump(exclude_none=True) if own else {}
        return ChunkingConfig.model_validate(self.model_dump(exclude={"classes"}) | changed)


class DedupConfig(Section):
    permutations: int = Field(default=128, ge=16, le=1024, description="Length of a MinHash signature.")
    shingle_words: int = Field(default=3, ge=1, le=16, description="Words in a shingle.")
    shingle_words_turkish: int = Field(
        default=2,
        ge=1,
        le=16,
        description="Words in a shingle of Turkish text: two say nearly as much as three German or English ones.",
    )
    threshold: float = Field(
        default=0.8, gt=0.0, le=1.0, description="Jaccard similarity from which chunks are near-duplicates."
    )
    min_words: int = Field(
        default=5, ge=1, description="Chunks of fewer words are no duplicates of anything."
    )
    min_shingles: int = Field(default=8, ge=1, description="Shorter chunks are compared exactly only.")
    min_cosine: Share = Field(
        default=0.0,
        description="Near-duplicates must also have embeddings of at least this cosine (0.95, say); 0: not asked.",
    )
    seed: int = Field(default=1, ge=0, lt=2**32, description="Seed of the permutations.")
    election: tuple[Criterion, ...] = Field(
        default=CRITERIA,
        min_length=1,
        description="What decides which copy is canonical, first what counts most; among equals the chunk's id does.",
    )
    max_share: Share = Field(
        default=0.5, description="Share of chunks that are copies of others from which a check warns."
    )

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        if len(set(self.election)) != len(self.election):
            raise ValueError(f"election {list(self.election)} must name each criterion once")
        return self


class EmbeddingConfig(Section):
    models: tuple[str, ...] = Field(
        default=("use-multilingual",),
        min_length=1,
        description="use-multilingual, e5-small, e5-small-int8, or any sentence-transformers id or local path; one vector column each.",
    )
    batch_size: int = Field(default=64, ge=1, description="Strings that a model encodes at once on a GPU.")

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        if len(set(self.models)) != len(self.models):
            raise ValueError(f"models {list(self.models)} must be distinct")
        return self
