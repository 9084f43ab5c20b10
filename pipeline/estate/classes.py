"""Document classes: what a document is decides how it is chunked."""

from typing import Final

from pipeline.estate.media import suffix_of

CLASSES: Final = (
    "regulation", "contract", "policy", "financial_report", "manual", "web_page", "memo", "transcript", "letter",
    "form", "other",
)  # fmt: skip

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
