from datetime import UTC, datetime

import pytest

from pipeline.config import ConfigError
from pipeline.gate.register import TO_DO
from pipeline.report.exceptions import exception_lines, read_register
from pipeline.tables.lake import Lake
from pipeline.tables.schemas import PAGE_EXCEPTIONS

SEEN = datetime(2026, 11, 30, tzinfo=UTC)


def entry(**values) -> dict:
    filled = {
        "doc_id": "d", "version_id": "v", "page_no": 0, "collection": "docs", "uri": "a.pdf", "stage": "parse",
        "reason": "corrupt", "detail": "is damaged", "action": "unreadable", "status": "open", "first_seen": SEEN,
        "last_seen": SEEN,
    }  # fmt: skip
    return {name: (filled | values).get(name) for name in PAGE_EXCEPTIONS.schema}


@pytest.fixture
def lake(tmp_path) -> Lake:
    lake = Lake(str(tmp_path))
    rows = [
        entry(uri="b.pdf", doc_id="2", page_no=3, reason="low_quality"),
        entry(uri="a.pdf", doc_id="1"),
        entry(uri="c.pdf", doc_id="3", status="resolved"),
    ]
    lake.publish(PAGE_EXCEPTIONS, "docs.0", PAGE_EXCEPTIONS.frame(rows), "x")
    lake.publish(
        PAGE_EXCEPTIONS,
        "hr.0",
        PAGE_EXCEPTIONS.frame([entry(collection="hr", doc_id="4", detail='=HYPERLINK("x")')]),
        "x",
    )
    return lake


def test_the_register_shows_what_is_open_unless_asked(lake):
    assert read_register(lake)["uri"].to_list() == ["a.pdf", "b.pdf", "a.pdf"]
    assert read_register(lake, status="all").height == 4
    assert read_register(lake, status="resolved")["uri"].to_list() == ["c.pdf"]
    assert read_register(lake, collection="hr").height == 1
    assert read_register(lake, reason="low_quality")["uri"].to_list() == ["b.pdf"]


def test_an_unknown_name_is_an_error_that_says_what_is_allowed(lake):
    for name, value, allowed in (
        ("reason", "lowquality", "low_quality"),
        ("status", "closed", "open, acknowledged, resolved, all"),
    ):
        with pytest.raises(ConfigError, match=f"{name} '{value}': must be one of .*{allowed}"):
            read_register(lake, **{name: value})


def test_an_entry_is_a_line(lake):
    lines = list(exception_lines(read_register(lake, collection="docs")))
    assert lines[0] == "open     docs/a.pdf: corrupt – is damaged (since 2026-11-30)"
    assert lines[1].strip() == TO_DO["corrupt"]
    assert lines[2].startswith("open     docs/b.pdf page 3: low_quality")
    assert lines[-1] == "2 entries"
