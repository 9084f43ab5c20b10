"""A document is found by its id, its path, or its collection and path."""

import polars as pl
import pytest

from pipeline.estate.finding import UnknownDocumentError, find_document

DOCUMENTS = pl.DataFrame(
    {
        "doc_id": ["1", "2", "3", "3"],
        "collection": ["a", "b", "b", "b"],
        "uri": ["x.md", "x.md", "y.md", "y.md"],
        "version_id": ["u", "v", "w", "new"],
    }
)


@pytest.mark.parametrize(
    ("name", "version"), [("1", "u"), ("b/x.md", "v"), ("y.md", "new"), ("b/y.md", "new")]
)
def test_by_every_name_the_last_row(name, version):
    found = find_document(DOCUMENTS, name)
    assert found is not None
    assert found["version_id"] == version


def test_by_no_name_and_by_one_that_several_have():
    assert find_document(DOCUMENTS, "z.md") is None
    with pytest.raises(UnknownDocumentError, match=r"'x\.md' names several documents: a/x\.md, b/x\.md"):
        find_document(DOCUMENTS, "x.md")
