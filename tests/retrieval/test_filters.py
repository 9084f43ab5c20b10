from datetime import date, timedelta
from itertools import product
from typing import Any

import pytest
from lancedb.index import BTree, LabelList

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


@pytest.mark.parametrize("few", [False, True])
def test_a_hostile_value_finds_exactly_its_own_row(hostile: Any, few: bool) -> None:
    for name in HOSTILE:
        assert found(hostile, one_of("chunk_id", [name])) == {name}
        assert found(hostile, none_of("chunk_id", [name])) == set(HOSTILE) - {name}
        assert found(hostile, visible(Query("q", groups=(name,)), TODAY, few=few)) == {name}
        query = Query("q", groups=tuple(HOSTILE), collections=(name,))
        assert found(hostile, wanted(query, TODAY, few=few)) == {name}


@pytest.mark.parametrize("few", [False, True])
def test_without_groups_only_public_documents_are_visible(make_table: Any, few: bool) -> None:
    table = make_table(
        [
            {"chunk_id": "open", "text": "a", "acl_groups": ["board", "public"]},
            {"chunk_id": "hr", "text": "b", "acl_groups": ["hr"]},
            {"chunk_id": "both", "text": "c", "acl_groups": ["hr", "legal"]},
            {"chunk_id": "nobody", "text": "d", "acl_groups": []},
            {"chunk_id": "broken", "text": "e", "acl_groups": None},
        ]
    )
    assert found(table, visible(Query("q"), TODAY, few=few)) == {"open"}
    assert found(table, visible(Query("q", groups=("hr",)), TODAY, few=few)) == {"open", "hr", "both"}
    assert found(table, visible(Query("q", groups=("HR", "h", "hr,legal")), TODAY, few=few)) == {"open"}


@pytest.mark.parametrize("few", [False, True])
def test_validity_begins_on_its_first_day_and_ends_before_its_last(make_table: Any, few: bool) -> None:
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
        assert found(table, visible(Query("q"), day, few=few)) == {"always", edition}, day


@pytest.mark.parametrize("indexed", [False, True])
def test_every_spelling_means_the_same_with_indices_and_without(make_table: Any, indexed: bool) -> None:
    days = (None, TODAY - timedelta(1), TODAY, TODAY + timedelta(1))
    rows = [
        {"chunk_id": str(at), "text": "a", "acl_groups": groups, "valid_from": start, "valid_to": end}
        for at, (groups, start, end) in enumerate(product((None, [], ["public"], ["hr"]), days, days))
    ]
    table = make_table(rows)
    if indexed:
        table.checkout_latest()
        table.create_index("acl_groups", config=LabelList())
        for column in ("chunk_id", "valid_from", "valid_to"):
            table.create_index(column, config=BTree())
    true = {
        row["chunk_id"]
        for row in rows
        if row["acl_groups"] == ["public"]
        and (row["valid_from"] is None or row["valid_from"] <= TODAY)
        and (row["valid_to"] is None or row["valid_to"] > TODAY)
    }
    asked = {str(at) for at in range(0, len(rows), 3)}
    for few in (False, True):
        where = visible(Query("q"), TODAY, few=few)
        assert found(table, where) == true
        assert found(table, f"{where} AND {one_of('chunk_id', asked)}") == true & asked


def test_none_of_keeps_rows_without_a_value(make_table: Any) -> None:
    table = make_table([{"chunk_id": "a", "text": "a"}, {"chunk_id": "b", "text": "b", "cluster_id": "c1"}])
    assert found(table, none_of("cluster_id", ["c1"])) == {"a"}
    assert found(table, none_of("cluster_id", [])) == {"a", "b"}
    assert found(table, one_of("cluster_id", [])) == set()


def test_literals_escape_the_quote_only() -> None:
    assert literal("a'b\\") == "'a''b\\'"
    assert literal(date(2026, 1, 2)) == "DATE '2026-01-02'"
