"""Media types by file ending, and which files of a folder are no documents at all."""

import re
from pathlib import PurePosixPath
from typing import Final


SIDECAR_SUFFIX: Final = ".meta.toml"
DEFAULTS_NAME: Final = "_defaults.toml"

_MEDIA_TYPES: Final = {
    ".bmp": "image/bmp",
    ".csv": "text/csv",
    ".doc": "application/msword",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".eml": "message/rfc822",
    ".epub": "application/epub+zip",
    ".htm": "text/html",
    ".html": "text/html",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".log": "text/plain",
    ".markdown": "text/markdown",
    ".md": "text/markdown",
    ".msg": "application/vnd.ms-outlook",
    ".odp": "application/vnd.oasis.opendocument.presentation",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    ".odt": "application/vnd.oasis.opendocument.text",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".rtf": "application/rtf",
    ".text": "text/plain",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
    ".tsv": "text/tab-separated-values",
    ".txt": "text/plain",
    ".webp": "image/webp",
    ".xhtml": "application/xhtml+xml",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".xml": "application/xml",
}

# What office programs, browsers, sync clients and operating systems leave beside documents.
_LITTER: Final = re.compile(
    r"^\..*|^~\$.*|^~.*\.tmp$|^thumbs\.db$|^desktop\.ini$|^ehthumbs\.db$|^icon\r$"
    r"|.*\.(tmp|part|partial|crdownload|download|swp|swo|lock|bak~)$|.*~$"
)


def suffix_of(uri: str) -> str:
    """The file ending in lower case with its point, "" for none. ASCII rules: `.PDF` and `.TIF` in any locale."""
    return PurePosixPath(uri).suffix.lower()


def media_type(uri: str) -> str:
    """Media type by ending; `application/octet-stream` when the ending says nothing."""
    return _MEDIA_TYPES.get(suffix_of(uri), "application/octet-stream")


def is_document(uri: str) -> bool:
    """False for sidecars, folder defaults, hidden files, lock files, partial downloads and system litter."""
    parts = PurePosixPath(uri).parts
    name = parts[-1].lower()
    if name == DEFAULTS_NAME or name.endswith(SIDECAR_SUFFIX) or _LITTER.match(name):
        return False
    return not any(part.startswith(".") for part in parts[:-1])
