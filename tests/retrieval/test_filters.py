from datetime import date
from typing import Any

import pytest

from pipeline.retrieval.filters import literal, none_of, one_of, visible, wanted
from pipeline.retrieval.query import Query

HOSTILE = [
    "dün'kü_not.md", "y' OR 'a'='a", 'tırnak".md', "noktalı;virgül--.md", "Halle''2.md", "ters\\bölü.md",
    "yüzde%_alt.md", "z' ) OR (1=1", "neu\nzeile.md", "normal.md", "'", "''", "\\'", "nul\x00x", "/* x", "${x} {0} $1",
    "] ) --", "public'", "😀",
]  # fmt: skip
TODAY = date(2026, 6, 1)


def found(table: Any, where: str) -> set[str]:
    return set(
        table.search().where(where).select(["chunk_id"]).limit(1000).to_arrow()["chunk_id"].to_pylist()
    )


@pytest.fixture
def hostile(make_table: Any) -> Any:
    return make_table(
        [
            {
                "chunk_id": name,
                "text": f"text {at}",
                "acl_groups": [name],
                "collection": name,
                "doc_id": f"d{at}",
            }
            for at, name in enumerate(HOSTILE)
        ]
    )


def test_a_hostile_value_finds_exactly_its_own_row(hostile: Any) -> None:
    for name in HOSTILE:
        assert found(hostile, one_of("chunk_id", [name])) == {name}
        assert found(hostile, none_of("chunk_id", [name])) == set(HOSTILE) - {name}
        assert found(hostile, visible(Query("q", groups=(name,)), TODAY)) == {name}
        query = Query("q", groups=tuple(HOSTILE), collections=(name,))
        assert found(hostile, wanted(query, TODAY)) == {name}


def test_without_groups_only_public_documents_are_visible(make_table: Any) -> None:
    table = make_table(
        [
            {"chunk_id": "open", "text": "a", "acl_groups": ["board", "public"]},
            {"chunk_id": "hr", "text": "b", "acl_groups": ["hr"]},
            {"chunk_id": "both", "text": "c", "acl_groups": ["hr", "legal"]},
            {"chunk_id": "nobody", "text": "d", "acl_groups": []},
            {"chunk_id": "broken", "text": "e", "acl_groups": None},
        ]
    )
    assert found(table, visible(Query("q"), TODAY)) == {"open"}
    assert found(table, visible(Query("q", groups=("hr",)), TODAY)) == {"open", "hr", "both"}
    assert found(table, visible(Query("q", groups=("HR", "h", "hr,legal")), TODAY)) == {"open"}


def test_validity_begins_on_its_first_day_and_ends_before_its_last(make_table: Any) -> None:
    table = make_table(
        [
            {"chunk_id": "always", "text": "a"},
            {"chunk_id": "old", "text": "b", "valid_to": date(2023, 1, 1)},
            {"chunk_id": "mid", "text": "c", "valid_from": date(2023, 1, 1), "valid_to": date(2026, 1, 1)},
            {"chunk_id": "new", "text": "d", "valid_from": date(2026, 1, 1)},
            {"chunk_id": "never", "text": "e", "valid_from": date(2024, 1, 1), "valid_to": date(2024, 1, 1)},
        ]
    )
    for day, edition in [
        (date(1900, 1, 1), "old"), (date(2022, 12, 31), "old"), (date(2023, 1, 1), "mid"),
        (date(2025, 12, 31), "mid"), (date(2026, 1, 1), "new"), (date(9999, 12, 31), "new"),
    ]:  # fmt: skip
        assert found(table, visible(Query("q"), day)) == {"always", edition}, day


def test_none_of_keeps_rows_without_a_value(make_table: Any) -> None:
    table = make_table([{"chunk_id": "a", "text": "a"}, {"chunk_id": "b", "text": "b", "cluster_id": "c1"}])
    assert found(table, none_of("cluster_id", ["c1"])) == {"a"}
    assert found(table, none_of("cluster_id", [])) == {"a", "b"}
    assert found(table, one_of("cluster_id", [])) == set()


def test_literals_escape_the_quote_only() -> None:
    assert literal("a'b\\") == "'a''b\\'"
    assert literal(date(2026, 1, 2)) == "DATE '2026-01-02'"
