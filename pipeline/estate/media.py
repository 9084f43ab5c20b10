"""Media types by file ending, and which files of a folder are no documents at all."""

import re
from pathlib import PurePosixPath
from typing import Final

SIDECAR_SUFFIX: Final = ".meta.toml"
DEFAULTS_NAME: Final = "_defaults.toml"

MEDIA_TYPES: Final = {
    ".bmp": "image/bmp",
    ".csv": "text/csv",
    ".doc": "application/msword",
    ".docm": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".dot": "application/msword",
    ".dotx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
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
    ".ppsx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".pptm": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".rtf": "application/rtf",
    ".srt": "application/x-subrip",
    ".text": "text/plain",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
    ".tsv": "text/tab-separated-values",
    ".txt": "text/plain",
    ".vtt": "text/vtt",
    ".webp": "image/webp",
    ".xhtml": "application/xhtml+xml",
    ".xlsm": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".xml": "application/xml",
}
"""Media type by file ending, lower case, with the point. Which of them have a reader is decided where files are read."""

PACKED_SUFFIXES: Final = frozenset({".7z", ".bz2", ".gz", ".rar", ".tar", ".tgz", ".xz", ".zip"})
"""Endings of files that hold other files."""

_UNKNOWN_TYPE: Final = "application/octet-stream"
# What office programs, browsers, sync clients and operating systems leave beside documents.
_LITTER: Final = re.compile(
    r"\..*|~\$.*|~.*\.tmp|thumbs\.db|desktop\.ini|ehthumbs\.db|icon\r"
    r"|.*\.(tmp|part|partial|crdownload|download|swp|swo|lock)|.*~",
    re.DOTALL,
)
_LITTER_FOLDERS: Final = frozenset(
    {"$recycle.bin", "@eadir", "__macosx", "lost+found", "system volume information"}
)


def suffix_of(uri: str) -> str:
    """The file ending in lower case with its point, "" for none. ASCII rules: `.PDF` and `.TIF` in any locale."""
    return PurePosixPath(uri).suffix.lower()


def media_type(uri: str) -> str:
    """Media type by ending; `application/octet-stream` when the ending says nothing."""
    return MEDIA_TYPES.get(suffix_of(uri), _UNKNOWN_TYPE)


def division(uri: str) -> str:
    """What a file of this format is divided into: "page", "slide", "sheet"; "" for running text (Markdown, HTML, Word, e-mail)."""
    kind = media_type(uri)
    if "presentationml" in kind:  # of ODP no slides are told apart
        return "slide"
    if "spreadsheet" in kind:
        return "sheet"
    return "page" if kind.startswith("image/") or kind in ("application/pdf", _UNKNOWN_TYPE) else ""


def is_metadata(uri: str) -> bool:
    """True for sidecars and folder defaults."""
    name = PurePosixPath(uri).name.lower()
    return name == DEFAULTS_NAME or name.endswith(SIDECAR_SUFFIX)


def is_litter(name: str) -> bool:
    """True for the name of a hidden file, a lock file, a partial download or system litter."""
    return _LITTER.fullmatch(name.lower()) is not None


def is_litter_folder(name: str) -> bool:
    """True for the name of a folder that holds no documents: hidden, or the system's own."""
    return name.startswith(".") or name.lower() in _LITTER_FOLDERS


def is_document(uri: str) -> bool:
    """False for metadata files, litter, and everything in a folder of litter."""
    *folders, name = PurePosixPath(uri).parts
    return not (is_metadata(uri) or is_litter(name) or any(is_litter_folder(folder) for folder in folders))
