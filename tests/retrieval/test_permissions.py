"""The permission-differential law: an answer is what an index without the hidden rows gives, by rank and to the score.

One thing of hidden rows can show: LanceDB's full text takes its best rows by how common words are in the whole index, so
where more visible rows match than are `examined`, hidden ones may exchange the last of them.
"""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.config import RetrievalConfig
from pipeline.retrieval.query import Query, QueryError
from pipeline.retrieval.search import Searcher
from tests.retrieval.searching import TODAY, WORDS, ids

GROUPS = ("hr", "legal", "board")
SECRET = "merger"


def estate(seed: int) -> list[dict[str, Any]]:
    dice = random.Random(seed)
    rows: list[dict[str, Any]] = []
    for at in range(60):
        groups = dice.sample((*GROUPS, "public"), dice.choice((1, 1, 2)))
        text = " ".join(dice.choices(WORDS, k=7))
        copy = rows[dice.randrange(len(rows))] if rows and dice.random() < 0.3 else None
        rows.append(
            {
                "chunk_id": f"c{at:02}", "doc_id": f"d{at % 17}", "authority": dice.randrange(101), "acl_groups": groups,
                "text": copy["text"] if copy else text if "public" in groups else f"{text} {SECRET}",
                "cluster_id": copy["cluster_id"] if copy else f"k{at}", "canonical_chunk_id": copy["canonical_chunk_id"]
                if copy else f"c{at:02}", "superseded_by": dice.choice((None, f"d{dice.randrange(17)}")),
            }
        )  # fmt: skip
    for row in rows:  # what is hidden from most makes words common that are rare in what they see
        if "public" not in row["acl_groups"]:
            row["search_text"] = f"{row['text']} " + " ".join(WORDS[:5]) * 3
    return rows


@pytest.fixture(scope="module")
def tables(request: Any, tmp_path_factory: Any, encoder: Any) -> Any:
    """The whole estate, and for each set of groups an index of what these may see alone."""
    from inspect import unwrap

    conftest = next(p for p in request.config.pluginmanager.get_plugins() if hasattr(p, "WordEncoder"))
    make = unwrap(conftest.make_table.__wrapped__)(tmp_path_factory.mktemp("estate"), encoder)
    rows = estate(5)
    alone: dict[tuple[str, ...], Any] = {}

    def visible(groups: tuple[str, ...]) -> tuple[list[dict[str, Any]], Any]:
        seen = [row for row in rows if {*groups, "public"} & set(row["acl_groups"])]
        if groups not in alone:
            alone[groups] = make(seen)
        return seen, alone[groups]

    return make(rows), visible


queries = st.builds(
    Query,
    st.lists(st.sampled_from((*WORDS, SECRET)), min_size=1, max_size=4).map(" ".join),
    groups=st.sets(st.sampled_from(GROUPS)).map(lambda names: tuple(sorted(names))),
    k=st.sampled_from((1, 4, 100)),
)
law = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@law
@given(query=queries, per_document=st.sampled_from((1, 3, 60)), candidates=st.sampled_from((3, 100)))
def test_hidden_rows_change_nothing_in_an_answer(
    *, tables: Any, encoder: Any, query: Any, per_document: int, candidates: int
) -> None:
    whole, visible = tables
    config = RetrievalConfig(per_document=per_document, candidates=candidates, text_weight=0)
    _, alone = visible(query.groups)
    answers = [
        Searcher(table, {"words": encoder}, config, today=lambda: TODAY).search(query)
        for table in (whole, alone)
    ]
    assert answers[0].as_json() == answers[1].as_json()


@law
@given(
    query=queries,
    per_document=st.sampled_from((1, 3, 60)),
    text_weight=st.sampled_from((0.5, 1.0, 9.0)),
    candidates=st.sampled_from((1, 3, 100)),
)
def test_with_full_text_neither(
    *, tables: Any, encoder: Any, query: Any, per_document: int, text_weight: float, candidates: int
) -> None:
    whole, visible = tables
    seen, alone = visible(query.groups)
    config = RetrievalConfig(per_document=per_document, text_weight=text_weight, candidates=candidates)
    for encoders in ({"words": encoder}, {}):
        answers = [
            Searcher(table, encoders, config, today=lambda: TODAY).search(query) for table in (whole, alone)
        ]
        assert answers[0].as_json() == answers[1].as_json()
        if not encoders and query.k == 100:
            matching = {
                row["cluster_id"]
                for row in seen
                if set(row.get("search_text", row["text"]).split()) & set(query.text.split())
            }
            assert len(answers[0].results) == len(matching)


