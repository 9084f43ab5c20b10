"""Every setting of Kesit, typed. `load_config` is the one way in; an unknown key or a bad value is one line.

Longer than 400 lines, because the settings stand in one place, in the order of `kesit.toml`.
"""

import os
import re
import tomllib
from collections.abc import Iterator
from itertools import product
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self, get_args
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    field_validator,
    model_validator,
)

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Language = Literal["tr", "de", "en"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
UNKNOWN: Final = "und"
"""Stands for the language of a text that says too little."""

DocumentClass = Literal[
    "regulation", "contract", "policy", "financial_report", "manual", "web_page", "memo", "transcript", "letter", "form", "other",
]  # fmt: skip
History = Literal["replace", "keep"]
Criterion = Literal["authority", "in_force", "effective_date", "modified", "quality", "format"]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
_NAME = r"^[a-z0-9][a-z0-9_-]{0,62}$"
_SLICE = r"^(lang|pair|kind|class|tabular)=.+$"
Name = Annotated[str, Field(pattern=_NAME)]
Slice = Annotated[str, Field(pattern=_SLICE)]
Group = Annotated[str, Field(min_length=1)]

OVERLAPPING = ("fixed", "recursive", "sentence")  # strategies whose chunks may share text
PROSE_STRATEGIES = (*OVERLAPPING, "structure", "hybrid", "semantic")
STRATEGY_GROUP = "kesit.chunking"
PREFIX_FIELDS = ("title", "path", "effective_date", "edition")
_FIELD = rf"\{{(?:{'|'.join(PREFIX_FIELDS)})\}}"
_PREFIX_TEMPLATE = rf"(?:[^\[\]{{}}\n]|{_FIELD}|\[(?:[^\[\]{{}}\n]|{_FIELD})*\])*"
PrefixTemplate = Annotated[str, Field(pattern=f"^{_PREFIX_TEMPLATE}$")]
TableText = Literal["markdown", "key-value"]

DEFAULT_PATH = "kesit.toml"
CONFIG_ENV = "KESIT_CONFIG"
_CRON_FIELDS = 5
_VARIABLE = "env:"
_SECRET = re.compile(
    r"secret|passw|passphrase|token|key|credential|signature|sas|connection_string", re.IGNORECASE
)
_PRIVATE_IN_URL = re.compile(r"(?<=//)[^/@\s'\"]*@|(?<=[^\s'\"])\?[^\s'\"]*")
# Where pydantic speaks of Python, and a person reads TOML.
_PLAIN = {
    "tuple_type": "must be an array",
    "model_type": "must be a table",
    "string_too_short": "must not be empty",
    "too_short": "must not be empty",
}
_PATTERNS = {
    _NAME: "must be lower-case letters, digits, - and _, at most 63 of them",
    f"^{_PREFIX_TEMPLATE}$": "must be one line of text with the fields "
    + ", ".join(f"{{{name}}}" for name in PREFIX_FIELDS)
    + " and optional parts in [ ], none inside another",
    _SLICE: "must be lang=, pair=, kind=, class= or tabular= and a value",
}


class UserError(Exception):
    """What a user can cause or mend: the message is for them. Any other error is a defect of Kesit.

    Attributes:
        exit_code: of the command. 1: something stopped, and what was there before stands; 2: bad configuration or
            arguments; 3: refused.
    """

    exit_code: ClassVar[int] = 2


class ConfigError(UserError):
    """The configuration cannot be used. The message is one line: file, key, value, and what is allowed."""


class Section(BaseModel):
    """A table of `kesit.toml`: frozen, unknown keys refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class LakeConfig(Section):
    root: str = Field(
        default="data/lake", description="Where the Parquet tables lie: a folder or any fsspec URL."
    )


class IndexConfig(Section):
    root: str = Field(default="data/index", description="Where the LanceDB tables and the live pointer lie.")
    rollback_days: int = Field(
        default=14, ge=0, le=36_500, description="How long builds that were live are kept, in days."
    )
    policy_minutes: int = Field(
        default=15,
        ge=0,
        description="In a long run the sources are looked at so often, in minutes: what was deleted or closed leaves the live index at once; 0: at the next run.",
    )
    flat_below: int = Field(
        default=20_000,
        ge=256,
        description="Below this number of rows no approximate vector index is built: exact search.",
    )
    min_vector_recall: Share = Field(
        default=0.95,
        description="An approximate index that finds less of what an exact search finds is dropped: exact search.",
    )
    recall_sample: int = Field(
        default=128, ge=1, le=10_000, description="Rows asked for their neighbours to measure that."
    )
    hnsw_m: int = Field(default=20, ge=4, le=128, description="Neighbours of a vector in the graph.")
    hnsw_ef_construction: int = Field(
        default=300,
        ge=16,
        le=2_000,
        description="Candidates looked at for each vector when the graph is made.",
    )
    hnsw_partition_rows: int = Field(
        default=1_000_000,
        ge=10,
        description="Rows in one graph: less memory to build, more graphs to search.",
    )


class CollectionConfig(Section):
    name: Name = Field(description="One source system: lower-case letters, digits, - and _.")
    source: str = Field(description="Folder or URL of the documents.")
    buckets: int = Field(default=2, ge=1, le=4096, description="Partitions of this collection.")
    acl_groups: tuple[Group, ...] = Field(
        default=("public",), min_length=1, description="Who may read a document that says nothing else."
    )
    authority: int = Field(
        default=50, ge=0, le=100, description="Weight of the source when a canonical copy is elected."
    )
    languages: tuple[Language, ...] = Field(
        default=LANGUAGES, min_length=1, description="Expected languages."
    )
    feed: str = Field(
        default="",
        description="File or URL of a change feed, one JSON event a line: only what it names is looked at; empty: the source is listed.",
    )
    read_dates: bool = Field(
        default=True,
        description='A document without an effective_date answers from the day that its first page names under a label ("Stand: …", "Yürürlük tarihi: …", "Effective date: …"); false: only metadata date a document.',
    )
    exclude: tuple[Group, ...] = Field(
        default=(), description="Files to leave out, as lines of a .gitignore: *.bak, drafts/, /archive/**."
    )
    follow_links: bool = Field(
        default=False, description="Follow symbolic links that lead out of the source."
    )
    settle_seconds: int = Field(
        default=0,
        ge=0,
        description="A file written less than so many seconds ago may be half there: the next scan looks at it.",
    )
    trust_times: bool = Field(
        default=False,
        description="Of a URL without etags (SFTP): take equal size and time for proof that a file is unchanged; false: read every file in each scan.",
    )
    history: History = Field(
        default="replace",
        description="What an edit in place leaves of the text before: nothing, or an edition that still answers for its days.",
    )
    history_of: dict[DocumentClass, History] = Field(
        default={}, description='The same for single classes of documents: { policy = "keep" }.'
    )
    storage_options: dict[str, Any] = Field(
        default={},
        description='Of a URL: what fsspec wants to know, for example { endpoint_url = "https://…" }; secrets as "env:NAME of a variable".',
    )

    def keeps(self, document_class: str) -> bool:
        """Whether earlier editions of a document of this class are kept."""
        own = (policy for name, policy in self.history_of.items() if name == document_class)
        return next(own, self.history) == "keep"

    @property
    def keeps_any(self) -> bool:
        """Whether earlier editions of any document are kept."""
        return "keep" in (self.history, *self.history_of.values())

    @field_validator("source", "feed")
    @classmethod
    def _no_secret_in_url(cls, value: str) -> str:
        parts = urlsplit(value)
        if "://" in value and (parts.password or (parts.query and parts.scheme.startswith("http"))):
            raise ValueError("must hold no password or query; give secrets in storage_options")
        return value

    @field_validator("exclude")
    @classmethod
    def _patterns(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        from pathspec import GitIgnoreSpec

        try:
            GitIgnoreSpec.from_lines(value)
        except ValueError as error:
            raise ValueError(f"must be patterns of a .gitignore ({error})") from None
        return value

    @field_validator("storage_options")
    @classmethod
    def _no_secret_in_file(cls, value: dict[str, Any]) -> dict[str, Any]:
        for name, option in _options(value):
            if _SECRET.search(name) and isinstance(option, str) and not option.startswith(_VARIABLE):
                raise ValueError(f'{name} must be "{_VARIABLE}" and the name of an environment variable')
        return value

    @model_validator(mode="after")
    def _options_of_a_url(self) -> Self:
        if self.storage_options and "://" not in self.source:
            raise ValueError("storage_options are for a source that is a URL")
        if self.trust_times and "://" not in self.source:
            raise ValueError(
                "trust_times is for a source that is a URL; of files in a folder the time is looked at anyway"
            )
        if self.feed and self.source.startswith(("http://", "https://")):
            raise ValueError(
                "feed: a web server does not tell a file that is gone from one that it could not find"
            )
        return self


class ParsingConfig(Section):
    workers: int = Field(default=0, ge=0, le=256, description="Worker processes; 0 means one per core.")
    timeout_seconds: int = Field(default=300, ge=1, description="A document that takes longer is given up.")
    memory_mb: int = Field(
        default=4096,
        ge=2048,
        description="A worker that needs more address space is ended; the engines alone take 1300.",
    )
    max_pages: int = Field(default=2000, ge=1, description="Pages of a document beyond this are not read.")
    documents_per_worker: int = Field(
        default=50, ge=1, description="A worker is replaced after so many documents."
    )
    pages_per_range: int = Field(
        default=50,
        ge=1,
        description="A longer document is read in ranges of so many pages, side by side; each has the time limit for itself.",
    )
    ocr: Literal["rapidocr", "tesseract"] = Field(default="rapidocr", description="Engine for scanned pages.")
    passwords_variable: str = Field(
        default="",
        description="Name of an environment variable that holds passwords of encrypted files, one a line.",
    )
    passwords_file: str = Field(
        default="",
        description="File that holds passwords of encrypted files, one a line.",
    )
    layout: Literal["auto", "geometry", "model", "docling"] = Field(
        default="auto",
        description="Who finds the regions of a page of a PDF or image: geometry (fonts and lines), the bundled model beside it, auto: the model only where geometry is unsure, and on scans; or docling: docling's own pipeline, slower.",
    )
    hidden_sheets: Literal["skip", "read"] = Field(
        default="skip",
        description="Hidden sheets, rows and columns of spreadsheets: leave them out (and say so), or read them.",
    )
    artifacts_path: str = Field(
        default="",
        description="With layout = \"docling\": folder with docling's models (Heron, TableFormer), which then read the pages; empty: the bundled engines do, inside docling's pipeline.",
    )

    @model_validator(mode="after")
    def _artifacts(self) -> Self:
        if self.artifacts_path and self.layout != "docling":
            raise ValueError(
                f"artifacts_path ({self.artifacts_path!r}) is used with layout = 'docling' only, not with {self.layout!r}"
            )
        return self


class ThresholdConfig(Section):
    """Thresholds for the pages of a language, of a class of documents, or of both."""

    language: Language | None = Field(default=None, description="Only pages in this language.")
    document_class: DocumentClass | None = Field(default=None, description="Only documents of this class.")
    flag_below: Share | None = Field(default=None, description="Instead of the general value.")
    reject_below: Share | None = Field(default=None, description="Instead of the general value.")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.language is None and self.document_class is None:
            raise ValueError(
                "must name a language, a document_class or both; for all pages: gate.flag_below, gate.reject_below"
            )
        if self.flag_below is None and self.reject_below is None:
            raise ValueError("must give flag_below, reject_below or both")
        return self


class GateConfig(Section):
    flag_below: Share = Field(
        default=0.70,
        description="Pages with a lower quality are indexed as low confidence: one character in ten may be wrong.",
    )
    reject_below: Share = Field(
        default=0.45,
        description="Pages with a lower quality are not indexed: one character in five may be wrong.",
    )
    thresholds: tuple[ThresholdConfig, ...] = Field(
        default=(),
        description="Other values for a language or a class of documents, or both, which count most:"
        ' { language = "de", document_class = "contract", flag_below = 0.8 }.',
    )
    second_pass: bool = Field(
        default=True,
        description="Read a page below flag_below again: its picture restored, then by the other OCR engine.",
    )
    warn_rejected_above: Share = Field(
        default=0.05, description="Dagster's check warns when a larger share of all pages is rejected."
    )

    @model_validator(mode="after")
    def _said_once(self) -> Self:
        first: dict[tuple[str | None, str | None], int] = {}
        for number, each in enumerate(self.thresholds):
            before = first.setdefault((each.language, each.document_class), number)
            if before != number:
                of = " ".join(filter(None, (each.language, each.document_class)))
                raise ValueError(
                    f"thresholds.{before} and thresholds.{number} are both for {of}: make them one"
                )
        return self

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        languages = {None, *(each.language for each in self.thresholds)}
        classes = {None, *(each.document_class for each in self.thresholds)}
        for language, document_class in product(languages, classes):
            flag, reject = self.limits(language, document_class)
            if reject > flag:
                where = " ".join(filter(None, (language, document_class)))
                raise ValueError(
                    f"reject_below ({reject}) must not exceed flag_below ({flag}){where and f' for {where}'}"
                )
        return self

    def limits(self, language: str | None, document_class: str | None) -> tuple[float, float]:
        """flag_below and reject_below of a page: what is said of its language and class, else of its class, else of its language, else of all."""
        fitting = [
            each
            for each in self.thresholds
            if each.language in (None, language) and each.document_class in (None, document_class)
        ]
        fitting.sort(key=lambda each: (each.document_class is not None, each.language is not None))
        flag, reject = self.flag_below, self.reject_below
        for each in fitting:
            flag = flag if each.flag_below is None else each.flag_below
            reject = reject if each.reject_below is None else each.reject_below
        return flag, reject

    def of_class(self, document_class: str) -> str:
        """The class, where it decides thresholds; "" for all classes of which nothing is said."""
        return (
            document_class if any(each.document_class == document_class for each in self.thresholds) else ""
        )


class FiguresConfig(Section):
    endpoint: str = Field(
        default="",
        description="Base URL of an OpenAI-compatible service, such as http://localhost:8000/v1, whose vision model describes figures; empty: nothing is sent anywhere.",
    )
    model: str = Field(default="", description="Name of the vision model, as the service calls it.")
    api_key_variable: str = Field(
        default="",
        description="Name of an environment variable that holds the key of the service; empty: no key.",
    )
    classes: tuple[DocumentClass, ...] = Field(
        default=(), description="Only figures of documents of these classes are sent."
    )
    uncaptioned: bool = Field(
        default=False,
        description="Send also large pictures without a caption, which are not indexed otherwise.",
    )
    max_images: int = Field(
        default=100, ge=1, description="Images sent in one run at most; the others wait for the next run."
    )
    cost_per_image: float = Field(
        default=0.0,
        ge=0.0,
        description="What the description of one image costs, for the estimate; any currency.",
    )
    timeout_seconds: int = Field(default=60, ge=1, description="An answer that takes longer is given up.")

    @field_validator("endpoint")
    @classmethod
    def _url(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise ValueError("must be a URL that begins with http:// or https://")
        _ = parts.port  # asked, because it raises ValueError where there is none to speak of
        if not value.isprintable() or " " in value:
            raise ValueError("must hold no spaces and no control characters")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError(
                "must hold no user, password, query or fragment; name the key in api_key_variable"
            )
        return value.rstrip("/")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.endpoint and not self.model:
            raise ValueError("endpoint is set, so model must be too")
        if self.endpoint and not self.classes:
            raise ValueError("endpoint is set, so classes must name what may be sent")
        return self


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
        description="How prose is cut: fixed, recursive, sentence, structure, hybrid, semantic, or the name that an installed package registers under kesit.chunking. Tables and dialogues have their own way.",
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
        description="Tokens that a chunk repeats of the one before it, at most; of fixed, recursive and sentence.",
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
        description='The line in front: text with {title}, {path}, {effective_date}, {edition}; what stands in [ ] goes when a field in it is empty: "{title}[ ({edition})][, in force from {effective_date}] › {path}". A long path is shortened.',
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
        if self.overlap and self.strategy in ("structure", "hybrid", "semantic"):
            raise ValueError(
                f"overlap ({self.overlap}) is of the strategies fixed, recursive and sentence, not of {self.strategy!r}"
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
        default=("authority", "in_force", "effective_date", "modified", "quality", "format"),
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


class RetrievalConfig(Section):
    candidates: int = Field(
        default=100, ge=1, le=10_000, description="Rows taken from each leg before fusion."
    )
    text_weight: float = Field(
        default=1.0, ge=0.0, le=100.0, description="Weight of full text; that of an encoder is 1."
    )
    cross_lingual_text_weight: float = Field(
        default=1.0,
        ge=0.0,
        le=100.0,
        description="Weight of full text for chunks whose language is not the query's.",
    )
    encoder_weights: dict[
        Annotated[str, Field(pattern=r"^[a-z0-9_]+(:(same|cross|(tr|de|en)-(tr|de|en)))?$")],
        Annotated[float, Field(ge=0.0, le=100.0)],
    ] = Field(
        default={"e5_small:same": 2.0},
        description='Weights of encoders by their slug, else 1: { "e5_small" = 2, "e5_small:cross" = 0.5, "e5_small:en-de" = 0.3 }; same, cross: whether question and chunk share a language; en-de: English questions, German chunks. The narrowest key counts.',
    )
    reranker: str = Field(
        default="",
        description="Folder of a sentence-transformers cross-encoder or multi-vector model that orders the best candidates anew; empty: none.",
    )
    reranked: int = Field(default=30, ge=1, le=200, description="How many candidates the reranker reads.")
    authority_boost: float = Field(
        default=0.05, ge=0.0, le=100.0, description="Largest share added to a score for authority."
    )
    recency_boost: float = Field(
        default=0.05, ge=0.0, le=100.0, description="Largest share added to a score for recency."
    )
    per_document: int = Field(default=5, ge=1, description="Results of one document at most.")
    token_budget: int = Field(default=2000, ge=100, description="Tokens of parent text in one answer.")
    parent_tokens: int = Field(default=800, ge=50, description="A longer parent falls back to its child.")


class EvaluationConfig(Section):
    questions: str | None = Field(
        default=None, description="Gold questions, JSON Lines; none: builds go live unjudged."
    )
    min_recall_at_5: Share = Field(default=0.0, description="A build below this recall@5 does not go live.")
    max_recall_loss: Share = Field(
        default=0.02, description="A build that loses more recall@5 against the live one stays back."
    )
    max_slice_loss: Share = Field(
        default=0.10,
        description="A build that loses more in one language, kind or class of question, beyond chance, stays back.",
    )
    floors: dict[Slice, Share] = Field(
        default={},
        description='Floors of recall@5 by slice, for example { "lang=tr" = 0.8, "kind=table" = 0.7 }.',
    )
    k: int = Field(default=10, ge=5, le=100, description="Results retrieved for each question.")


class ScheduleConfig(Section):
    cron: str = Field(default="0 2 * * *", description="When the estate is scanned for changes.")
    timezone: str = Field(default="UTC", description="Time zone of the schedule.")
    max_age_hours: int = Field(
        default=0,
        ge=0,
        description="Dagster shows the live index as stale when no night has confirmed it for so long; 0: never.",
    )

    @field_validator("cron")
    @classmethod
    def _five_fields(cls, value: str) -> str:
        if len(value.split()) != _CRON_FIELDS:
            raise ValueError("must be five fields: minute, hour, day, month, day of week")
        return value

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError):
            raise ValueError("must be a time zone such as UTC or Europe/Istanbul") from None
        return value


class AlertsConfig(Section):
    webhook: str = Field(
        default="",
        description="Address that failures are posted to, as JSON; $NAME: it stands in that environment variable.",
    )

    @field_validator("webhook")
    @classmethod
    def _address(cls, value: str) -> str:
        if value and not re.fullmatch(r"\$\w+|https?://.+", value):
            raise ValueError("must be an address that begins with https:// or http://, or $NAME")
        return value


class Config(Section):
    """The whole of `kesit.toml`. Paths in it are relative to the file: use `resolve`."""

    lake: LakeConfig = LakeConfig()
    index: IndexConfig = IndexConfig()
    collections: tuple[CollectionConfig, ...] = Field(min_length=1)
    parsing: ParsingConfig = ParsingConfig()
    gate: GateConfig = GateConfig()
    figures: FiguresConfig = FiguresConfig()
    chunking: ChunkingConfig = ChunkingConfig()
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


def config_path(given: str | Path | None = None) -> Path:
    """The configuration file: what was given, else $KESIT_CONFIG, else ./kesit.toml."""
    return Path(given or os.environ.get(CONFIG_ENV) or DEFAULT_PATH)


def load_config(path: str | Path | None = None) -> Config:
    """Read and check a configuration file.

    Raises:
        ConfigError: the file is missing, is not TOML, has an unknown key or a value that is not allowed.
    """
    file = config_path(path)
    try:
        raw = tomllib.loads(
            file.read_text(encoding="utf-8-sig")  # some editors on Windows put a mark in front
        )
    except FileNotFoundError:
        raise ConfigError(f"{file}: no such file; `kesit init` writes one") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{file}: {error}") from None
    except RecursionError:
        raise ConfigError(f"{file}: is nested too deeply") from None
    return parse_config(raw, base=file.absolute().parent, origin=str(file))


def parse_config(raw: dict[str, Any], *, base: Path, origin: str = "configuration") -> Config:
    """Check a configuration given as a dictionary; relative paths in it start at `base`.

    Raises:
        ConfigError: an unknown key or a value that is not allowed.
    """
    for key, value in _texts(raw):
        if (
            "\0" in value
        ):  # no path, address or name can hold one, and each library falls over it in its own way
            raise ConfigError(f"{origin}: {key}: must hold no NUL character")
    try:
        config = Config.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(f"{origin}: {_one_line(error)}") from None
    config._base = base  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001
    _check_places(config, origin)
    return _with_paths(config)


def _with_paths(config: Config) -> Config:
    """The configuration with absolute paths in `[parsing]`: who reads documents is given that section alone."""
    parsing = config.parsing
    paths = {"passwords_file": parsing.passwords_file, "artifacts_path": parsing.artifacts_path}
    absolute = {key: config.resolve(path) for key, path in paths.items() if path}
    return config.model_copy(update={"parsing": parsing.model_copy(update=absolute)})


def _check_places(config: Config, origin: str) -> None:
    """Refuse what would be scanned although it must not be: files of our own, and documents of another collection.

    A lake or an index inside a source would be taken for documents, anew in every run; passwords and gold questions there
    would be found by searches. Of two sources one inside the
    other, the outer one would give its own access groups to the documents of the inner one.
    """
    sources = {each.name: _place(config, each.source) for each in config.collections}
    for collection in config.collections:
        source = sources[collection.name]
        for other, outer in sources.items():
            if other != collection.name and source.is_relative_to(outer):
                raise ConfigError(
                    f"{origin}: source of collection {collection.name!r} = {collection.source!r}: must not lie inside the"
                    f" source of collection {other!r}, whose access groups its documents would get there"
                )
        own = [("lake.root", config.lake.root), ("index.root", config.index.root)]
        own += [("parsing.passwords_file", config.parsing.passwords_file)]
        own += [("evaluation.questions", config.evaluation.questions or "")]
        own += [("feed", each.feed) for each in config.collections]
        for key, root in own:
            if root and _place(config, root).is_relative_to(source):
                raise ConfigError(
                    f"{origin}: {key} = {root!r}: must not lie inside the source of collection {collection.name!r}"
                    f" ({collection.source!r})"
                )


def _place(config: Config, location: str) -> PurePath:
    place = config.resolve(location)
    return PurePosixPath(place) if "://" in place else Path(os.path.realpath(place))


def with_secrets(collection: CollectionConfig) -> dict[str, Any]:
    """The storage options of a collection, each "env:NAME" replaced by the value of that variable. Never to be shown.

    Raises:
        ConfigError: such a variable is not set.
    """

    def filled(name: str, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: filled(key, item) for key, item in value.items()}
        if not isinstance(value, str) or not value.startswith(_VARIABLE):
            return value
        variable = value.removeprefix(_VARIABLE)
        if variable not in os.environ:
            raise ConfigError(
                f"collection {collection.name!r}: storage_options.{name}: the environment variable {variable!r} is not set"
            )
        return os.environ[variable]

    return filled("", collection.storage_options)


def _options(options: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """All options, those of inner tables included."""
    for name, value in options.items():
        if isinstance(value, dict):
            yield from _options(value)
        else:
            yield name, value


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """All strings of a configuration with the keys that lead there."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(item, f"{key}.{name}".lstrip("."))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _texts(item, f"{key}.{number}")


def _one_line(error: ValidationError) -> str:
    # Beside each bad item of an array pydantic also reports the array as too short: that is no fault of its own.
    problems = error.errors()
    places = {problem["loc"][:-2] for problem in problems} | {problem["loc"][:-1] for problem in problems}
    problems = [p for p in problems if p["type"] != "too_short" or p["loc"] not in places]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return _problem(problems[0]) + more


def _problem(problem: "ErrorDetails") -> str:
    key = ".".join(str(part) for part in problem["loc"] if part != "[key]")
    if problem["type"] == "extra_forbidden":
        return f"{key}: unknown key; allowed here: {', '.join(_siblings(problem['loc']))}"
    if problem["type"] == "missing":
        return f"{key}: is required"
    if not key:
        return plain_message(problem)
    # What may be a secret is not repeated.
    hidden = isinstance(problem["input"], dict) or "storage_options" in problem["loc"]
    value = "" if hidden else f" = {problem['input']!r}"
    value = _PRIVATE_IN_URL.sub("…", value) if "://" in value else value
    return f"{key}{value}: {plain_message(problem)}"


def plain_message(problem: "ErrorDetails") -> str:
    """What is wrong with a value, as somebody who writes TOML would say it."""
    pattern = problem.get("ctx", {}).get("pattern", "")
    message = (
        _PATTERNS.get(pattern) or _PLAIN.get(problem["type"]) or problem["msg"].removeprefix("Value error, ")
    )
    return message.replace("Input should be", "must be")


def _siblings(location: tuple[int | str, ...]) -> list[str]:
    """The keys that are allowed in the table which `location` points into."""
    model: Any = Config
    for part in location[:-1]:
        if isinstance(part, int) or part not in model.model_fields:  # a place in an array, a key in a table
            continue
        annotation = model.model_fields[part].annotation
        arguments = [
            a for a in getattr(annotation, "__args__", ()) if isinstance(a, type) and issubclass(a, Section)
        ]
        model = arguments[0] if arguments else annotation
    return sorted(model.model_fields)
