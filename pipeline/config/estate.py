"""`[[collections]]`: where documents come from, who may read them, and what an edit leaves of them."""

import re
from collections.abc import Iterator
from typing import Any, Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from pipeline.config.environment import from_environment
from pipeline.config.values import (
    ENV,
    LANGUAGES,
    OF_ENVIRONMENT,
    DocumentClass,
    Group,
    History,
    Language,
    Name,
    Section,
)

_SECRET = re.compile(
    r"secret|passw|passphrase|token|key|credential|signature|sas|connection_string", re.IGNORECASE
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
            private = isinstance(option, str) and (_SECRET.search(name) or option.startswith(ENV))
            if private and not re.fullmatch(OF_ENVIRONMENT, option):
                raise ValueError(f'{name} must be "{ENV}" and the name of an environment variable')
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


def with_secrets(collection: CollectionConfig) -> dict[str, Any]:
    """The storage options of a collection, each "env:NAME" replaced by the value of that variable. Never to be shown.

    Raises:
        ConfigError: such a variable is not set.
    """

    def filled(name: str, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: filled(key, item) for key, item in value.items()}
        where = f"collection {collection.name!r}: storage_options.{name}"
        return from_environment(value, where) if isinstance(value, str) else value

    return filled("", collection.storage_options)


def _options(options: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """All options, those of inner tables included."""
    for name, value in options.items():
        if isinstance(value, dict):
            yield from _options(value)
        else:
            yield name, value
