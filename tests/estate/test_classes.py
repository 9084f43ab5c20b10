import pytest

from pipeline.estate.classes import document_class


@pytest.mark.parametrize(
    ("doc_type", "uri", "wanted"),
    [
        ("contract", "a.pdf", "contract"),
        (" Financial Report ", "a.pdf", "financial_report"),
        ("financial-report", "a.html", "financial_report"),
        ("", "a.HTM", "web_page"),
        ("", "a.eml", "letter"),
        ("Sözleşme", "a.html", "web_page"),
        ("Sözleşme", "a.pdf", "other"),
        ("", "no ending", "other"),
    ],
)
def test_the_declared_type_decides_then_the_ending(doc_type, uri, wanted):
    assert document_class(doc_type, uri) == wanted
