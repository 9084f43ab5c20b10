"""Document classes: what a document is, as its sidecar declares it or its file ending shows it.

This class is known before a page is read. It decides the limits of the gate, the figures that are sent to a service, the
editions that are kept and the filters of a search: none of these may hang on a guess, and the gate's own limits would go in
a circle. Only the cutting of chunks asks the first page where nothing was declared (`chunking/classifier.py`).
"""

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
