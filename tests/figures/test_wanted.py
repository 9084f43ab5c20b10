import polars as pl

from pipeline.config import FiguresConfig
from pipeline.figures.wanted import descriptions_of, wanted_figures
from pipeline.tables.schemas import FIGURE_DESCRIPTIONS, GATED_PAGES


def _block(name, caption="Abb. 1", kind="figure"):
    return {
        "block_id": "1.1", "kind": kind, "level": 0, "text": "", "section_path": [], "bbox": [], "rows": [], "header_rows": 0,
        "caption": caption, "anchor": "", "image_hash": name,
    }  # fmt: skip


def _page(doc, number, language, *blocks, route="pass"):
    empty = dict.fromkeys(GATED_PAGES.schema.names())
    return empty | {
        "doc_id": doc, "version_id": "v", "page_no": number, "language": language, "route": route, "blocks": list(blocks)
    }  # fmt: skip


def _documents(*rows):
    return pl.DataFrame(
        [
            {"doc_id": doc, "version_id": "v", "document_class": kind, "language_hint": hint}
            for doc, kind, hint in rows
        ],
        schema_overrides={"language_hint": pl.String},
    )


def _found(documents, pages, **config):
    frame = wanted_figures(documents, pl.DataFrame(pages, schema=GATED_PAGES.schema), FiguresConfig(**config))
    return [(row["doc_id"], row["image_hash"], row["language"]) for row in frame.iter_rows(named=True)]


def test_only_named_classes_readable_pages_and_figures_with_an_image():
    documents = _documents(("a", "manual", None), ("b", "contract", None))
    pages = [
        _page(
            "a", 1, "de", _block("h1"), _block("", "Abb. 2"), _block("h2", ""), _block("h3", kind="paragraph")
        ),
        _page("a", 2, "de", _block("h4"), route="reject"),
        _page("b", 1, "de", _block("h5")),
    ]
    assert _found(documents, pages, classes=("manual",)) == [("a", "h1", "de")]
    assert _found(documents, pages, classes=("manual",), uncaptioned=True) == [
        ("a", "h1", "de"),
        ("a", "h2", "de"),
    ]
    assert _found(documents, pages) == []


def test_the_language_is_that_of_the_metadata_else_of_most_pages():
    documents = _documents(("a", "manual", None), ("b", "manual", "tr"), ("c", "manual", None))
    pages = [
        _page("a", 1, "en", _block("h")), _page("a", 2, "de"), _page("a", 3, "de"), _page("b", 1, "de", _block("h")),
        _page("c", 1, "und", _block("h")),
    ]  # fmt: skip
    assert _found(documents, pages, classes=("manual",)) == [
        ("a", "h", "de"),
        ("b", "h", "tr"),
        ("c", "h", "en"),
    ]


def test_descriptions_are_marked_and_given_to_each_document():
    documents = _documents(("a", "manual", "de"), ("b", "manual", "tr"), ("c", "manual", "de"))
    pages = [_page(doc, 1, "und", _block("h")) for doc in "abc"]
    wanted = wanted_figures(
        documents, pl.DataFrame(pages, schema=GATED_PAGES.schema), FiguresConfig(classes=("manual",))
    )
    rows = [
        {"image_hash": "h", "language": "de", "status": "described", "description": "Rad", "detail": "", "input_hash": "1"},
        {"image_hash": "h", "language": "tr", "status": "described", "description": "", "detail": "", "input_hash": "2"},
    ]  # fmt: skip
    found = descriptions_of(wanted, FIGURE_DESCRIPTIONS.frame(rows))
    assert found.select("doc_id", "description").rows() == [
        ("a", "[Maschinelle Bildbeschreibung] Rad"), ("c", "[Maschinelle Bildbeschreibung] Rad")
    ]  # fmt: skip
