"""Document classes: what a document is decides how it is chunked."""

from typing import Final, get_args

from pipeline.config import DocumentClass
from pipeline.estate.media import suffix_of

CLASSES: Final[tuple[str, ...]] = get_args(DocumentClass)

_BY_SUFFIX: Final = {
    ".html": "web_page",
    ".htm": "web_page",
    ".xhtml": "web_page",
    ".eml": "letter",
    ".msg": "letter",
}


def document_class(doc_type: str, uri: str) -> str:
    """The class of a document: its declared type when that names one, else by file ending, else `other`."""
    declared = doc_type.lower().strip().replace(" ", "_").replace("-", "_")
    return declared if declared in CLASSES else _BY_SUFFIX.get(suffix_of(uri), "other")
