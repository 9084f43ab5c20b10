"""Metadata of a file: its own sidecar over the defaults of its folders over those of its collection."""

import re
import stat
import tomllib
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from pipeline.config import CollectionConfig, Language, plain_message
from pipeline.estate.faults import wrong_sidecar
from pipeline.estate.media import DEFAULTS_NAME, SIDECAR_SUFFIX
from pipeline.estate.source import Read, read_file, reason_of

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


_QUOTED: Final = 80
_NO_DAY: Final = re.compile(r"[\w-]+\s*=\s*\d{4}-\d\d?-\d\d?\s*(#.*)?")


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
    def _one_or_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("effective_date", "expiry_date", mode="before")
    @classmethod
    def _day(cls, value: object) -> object:
        # TOML writes a day as 2026-01-01, and people write "2026-01-01"; a time of day is cut off. Left to itself
        # pydantic takes a number for seconds since 1970.
        with suppress(ValueError):
            value = datetime.fromisoformat(value) if isinstance(value, str) else value
        if isinstance(value, datetime):
            return value.date()
        if value is None or isinstance(value, date):
            return value
        raise ValueError("must be a day such as 2026-01-31")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.effective_date and self.expiry_date and self.expiry_date < self.effective_date:
            raise ValueError(
                f"expiry_date {self.expiry_date} lies before effective_date {self.effective_date}"
            )
        return self


@dataclass
class Sidecars:
    """All metadata files of one source. Each is read once.

    Attributes:
        files: location by uri.
        read: reads what lies at a location.
    """

    files: dict[str, str]
    read: Read = read_file
    _read: dict[str, "Metadata | str"] = field(default_factory=dict[str, "Metadata | str"])

    def resolve(self, uri: str, collection: CollectionConfig) -> Metadata | str:
        """The metadata of the file at `uri`: its sidecar over its folders' defaults over those of the collection.

        Or, when any of these files is wrong, what is wrong: half the metadata may lack the half that forbids.
        """
        folders = [str(folder) for folder in reversed(PurePosixPath(uri).parents)]
        chain = [f"{folder}/{DEFAULTS_NAME}".removeprefix("./") for folder in folders]
        found = [self._load(name) for name in [*chain, uri + SIDECAR_SUFFIX] if name in self.files]
        errors = [said for said in found if isinstance(said, str)]
        if errors:
            return "; ".join(errors)
        merged: dict[str, Any] = {"acl_groups": collection.acl_groups, "authority": collection.authority}
        for said in found:
            merged |= said.model_dump(exclude_none=True) if isinstance(said, Metadata) else {}
        try:
            return Metadata.model_validate(merged)
        except ValidationError as error:  # each file was right, together they are not
            return wrong_sidecar(uri + SIDECAR_SUFFIX, plain_message(error.errors()[0]))

    def _load(self, name: str) -> "Metadata | str":
        if name not in self._read:
            self._read[name] = read_metadata(self.files[name], name, self.read)
        return self._read[name]


def read_metadata(location: str, name: str, read: Read = read_file) -> "Metadata | str":
    """A metadata file, or one line that says what is wrong with it: file, line, field, value."""
    text = ""
    try:
        if read is read_file and not stat.S_ISREG(Path(location).stat().st_mode):
            return wrong_sidecar(name, "is no file")
        text = b"".join(read(location)).decode("utf-8-sig").replace("\r\n", "\n")
        raw = tomllib.loads(text)
        if "external_id" in raw and PurePosixPath(name).name == DEFAULTS_NAME:
            where = _where(text, "external_id")
            return wrong_sidecar(name, f"{where}: belongs to one file, not to a folder")
        return Metadata.model_validate(raw)
    except OSError as error:
        return wrong_sidecar(name, reason_of(error))
    except ValidationError as error:
        return wrong_sidecar(name, _problem(text, error.errors()[0]))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        said = "is nested too deeply" if isinstance(error, RecursionError) else _quoted(text, str(error))
        return wrong_sidecar(name, said)


def _problem(text: str, problem: "ErrorDetails") -> str:
    where = "".join(f"{_where(text, str(key))}: " for key in problem["loc"][:1])
    if problem["type"] == "extra_forbidden":
        return f"{where}unknown field; allowed: {', '.join(Metadata.model_fields)}"
    value = "" if isinstance(problem["input"], dict) else f" (is {problem['input']!r})"
    return f"{where}{plain_message(problem)}{value}"


def _quoted(text: str, message: str) -> str:
    """What the TOML reader said, with the line it stopped at: 2023-13-01 is to it a number and something behind it."""
    found = re.fullmatch(r"(.*) \(at line (\d+), column \d+\)", message)
    if found is None:
        return message
    line = text.split("\n")[int(found[2]) - 1].strip()
    impossible = _NO_DAY.fullmatch(line) is not None
    what = "no such day" if impossible else found[1]
    return f"line {found[2]}: {line if len(line) <= _QUOTED else line[:_QUOTED] + '…'}: {what}"


def _where(text: str, field: str) -> str:
    """The line and name of a field; the name alone where the line cannot be found."""
    written = re.compile(rf"""\s*\[*\s*["']?{re.escape(field)}["']?\s*[=\].]""")
    line = next((n for n, row in enumerate(text.splitlines(), 1) if written.match(row)), None)
    return f"line {line}, {field}" if line else field
