"""Metadata beside the files: `X.ext.meta.toml`, and `_defaults.toml` for a folder and all below it."""

import json
from collections.abc import Mapping
from datetime import date

from pipeline.sample.document import Document

# Folder below the estate: what holds for every document in it that says nothing else.
FOLDER_DEFAULTS: dict[str, dict[str, object]] = {
    "regulations/tr": {"language": "tr", "authority": 95},
    "regulations/de": {"language": "de", "authority": 95},
    "regulations/en": {"language": "en", "authority": 95},
    "memos/board": {"acl_groups": ["board"], "authority": 70},
    "memos/legal": {"acl_groups": ["legal"]},
    "memos/hr": {"acl_groups": ["hr"]},
    "finance/hr": {"acl_groups": ["hr"]},
}


def toml_text(fields: Mapping[str, object]) -> str:
    """Flat fields as TOML: strings, integers, dates and lists of strings.

    Raises:
        TypeError: a value of another kind.
    """
    return "".join(f"{name} = {_value(name, value)}\n" for name, value in fields.items())


def _value(name: str, value: object) -> str:
    match value:
        case date():
            return value.isoformat()
        case bool():
            raise TypeError(f"{name}: {value!r} has no place in a sidecar")
        case str() | int() | list():
            # Basic TOML strings and arrays are written as in JSON.
            return json.dumps(value, ensure_ascii=False)
        case _:
            raise TypeError(f"{name}: {value!r} has no place in a sidecar")


def sidecar(document: Document) -> str | None:
    """The text of a document's sidecar; None: it has none."""
    if not document.sidecar:
        return None
    folder = document.path.rsplit("/", 1)[0]
    inherited = FOLDER_DEFAULTS.get(folder, {})
    fields: dict[str, object] = {"title": document.title, "language": document.lang, **document.meta}
    return toml_text(
        {name: value for name, value in fields.items() if value and inherited.get(name) != value}
    )
