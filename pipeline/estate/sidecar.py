"""Metadata of a file: its own sidecar over the defaults of its folders over those of its collection (design §10)."""

import re
import tomllib
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from pipeline.config import CollectionConfig, Language
from pipeline.estate.media import DEFAULTS_NAME, SIDECAR_SUFFIX


class Metadata(BaseModel):
    """What a sidecar or a `_defaults.toml` may say. Every field is optional; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    external_id: Annotated[str, Field(min_length=1)] | None = None
    title: Annotated[str, Field(min_length=1)] | None = None
    doc_type: str | None = None
    effective_date: date | None = None
    expiry_date: date | None = None
    version_label: str | None = None
    supersedes: tuple[str, ...] | None = None
    acl_groups: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1)] | None = None
    authority: Annotated[int, Field(ge=0, le=100)] | None = None
    language: Language | None = None

    @field_validator("supersedes", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @field_validator("effective_date", "expiry_date", mode="before")
    @classmethod
    def _day(cls, value: Any) -> Any:
        # TOML writes a day as 2026-01-01, and people write "2026-01-01"; a time of day is cut off.
        return value.date() if isinstance(value, datetime) else value

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.effective_date and self.expiry_date and self.expiry_date < self.effective_date:
            raise ValueError(f"expiry_date {self.expiry_date} lies before effective_date {self.effective_date}")
        return self


@dataclass(frozen=True)
class Resolved:
    """The metadata that holds for one file, and what was wrong on the way ("" when nothing was)."""

    metadata: Metadata
    error: str = ""


@dataclass
class Sidecars:
    """All metadata files of one source. Each is read once.

    Attributes:
        files: location by uri.
    """

    files: dict[str, str]
    _read: dict[str, "Metadata | str"] = field(default_factory=dict[str, "Metadata | str"])

    def resolve(self, uri: str, collection: CollectionConfig) -> Resolved:
        """The metadata of the file at `uri`: its sidecar, else its folders' defaults from the inside out.

        An error in any of them is returned with what could be read; the caller decides what becomes of the document.
        """
        parents = [str(parent) for parent in PurePosixPath(uri).parents]
        chain = [f"{parent}/{DEFAULTS_NAME}".removeprefix("./") for parent in reversed(parents)]
        merged: dict[str, Any] = {"acl_groups": collection.acl_groups, "authority": collection.authority}
        errors: list[str] = []
        for name in [*chain, uri + SIDECAR_SUFFIX]:
            if name not in self.files:
                continue
            found = self._load(name)
            if isinstance(found, str):
                errors.append(found)
            else:
                merged |= found.model_dump(exclude_none=True)
        try:
            return Resolved(Metadata.model_validate(merged), "; ".join(errors))
        except ValidationError as error:  # each file was right, together they are not
            message = f"sidecar {uri}{SIDECAR_SUFFIX}: {error.errors()[0]['msg'].removeprefix('Value error, ')}"
            kept = {"acl_groups": merged["acl_groups"], "authority": merged["authority"]}
            return Resolved(Metadata.model_validate(kept), "; ".join([*errors, message]))

    def _load(self, name: str) -> "Metadata | str":
        if name not in self._read:
            self._read[name] = read_metadata(Path(self.files[name]), name)
        return self._read[name]


def read_metadata(file: Path, name: str) -> "Metadata | str":
    """A metadata file, or one line that says what is wrong with it: file, line, field, value."""
    try:
        text = file.read_text(encoding="utf-8-sig")
        raw = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return f"sidecar {name}: {error}"
    try:
        return Metadata.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        key = str(first["loc"][0]) if first["loc"] else ""
        line = next((n for n, row in enumerate(text.splitlines(), 1) if re.match(rf"\s*{re.escape(key)}\s*=", row)), 0)
        where = f"line {line}, {key}: " if key and line else ""
        if first["type"] == "extra_forbidden":
            return f"sidecar {name}: {where}unknown field; allowed: {', '.join(Metadata.model_fields)}"
        message = first["msg"].removeprefix("Value error, ")
        value = "" if isinstance(first["input"], dict) else f" (is {first['input']!r})"
        return f"sidecar {name}: {where}{message}{value}"
