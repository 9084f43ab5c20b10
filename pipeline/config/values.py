"""What settings are made of: languages, classes, names, shares, and the table of `kesit.toml`."""

from typing import Annotated, Final, Literal, get_args
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

Language = Literal["tr", "de", "en"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
UNKNOWN: Final = "und"
"""Stands for the language of a text that says too little."""

DocumentClass = Literal[
    "regulation", "contract", "policy", "financial_report", "manual", "web_page", "memo", "transcript", "letter", "form", "other",
]  # fmt: skip
UNDECLARED: Final[DocumentClass] = "other"
"""Class of a document whose class nobody declared and its file does not show."""
History = Literal["replace", "keep"]
Criterion = Literal["authority", "in_force", "effective_date", "modified", "quality", "format"]
CRITERIA: Final[tuple[Criterion, ...]] = get_args(Criterion)
Share = Annotated[float, Field(ge=0.0, le=1.0)]
_NAME = r"^[a-z0-9][a-z0-9_-]{0,62}$"
_SLICE = r"^(lang|pair|kind|class|tabular)=.+$"
Name = Annotated[str, Field(pattern=_NAME)]
ENV: Final = "env:"
"""Stands before the name of the environment variable that holds a value."""
_VARIABLE = "[A-Za-z_][A-Za-z0-9_]*"
OF_ENVIRONMENT: Final = rf"^{ENV}{_VARIABLE}$"
VariableName = Annotated[str, Field(pattern=f"^({_VARIABLE})?$")]
Slice = Annotated[str, Field(pattern=_SLICE)]
Group = Annotated[str, Field(min_length=1)]

OVERLAPPING = ("fixed", "recursive", "sentence")  # strategies whose chunks may share text
PROSE_STRATEGIES = (*OVERLAPPING, "structure", "hybrid", "semantic")
STRATEGY_GROUP = "kesit.chunking"
PREFIX_FIELDS = ("title", "path", "effective_date", "edition", "context")
_FIELD = rf"\{{(?:{'|'.join(PREFIX_FIELDS)})\}}"
_PREFIX_TEMPLATE = rf"(?:[^\[\]{{}}\n]|{_FIELD}|\[(?:[^\[\]{{}}\n]|{_FIELD})*\])*"
PrefixTemplate = Annotated[str, Field(pattern=f"^{_PREFIX_TEMPLATE}$")]
TableText = Literal["markdown", "key-value"]

PATTERNS = {  # what is said of a value that does not fit
    f"^({_VARIABLE})?$": f"must be the bare name of an environment variable, without {ENV} or $ in front, and not what it holds",
    _NAME: "must be lower-case letters, digits, - and _, at most 63 of them",
    f"^{_PREFIX_TEMPLATE}$": "must be one line of text with the fields "
    + ", ".join(f"{{{name}}}" for name in PREFIX_FIELDS)
    + " and optional parts in [ ], none inside another",
    _SLICE: "must be lang=, pair=, kind=, class= or tabular= and a value",
}


class Section(BaseModel):
    """A table of `kesit.toml`: frozen, unknown keys refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def _service(value: str) -> str:
    """The base URL of a service, without a slash at its end; "" for none."""
    parts = urlsplit(value)
    if value and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise ValueError("must be a URL that begins with http:// or https://")
    _ = parts.port  # asked, because it raises ValueError where there is none to speak of
    if not value.isprintable() or " " in value:
        raise ValueError("must hold no spaces and no control characters")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("must hold no user, password, query or fragment; name the key in api_key_variable")
    return value.rstrip("/")


ServiceUrl = Annotated[str, AfterValidator(_service)]
