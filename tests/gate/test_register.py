"""The exception register: what enters, what stays, what is resolved, what goes."""

from datetime import timedelta

import polars as pl
import pytest

from pipeline.config import GateConfig
from pipeline.estate.faults import unreadable, wrong_sidecar
from pipeline.gate.register import TO_DO, exceptions, to_do
from pipeline.parsing.errors import INSTALL_LIBREOFFICE, REASONS
from pipeline.tables import columns as c
from pipeline.tables.schemas import GATED_PAGES, PAGE_EXCEPTIONS, PARSED_PAGES
from tests.gate.pages_builder import NOW, documents, failed, gated_alone, page, parsed
from tests.gate.texts import GARBAGE, GOOD

LATER = NOW + timedelta(days=1)
NOTHING = PAGE_EXCEPTIONS.empty()


def register(docs, pages=(), previous=NOTHING, now=NOW):
    frame = parsed(*pages)
    gated = gated_alone(frame, docs, GateConfig(), {"hr": ("tr", "de", "en")})
    made = exceptions(docs, frame.select(PARSED_PAGES.schema.names()), gated, previous, now)
    PAGE_EXCEPTIONS.pandera.validate(made)
    return made


def entry(frame, *names):
    assert frame.height == 1
    return frame.select(names).row(0)


@pytest.mark.parametrize(
    ("error", "reason", "action"),
    [
        (unreadable("Permission denied"), "unreadable", "unreadable"),
        (
            wrong_sidecar("a.pdf.meta.toml", "line 3: effective_date is no date"),
            "bad_metadata",
            "fix_metadata",
        ),
    ],
)
def test_scan(error, reason, action):
    made = register(documents("a", **{c.ERROR: error}))
    assert entry(made, c.STAGE, c.PAGE_NO, c.REASON, c.ACTION, c.STATUS) == (
        "scan",
        0,
        reason,
        action,
        "open",
    )
    assert error in made[c.DETAIL].item()


@pytest.mark.parametrize(
    ("reason", "action"),
    [
        ("timeout", "timeout"), ("encrypted", "password_needed"), ("unsupported", "unsupported"), ("corrupt", "unreadable"),
        ("out_of_memory", "unreadable"), ("crash", "unreadable"), ("too_large", "unreadable"), ("no_content", "unreadable"),
        ("unreadable", "unreadable"),
    ],
)  # fmt: skip
def test_parse(reason, action):
    made = register(documents("a"), [failed(reason, error="it broke")])
    assert entry(made, c.STAGE, c.REASON, c.ACTION, c.URI, c.COLLECTION) == (
        "parse",
        reason,
        action,
        "a.pdf",
        "hr",
    )
    assert made[c.DETAIL].item() == "it broke"


def test_gate():
    made = register(
        documents("a"), [page(GARBAGE["wrong font map"](GOOD["de"]), number=3), page(GOOD["de"], number=4)]
    )
    assert entry(made, c.STAGE, c.PAGE_NO, c.REASON, c.ACTION) == (
        "gate",
        3,
        "low_quality",
        "unreadable",
    )
    assert "because of unknown words" in made[c.DETAIL].item()
    assert "Export the document anew" in to_do("low_quality", "unreadable")
    assert made[c.DETAIL].item().startswith("Page 3 is too poor to be indexed (quality ")
    scanned = register(documents("a"), [page(GOOD["de"], number=2, confidence=0.6)])
    assert "confidence of the engine 60 %" in scanned[c.DETAIL].item()
    assert scanned[c.ACTION].item() == "rescan_requested"


def test_text_that_the_second_pass_found_resolves_an_empty_document():
    docs = documents("a")
    parsed_rows = PARSED_PAGES.frame([failed("no_content"), page("", number=1)])
    empty, found = (
        gated_alone(parsed(page(text, number=1)), docs, GateConfig(), {}) for text in ("", GOOD["de"])
    )
    before = exceptions(docs, parsed_rows, empty, NOTHING, NOW)
    assert entry(before, c.REASON, c.STATUS) == ("no_content", "open")
    after = exceptions(docs, parsed_rows, found, before, LATER)
    assert entry(after, c.REASON, c.STATUS) == ("no_content", "resolved")


def test_a_document_of_specks_is_no_success():
    made = register(documents("a"), [page("· ,", confidence=0.6, number=1)])
    assert entry(made, c.STAGE, c.REASON, c.PAGE_NO) == ("gate", "no_content", 0)


def test_a_page_that_passes_later_resolves_its_entry():
    docs = documents("a")
    rejected = register(docs, [page(GOOD["de"], number=2, confidence=0.6)])
    later = register(docs, [page(GOOD["de"], number=2, confidence=0.98)], rejected, LATER)
    assert entry(later, c.REASON, c.STATUS, c.FIRST_SEEN) == ("low_quality", "resolved", NOW)


@pytest.mark.parametrize("reason", [*REASONS, "bad_metadata", "low_quality"])
def test_every_reason_has_a_sentence(reason):
    assert to_do(reason, "unreadable").endswith(".")
    assert reason in TO_DO


def test_nothing_wrong():
    assert register(documents("a"), [page(GOOD["en"])]).equals(NOTHING)
    assert exceptions(documents(), PARSED_PAGES.empty(), GATED_PAGES.empty(), NOTHING, NOW).equals(NOTHING)


def test_what_the_detail_says_is_not_said_again_in_general():
    assert "PDF" in to_do("unsupported", "unsupported", "No reader for this kind of file. (.xyz)")
    assert to_do("unsupported", "unsupported", f"No reader. ({INSTALL_LIBREOFFICE})") == ""


def test_life_of_an_entry():
    docs = documents("a", "b")
    first = register(docs, [failed("timeout"), failed("corrupt", doc="b")])
    assert first[c.FIRST_SEEN].to_list() == first[c.LAST_SEEN].to_list() == [NOW, NOW]

    second = register(docs, [failed("timeout"), page(GOOD["en"], doc="b")], first, LATER)
    assert second.select(c.DOC_ID, c.STATUS, c.FIRST_SEEN, c.LAST_SEEN).rows() == [
        ("a", "open", NOW, LATER),
        ("b", "resolved", NOW, NOW),
    ]
    again = register(docs, [failed("corrupt", doc="b")], second, LATER + timedelta(days=1))
    assert again.filter(pl.col(c.DOC_ID) == "b").select(c.STATUS, c.FIRST_SEEN).row(0) == ("open", NOW)
    assert again.filter(pl.col(c.DOC_ID) == "a").select(c.STATUS, c.LAST_SEEN).row(0) == ("resolved", LATER)

    gone = register(documents("a"), [failed("timeout")], second, LATER)
    assert gone[c.DOC_ID].to_list() == ["a"]


def test_a_new_version_resolves_the_old_ones_entry():
    first = register(documents("a"), [failed("corrupt")])
    renewed = register(documents("a", **{c.VERSION_ID: "v2"}), [], first, LATER)
    assert renewed.select(c.VERSION_ID, c.STATUS).rows() == [("v1", "resolved")]


def test_rows_of_deleted_documents_are_no_exceptions():
    assert register(documents("b"), [failed("corrupt", doc="a")]).height == 0


def test_one_page_may_have_several_reasons():
    docs = documents("a", **{c.ERROR: wrong_sidecar("a.pdf.meta.toml", "line 1")})
    made = register(docs, [failed("encrypted")])
    assert made[c.REASON].to_list() == ["bad_metadata", "encrypted"]
