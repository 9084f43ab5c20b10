"""The law of searches, against a loop over all rows: nothing closed is shown, nothing visible is withheld."""

import random
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.retrieval.query import Query
from tests.retrieval.searching import WORDS, searcher

GROUPS = ("hr", "legal", "board", "it's", "public")


DAYS = tuple(date(year, 1, 1) for year in (2019, 2021, 2023, 2025, 2027))


def random_rows(seed: int) -> list[dict[str, Any]]:
    dice = random.Random(seed)
    rows: list[dict[str, Any]] = []
    for at in range(150):
        document, cluster = dice.randrange(25), dice.randrange(20)
        clustered = dice.random() < 0.5
        start, end = sorted(dice.sample(DAYS, 2))
        rows.append(
            {
                "chunk_id": f"c{at:03}", "doc_id": f"d{document}", "section_id": f"s{document}-{dice.randrange(4)}",
                "collection": f"col{document % 3}",
                "text": " ".join(dice.choices(WORDS[:3] if clustered else WORDS, k=6)),
                "acl_groups": dice.sample(GROUPS, dice.choice((1, 1, 1, 2))),
                "valid_from": dice.choice((None, start)), "valid_to": dice.choice((None, end)),
                "cluster_id": f"k{cluster}" if clustered else None,
                "canonical_chunk_id": f"canon{cluster}" if clustered else None,
                "authority": dice.randrange(101), "parent_text": dice.choice((None, "section")), "parent_tokens": 30,
            }
        )  # fmt: skip
    for cluster in range(20):
        members = [row for row in rows if row["cluster_id"] == f"k{cluster}"]
        for row in members:
            row["canonical_chunk_id"] = members[0]["chunk_id"]
    return rows


def oracle(rows: list[dict[str, Any]], query: Query, as_of: date) -> dict[str, dict[str, Any]]:
    """What the asker may see, by a loop that shares nothing with the filters."""
    allowed = {*query.groups, "public"}
    return {
        row["chunk_id"]: row
        for row in rows
        if allowed & set(row["acl_groups"])
        and (row["valid_from"] is None or row["valid_from"] <= as_of)
        and (row["valid_to"] is None or as_of < row["valid_to"])
    }


@pytest.fixture(scope="module", params=[1, 2])
def estate(request: Any, tmp_path_factory: Any, encoder: Any) -> Any:
    from inspect import unwrap

    conftest = next(p for p in request.config.pluginmanager.get_plugins() if hasattr(p, "WordEncoder"))
    make = unwrap(conftest.make_table.__wrapped__)(tmp_path_factory.mktemp("estate"), encoder)
    rows = random_rows(request.param)
    return rows, make(rows)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    groups=st.sets(st.sampled_from(GROUPS[:4])).map(tuple),
    as_of=st.sampled_from([*DAYS, date(2022, 6, 1), date(2000, 1, 1)]),
    k=st.sampled_from([1, 3, 10, 40, 100]),
    words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4),
    per_document=st.sampled_from([1, 3, 50]),
    candidates=st.sampled_from([1, 10, 60]),
)
def test_only_what_is_visible_is_shown_and_nothing_visible_is_withheld(
    *,
    estate: Any,
    encoder: Any,
    groups: Any,
    as_of: Any,
    k: Any,
    words: Any,
    per_document: Any,
    candidates: Any,
) -> None:
    rows, table = estate
    query = Query(" ".join(words), groups=groups, as_of=as_of, k=k)
    search = searcher(table, encoder, per_document=per_document, candidates=candidates, token_budget=100_000)
    answer = search.search(query)
    visible = oracle(rows, query, as_of)

    shown = {result.chunk_id: visible[result.chunk_id] for result in answer.results}  # KeyError: a leak
    assert len(shown) == len(answer.results) <= k
    clusters = [row["cluster_id"] for row in shown.values() if row["cluster_id"]]
    assert len(clusters) == len(set(clusters))
    for result in answer.results:
        row = visible[result.chunk_id]
        others = {
            other["doc_id"]
            for other in visible.values()
            if row["cluster_id"] and other["cluster_id"] == row["cluster_id"]
        } - {row["doc_id"]}
        assert {place.doc_id for place in result.also_in} == others

    if (
        len(answer.results) < k
    ):  # then there is no more: the reader has each visible row, a copy of it, or its section
        sections = {row["section_id"] for row in shown.values() if row["parent_text"]}
        read = {
            chunk_id
            for chunk_id, row in visible.items()
            if chunk_id in shown or row["section_id"] in sections
        }
        copied = {visible[chunk_id]["cluster_id"] for chunk_id in read} - {None}
        assert [
            row
            for chunk_id, row in visible.items()
            if chunk_id not in read and row["cluster_id"] not in copied
        ] == []

    assert [result.score for result in answer.results] == sorted(
        (r.score for r in answer.results), reverse=True
    )
    assert search.search_many([Query("other", k=2), query])[1] == answer