@law
@given(query=queries)
def test_the_best_allowed_rows_come_in_the_order_of_a_brute_force_search(
    *, tables: Any, encoder: Any, query: Any
) -> None:
    whole, visible = tables
    seen, _ = visible(query.groups)
    config = RetrievalConfig(per_document=60, text_weight=0, authority_boost=0, recency_boost=0)
    answer = Searcher(whole, {"words": encoder}, config, today=lambda: TODAY).search(query)
    [asked] = encoder.encode_queries([query.clean])
    near = encoder.encode_queries([row["text"] for row in seen]) @ asked
    best: dict[str, tuple[float, int]] = {}
    ranked = sorted(range(len(seen)), key=lambda at: (-np.round(near[at], 5), seen[at]["chunk_id"]))
    for rank, at in enumerate(ranked, start=1):
        best.setdefault(seen[at]["cluster_id"], (near[at], rank))
    wanted = [cosine for cosine, _ in best.values()][: query.k]
    texts = {row["chunk_id"]: row["text"] for row in seen}
    assert len(answer.results) == len(wanted)
    shown = encoder.encode_queries([texts[result.chunk_id] for result in answer.results]) @ asked
    np.testing.assert_allclose(shown, wanted, atol=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_nor_in_a_table_that_was_edited_since_its_index_was_made(
    make_table: Any, encoder: Any, seed: int
) -> None:
    rows, dice = estate(seed), random.Random(seed)
    seen = [row for row in rows if "public" in row["acl_groups"]]
    dice.shuffle(rows)
    gone = [
        row | {"chunk_id": f"gone{at}", "search_text": " ".join(WORDS)} for at, row in enumerate(rows[:20])
    ]
    stale = [row | {"text": " ".join(dice.choices(WORDS, k=7)), "search_text": None} for row in rows[30:45]]
    whole, new = make_table([*gone, *stale, *rows[:30]]), make_table(rows[30:]).to_arrow()
    whole.checkout_latest()
    whole.delete("chunk_id LIKE 'gone%'")
    whole.merge_insert("chunk_id").when_matched_update_all().when_not_matched_insert_all().execute(new)
    alone = make_table(seen)
    for _ in range(12):
        asked = Query(" ".join(dice.choices((*WORDS, SECRET), k=3)), k=dice.choice((1, 4, 100)))
        config = RetrievalConfig(
            candidates=dice.choice((1, 3, 100)),
            examined=dice.choice((len(seen), 5000)),
            text_weight=dice.choice((0, 1, 100)),
            cross_lingual_text_weight=dice.choice((0, 2)),
            per_document=dice.choice((1, 60)),
        )
        for encoders in ({"words": encoder}, {}):
            found = [
                Searcher(table, encoders, config, today=lambda: TODAY).search(asked)
                for table in (whole, alone)
            ]
            assert found[0].as_json() == found[1].as_json()


def test_of_equally_near_rows_hidden_ones_choose_none(make_table: Any, encoder: Any) -> None:
    seen = [{"chunk_id": f"v{at:02}", "text": "travel budget"} for at in range(40)]
    hidden = [{"chunk_id": f"h{at}", "text": "travel budget", "acl_groups": ["hr"]} for at in range(30)]
    asked = [Query("travel", k=4), Query("budget", k=1)]
    config = RetrievalConfig(candidates=3, text_weight=0)
    for rows in (seen, hidden[:9] + seen[::-1] + hidden[9:], seen[20:] + hidden + seen[:20]):
        found = Searcher(make_table(rows), {"words": encoder}, config, today=lambda: TODAY).search_many(asked)
        assert [ids(answer) for answer in found] == [["v00", "v01", "v02", "v03"], ["v00"]]


def test_errors_do_not_depend_on_what_is_hidden(tables: Any, encoder: Any) -> None:
    whole, visible = tables
    _, alone = visible(())
    for text, k in ((" ", 5), ("a" * 1001, 5), (SECRET, 101)):
        messages: list[str] = []
        for table in (whole, alone):
            with pytest.raises(QueryError) as caught:
                Searcher(table, {"words": encoder}, RetrievalConfig()).search(Query(text, k=k))
            messages.append(str(caught.value))
        assert messages[0] == messages[1]
