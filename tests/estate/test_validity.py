from datetime import UTC, date, datetime

import pytest

from pipeline.config import CollectionConfig
from pipeline.estate.identity import UNREAD_VERSION, Identity
from pipeline.estate.rows import unread_row
from pipeline.estate.validity import with_validity
from pipeline.tables import columns as c
from pipeline.tables.schemas import DOCUMENTS

COLLECTION = CollectionConfig(name="c", source="s")
WRITTEN = datetime(2026, 6, 15, 23, tzinfo=UTC)


def day(text):
    return date.fromisoformat(text) if text else None


def judged(documents):
    """From {external id: (effective, expiry, supersedes[, version])} to {external id: (status, successor, from, to)}."""
    rows = [
        unread_row(name, Identity(f"id of {name}", name), COLLECTION, WRITTEN)
        | {
            c.VERSION_ID: version[0] if version else "v",
            c.EFFECTIVE_DATE: day(effective),
            c.EXPIRY_DATE: day(expiry),
            c.SUPERSEDES: list(supersedes),
        }
        for name, (effective, expiry, supersedes, *version) in documents.items()
    ]
    frame = DOCUMENTS.frame(rows)
    found = with_validity(frame)
    assert found.schema == DOCUMENTS.schema
    assert found[c.DOC_ID].equals(frame[c.DOC_ID])
    assert with_validity(found).equals(found)
    assert with_validity(frame.reverse()).sort(c.DOC_ID).equals(found)
    columns = (c.EXTERNAL_ID, c.STATUS, c.SUPERSEDED_BY, c.VALID_FROM, c.VALID_TO)
    return {
        name: (status, successor and successor.removeprefix("id of "), start and str(start), end and str(end))
        for name, status, successor, start, end in found.select(columns).iter_rows()
    }


def test_no_document():
    assert with_validity(DOCUMENTS.empty()).equals(DOCUMENTS.empty())


@pytest.mark.parametrize(
    ("effective", "expiry", "start", "end"),
    [
        (None, None, None, None),
        ("2026-01-01", None, "2026-01-01", None),
        (None, "2026-12-31", None, "2027-01-01"),
        ("2026-01-01", "2026-01-01", "2026-01-01", "2026-01-02"),
        ("0001-01-01", "9999-12-30", "0001-01-01", "9999-12-31"),
        (None, "9999-12-31", None, None),  # how many systems write "never"
    ],
)
def test_a_document_answers_from_its_effective_date_through_its_expiry(effective, expiry, start, end):
    assert judged({"a": (effective, expiry, [])}) == {"a": ("live", None, start, end)}


def test_a_chain():
    assert judged(
        {
            "v1": ("2024-01-01", None, []),
            "v2": ("2025-01-01", None, ["v1"]),
            "v3": ("2026-01-01", None, ["v2"]),
        }
    ) == {
        "v1": ("superseded", "v2", "2024-01-01", "2025-01-01"),
        "v2": ("superseded", "v3", "2025-01-01", "2026-01-01"),
        "v3": ("live", None, "2026-01-01", None),
    }


def test_of_two_successors_the_earlier_counts():
    found = judged(
        {"old": (None, None, []), "x": ("2026-02-01", None, ["old"]), "y": ("2026-01-01", None, ["old"])}
    )
    assert found["old"] == ("superseded", "y", None, "2026-01-01")


@pytest.mark.parametrize(
    ("first", "successor", "end"),
    [
        (("2027-01-01", None, ["old"]), "second", "2026-05-01"),  # is yet to come, after the second
        (("2026-02-01", "2026-02-28", ["old"]), "first", "2026-02-01"),  # answered, and does no longer
        (("2026-02-01", None, ["old"], UNREAD_VERSION), "second", "2026-05-01"),  # cannot answer
        (None, "second", "2026-05-01"),  # was deleted
    ],
)
def test_of_a_branch_that_successor_counts_which_answers_first(first, successor, end):
    branch = {"old": ("2025-01-01", None, []), "second": ("2026-05-01", None, ["old"])}
    found = judged(branch | ({"first": first} if first else {}))
    assert found["old"] == ("superseded", successor, "2025-01-01", end)
    assert found["second"] == ("live", None, "2026-05-01", None)


def test_one_successor_of_two():
    found = judged(
        {"a": (None, None, []), "b": (None, None, []), "ab": ("2026-01-01", None, ["a", "b", "a"])}
    )
    assert found["a"] == found["b"] == ("superseded", "ab", None, "2026-01-01")


def test_a_successor_without_a_date_starts_when_it_was_written():
    assert judged({"a": (None, None, []), "b": (None, None, ["a"])})["a"] == (
        "superseded",
        "b",
        None,
        "2026-06-15",
    )


def test_an_earlier_expiry_stands():
    found = judged({"a": (None, "2025-06-30", []), "b": ("2026-01-01", None, ["a"])})
    assert found["a"] == ("superseded", "b", None, "2025-07-01")


def test_unknown_and_own_names_are_ignored():
    assert judged({"a": (None, None, ["a", "nobody"])}) == {"a": ("live", None, None, None)}


def test_a_circle_supersedes_nothing():
    found = judged(
        {"a": (None, None, ["c"]), "b": (None, None, ["a"]), "c": (None, None, ["b"]), "d": (None, None, [])}
    )
    assert {status for status, *_ in found.values()} == {"live"}


def test_a_circle_does_not_protect_from_a_successor_outside_it():
    found = judged(
        {
            "a": ("2024-01-01", None, ["b"]),
            "b": ("2024-01-01", None, ["a"]),
            "new": ("2026-01-01", None, ["a"]),
        }
    )
    assert found["a"] == ("superseded", "new", "2024-01-01", "2026-01-01")
    assert found["b"][0] == "live"


def test_a_circle_supersedes_what_is_outside_it():
    found = judged(
        {"old": (None, None, []), "a": ("2025-01-01", None, ["b", "old"]), "b": (None, None, ["a"])}
    )
    assert found["old"] == ("superseded", "a", None, "2025-01-01")


def test_a_long_chain_is_no_matter():
    n = 600
    found = judged({f"{k:04}": (None, None, [f"{k - 1:04}"]) for k in range(n)})
    assert [status for status, *_ in found.values()] == ["superseded"] * (n - 1) + ["live"]
